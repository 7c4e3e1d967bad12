"""What an answer says of each nugget of its topic."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from sidelight.schemas.base import Value
from sidelight.schemas.grading.bank import NuggetBank
from sidelight.schemas.grading.judgment import Unjudged


class NuggetAssignment(Value):
    """One answer of a run, with a label for each nugget.

    Attributes:
        run_tag: The run.
        bank: The nuggets of the topic.
        labels: One for each nugget, in their order.
        query: What was asked; may be empty.
        answer: The text that was judged; may be empty.
    """

    run_tag: str
    bank: NuggetBank
    labels: tuple[str | Unjudged, ...]
    query: str = ""
    answer: str = ""

    @property
    def topic_id(self) -> str:
        """Return the topic of the answer."""
        return self.bank.topic_id

    @model_validator(mode="after")
    def _one_label_a_nugget(self) -> Self:
        if len(self.labels) != len(self.bank.nuggets):
            raise ValueError(
                f"run {self.run_tag}, topic {self.topic_id}: {len(self.labels)} labels for "
                f"{len(self.bank.nuggets)} nuggets"
            )
        return self
