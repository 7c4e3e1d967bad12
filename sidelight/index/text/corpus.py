"""Shards of a corpus as streams of segments that go on after what is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic import ConfigDict, Field, create_model

from sidelight.errors import InvalidFileError, Problem
from sidelight.formats.findings import Findings
from sidelight.index.text.json_stream import (
    MAX_PROBLEMS,
    DamagedFileError,
    RawLine,
    parse_line,
    raw_lines,
)
from sidelight.schemas.base import Value
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_REMEDY = (
    "Name the keys with --id-field and --text-field, or cut documents with "
    "`sidelight corpus segment` first."
)


class CorpusFields(Value):
    """Which keys of a line hold the id and the text; the defaults are those of MS MARCO V2.1.

    `url`, `title`, `headings`, `start_char` and `end_char` are read under these names if present.
    """

    id: str = "docid"
    text: str = "segment"


MS_MARCO = CorpusFields()


class _SegmentLine(Segment):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


def segment_model(fields: CorpusFields) -> type[_SegmentLine]:
    """Return the type of a line; `Segment(**vars(line))` is its segment."""
    return create_model(
        "SegmentLine",
        __base__=_SegmentLine,
        segment_id=(str, Field(validation_alias=fields.id, pattern=r"^[^\s\x00]+$")),
        text=(str, Field(validation_alias=fields.text)),
    )


class ShardLine(NamedTuple):
    """A line of a shard, and its segment unless it is blank or broken."""

    raw: RawLine
    segment: Segment | None


class ShardReader:
    """All lines of one shard (JSONL, plain or `.gz`), with a record of what is wrong with them.

    Args:
        path: The shard.
        fields: Which keys of a line hold the id and the text.
        strict: Stop at a broken shard instead of going on.

    Attributes:
        refused: How many lines hold no usable segment, a missing rest of the file counting as one.
        problems: What is wrong with the first of them.
    """

    def __init__(self, path: Path, fields: CorpusFields, *, strict: bool = False) -> None:
        self.path = path
        self.refused = 0
        self.problems: list[Problem] = []
        self._model = segment_model(fields)
        self._strict = strict

    def __iter__(self) -> Iterator[ShardLine]:
        """Yield the lines in order.

        Raises:
            InputError: The shard cannot be read at all.
            InvalidFileError: It is broken, and that is not to be; ten problems are waited for.
        """
        last = 0
        try:
            for raw in raw_lines(self.path):
                last = raw.number
                yield ShardLine(raw, self._segment(raw))
        except DamagedFileError as error:
            self.refuse(
                "shard-damaged",
                last + 1,
                expected="the rest of the shard",
                found=str(error.__cause__),
                remedy="Fetch the file again.",
            )
        if self._strict and self.problems:
            raise InvalidFileError(self.problems)

    def segments(self) -> Iterator[Segment]:
        """Yield the segments alone; see `__iter__` for what it raises."""
        return (line.segment for line in self if line.segment is not None)

    def refuse(self, code: str, line: int, *, expected: str, found: str, remedy: str) -> None:
        """Note that a line cannot be used; the arguments are those of `Problem`.

        Raises:
            InvalidFileError: The shard was to be sound, and this is its tenth problem.
        """
        self._note([Problem(code, str(self.path), line, expected, found, remedy)])

    def _segment(self, raw: RawLine) -> Segment | None:
        findings = Findings(self.path)
        found = parse_line(raw, self._model, findings, what="a segment", remedy=_REMEDY)
        if findings.problems:
            self._note(findings.problems)
        return None if found is None else Segment(**vars(found))

    def _note(self, problems: list[Problem]) -> None:
        self.refused += 1
        self.problems += problems[: MAX_PROBLEMS - len(self.problems)]
        if self._strict and len(self.problems) == MAX_PROBLEMS:
            raise InvalidFileError(self.problems)
