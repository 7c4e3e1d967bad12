"""What a report tells about each expected answer of a rubric, by a model's reading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.evaluation.labelling.asking import Verdict
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.label_scale import OneOf
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.asking import Assessor
    from sidelight.evaluation.labelling.topic_material import TopicMaterial

REPORT_ANSWERS = load_prompt(Path(__file__).with_name("report_answers.prompt.md"))


class AnswerVerdict(Value):
    """What a report tells about one expected answer."""

    answer_id: str
    reason: str
    label: Annotated[str, OneOf(load_track().scales["answers"].names)]


class ReportVerdict(Value):
    """What a report tells about a rubric."""

    labels: tuple[AnswerVerdict, ...]


async def label_answers(assessor: Assessor, topic: TopicMaterial, report: str) -> list[Verdict]:
    """Return one verdict for each answer of the rubric, in its order; all in one call."""
    return await assessor.verdicts(
        (topic.rubric.topic_id,),
        REPORT_ANSWERS,
        ReportVerdict,
        [answer.answer_id for question in topic.rubric.questions for answer in question.answers],
        lambda answer: ((one.answer_id, Verdict(one.label, one.reason)) for one in answer.labels),
        article=topic.article,
        rubric=topic.rubric,
        examples=topic.reports,
        report=report,
    )
