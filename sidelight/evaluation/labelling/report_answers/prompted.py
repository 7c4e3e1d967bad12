"""What a report tells about each expected answer of a rubric, by a model's reading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.evaluation.labelling.asking.assessor import NOTHING
from sidelight.evaluation.labelling.protocol import Judgment, RubricCase
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import OneOf
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.evaluation.labelling.asking.assessor import Assessor
    from sidelight.evaluation.labelling.asking.topic_material import TopicMaterial
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import SubmittedReport

REPORT_ANSWERS_PROMPT = load_prompt(Path(__file__).with_name("report_answers.prompt.md"))


class AnswerVerdict(Value):
    """What a report tells about one expected answer."""

    answer_id: str
    reason: str
    label: Annotated[str, OneOf(REPORT_ANSWERS.scale.names)]


class ReportVerdict(Value):
    """What a report tells about a rubric."""

    labels: tuple[AnswerVerdict, ...]


class PromptedReportAnswers:
    """Labels by asking a model, once for each report.

    Args:
        assessor: Asks.
        material: What the prompts on a rubric's topic show.
    """

    def __init__(self, assessor: Assessor, material: Callable[[Rubric], TopicMaterial]) -> None:
        self._assessor = assessor
        self._material = material

    async def __call__(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        """Return one judgment for each expected answer, in the rubric's order."""
        rubric, report = case
        answer_ids = [answer.answer_id for answer in rubric.answers]
        if not one_line(report.text):
            return [Judgment(REPORT_ANSWERS.scale.lowest, NOTHING)] * len(answer_ids)
        topic = self._material(rubric)
        return await self._assessor.judgments(
            (rubric.topic_id,),
            REPORT_ANSWERS_PROMPT,
            ReportVerdict,
            answer_ids,
            lambda answer: (
                (one.answer_id, Judgment(one.label, one.reason)) for one in answer.labels
            ),
            article=topic.article,
            rubric=rubric,
            examples=topic.reports,
            report=report.text,
        )
