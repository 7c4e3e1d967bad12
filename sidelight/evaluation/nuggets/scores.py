"""Scores of answers by the nuggets that they tell.

The nuggets of a topic are the same for every run: an answer judged by others is an error. A topic
on which a run has no judged answer scores 0 and is listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.evaluation.metrics.base import TopicRecord, declared
from sidelight.evaluation.scoring.table import tabulate
from sidelight.schemas.grading.judgment import Measure, Unjudged
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.judgment import Scales
    from sidelight.schemas.grading.rubric import NuggetAssignment, NuggetBank

NUGGET_MEASURES = (
    Measure(
        name="strict_vital_score",
        computes="nugget_recall",
        title="vital nuggets told in full, over vital nuggets",
    ),
    Measure(
        name="vital_score",
        computes="nugget_recall",
        parameters={"strict": False},
        title="vital nuggets told, in part for half, over vital nuggets",
    ),
    Measure(
        name="strict_all_score",
        computes="nugget_recall",
        parameters={"among": "all"},
        title="nuggets told in full, over all nuggets",
    ),
    Measure(
        name="all_score",
        computes="nugget_recall",
        parameters={"among": "all", "strict": False},
        title="nuggets told, in part for half, over all nuggets",
    ),
    declared("unjudged_nuggets").model_copy(update={"name": "unjudged"}),
)
"""Of every answer, the one that ranks runs first; their names are those of nuggetizer's files."""

COVERAGE = Measure(
    name="sub_narrative_coverage",
    computes="sub_narrative_coverage",
    title="sub-narratives with a nugget told in full",
)
SIGNED = Measure(
    name="signed_score",
    computes="signed_nugget_score",
    title="nuggets told, by weight, less those that should not be",
)


def score_nuggets(
    assignments: Sequence[NuggetAssignment],
    scales: Scales,
    banks: Mapping[str, NuggetBank] | None = None,
    further: Sequence[Measure] = (),
) -> ScoreTable:
    """Score runs by the nuggets that their answers tell.

    Args:
        assignments: At most one for each run and topic.
        scales: What labels earn, and which importance is the highest.
        banks: Topic id -> nuggets: the topics that count; None for those of the assignments.
        further: Measures to compute besides those of nuggets.

    Raises:
        InputError: There is no assignment, two for one answer, or one by other nuggets.
        UsageError: A further measure needs what is not known here.
    """
    known = banks if banks is not None else {item.topic_id: item.bank for item in assignments}
    labels: dict[tuple[str, str], Sequence[str | Unjudged]] = {}
    for item in assignments:
        _require_same_nuggets(item, known)
        if (item.run_tag, item.topic_id) in labels:
            raise InputError(
                f"run {item.run_tag} has two judged answers to topic {item.topic_id}",
                remedy="Keep one of them.",
            )
        labels[item.run_tag, item.topic_id] = item.labels

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        bank = known[topic_id]
        nothing = (Unjudged(reason="no answer"),) * len(bank.nuggets)
        return TopicRecord(
            scales=scales, bank=bank, nuggets=labels.get((run_tag, topic_id), nothing)
        )

    return tabulate(
        known,
        {item.run_tag for item in assignments},
        labels.keys(),
        record,
        (*NUGGET_MEASURES, *_for_banks(known.values())),
        further,
    )


def _for_banks(banks: Iterable[NuggetBank]) -> list[Measure]:
    """Return the measures that need more of nuggets than their importance, where it is there."""
    nuggets = [nugget for bank in banks for nugget in bank.nuggets]
    found = [COVERAGE] if any(nugget.sub_narrative for nugget in nuggets) else []
    return [*found, SIGNED] if any(nugget.own_weight is not None for nugget in nuggets) else found


def _require_same_nuggets(item: NuggetAssignment, banks: Mapping[str, NuggetBank]) -> None:
    if item.topic_id not in banks:
        raise InputError(
            f"run {item.run_tag} is judged on topic {item.topic_id}, which has no nuggets",
            remedy="Give the nuggets that the assignments were made with.",
        )
    ours = [nugget.text for nugget in item.bank.nuggets]
    theirs = [nugget.text for nugget in banks[item.topic_id].nuggets]
    if ours != theirs:
        raise InputError(
            f"run {item.run_tag}, topic {item.topic_id}: judged by {counted(len(ours), 'nugget')}, "
            f"not by the {len(theirs)} of the topic",
            remedy="Judge all runs by the same nuggets, in the same order.",
        )
