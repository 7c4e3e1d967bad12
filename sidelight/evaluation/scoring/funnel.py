"""Funnel of a run's credit: how much is lost in searching, selecting, writing and checking.

The credit of an answer is that of its label, as in the score of a report.
The credit of a stage is the score that a report would get whose labels were those of the stage.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from sidelight.formats.lines import Findings, quoted
from sidelight.formats.table import read_table, write_table
from sidelight.schemas.grading.judgment import Measure, Unjudged
from sidelight.text import finite_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.formats.table import Row
    from sidelight.schemas.grading.judgment import AnswerAssessment, LabelScale
    from sidelight.schemas.grading.rubric import Rubric


class Stage(StrEnum):
    """Stages at which a run may lose an answer, in order."""

    RETRIEVED = "retrieved"
    SELECTED = "selected"
    WRITTEN = "written"
    JUDGED = "judged"


STAGE_MEASURES = tuple(
    Measure(
        name=stage,
        computes="stage_credit",
        parameters={"stage": stage.value},
        title=f"credit of what was {stage}",
    )
    for stage in (Stage.RETRIEVED, Stage.SELECTED, Stage.WRITTEN)
)
"""The last stage is no measure of its own: its credit is the score."""

# What a stage holds besides its own: the step after it only chooses.
_HOLDS = {Stage.RETRIEVED: (Stage.SELECTED,), Stage.WRITTEN: (Stage.JUDGED,)}


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One rubric answer on its way.

    Attributes:
        topic_id: The topic.
        question_rank: Its question.
        answer_id: The answer.
        importance: Weight of its question.
        weight: Its share of the topic's score, in (0, 1]; those of a topic add up to 1.
        credit: By stage, in [0, 1]; None where that could not be had.
    """

    topic_id: str
    question_rank: int
    answer_id: str
    importance: float
    weight: float
    credit: dict[Stage, float | None]

    @property
    def lost_at(self) -> Stage | None:
        """The stage at which most credit was lost, the first of equals.

        None where nothing is lost in the end, or some credit is not known.
        """
        known = [1.0, *(credit for credit in self.credit.values() if credit is not None)]
        if len(known) <= len(self.credit) or known[-1] == 1:
            return None
        drops = [before - after for before, after in pairwise(known)]
        return list(self.credit)[drops.index(max(drops))]


class StageTotal(NamedTuple):
    """One stage, over all topics.

    Attributes:
        stage: The stage.
        credit: Mean over topics, in [0, 1]; what is not known counts as 0, as in scores.
        change: From the stage before, or from 1; a loss is negative.
        unjudged: Answers whose credit is not known.
    """

    stage: Stage
    credit: float
    change: float
    unjudged: int


def funnel_rows(
    rubrics: Mapping[str, Rubric], assessments: Iterable[AnswerAssessment], scale: LabelScale
) -> list[FunnelRow]:
    """Return a row for each answer, by topic, in the rubric's order.

    Args:
        rubrics: Topic id -> rubric; these are the topics that count.
        assessments: Labels whose run tag is a stage, any number for an answer: the best of a stage
            counts. An answer without a label at a stage has no credit there.
        scale: What a label of an answer earns.
    """
    found: dict[tuple[str, str, str], list[float | None]] = defaultdict(list)
    for item in assessments:
        found[item.topic_id, item.answer_id, item.run_tag].append(
            None if isinstance(item.label, Unjudged) else scale.credit(item.label)
        )
    return [
        FunnelRow(
            topic_id=topic_id,
            question_rank=question.rank,
            answer_id=answer.answer_id,
            importance=question.weight,
            weight=question.weight / len(question.answers) / rubric.total_weight,
            credit={
                stage: _best(
                    credit
                    for held in (stage, *_HOLDS.get(stage, ()))
                    for credit in found[topic_id, answer.answer_id, held]
                )
                for stage in Stage
            },
        )
        for topic_id, rubric in sorted(rubrics.items())
        for question in rubric.questions
        for answer in question.answers
    ]


def stage_totals(rows: Sequence[FunnelRow]) -> list[StageTotal]:
    """Add up a funnel; at least one row."""
    n_topics = len({row.topic_id for row in rows})
    totals: list[StageTotal] = []
    for stage in Stage:
        credit = fsum(row.weight * (row.credit[stage] or 0.0) for row in rows) / n_topics
        before = totals[-1].credit if totals else 1.0
        unjudged = sum(row.credit[stage] is None for row in rows)
        totals.append(StageTotal(stage, credit, credit - before, unjudged))
    return totals


_COLUMNS = ("topic_id", "rubric_question", "answer_id", "importance", "weight", *Stage, "lost_at")
_REMEDY = "Delete the folder of scores, and judge the run again."


def read_stage_credit(path: Path) -> dict[str, dict[str, float]]:
    """Return each topic's credit by stage from a file of `write_funnel`.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: It has other columns, or a weight or credit is no number in [0, 1].
    """
    header, rows = read_table(path)
    findings = Findings(path)
    if header != _COLUMNS:
        expected, found = ", ".join(_COLUMNS), ", ".join(header)
        findings.error("csv-columns", 1, expected=expected, found=found, remedy=_REMEDY)
        findings.raise_errors()
    earned: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        weight = _share(row, "weight", findings)
        of_topic = earned.setdefault(row.cells["topic_id"], {stage: [] for stage in Stage})
        for stage in Stage:
            if row.cells[stage]:
                of_topic[stage].append(weight * _share(row, stage, findings))
    findings.raise_errors()
    return {
        topic_id: {stage: fsum(parts) for stage, parts in stages.items()}
        for topic_id, stages in earned.items()
    }


def _share(row: Row, column: str, findings: Findings) -> float:
    value = finite_number(row.cells[column])
    if value is not None and 0 <= value <= 1:
        return value
    findings.error(
        "funnel-number",
        row.line,
        expected=f"a number from 0 to 1 in {column}",
        found=quoted(row.cells[column]),
        remedy=_REMEDY,
    )
    return 0.0


def write_funnel(path: Path, rows: Iterable[FunnelRow]) -> None:
    """Write a CSV with a row for each answer; credit that is not known is empty."""
    write_table(
        path,
        _COLUMNS,
        (
            (
                *(row.topic_id, row.question_rank, row.answer_id),
                *(int(row.importance), row.weight),
                *(row.credit[stage] for stage in Stage),
                row.lost_at,
            )
            for row in rows
        ),
    )


def _best(labelled: Iterable[float | None]) -> float | None:
    """Return the highest credit, 0 for none; unknown if what is not known could raise it."""
    found = list(labelled)
    best = max((credit for credit in found if credit is not None), default=0.0)
    return None if None in found and best < 1 else best
