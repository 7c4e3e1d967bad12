"""Which windows are read, and how: page by page, in parts that fit one prompt, no text twice."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from sidelight.schemas.segment import Segment, document_id_of
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WINDOW_CHARACTERS = 2_400
# Rules, article and questions are read with each part again, so that small parts cost more; in
# large ones models overlook things.
_PART_CHARACTERS = 20_000
_HEAD_CHARACTERS = 600

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,7}\.?"
_DATE = re.compile(
    rf"\b(?:(?:[1-9]|[12]\d|3[01])\s{_MONTH}\s\d{{4}}|{_MONTH}\s\d{{1,2}},?\s\d{{4}}|\d{{4}}-\d\d-\d\d"
    rf"|{_MONTH}\s\d{{4}})\b"
)


class Window(NamedTuple):
    """A segment as it is shown.

    Attributes:
        segment: The segment.
        text: What of it was not shown in the window before.
        follows: Whether the window before, of the same page, leads up to it.
    """

    segment: Segment
    text: str
    follows: bool


def choose(by_angle: Iterable[Sequence[Segment]], max_characters: int) -> list[Segment]:
    """Return the best of every angle, then the second best of every one, and so on.

    Args:
        by_angle: Candidates, best ranked first; the angles that matter most first.
        max_characters: Room for so much text.
    """
    chosen: dict[str, Segment] = {}
    texts: set[str] = set()
    room = max_characters
    for rank in zip_longest(*by_angle):
        for segment in rank:
            if segment is None or segment.segment_id in chosen or segment.text in texts:
                continue  # copies of a page share its windows
            room -= min(len(segment.text), _WINDOW_CHARACTERS)
            if room < 0:
                return list(chosen.values())
            chosen[segment.segment_id] = segment
            texts.add(segment.text)
    return list(chosen.values())


def parts(segments: Iterable[Segment]) -> list[list[Window]]:
    """Return segments in parts for one prompt each; pages stay whole where that is possible."""
    by_page: dict[str, list[Segment]] = {}
    for segment in segments:
        by_page.setdefault(document_id_of(segment.segment_id), []).append(segment)
    filled: list[list[Window]] = [[]]
    room = _PART_CHARACTERS
    for page in by_page.values():
        windows = _without_overlap(page)
        size = sum(len(window.text) for window in windows)
        if size > room and filled[-1] and size <= _PART_CHARACTERS:
            filled.append([])
            room = _PART_CHARACTERS
        for window in windows:
            if len(window.text) > room and filled[-1]:
                filled.append([])
                room = _PART_CHARACTERS
            filled[-1].append(window)
            room -= len(window.text)
    return [part for part in filled if part]


def page_date(segment: Segment) -> str:
    """Return the first date at the top of a page, as written; empty for what is not its top."""
    found = None if segment.start_char else _DATE.search(one_line(segment.text[:_HEAD_CHARACTERS]))
    return found.group() if found else ""


def _without_overlap(page: Sequence[Segment]) -> list[Window]:
    """Return the windows of a page in its order, each without what the one before holds."""
    windows: list[Window] = []
    end = 0
    for segment in sorted(page, key=lambda one: (one.start_char, one.segment_id)):
        # Where lengths and places agree, places tell what two windows share.
        placed = segment.end_char - segment.start_char == len(segment.text)
        shared = max(0, end - segment.start_char) if placed and windows else 0
        text = segment.text[shared:].strip()[:_WINDOW_CHARACTERS]
        if text:
            windows.append(Window(segment, text, follows=shared > 0))
        end = max(end, segment.end_char)
    return windows
