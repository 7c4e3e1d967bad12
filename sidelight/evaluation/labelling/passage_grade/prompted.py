"""How well a passage answers each item, by a model's reading.

The passage comes first in a prompt and the items last. A passage is much longer than an item and is
graded by all items of its query, one call after the other, so a server that caches prefixes reads
it once; with the item first it would read every passage anew for every item.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import BaseModel, ValidationError

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.evaluation.labelling.asking.assessor import NOTHING
from sidelight.evaluation.labelling.asking.prefix_order import PrefixOrder
from sidelight.evaluation.labelling.passage_grade.protocol import PassageGrader
from sidelight.evaluation.labelling.passage_grade.rating import self_rating
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.llm.exact_ids import check_each_once
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.graded_passage import HIGHEST_RATING, Grader
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.label_scale import OneOf
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.labelling.passage_grade.protocol import PassageCase
    from sidelight.llm.prompted import PromptedModel
    from sidelight.prompting import Prompt
    from sidelight.schemas.grading.exam_bank import ExamItem, ExamKind

_HERE = Path(__file__).parent
GRADE_PROMPTS: Mapping[ExamKind, Prompt] = {
    "question": load_prompt(_HERE / "question_grade.prompt.md"),
    "nugget": load_prompt(_HERE / "nugget_grade.prompt.md"),
}
"""What is asked about each kind of items."""

_DIGITS = tuple(str(grade) for grade in range(HIGHEST_RATING + 1))


class ItemRating(Value):
    """How well a passage does by one item."""

    item_id: str
    answer: str
    rating: Annotated[str, OneOf(_DIGITS)]


class PassageRatings(Value):
    """How well a passage does by some items."""

    grades: tuple[ItemRating, ...]


class _LooseRating(BaseModel):
    item_id: str
    answer: str = ""
    rating: str | int


class _LooseRatings(BaseModel):
    grades: list[_LooseRating]


class _AskedItem(NamedTuple):
    """An item under a short id, as a prompt shows it."""

    item_id: str
    text: str


class PromptedPassageGrades(PassageGrader):
    """Grades by asking a model.

    A reply that does not fit is repaired once. What then is no grade from 0 to 5 becomes one by
    `self_rating`; where no reply came, or it says nothing of an item, that cell is unjudged.

    Args:
        model: Who is asked.
        name: Under which it is served.
        at_once: How many items one call is asked about; 1 is what the paper does.
        workbench: See `self_rating`.
    """

    def __init__(
        self, model: PromptedModel, name: str, *, at_once: int = 1, workbench: bool = False
    ) -> None:
        self._model = model
        self._name = name
        self._at_once = at_once
        self._workbench = workbench
        self._order = PrefixOrder()

    def grader(self, kind: ExamKind) -> Grader:
        """Return the prompt, with all that may change a grade, and the model."""
        prompt = GRADE_PROMPTS[kind]
        name = f"{prompt.id}-{prompt.version}-{prompt.fingerprint[:8]}"
        together = f"-{self._at_once}-a-call" if self._at_once > 1 else ""
        return Grader(f"{name}{together}{'-workbench' * self._workbench}", self._name)

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        """Return one judgment for each item, in order; what is empty is not asked about."""
        if not one_line(case.passage):
            return [Judgment("0", NOTHING)] * len(case.items)
        parts = [
            case.items[start : start + self._at_once]
            for start in range(0, len(case.items), self._at_once)
        ]
        found = await asyncio.gather(*(self._ask(case, part) for part in parts))
        return list(chain.from_iterable(found))

    async def _ask(self, case: PassageCase, items: Sequence[ExamItem]) -> list[Judgment]:
        asked = [_AskedItem(f"i{number}", item.text) for number, item in enumerate(items, start=1)]
        ids = [item.item_id for item in asked]
        prompt = GRADE_PROMPTS[case.kind]

        def check(answer: PassageRatings) -> None:
            check_each_once(ids, [one.item_id for one in answer.grades])

        async with self._order.turn(prompt.id, case.passage):
            try:
                answer = await self._model.answer(
                    prompt,
                    PassageRatings,
                    check=check,
                    query=case.query,
                    passage=case.passage,
                    items=asked,
                )
            except ReplyError as error:
                return self._salvaged(error, ids)
        given = {one.item_id: Judgment(one.rating, one_line(one.answer)) for one in answer.grades}
        return [given[one] for one in ids]

    def _salvaged(self, error: ReplyError, ids: Sequence[str]) -> list[Judgment]:
        """Return what can be read out of a reply that did not fit, by the paper's fallback."""
        lost = Judgment(Unjudged(reason=one_line(error.message)), one_line(error.message))
        if not isinstance(error, StructuredOutputError):
            return [lost] * len(ids)
        try:
            loose = _LooseRatings.model_validate_json(error.text).grades
        except ValidationError:
            if len(ids) > 1:  # nobody can tell of which item it speaks
                return [lost] * len(ids)
            return [self._judgment(error.text, "")]
        counts = Counter(one.item_id for one in loose)
        given = {
            one.item_id: self._judgment(str(one.rating), one.answer)
            for one in loose
            if counts[one.item_id] == 1
        }
        return [given.get(one, lost) for one in ids]

    def _judgment(self, rating: str, answer: str) -> Judgment:
        grade = self_rating(rating, workbench=self._workbench)
        return Judgment(str(grade), one_line(answer))
