"""Search trail values that a page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.view.report import WebPage


@dataclass(frozen=True, slots=True)
class Taken:
    """A hit that became evidence for an angle.

    Attributes:
        rank: 1-based, among the hits of its search.
        page: Where it stands.
        relevance: How well it speaks to the angle, in (0, 1].
        source: Its number among the sources of the report; None if the report does not cite it.
    """

    rank: int
    page: WebPage
    relevance: float
    source: int | None


@dataclass(frozen=True, slots=True)
class Left:
    """Hits left for the same reason; one that stands for several windows of a page comes once."""

    reason: str
    n_hits: int
    pages: tuple[WebPage, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """One search and what became of its hits."""

    round_number: int
    query: str
    taken: tuple[Taken, ...]
    left: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class AngleTrail:
    """Searches and hits of one angle.

    Attributes:
        question: What it asks.
        aspect: The side of trustworthiness it belongs to.
        weight: Expected importance, 1 to 4.
        chance: How likely the evidence speaks to it; None where no round assessed it.
        searches: In the order of rounds.
    """

    question: str
    aspect: str
    weight: float
    chance: float | None
    searches: tuple[Search, ...]


@dataclass(frozen=True, slots=True)
class Removed:
    """A sentence that did not stand the run's own check."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Trail:
    """Steps of a topic's investigation.

    Attributes:
        rounds: By round, the share of what matters that evidence speaks to, in [0, 1].
        angles: The weightiest first.
        removed: Sentences that a check took out.
        refused: Pages that no role was shown, with the reason.
    """

    rounds: tuple[float, ...]
    angles: tuple[AngleTrail, ...]
    removed: tuple[Removed, ...]
    refused: tuple[tuple[str, str], ...]
