"""Segment of the collection, and the parts of its id."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pydantic import Field

from sidelight.schemas.base import Value
from sidelight.schemas.topic import host_of

_SEGMENT_ID = re.compile(
    r"(?P<document_id>.+_doc_(?P<shard>\d{2})_\d+)"
    r"#(?P<window>\d{1,18})_(?P<offset>\d{1,18})",
    re.ASCII,
)


class Segment(Value):
    """One window of sentences of a document, with the fields of MS MARCO V2.1 segmented.

    Attributes:
        segment_id: Called `docid` in the collection.
        headings: Newline-separated headings of the page.
        text: The window itself, called `segment` in the collection.
        start_char: Offset of the window in the body of its document, in code points.
        end_char: End of the window, exclusive.
    """

    segment_id: str
    url: str = ""
    title: str = ""
    headings: str = ""
    text: str
    start_char: int = Field(0, strict=True)
    end_char: int = Field(0, strict=True)

    @property
    def host(self) -> str:
        """Return the host name of the page without a leading `www.`."""
        return host_of(self.url)

    @property
    def site(self) -> str:
        """Return the host of the page, or its document where the page has no address.

        Nobody knows whom a page without an address shares a host with: it counts as a site.
        """
        return self.host or document_id_of(self.segment_id)


class SegmentId(NamedTuple):
    """The parts of a segment id such as `msmarco_v2.1_doc_16_1992489241#2_2215054467`.

    Attributes:
        shard: The number of the collection file that holds it, two digits.
        window: 0-based number of the window within its document.
        offset: Byte offset of the segment's line in the uncompressed collection file.
    """

    document_id: str
    shard: str
    window: int
    offset: int


def parse_segment_id(segment_id: str) -> SegmentId | None:
    """Return the parts of an MS MARCO V2.1 style id, or None when it is not one."""
    match = _SEGMENT_ID.fullmatch(segment_id)
    if match is None:
        return None
    document_id, shard, window, offset = match.groups()
    return SegmentId(document_id, shard, int(window), int(offset))


def document_id_of(segment_id: str) -> str:
    """Return the part before the last `#`: the document a segment or window belongs to."""
    return segment_id.rpartition("#")[0] or segment_id


def overlapping(segment_id: str, others: Iterable[str]) -> list[str]:
    """Return those of some segments that a segment overlaps: adjacent windows of its document.

    Windows begin half a window apart, so adjacent ones share half their text and others nothing.
    """
    own = parse_segment_id(segment_id)
    if own is None:
        return []
    return [
        other
        for other in others
        if (window := parse_segment_id(other)) is not None
        and window.document_id == own.document_id
        and abs(window.window - own.window) == 1
    ]
