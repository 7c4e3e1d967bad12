"""Rubrics in which every answer of a topic weighs the same, also where no rubric is at hand."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sidelight.schemas.grading.label_scale import Label
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight.schemas.grading.judgment import AnswerAssessment


def with_unit_weights(rubrics: Mapping[str, Rubric]) -> dict[str, Rubric]:
    """Return rubrics in which every answer of a topic weighs the same.

    All answers are put under a single question, so that a score is the mean over the answers.
    """
    return {
        topic_id: _one_question(topic_id, rubric.answers) for topic_id, rubric in rubrics.items()
    }


def rubrics_from_answers(assessments: Iterable[AnswerAssessment]) -> dict[str, Rubric]:
    """Return stand-in rubrics: for each topic every answer id that any run was judged on.

    For assessments whose rubrics are not at hand. All answers weigh the same, their texts are
    empty, and a topic or answer that no run was judged on is not missed.
    """
    answer_ids: dict[str, set[str]] = defaultdict(set)
    for item in assessments:
        answer_ids[item.topic_id].add(item.answer_id)
    return {
        topic_id: _one_question(
            topic_id, [RubricAnswer(answer_id=name, text="") for name in sorted(names)]
        )
        for topic_id, names in sorted(answer_ids.items())
    }


def _one_question(topic_id: str, answers: Sequence[RubricAnswer]) -> Rubric:
    question = RubricQuestion(
        question_id="all-1",
        rank=1,
        text="",
        importance=Label(name="", credit=1),
        answers=tuple(answers),
    )
    return Rubric(topic_id=topic_id, questions=(question,))
