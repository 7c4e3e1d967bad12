"""Scores of documents found for questions, over the questions that can tell runs apart.

Source: TREC 2024 Lateral Reading track overview, sections 2.4.3 and 3.2. A question counts unless
fewer than three documents are useful, or every run has an NDCG@10 of 1.
"""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError
from sidelight.evaluation.scoring.table import RunScore, ScoreTable, TopicScore
from sidelight.schemas.grading.measure import Measure
from sidelight.schemas.topic import parse_question_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.scoring.retrieval import RetrievalScores

MEASURES = "nDCG@10 RR"
"""What the track measures, in the names of ir_measures; the first one ranks runs."""

MIN_USEFUL = 3
MIN_QUESTIONS = 5
"""How many questions of an article assessors judged at least."""

_NDCG = "nDCG@10"
_PERFECT = 1 - 1e-9


class QuestionFilter(NamedTuple):
    """Which questions count.

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

    Args:
        qrels: Question id -> document id -> grade; a document is useful from 1 on.
        scores: Of all runs, with nDCG@10 of each question.
    """
    few = {
        name
        for name, grades in qrels.items()
        if sum(grade >= 1 for grade in grades.values()) < MIN_USEFUL
    }
    perfect = {
        name
        for name in qrels.keys() - few
        if all(run.per_query[name].get(_NDCG, 0.0) >= _PERFECT for run in scores)
    }
    return QuestionFilter(
        tuple(sorted(qrels.keys() - few - perfect)), tuple(sorted(few)), tuple(sorted(perfect))
    )


def tabulate_kept(scores: Sequence[RetrievalScores], kept: Sequence[str]) -> ScoreTable:
    """Return the scores of runs over the questions that count, the best run first.

    Raises:
        InputError: No question counts.
    """
    if not kept:
        raise InputError(
            "no question can tell runs apart",
            remedy=f"Judge more documents: a question needs {MIN_USEFUL} useful ones.",
        )
    names = list(scores[0].mean)
    runs = [
        RunScore(
            item.run,
            {
                name: fsum(item.per_query[one].get(name, 0.0) for one in kept) / len(kept)
                for name in names
            },
            sum(one not in item.omitted for one in kept),
        )
        for item in scores
    ]
    return ScoreTable(
        measures=tuple(Measure(name=name, title=name, format=".3f") for name in names),
        topics=tuple(
            TopicScore(item.run, one, {name: item.per_query[one].get(name, 0.0) for name in names})
            for one in kept
            for item in sorted(scores, key=lambda item: item.run)
        ),
        runs=tuple(sorted(runs, key=lambda run: (-run.values[names[0]], run.run_tag))),
    )


def sparsely_judged(qrels: Mapping[str, object]) -> dict[str, int]:
    """Return the articles with fewer judged questions than assessors were asked for, and how many.

    Questions whose ids name no article are not counted.
    """
    counts = Counter(parsed[0] for parsed in map(parse_question_id, qrels) if parsed)
    return {topic: count for topic, count in sorted(counts.items()) if count < MIN_QUESTIONS}
