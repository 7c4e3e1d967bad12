"""The labels of one kind: their order, what each earns, and which one wins where two are given.

A scale is data of a track or of an instrument. Judges, assessments, agreement, audits and figures
take a scale; none of them knows a label by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Iterable


class Label(Value):
    """One label of a scale.

    Attributes:
        name: As files spell it.
        credit: What it earns, as a share of the most that can be earned or as a weight.
        spellings: Other ways in which files write it.
        opposes: Whether it says the opposite of what was asked for, rather than less of it.
    """

    name: str
    credit: float = Field(0.0, ge=0)
    spellings: tuple[str, ...] = ()
    opposes: bool = False


class LabelScale(Value):
    """Labels in order.

    Attributes:
        name: What is labelled, for messages and figures.
        labels: The best first; a label that opposes comes after all others but the lowest.
        precedence: Label names, the one that wins first, where one thing was given several labels;
            the order of `labels` where it is empty.
    """

    name: str
    labels: tuple[Label, ...] = Field(min_length=2)
    precedence: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = self.names
        if len(set(names)) < len(names):
            raise ValueError(f"scale {self.name}: a label occurs twice")
        if self.precedence and sorted(self.precedence) != sorted(names):
            raise ValueError(f"scale {self.name}: precedence must name every label once")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Label names, the best first."""
        return tuple(label.name for label in self.labels)

    @property
    def levels(self) -> tuple[str, ...]:
        """Label names by rising credit, without those that oppose: what a graded model predicts."""
        return tuple(label.name for label in reversed(self.labels) if not label.opposes)

    @property
    def best(self) -> str:
        """The label that earns most."""
        return self.labels[0].name

    @property
    def lowest(self) -> str:
        """The label of what says nothing."""
        return self.labels[-1].name

    @property
    def opposite(self) -> str | None:
        """The label of what says the opposite; None on a scale without one."""
        return next((label.name for label in self.labels if label.opposes), None)

    def credit(self, name: str) -> float:
        """Return what a label earns.

        Raises:
            KeyError: It is not on the scale.
        """
        return {label.name: label.credit for label in self.labels}[name]

    def first(self, names: Iterable[str]) -> str:
        """Return the label that wins among some that were given to one thing."""
        return min(names, key=(self.precedence or self.names).index)

    def spelled(self, text: str) -> str | None:
        """Return the label that a file means by a spelling, or None."""
        for label in self.labels:
            if text == label.name or text in label.spellings:
                return label.name
        return None
