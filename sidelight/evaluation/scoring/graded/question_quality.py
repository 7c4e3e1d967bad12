"""Scores of question runs whose questions were graded one by one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sidelight.evaluation.metrics.base import TopicRecord
from sidelight.evaluation.scoring.table import tabulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.judgment import QuestionGrade
    from sidelight.schemas.grading.measure import Measure
    from sidelight.tracks import Track


def score_question_quality(
    track: Track, grades: Sequence[QuestionGrade], further: Sequence[Measure] = ()
) -> ScoreTable:
    """Score runs of questions by the grades of their questions.

    A topic on which a run has no grade, while another has, scores 0 and is listed.

    Args:
        track: Whose scales and measures count.
        grades: At most one for each question, as the reader returns them.
        further: Measures to compute besides the track's.

    Raises:
        InputError: There are no grades.
        UsageError: A further measure needs what is not known here.
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
        further,
    )
