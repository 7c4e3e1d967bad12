"""Scores of runs against rubrics; what a run leaves out can only cost it.

The rubrics say which topics, questions and answers there are; assessments only say how each one
was met. A topic without any judgment scores 0 and is listed. A pair or answer without a label
earns nothing and is counted in `unjudged`. What the rubrics do not know is an error.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.evaluation.metrics.question_coverage import question_coverage
from sidelight.evaluation.metrics.report_contradiction import report_contradiction
from sidelight.evaluation.metrics.report_support import report_support
from sidelight.schemas.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sidelight.schemas.label_scale import Scales
    from sidelight.schemas.rubric import Rubric
    from sidelight.tracks import Track

_MAX_LISTED = 10


@dataclass(frozen=True, slots=True)
class TopicScore:
    """What one run achieved on one topic: measure name -> value, in column order."""

    run_tag: str
    topic_id: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class RunScore:
    """What one run achieved: measure name -> mean over topics, in column order."""

    run_tag: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The scores of some runs on one task.

    Attributes:
        topics: One entry for each topic and run, sorted by topic id, then run tag.
        runs: One entry for each run, the best first, ties by run tag.
        omitted: Run tag -> topics without a judgment, which scored 0; only runs that have any.
    """

    topics: tuple[TopicScore, ...]
    runs: tuple[RunScore, ...]
    omitted: dict[str, tuple[str, ...]] = field(default_factory=dict)


def score_questions(
    track: Track,
    rubrics: Mapping[str, Rubric],
    assessments: Sequence[QuestionAssessment],
    compound: Sequence[CompoundAssessment] | None,
) -> ScoreTable:
    """Score Task 1 runs by the rubric questions they cover.

    Measures: `score` (compound questions earn nothing), `unjudged` (share of the pairs of a rubric
    question and one of the submitted ones), when `compound` is given also
    `score_unfiltered` and their difference `credit_lost`, and for runs `n_topics` (those judged).

    Args:
        track: Whose labels and number of questions count.
        rubrics: Topic id -> rubric; these are the topics that count.
        assessments: At most one label for each pair, as the reader returns them.
        compound: A verdict on every question that occurs in `assessments`; None for no filter.

    Raises:
        InputError: There are no assessments, or they name a topic or rank that does not exist, or
            a question lacks a verdict.
    """
    questions_per_topic, scale = track.question_list.count, track.scales["similarity"]
    _require_known(
        _unknown_pairs(rubrics, assessments, questions_per_topic), "rubric and submitted questions"
    )
    flagged = compound_questions(assessments, compound, track.scales)
    labels: dict[tuple[str, str], dict[tuple[int, int], str | Unjudged]]
    labels = defaultdict(dict)
    for item in assessments:
        pair = (item.rubric_question_rank, item.run_question_rank)
        labels[item.run_tag, item.topic_id][pair] = item.label

    def measure(run_tag: str, topic_id: str) -> dict[str, float]:
        rubric, pairs = rubrics[topic_id], labels.get((run_tag, topic_id), {})
        unfiltered = question_coverage(rubric, pairs, scale)
        n_pairs = len(rubric.questions) * questions_per_topic
        unjudged = 1 - _judged(pairs.values()) / n_pairs
        if compound is None:
            return {"score": unfiltered, "unjudged": unjudged}
        single = {
            pair: label
            for pair, label in pairs.items()
            if (run_tag, topic_id, pair[1]) not in flagged
        }
        score = question_coverage(rubric, single, scale)
        return {
            "score": score,
            "unjudged": unjudged,
            "score_unfiltered": unfiltered,
            "credit_lost": unfiltered - score,
        }

    run_tags = {item.run_tag for item in assessments} | {item.run_tag for item in compound or ()}
    return tabulate(rubrics, run_tags, labels.keys(), measure)


def score_reports(
    track: Track, rubrics: Mapping[str, Rubric], assessments: Sequence[AnswerAssessment]
) -> ScoreTable:
    """Score Task 2 runs by the rubric answers their reports support.

    Measures: `supportive_score`, `contradictory_score` (lower is better), `unjudged` (share of the
    rubric's answers), and for runs `n_topics` (those judged).

    Args:
        track: Whose labels count.
        rubrics: Topic id -> rubric; these are the topics that count.
        assessments: At most one label for each answer and run, as the reader returns them.

    Raises:
        InputError: There are no assessments, or they name a topic or answer that does not exist.
    """
    scale = track.scales["answers"]
    _require_known(_unknown_answers(rubrics, assessments), "rubric answers")
    labels: dict[tuple[str, str], dict[str, str | Unjudged]] = defaultdict(dict)
    for item in assessments:
        labels[item.run_tag, item.topic_id][item.answer_id] = item.label

    def measure(run_tag: str, topic_id: str) -> dict[str, float]:
        rubric, answers = rubrics[topic_id], labels.get((run_tag, topic_id), {})
        n_answers = sum(len(question.answers) for question in rubric.questions)
        return {
            "supportive_score": report_support(rubric, answers, scale),
            "contradictory_score": report_contradiction(rubric, answers, scale),
            "unjudged": 1 - _judged(answers.values()) / n_answers,
        }

    return tabulate(rubrics, {item.run_tag for item in assessments}, labels.keys(), measure)


def tabulate(
    topic_ids: Iterable[str],
    run_tags: Iterable[str],
    judged: Iterable[tuple[str, str]],
    measure: Callable[[str, str], dict[str, float]],
) -> ScoreTable:
    """Measure every run on every topic.

    Args:
        topic_ids: At least one.
        run_tags: The runs.
        judged: (run tag, topic id) of what was judged; all else is listed as omitted.
        measure: Run tag and topic id to measures, the main one first, also of what was omitted.

    Raises:
        InputError: There are no runs.
    """
    ordered_ids, ordered_tags, judged = sorted(topic_ids), sorted(run_tags), set(judged)
    if not ordered_tags:
        raise InputError("the assessments hold no row", remedy="Judge at least one run first.")
    topics = [
        TopicScore(run_tag, topic_id, measure(run_tag, topic_id))
        for topic_id in ordered_ids
        for run_tag in ordered_tags
    ]
    omitted = {
        run_tag: tuple(topic_id for topic_id in ordered_ids if (run_tag, topic_id) not in judged)
        for run_tag in ordered_tags
    }
    runs = []
    for run_tag in ordered_tags:
        rows = [topic.values for topic in topics if topic.run_tag == run_tag]
        means = {name: fsum(row[name] for row in rows) / len(rows) for name in rows[0]}
        runs.append(RunScore(run_tag, {**means, "n_topics": len(rows) - len(omitted[run_tag])}))
    main_measure = next(iter(runs[0].values))
    return ScoreTable(
        topics=tuple(topics),
        runs=tuple(sorted(runs, key=lambda run: (-run.values[main_measure], run.run_tag))),
        omitted={run_tag: missing for run_tag, missing in omitted.items() if missing},
    )


def _judged(labels: Iterable[str | Unjudged]) -> int:
    return sum(not isinstance(label, Unjudged) for label in labels)


def compound_questions(
    assessments: Sequence[QuestionAssessment],
    compound: Sequence[CompoundAssessment] | None,
    scales: Scales,
) -> set[tuple[str, str, int]]:
    """Return (run tag, topic id, rank) of the compound questions; none without verdicts.

    Raises:
        InputError: An assessed question lacks a verdict.
    """
    if compound is None:
        return set()
    verdicts = {
        (item.run_tag, item.topic_id, item.run_question_rank): item.label
        for item in compound
        if not isinstance(item.label, Unjudged)
    }
    needed = {(item.run_tag, item.topic_id, item.run_question_rank) for item in assessments}
    lacking = sorted(needed - verdicts.keys())
    if lacking:
        names = [f"run {run}, topic {topic}, question {rank}" for run, topic, rank in lacking]
        raise InputError(
            f"no verdict whether these assessed questions are compound: {_listed(names)}",
            remedy="Complete the compound check, or leave it out to score without the filter.",
        )
    compound_label = scales["compound"].highest
    return {key for key, label in verdicts.items() if label == compound_label}


def _unknown_pairs(
    rubrics: Mapping[str, Rubric],
    assessments: Iterable[QuestionAssessment],
    questions_per_topic: int,
) -> list[str]:
    ranks = {
        topic_id: {question.rank for question in rubric.questions}
        for topic_id, rubric in rubrics.items()
    }
    return [
        f"run {item.run_tag}, topic {item.topic_id}, rubric question {item.rubric_question_rank}, "
        f"submitted question {item.run_question_rank}"
        for item in assessments
        if item.rubric_question_rank not in ranks.get(item.topic_id, ())
        or not 1 <= item.run_question_rank <= questions_per_topic
    ]


def _unknown_answers(
    rubrics: Mapping[str, Rubric], assessments: Iterable[AnswerAssessment]
) -> list[str]:
    answer_ids = {
        topic_id: {answer.answer_id for question in rubric.questions for answer in question.answers}
        for topic_id, rubric in rubrics.items()
    }
    return [
        f"run {item.run_tag}, topic {item.topic_id}, answer {item.answer_id}"
        for item in assessments
        if item.answer_id not in answer_ids.get(item.topic_id, ())
    ]


def _require_known(unknown: Sequence[str], what: str) -> None:
    if unknown:
        raise InputError(
            f"the assessments name {what} that do not exist: {_listed(unknown)}",
            remedy="Use the rubrics and the track that the assessments were made with.",
        )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MAX_LISTED
    return "; ".join(names[:_MAX_LISTED]) + (f"; and {more} more" if more > 0 else "")
