"""How a bank is drafted: what its items are, and with which prompt a model is asked for them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.schemas.grading.exam_bank import ExamKind


class Style(StrEnum):
    """The styles of the paper, by the collections they were made for, and nuggets.

    Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, sections 4.1 and 5.1.
    """

    DL = "dl"
    CAR = "car"
    NUGGETS = "nuggets"

    @property
    def kind(self) -> ExamKind:
        """What the items are."""
        return "nugget" if self is Style.NUGGETS else "question"
