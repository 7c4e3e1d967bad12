"""Registry of measures by name, and the scores of nuggets, of support and of a run's funnel.

Source of support: TREC 2025 RAG track overview, section 3.3. The nuggets of a topic are the same
for every run: an answer judged by others is an error. A topic on which a run has no judged answer
scores 0 and is listed.

The funnel says how much credit a run loses in searching, selecting, writing and checking. The
credit of an answer is that of its label, as in the score of a report; the credit of a stage is the
score that a report would get whose labels were those of the stage.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise
from math import fsum
from pathlib import Path
from typing import NamedTuple

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.metrics.base import TopicRecord, declared
from sidelight.evaluation.scoring.table import ScoreTable, tabulate
from sidelight.formats.lines import Findings
from sidelight.formats.runs.submission import reports_by_topic
from sidelight.formats.table import Row, read_table, write_table
from sidelight.registry import did_you_mean, names
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    JudgedSentence,
    LabelScale,
    Measure,
    Parameter,
    Scales,
    Unjudged,
)
from sidelight.schemas.grading.rubric import NuggetAssignment, NuggetBank, Rubric
from sidelight.schemas.run import ReportRun
from sidelight.text import counted, finite_number, quoted
from sidelight.tracks import load_track

SUPPORT_MEASURES = (
    Measure(
        name="weighted_precision",
        computes="support_precision",
        parameters={"citations": "first"},
        title="support by the first citation, over the sentences that cite",
    ),
    Measure(
        name="weighted_recall",
        computes="support_recall",
        parameters={"citations": "first"},
        title="support by the first citation, over all sentences",
    ),
    declared("support_precision", "weighted_precision_all"),
    declared("support_recall", "weighted_recall_all"),
    declared("nothing_cited"),
    declared("unjudged_sentences", "unjudged"),
)
"""By the first citation of a sentence, as at TREC, and by all of them together."""


def support_measures(*, leave_out: bool) -> tuple[Measure, ...]:
    """Return the measures of support; sentences that could not be judged earn 0 or are left out."""
    return tuple(
        one.model_copy(update={"parameters": {**one.parameters, "leave_out": leave_out}})
        if one.computes in ("support_precision", "support_recall")
        else one
        for one in SUPPORT_MEASURES
    )


def score_support(
    runs: Sequence[ReportRun],
    verdicts: Sequence[JudgedSentence],
    topic_ids: Collection[str] | None = None,
    measures: Sequence[Measure] = SUPPORT_MEASURES,
    further: Sequence[Measure] = (),
) -> ScoreTable:
    """Score runs by how far what they cite supports them.

    `verdicts` are on every sentence of the runs. The topics that count are `topic_ids`; if None,
    those that any run reports on. The first of `measures` ranks runs; `further` ones are computed
    besides.
    """
    reports = reports_by_topic(runs)
    found = {topic_id for _, topic_id in reports}
    known = found if topic_ids is None else set(topic_ids)
    if unknown := sorted(found - known):
        raise InputError(
            f"a run reports on the topic {unknown[0]}, which is not one of the topics",
            remedy="Give the topics file that the runs were made for, or none.",
        )
    if not known:
        raise InputError("the runs hold no report", remedy="Give at least one run of cited texts.")
    by_report = sentences_by_report(verdicts)

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        return TopicRecord(
            scales={SUPPORT_SCALE.name: SUPPORT_SCALE},
            sentences=by_report.get((run_tag, topic_id), []),
            report=reports.get((run_tag, topic_id), ()),
        )

    return tabulate(known, {run.run_tag for run in runs}, reports.keys(), record, measures, further)


def sentences_by_report(
    verdicts: Sequence[JudgedSentence],
) -> Mapping[tuple[str, str], list[JudgedSentence]]:
    """Return the judged sentences of each report, by run tag and topic id."""
    found: dict[tuple[str, str], list[JudgedSentence]] = defaultdict(list)
    for item in verdicts:
        found[item.run_tag, item.topic_id].append(item)
    return found


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

    Only the topics of `rubrics` count. The run tag of an assessment is a stage. The best label of
    an answer at a stage counts; without a label, the answer has no credit there.
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
    """Return each topic's credit by stage from a file of `write_funnel`."""
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


# `support_recall(citations=first)`: a computation and what it is made with.
_CALL = re.compile(r"(?P<name>[\w.:-]+)\((?P<parameters>[^()]*)\)")


def find_measure(text: str) -> Measure:
    """Return the measure that a name means, ready to be computed.

    `text` is the name of a measure; or of a computation, as registered, by an entry point or as
    `module:Class`; or of one with parameters, as in `support_recall(citations=first)`, which is
    then the name of the measure, too.
    """
    for measure in _listed():
        if text == measure.name:
            return measure
    call = _CALL.fullmatch(text)
    name = call["name"] if call else text
    if name not in names("measure") and ":" not in name:
        known = list(dict.fromkeys((*(one.name for one in _listed()), *names("measure"))))
        raise UsageError(
            f"unknown measure {name!r}; there are {', '.join(known)}" + did_you_mean(name, known),
            remedy="A measure of your own is named module:Class, or by its package's entry point.",
        )
    found = declared(name)
    if call:
        given = dict(map(_parameter, filter(None, call["parameters"].split(","))))
        found = found.model_copy(update={"name": text, "parameters": given})
    return found


def measure_called(name: str) -> Measure:
    """Return how a column of a score file is to be read; one that nobody knows is a plain score.

    What a measure is called among the tasks of a track is known, too.
    """
    for measure in _listed():
        if name in {measure.name, measure.among_tasks}:
            return measure.model_copy(update={"name": name})
    return declared(name) if name in names("measure") else Measure(name=name, title=name)


def _listed() -> Iterator[Measure]:
    """Yield the measures that have a name of their own."""
    tracks = map(load_track, names("track"))
    yield from chain.from_iterable(task.measures for track in tracks for task in track.tasks)
    yield from SUPPORT_MEASURES
    yield from STAGE_MEASURES


def _parameter(text: str) -> tuple[str, Parameter]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise UsageError(f"expected parameter=value; found {text.strip()!r}")
    number = finite_number(value)
    if number is not None:
        return name, int(value) if value.lstrip("+-").isdecimal() else number
    return name, {"true": True, "false": False}.get(value, value)


NUGGET_MEASURES = (
    declared("nugget_recall", "strict_vital_score"),
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
    declared("unjudged_nuggets", "unjudged"),
)
"""Of every answer, the one that ranks runs first; their names are those of nuggetizer's files."""

COVERAGE = declared("sub_narrative_coverage")
SIGNED = declared("signed_nugget_score", "signed_score")


def score_nuggets(
    assignments: Sequence[NuggetAssignment],
    scales: Scales,
    banks: Mapping[str, NuggetBank] | None = None,
    further: Sequence[Measure] = (),
) -> ScoreTable:
    """Score runs by the nuggets that their answers tell.

    There is at most one assignment for each run and topic. The topics that count are those of
    `banks`; if None, those of the assignments. `further` measures are computed besides those of
    nuggets.
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
        nothing = (scales["nuggets"].lowest,) * len(bank.nuggets)  # which no answer tells
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
