"""What a topic is graded by: questions with answers, questions without, or nuggets."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import HIGHEST_CREDIT, Label

if TYPE_CHECKING:
    from collections.abc import Sequence

Weight = Annotated[float, Field(ge=-HIGHEST_CREDIT, le=HIGHEST_CREDIT, allow_inf_nan=False)]
"""What an item counts; below 0 where a submission should not say it."""


class BankItem(Value):
    """One thing that a submission should ask or tell.

    Attributes:
        text: In the words of whoever wrote the bank.
        importance: A label of a scale of importance; its credit is the weight.
    """

    text: str
    importance: Label

    @property
    def weight(self) -> float:
        """Return what the item counts, w in formulas."""
        return self.importance.credit


class Bank(Value):
    """All that one topic is graded by; each kind of bank says what its items are called.

    Attributes:
        topic_id: The topic.
    """

    topic_id: str

    @property
    @abstractmethod
    def items(self) -> Sequence[BankItem]:
        """Return the items, in the order of the file."""

    @property
    def total_weight(self) -> float:
        """Return the sum of the weights of all items, W in formulas."""
        return sum(item.weight for item in self.items)


class Nugget(BankItem):
    """One fact that an answer should tell, or, of negative weight, should not.

    Attributes:
        sub_narrative: The part of the narrative that it belongs to; empty where nobody said.
        own_weight: What it weighs where the bank says so itself, whatever its importance.
    """

    sub_narrative: str = ""
    own_weight: Weight | None = None

    @property
    def weight(self) -> float:
        """Return the nugget's own weight, or that of its importance."""
        return super().weight if self.own_weight is None else self.own_weight


class NuggetBank(Bank):
    """Facts that an answer should tell.

    Attributes:
        nuggets: At least one.
    """

    nuggets: tuple[Nugget, ...] = Field(min_length=1)

    @property
    def items(self) -> tuple[Nugget, ...]:
        """Return the nuggets."""
        return self.nuggets
