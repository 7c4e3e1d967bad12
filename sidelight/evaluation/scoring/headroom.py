"""Headroom: per topic, the score of all runs together above that of the best single run.

The ceiling of a topic is the score of a run that would have, for each element of the rubric (a
question, or an answer of a report), the strongest label that any run has. As many questions as are
wanted could reach it where the rubric has no more; the answers need not fit into one report.
Source: DRAGUN resources paper (arXiv 2602.24277), section 3.4.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.metrics.rubric import question_coverage, report_support
from sidelight.evaluation.scoring.score import compound_questions, score_questions, score_reports
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.judgment import (
        AnswerAssessment,
        CompoundAssessment,
        QuestionAssessment,
    )
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.tracks import Track


class TopicHeadroom(NamedTuple):
    """One topic; always `ceiling >= best >= mean`.

    Attributes:
        topic_id: The topic.
        ceiling: Score with the strongest label of any run for each element of the rubric.
        best: Score of the best run.
        best_runs: The runs that have it, sorted.
        mean: Mean over all runs; one without a judgment counts as 0.
        mean_contradiction: Mean contradictory score over all runs; None of questions.
    """

    topic_id: str
    ceiling: float
    best: float
    best_runs: tuple[str, ...]
    mean: float
    mean_contradiction: float | None


def question_headroom(
    track: Track,
    rubrics: Mapping[str, Rubric],
    assessments: Sequence[QuestionAssessment],
    compound: Sequence[CompoundAssessment] | None,
) -> list[TopicHeadroom]:
    """Return the headroom of each topic in questions, the highest ceiling first.

    The arguments, and what they raise, are those of `score_questions`.
    """
    table = score_questions(track, rubrics, assessments, compound)
    flagged = compound_questions(assessments, compound, track.scales)
    # All runs' questions as if one run had submitted them, under numbers of their own.
    pooled: dict[str, dict[tuple[int, int], str | Unjudged]] = defaultdict(dict)
    for item in assessments:
        if (item.run_tag, item.topic_id, item.run_question_rank) not in flagged:
            pairs = pooled[item.topic_id]
            pairs[item.rubric_question_rank, len(pairs)] = item.label
    ceilings = {
        topic_id: question_coverage(rubric, pooled[topic_id], track.scales["similarity"])
        for topic_id, rubric in rubrics.items()
    }
    return _headroom(table, ceilings)


def report_headroom(
    track: Track, rubrics: Mapping[str, Rubric], assessments: Sequence[AnswerAssessment]
) -> list[TopicHeadroom]:
    """Return the headroom of each topic in reports, the highest ceiling first.

    The arguments, and what they raise, are those of `score_reports`.
    """
    table = score_reports(track, rubrics, assessments)
    scale = track.scales["answers"]
    strongest: dict[str, dict[str, str]] = defaultdict(dict)
    for item in assessments:
        if not isinstance(item.label, Unjudged):
            other = strongest[item.topic_id].get(item.answer_id, scale.lowest)
            strongest[item.topic_id][item.answer_id] = max(item.label, other, key=scale.credit)
    ceilings = {
        topic_id: report_support(rubric, strongest[topic_id], scale)
        for topic_id, rubric in rubrics.items()
    }
    return _headroom(table, ceilings)


def _headroom(table: ScoreTable, ceilings: Mapping[str, float]) -> list[TopicHeadroom]:
    """Combine scores and ceilings; the main measure of the table is the one that counts."""
    measure, contradiction = table.main.name, table.computed_by("report_contradiction")
    topics = []
    for topic_id, ceiling in ceilings.items():
        rows = [topic for topic in table.topics if topic.topic_id == topic_id]
        best = max(row.values[measure] for row in rows)
        topics.append(
            TopicHeadroom(
                topic_id,
                ceiling,
                best,
                tuple(sorted(row.run_tag for row in rows if row.values[measure] == best)),
                # Rounded once, so that equal scores have just this mean.
                mean(row.values[measure] for row in rows),
                mean(row.values[contradiction.name] for row in rows) if contradiction else None,
            )
        )
    return sorted(topics, key=lambda topic: (-topic.ceiling, -topic.best, topic.topic_id))
