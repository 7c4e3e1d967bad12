"""How well a passage answers a question or covers a key fact: a grade from 0 to 5 for each item.

Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 4.2.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.labelling.protocol import LabellingProtocol
from sidelight.schemas.grading.exam_bank import ExamItem, ExamKind  # noqa: TC001 - as below
from sidelight.schemas.grading.graded_passage import HIGHEST_RATING
from sidelight.schemas.grading.label_scale import Label, LabelScale

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.protocol import Judgment
    from sidelight.schemas.grading.graded_passage import Grader


class PassageCase(NamedTuple):
    """A passage that is graded by some items of a bank.

    Attributes:
        query: What was asked.
        passage: The text.
        kind: What the items are.
        items: Each once.
    """

    query: str
    passage: str
    kind: ExamKind
    items: tuple[ExamItem, ...]


PASSAGE_GRADE = LabellingProtocol[PassageCase](
    name="passage grades",
    scale=LabelScale(
        name="grades",
        labels=tuple(
            Label(name=str(grade), credit=grade) for grade in range(HIGHEST_RATING, -1, -1)
        ),
    ),
    units=lambda case: [item.item_id for item in case.items],
)
"""The reason of a judgment is the answer that the passage gives, for people to check."""


class PassageGrader:
    """Grades passages by items; a grade hangs on no other item and no other passage.

    So whatever is graded in parts gets the grades it would get at once.
    """

    def grader(self, kind: ExamKind) -> Grader:
        """Return who grades items of a kind: another value whenever a grade may be another."""
        raise NotImplementedError

    def prepare(self, cases: list[PassageCase]) -> None:
        """Look at cases that will be graded; for a grader that reads many at once more quickly."""

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        """Return one judgment for each item of a case, in order."""
        raise NotImplementedError
