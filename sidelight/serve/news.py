"""What an investigation searched for and found so far, for somebody who watches it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Plan
from sidelight.schemas.investigation.evidence import Selection
from sidelight.schemas.investigation.report import CheckedReport
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")
_MOST = 60  # of each: all are sent with every event


class Found(Value):
    """A page that was found to speak to the article.

    Attributes:
        title: Of the page.
        host: Where it stands.
    """

    title: str
    host: str


@dataclass(slots=True)
class News:
    """Everything so far.

    Attributes:
        queries: What was searched for.
        found: Pages that were taken as evidence.
        sentences: Of the report, those that stood the check.
    """

    queries: list[str] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def take(self, result: object) -> bool:
        """Take note of what came of a step, and tell whether there is anything new in it."""
        before = (len(self.queries), len(self.found), tuple(self.sentences))
        match result:
            case Plan():
                self.queries = _added(self.queries, (one_line(one.text) for one in result.queries))
            case Selection():
                pages = (
                    Found(title=one_line(one.segment.title), host=one.segment.host)
                    for one in result.evidence.items
                )
                self.found = _added(self.found, pages)
            case CheckedReport():
                stand = (one_line(one.text) for one in result.draft.sentences)
                self.sentences = _added([], stand)
        return before != (len(self.queries), len(self.found), tuple(self.sentences))


def _added(known: list[T], more: Iterable[T]) -> list[T]:
    return list(dict.fromkeys([*known, *more]))[:_MOST]
