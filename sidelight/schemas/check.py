"""Result of one check by `sidelight doctor`."""

from __future__ import annotations

from typing import NamedTuple


class Check(NamedTuple):
    """One thing that was looked at.

    Attributes:
        name: What it is.
        found: What is there.
        remedy: The one line that brings what is missing; empty if nothing is.
    """

    name: str
    found: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether the check passed."""
        return not self.remedy
