"""Cut documents into the windows of sentences that MS MARCO V2.1 calls segments.

The collection's windows hold 10 sentences and begin 5 sentences apart, so neighbours share half.
A newline is white space there, not the end of a sentence: its pages are extracted text whose lines
break anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from pydantic import ConfigDict, Field

from sidelight.files import atomic_writer
from sidelight.index.text.json_stream import stream_objects
from sidelight.schemas.article import Article
from sidelight.text import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

WINDOW = 10
STRIDE = 5


class Document(Article):
    """A line of a file of documents: `docid`, `body` and perhaps `url`, `title`, `headings`."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    topic_id: str = Field(validation_alias="docid", pattern=r"^[^\s\x00]+$")


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a JSONL file.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no document.
    """
    remedy = "Give each document a docid and a body."
    yield from stream_objects(path, Document, what="a document", remedy=remedy)


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
    """Cut documents into a JSONL file with the fields of MS MARCO V2.1 segmented.

    Ids are `<document id>#<window>_<byte offset of the line>`.

    Args:
        path: The file; it appears when all documents are cut.
        documents: Read once, one at a time.
        on_document: Called with 1 after each document.

    Returns:
        The number of segments written.
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
