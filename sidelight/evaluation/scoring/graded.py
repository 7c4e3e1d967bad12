"""Scores of runs by graded questions or by useful documents, and the spread of scores over topics.

Documents are scored over the questions that can tell runs apart. Source: TREC 2024 Lateral Reading
track overview, sections 2.4.3 and 3.2: a question counts unless fewer than three documents are
useful, or every run has an NDCG@10 of 1. Spread is given as the five numbers of a boxplot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sidelight.errors import InputError
from sidelight.evaluation.metrics.base import TopicRecord
from sidelight.evaluation.scoring.retrieval import RetrievalScores
from sidelight.evaluation.scoring.table import ScoreTable, TopicScore, mean_scores, tabulate
from sidelight.formats.lines import Findings
from sidelight.formats.table import read_table, write_table
from sidelight.schemas.grading.judgment import Measure, QuestionGrade
from sidelight.schemas.topic import parse_question_id
from sidelight.text import quoted
from sidelight.tracks import Track


def score_question_quality(track: Track, grades: Sequence[QuestionGrade]) -> ScoreTable:
    """Score runs of questions by the grades of their questions.

    A topic on which a run has no grade, while another has, scores 0 and is listed.
    """
    labels: dict[tuple[str, str], list[QuestionGrade]] = defaultdict(list)
    for item in grades:
        labels[item.run_tag, item.topic_id].append(item)
    with_flags = all(item.redundant is not None for item in grades)

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        asked = labels.get((run_tag, topic_id), [])
        return TopicRecord(
            scales=track.scales,
            grades={item.run_question_rank: item.label for item in asked},
            redundant={item.run_question_rank: bool(item.redundant) for item in asked}
            if with_flags
            else None,
        )

    return tabulate(
        {item.topic_id for item in grades},
        {item.run_tag for item in grades},
        labels.keys(),
        record,
        track.question_list.measures,
    )


class Box(NamedTuple):
    """The scores of one topic, question or assessor.

    Attributes:
        group: What colours it; empty for nothing.
        lower: The 25th percentile; percentiles are interpolated linearly.
        upper: The 75th.
    """

    name: str
    group: str
    n: int
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


def boxes(
    scores: Mapping[str, Sequence[float]], groups: Mapping[str, str] | None = None
) -> list[Box]:
    """Return a box for each name, ordered by median, ties by the other four numbers and by name."""
    found = []
    for name, values in scores.items():
        five = (float(number) for number in np.percentile(values, (0, 25, 50, 75, 100)))
        found.append(Box(name, (groups or {}).get(name, ""), len(values), *five))
    return sorted(found, key=lambda box: (box.median, box[3:], box.name))


def by_topic(scores: Iterable[TopicScore], measure: str) -> dict[str, list[float]]:
    """Return the scores of all runs by topic."""
    found: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        found[score.topic_id].append(score.values[measure])
    return dict(found)


def by_group(
    scores: Mapping[str, Sequence[float]], groups: Mapping[str, str]
) -> dict[str, list[float]]:
    """Return scores by the group of their topic; topics of no group are left out."""
    found: dict[str, list[float]] = defaultdict(list)
    for topic_id, values in scores.items():
        if topic_id in groups:
            found[groups[topic_id]].extend(values)
    return dict(found)


def write_boxes(path: Path, found: Iterable[Box]) -> None:
    """Write boxes as CSV, in their order."""
    write_table(path, ("name", "group", "n", "min", "p25", "median", "p75", "max"), found)


def read_groups(path: Path) -> dict[str, str]:
    """Read who assessed which topic: CSV with the columns `topic_id` and `assessor`."""
    header, rows = read_table(path)
    findings = Findings(path)
    if not {"topic_id", "assessor"} <= set(header):
        expected, remedy = "topic_id and assessor", "Rename or add the columns."
        findings.error("csv-columns", 1, expected=expected, found=", ".join(header), remedy=remedy)
        findings.raise_errors()
    found: dict[str, str] = {}
    for row in rows:
        topic_id, assessor = row.cells["topic_id"], row.cells["assessor"]
        if found.setdefault(topic_id, assessor) != assessor:
            told = f"one assessor for {topic_id}, {found[topic_id]}"
            findings.again("label-conflict", row.line, told, quoted(assessor))
    findings.raise_errors()
    if not found:
        raise InputError(f"{path} names no topic", remedy="Give a row for each topic.")
    return found


MEASURES = "nDCG@10 RR"
"""What the track measures, in the names of ir_measures; the first one ranks runs."""

MIN_USEFUL = 3
MIN_QUESTIONS = 5
"""How many questions of an article assessors judged at least."""

_NDCG = "nDCG@10"
_PERFECT = 1 - 1e-9


class QuestionFilter(NamedTuple):
    """Selection of the questions that count.

    Attributes:
        kept: Those that do, sorted.
        few_useful: Those with too few useful documents.
        all_perfect: Those on which no run can be better than another.
    """

    kept: tuple[str, ...]
    few_useful: tuple[str, ...]
    all_perfect: tuple[str, ...]


def filter_questions(
    qrels: Mapping[str, Mapping[str, int]], scores: Sequence[RetrievalScores]
) -> QuestionFilter:
    """Return which of the judged questions count.

    A document is useful from grade 1 on. `scores` are of all runs, with nDCG@10 of each question.
    """
    few = {
        name
        for name, grades in qrels.items()
        if sum(grade >= 1 for grade in grades.values()) < MIN_USEFUL
    }
    topics = (one for run in scores for one in run.topics)
    kept = {one.topic_id for one in topics if one.values[_NDCG] < _PERFECT} - few
    return QuestionFilter(
        tuple(sorted(kept)), tuple(sorted(few)), tuple(sorted(qrels.keys() - few - kept))
    )


def tabulate_kept(scores: Sequence[RetrievalScores], kept: Sequence[str]) -> ScoreTable:
    """Return the scores of runs over the questions that count, the best run first."""
    if not kept:
        raise InputError(
            "no question can tell runs apart",
            remedy=f"Judge more documents: a question needs {MIN_USEFUL} useful ones.",
        )
    counted = set(kept)
    rows = [[one for one in item.topics if one.topic_id in counted] for item in scores]
    runs = [
        mean_scores(its, len(counted.difference(item.omitted)))
        for item, its in zip(scores, rows, strict=True)
    ]
    names = list(scores[0].total.values)
    return ScoreTable(
        measures=tuple(Measure(name=name, title=name, format=".3f") for name in names),
        topics=tuple(sorted(chain(*rows), key=lambda one: (one.topic_id, one.run_tag))),
        runs=tuple(sorted(runs, key=lambda run: (-run.values[names[0]], run.run_tag))),
    )


def sparsely_judged(qrels: Mapping[str, object]) -> dict[str, int]:
    """Return the articles with fewer judged questions than assessors were asked for, and how many.

    Questions whose ids name no article are not counted.
    """
    counts = Counter(parsed[0] for parsed in map(parse_question_id, qrels) if parsed)
    return {topic: count for topic, count in sorted(counts.items()) if count < MIN_QUESTIONS}
