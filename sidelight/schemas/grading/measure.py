"""What is measured, apart from who computes it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sidelight.schemas.base import Value

Parameter = bool | int | float | str


class Measure(Value):
    """A measure of a run on a topic: how it is called, read and shown.

    Attributes:
        name: As tables, files and commands have it; unique within a task. Empty in what a
            computation says of itself: its measure is called as it was asked for.
        computes: The registered computation behind it, or the place of one, `module:Class`; empty
            there, and for a measure whose values are only read.
        parameters: What the computation is made with, by the names its constructor gives them.
        title: A line for people: what is counted.
        direction: Whether more of it is better.
        unit: What a value counts: a `share` in [0, 1], or `count`.
        format: How a value is printed, as a format specification of Python: digits behind the
            point, and `f`, or `%` for a share.
        among_tasks: What it is called where measures of all tasks of a track stand side by side;
            empty for one that is not shown there.
    """

    name: str = ""
    computes: str = ""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    title: str
    direction: Literal["higher", "lower"] = "higher"
    unit: Literal["share", "count"] = "share"
    format: str = Field(".4f", pattern=r"^\.[0-9][f%]$")
    among_tasks: str = ""

    @property
    def lower_is_better(self) -> bool:
        """Tell whether the best run is the one with the lowest value."""
        return self.direction == "lower"

    @property
    def sign(self) -> int:
        """Return 1, or -1 where lower is better: a value times it is higher for the better run."""
        return -1 if self.lower_is_better else 1

    @property
    def description(self) -> str:
        """Return the title, with what it does not say by itself."""
        return f"{self.title}; lower is better" if self.lower_is_better else self.title

    def shown(self, value: float | None) -> str:
        """Return a value as tables show it; None is one that is undefined."""
        return "undefined" if value is None else format(value, self.format)
