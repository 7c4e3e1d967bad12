"""Shards of a corpus as a stream of segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ConfigDict, Field, create_model

from sidelight.index.json_stream import Placed, stream_objects
from sidelight.schemas.base import Value
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class CorpusFields(Value):
    """Which keys of a line hold the id and the text; the defaults are those of MS MARCO V2.1.

    `url`, `title`, `headings`, `start_char` and `end_char` are read under these names if present.
    """

    id: str = "docid"
    text: str = "segment"


MS_MARCO = CorpusFields()


class _SegmentLine(Segment):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


def stream_segments(path: Path, fields: CorpusFields) -> Iterator[Placed[Segment]]:
    """Yield the segments of one shard (JSONL, plain or `.gz`) with their line numbers.

    Raises:
        InputError: The shard cannot be read.
        InvalidFileError: A line is no segment, or its id holds white space or is empty.
    """
    model = create_model(
        "SegmentLine",
        __base__=_SegmentLine,
        segment_id=(str, Field(validation_alias=fields.id, pattern=r"^[^\s\x00]+$")),
        text=(str, Field(validation_alias=fields.text)),
    )
    remedy = (
        "Name the keys with --id-field and --text-field, or cut documents with "
        "`sidelight corpus segment` first."
    )
    for line in stream_objects(path, model, what="a segment", remedy=remedy):
        yield Placed(Segment(**dict(line.value)), line.line)
