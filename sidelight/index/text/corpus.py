"""Corpus shards as streams of segments; invalid lines are reported and skipped.

JSONL files of any size are read line by line in constant memory, however long a line is. The fields
that each kind of index reads from a segment are declared here.

Documents are cut into the windows of sentences that MS MARCO V2.1 calls segments. The collection's
windows hold 10 sentences and begin 5 sentences apart, so neighbours share half. A newline is white
space there, not the end of a sentence: its pages are extracted text whose lines break anywhere.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from gzip import BadGzipFile
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.files import atomic_writer, open_binary
from sidelight.formats.lines import MAX_LINE_BYTES, Findings, decode_line, decode_object
from sidelight.schemas.base import Value
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text import sentence_spans

# A file in the wrong format has a problem in every line; nobody needs to see them all.
MAX_PROBLEMS = 10

ModelT = TypeVar("ModelT", bound=BaseModel)


class DamagedFileError(InputError):
    """A compressed file ends too early or does not decompress; its beginning was read."""


class RawLine(NamedTuple):
    """A line of a file as it is; the first has number 1.

    Attributes:
        offset: Where it begins in the uncompressed file, in bytes.
        content: Its bytes with the line's end; spaces stand for a byte order mark. Of a line that
            is too long, nothing.
        size: How many bytes it has in the file.
    """

    number: int
    offset: int
    content: bytes
    size: int


def raw_lines(path: Path) -> Iterator[RawLine]:
    """Yield all lines of a plain or `.gz` file, blank ones included.

    DamagedFileError is raised where the rest of the file does not decompress.
    """
    offset = 0
    try:
        with open_binary(path) as stream:
            for number in count(1):
                content = stream.readline(MAX_LINE_BYTES + 1)
                size = len(content)
                if not size:
                    return
                if number == 1 and content.startswith(BOM_UTF8):
                    content = content.replace(BOM_UTF8, b" " * len(BOM_UTF8), 1)
                if size > MAX_LINE_BYTES:
                    last, content = content, b""
                    while last and not last.endswith(b"\n"):
                        last = stream.readline(MAX_LINE_BYTES)
                        size += len(last)
                yield RawLine(number, offset, content, size)
                offset += size
    except (EOFError, BadGzipFile, zlib.error) as error:
        raise DamagedFileError(
            f"{path}: cannot be read: {error}", remedy="Fetch the file again."
        ) from error
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror}", remedy="Check that the file is there."
        ) from error


def _parse_line(
    line: RawLine, model: type[ModelT], findings: Findings, *, what: str, remedy: str
) -> ModelT | None:
    """Return the object on a line; None if it is blank or, with an error in `findings`, broken."""
    if line.content.isspace():
        return None
    text = decode_line(line.content, line.size, line.number, findings)
    content = None if text is None else decode_object(text, line.number, findings)
    try:
        return None if content is None else model.model_validate(content)
    except ValidationError as error:
        findings.invalid(error, line.number, what, remedy)
    return None


_FIELDS_REMEDY = (
    "Name the keys with --id-field and --text-field, or cut documents with "
    "`sidelight corpus segment` first."
)


class CorpusFields(Value):
    """Keys of a line that hold id and text; the defaults are those of MS MARCO V2.1.

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

    If `strict`, a broken shard raises InvalidFileError, at its tenth problem at the latest.

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
        """Yield the segments alone."""
        return (line.segment for line in self if line.segment is not None)

    def refuse(self, code: str, line: int, *, expected: str, found: str, remedy: str) -> None:
        """Note that a line cannot be used; the arguments are those of `Problem`."""
        self._note([Problem(code, str(self.path), line, expected, found, remedy)])

    def _segment(self, raw: RawLine) -> Segment | None:
        findings = Findings(self.path)
        found = _parse_line(raw, self._model, findings, what="a segment", remedy=_FIELDS_REMEDY)
        if findings.problems:
            self._note(findings.problems)
        return None if found is None else Segment(**vars(found))

    def _note(self, problems: list[Problem]) -> None:
        self.refused += 1
        self.problems += problems[: MAX_PROBLEMS - len(self.problems)]
        if self._strict and len(self.problems) == MAX_PROBLEMS:
            raise InvalidFileError(self.problems)


def lexical_text(segment: Segment) -> str:
    """Return what BM25 indexes: address, title, headings and text.

    Anserini indexes the same fields of MS MARCO V2.1, so its published index and ours agree.
    """
    fields = (segment.url, segment.title, segment.headings, segment.text)
    return "\n".join(field for field in fields if field)


def passage_text(segment: Segment) -> str:
    """Return what encoders and cross-encoders read: title and text.

    They see few hundred tokens, which the headings of a page would often fill.
    """
    return f"{segment.title}\n{segment.text}" if segment.title else segment.text


WINDOW = 10
STRIDE = 5


class Document(Article):
    """A line of a file of documents: `docid`, `body` and perhaps `url`, `title`, `headings`."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    topic_id: str = Field(validation_alias="docid", pattern=r"^[^\s\x00]+$")


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a plain or `.gz` JSONL file; blank lines are left out.

    Lines that are no documents raise InvalidFileError, at the end of the file or at the tenth such
    line; the documents before are yielded first.
    """
    remedy = (
        "Give each document a docid and a body. Lines with a segment are segments already: give "
        "them to `sidelight index build`."
    )
    findings = Findings(path)
    for line in raw_lines(path):
        found = _parse_line(line, Document, findings, what="a document", remedy=remedy)
        if found is not None:
            yield found
        if len(findings.problems) >= MAX_PROBLEMS:
            break
    findings.raise_errors()


def begins_with_document(path: Path, fields: CorpusFields) -> bool:
    """Tell whether the first line of a file is a document, which is to be cut into segments."""
    with suppress(DamagedFileError):  # of which a build says how much is left
        for line in raw_lines(path):
            document, segment = (
                _parse_line(line, one, Findings(path), what="", remedy="")
                for one in (Document, segment_model(fields))
            )
            return document is not None and segment is None
    return False


def windows(body: str) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) character offsets of each window; the last one ends the text."""
    spans = list(sentence_spans(body, newline_ends=False))
    for first in range(0, len(spans), STRIDE):
        last = min(first + WINDOW, len(spans))
        yield spans[first][0], spans[last - 1][1]
        if last == len(spans):
            return


def write_segments(
    path: Path, documents: Iterable[Article], on_document: Callable[[int], object]
) -> int:
    """Cut documents into a JSONL file of segments, with the fields of MS MARCO V2.1 segmented.

    Ids are `<document id>#<window>_<byte offset of the line>`. The file appears when all documents
    are cut; `on_document` is called with 1 after each. Returns the number of segments.
    """
    count = offset = 0
    with atomic_writer(path) as stream:
        for document in documents:
            for number, (start, end) in enumerate(windows(document.body)):
                fields = {
                    "docid": f"{document.topic_id}#{number}_{offset}",
                    "url": document.url,
                    "title": document.title,
                    "headings": document.headings,
                    "segment": document.body[start:end],
                    "start_char": start,
                    "end_char": end,
                }
                line = orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)
                stream.write(line.decode())
                offset += len(line)
                count += 1
            on_document(1)
    return count
