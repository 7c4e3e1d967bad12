"""How relevant a passage is, by a model's reading: one call for a passage and query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.evaluation.labelling.asking.assessor import NOTHING
from sidelight.evaluation.labelling.asking.prefix_order import PrefixOrder
from sidelight.evaluation.labelling.direct_grade.verdict import last_verdict
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.schemas.base import Value
from sidelight.schemas.grading.graded_passage import Grader
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.direct_grade.protocol import DirectCase, DirectMethod
    from sidelight.llm.prompted import PromptedModel


class DirectVerdict(Value):
    """What a model decides on a passage, with its reasons."""

    reasons: str
    verdict: str


class _Loose(BaseModel):
    verdict: str | int


class PromptedDirectGrades:
    """Grades by asking a model with one of the methods.

    Args:
        method: How it is asked.
        model: Who is asked.
        name: Under which it is served.
    """

    def __init__(self, method: DirectMethod, model: PromptedModel, name: str) -> None:
        self.method = method
        self._model = model
        self._order = PrefixOrder()
        prompt = method.prompt
        self.grader = Grader(f"{method.name}-{prompt.version}-{prompt.fingerprint[:8]}", name)

    async def __call__(self, case: DirectCase) -> list[Judgment]:
        """Return the one judgment on a case; a verdict outside the scale is none."""
        if not one_line(case.passage):
            return [Judgment("0", NOTHING)]
        verdicts = self.method.verdicts

        def check(answer: DirectVerdict) -> None:
            if last_verdict(answer.verdict, verdicts) is None:
                raise ValueError(f"the verdict must be one of {', '.join(verdicts)}")

        async with self._order.turn(self.method.prompt.id, case.query):
            try:
                answer = await self._model.answer(
                    self.method.prompt,
                    DirectVerdict,
                    check=check,
                    query=case.query,
                    passage=case.passage,
                )
            except ReplyError as error:
                return [self._salvaged(error)]
        verdict = last_verdict(answer.verdict, verdicts) or ""
        return [Judgment(str(verdicts[verdict]), one_line(answer.reasons))]

    def _salvaged(self, error: ReplyError) -> Judgment:
        """Return what can be read out of a reply that did not fit."""
        reason = one_line(error.message)
        if isinstance(error, StructuredOutputError):
            said = _said(error.text)
            if verdict := last_verdict(said, self.method.verdicts):
                return Judgment(str(self.method.verdicts[verdict]))
            reason = f"no verdict on the scale: {one_line(said)[-80:]}"
        return Judgment(Unjudged(reason=reason), reason)


def _said(reply: str) -> str:
    """Return the verdict in a reply that is JSON, or all of it."""
    try:
        return str(_Loose.model_validate_json(reply).verdict)
    except ValidationError:
        return reply
