"""Direct relevance grades of passages for a query: by several prompted methods, or by the pool.

Sources: the prompts that Farzi and Dietz (Pencils Down!, ICTIR 2024, section 6.2) hold RUBRIC
against, and UMBRELA (Upadhyay et al., 2024). What each asks and on which scale is theirs; the words
are this project's own. A prompted grade takes one call for a passage and query. Reasoning names
other grades on its way ("not a 0", "from 0 to 3"), so only the last verdict of a reply counts; one
that is not on the scale is no verdict, whatever stands before it.

Without a model, a passage is graded by its similarity with all passages returned for the query.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ValidationError

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.evaluation.labelling.asking import NOTHING, PrefixOrder
from sidelight.evaluation.labelling.protocol import Judgment, LabellingProtocol
from sidelight.learned.ordinal_model import load_grade_model, weights_hash
from sidelight.learned.pool import RELEVANCE, pool_features, trusted
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.graded_passage import Grader
from sidelight.schemas.grading.judgment import Label, LabelScale, Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.prompting import Prompt
    from sidelight.text_vectors import Encode

_HERE = Path(__file__).parent
_YES_OR_NO = {"yes": 1, "no": 0}


class DirectCase(NamedTuple):
    """A query and a passage."""

    query: str
    passage: str


class DirectMethod(Value):
    """One way to ask for a grade.

    Attributes:
        name: As the command line and the paper call it.
        verdicts: What the model may say, in small letters, and the grade it stands for.
        relevant: The grade from which a passage counts as relevant.
    """

    name: str
    verdicts: dict[str, int]
    relevant: int

    @property
    def prompt(self) -> Prompt:
        """The prompt."""
        name = self.name.lower().replace("faggiolib", "faggioli_b")
        return load_prompt(_HERE / f"direct_{name}.prompt.md")

    @cached_property
    def protocol(self) -> LabellingProtocol[DirectCase]:
        """The protocol, with its scale."""
        grades = sorted(set(self.verdicts.values()), reverse=True)
        scale = LabelScale(
            name=f"grades by {self.name}",
            labels=tuple(Label(name=str(grade), credit=grade) for grade in grades),
        )
        return LabellingProtocol(
            name=f"grades by {self.name}", scale=scale, units=lambda case: [case.query]
        )


def _numbers(highest: int) -> dict[str, int]:
    return {str(grade): grade for grade in range(highest + 1)}


DIRECT_METHODS = {
    method.name: method
    for method in (
        DirectMethod(name="Thomas", verdicts=_numbers(2), relevant=1),
        DirectMethod(name="FaggioliB", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="FaggioliB_few", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="HELM", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="Sun", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="Sun_few", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="UMBRELA", verdicts=_numbers(3), relevant=2),
    )
}
"""By name."""


POOL_RELEVANT = 2
"""The grade from which a passage counts as relevant."""


class PoolGrades:
    """Grades from 0 to 3 by a model that learned from people's; a query's text does not count.

    A grade hangs on the other passages of the query, so all of them are graded at once.

    Args:
        encode: Texts to vectors by the default encoder.
    """

    def __init__(self, encode: Encode) -> None:
        self._model = load_grade_model(RELEVANCE)
        self._encode = encode
        self.grader = Grader(f"pool-1-{weights_hash(RELEVANCE)}", "calibrated-on-TREC-DL-2023")

    def grade(self, passages: Sequence[str]) -> list[int]:
        """Return a grade for each passage of one query."""
        if not passages:
            return []
        features = trusted(pool_features(passages, self._encode), self._model.means)
        grades: list[int] = self._model.grades(self._model.scores(features)).tolist()
        return grades


# What may stand around a verdict; a sign or a full stop before it is part of it.
_BEFORE, _AFTER = r"[\s*_\"'`#\[({<=]{0,8}", r"[\s*_\"'`\])}>.!;]{0,8}"
_SAID = r"(?P<said>[+-]?(?:\d{1,4})?(?:[.,]\d{1,4})+|[+-]?\d{1,4}|[^\W\d_]{1,20})"
_MARKED = re.compile(
    rf"(?:score|grade|verdict|label|rating|decision|answer|relevance){_BEFORE}(?:is\b|:|=)"
    rf"{_BEFORE}{_SAID}",
    re.IGNORECASE,
)
_PLAIN = re.compile(rf"{_BEFORE}{_SAID}{_AFTER}")
_LAST = 4_000  # characters; a verdict stands at the end


def last_verdict(text: str, verdicts: Collection[str]) -> str | None:
    """Return what a reply decides, in small letters; None where it is not one of the verdicts.

    A reply that is a single word or number is its verdict. Otherwise it is what follows the last
    mark such as `final score:` or `verdict:`.

    Args:
        text: The reply.
        verdicts: What may be said, in small letters.
    """
    said = one_line(text[-_LAST:])
    plain = _PLAIN.fullmatch(said)
    if plain:
        found = plain["said"]
    else:
        marks = [match["said"] for match in _MARKED.finditer(said)]
        if not marks:
            return None
        found = marks[-1]
    folded = found.casefold()
    return folded if folded in verdicts else None


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
