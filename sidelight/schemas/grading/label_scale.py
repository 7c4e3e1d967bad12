"""The labels of one kind: their order, what each earns, and which one wins where two are given.

A scale is data of a track or of an instrument. Judges, assessments, agreement, audits and figures
take a scale; none of them knows a label by name.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import Field, model_validator
from pydantic_core import core_schema

from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Scales = Mapping[str, "LabelScale"]
    """The scales of a track, by what is labelled; see `Track.scales`."""

HIGHEST_CREDIT = 1_000_000
"""More than any label or weight counts, and little enough for exact sums."""


class Label(Value):
    """One label of a scale.

    Attributes:
        name: What code, prompts and tables call it.
        credit: What it earns, as a share of the most that can be earned or as a weight.
        title: As a heading; the name where it is empty.
        written: As files write it; the name where it is empty.
        opposes: Whether it says the opposite of what was asked for, rather than less of it.
        merged: The name of what it counts as, with others, where agreement is measured on fewer
            labels; itself where it is empty.
    """

    name: str
    credit: float = Field(0.0, ge=0, le=HIGHEST_CREDIT)
    title: str = ""
    written: str = ""
    opposes: bool = False
    merged: str = ""


class LabelScale(Value):
    """Labels in order.

    Attributes:
        name: What is labelled, for messages and figures.
        labels: What was looked for first, what says nothing of it last. A label that opposes has
            no place in that order; where it stands counts for lists and tables alone.
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
        if self.labels[-1].opposes:
            raise ValueError(f"scale {self.name}: the last label is that of what says nothing")
        return self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Label names in order."""
        return tuple(label.name for label in self.labels)

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Label names from the lowest up, one that opposes left out: what a model predicts."""
        return tuple(label.name for label in reversed(self.labels) if not label.opposes)

    @property
    def writings(self) -> tuple[str, ...]:
        """What files write for the labels, in order."""
        return tuple(self._by_writing)

    @property
    def highest(self) -> str:
        """The label of what is just what was looked for."""
        return self.levels[-1]

    @property
    def lowest(self) -> str:
        """The label of what says nothing."""
        return self.levels[0]

    @property
    def opposite(self) -> str | None:
        """The label of what says the opposite; None on a scale without one."""
        return next((label.name for label in self.labels if label.opposes), None)

    def label(self, name: str) -> Label:
        """Return a label.

        Raises:
            KeyError: It is not on the scale.
        """
        return self._by_name[name]

    def credit(self, name: str) -> float:
        """Return what a label earns.

        Raises:
            KeyError: It is not on the scale.
        """
        return self._by_name[name].credit

    def first(self, names: Iterable[str]) -> str:
        """Return the label that wins among some that were given to one thing."""
        return min(names, key=(self.precedence or self.names).index)

    def coarse(self, name: str) -> str:
        """Return what a label counts as on fewer labels, which may be itself.

        Raises:
            KeyError: It is not on the scale.
        """
        return self._by_name[name].merged or name

    def read(self, text: str) -> Label | None:
        """Return the label that a file writes so, or None."""
        return self._by_writing.get(text)

    @cached_property
    def _by_name(self) -> dict[str, Label]:
        return {label.name: label for label in self.labels}

    @cached_property
    def _by_writing(self) -> dict[str, Label]:
        return {label.written or label.name: label for label in self.labels}


class OneOf(NamedTuple):
    """Says of a field that it holds one of some labels: `label: Annotated[str, OneOf(names)]`.

    The schema of the field lists them, so that a model is offered these and no others.
    """

    names: tuple[str, ...]

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        """Return the schema of a choice, as pydantic asks for it."""
        return core_schema.literal_schema(list(self.names))
