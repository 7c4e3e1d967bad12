"""What is measured, apart from who computes it."""

from __future__ import annotations

from typing import Literal

from sidelight.schemas.base import Value


class Measure(Value):
    """A measure of a run on a topic: how it is called, read and shown.

    Attributes:
        name: As tables and files have it; unique within a task.
        computes: The registered computation behind it.
        title: A line for people: what a value of 1 means.
        direction: Whether more of it is better.
        unit: What a value counts: a `share` in [0, 1], or `count`.
        format: How a value is printed, as a format specification of Python.
    """

    name: str
    computes: str
    title: str
    direction: Literal["higher", "lower"] = "higher"
    unit: Literal["share", "count"] = "share"
    format: str = ".4f"

    @property
    def lower_is_better(self) -> bool:
        """Tell whether the best run is the one with the lowest value."""
        return self.direction == "lower"
