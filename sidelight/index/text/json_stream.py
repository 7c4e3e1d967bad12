"""JSONL files of any size, read line by line in constant memory, however long a line is."""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from gzip import BadGzipFile
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from sidelight.errors import InputError
from sidelight.files import open_binary
from sidelight.formats.findings import Findings
from sidelight.formats.lines import MAX_LINE_BYTES, decode_object, not_utf8, too_long

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A file in the wrong format has a problem in every line; nobody needs to see them all.
MAX_PROBLEMS = 10

T = TypeVar("T", bound=BaseModel)


class DamagedFileError(InputError):
    """A compressed file ends too early or does not decompress; its beginning was read."""


class RawLine(NamedTuple):
    """A line of a file as it is.

    Attributes:
        number: 1-based.
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

    Raises:
        DamagedFileError: The rest of the file does not decompress.
        InputError: The file cannot be read.
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


def parse_line(
    line: RawLine, model: type[T], findings: Findings, *, what: str, remedy: str
) -> T | None:
    """Return the object on a line; None when it is blank or, with an error in `findings`, broken.

    Args:
        line: The line.
        model: What the object must be.
        findings: Takes what is wrong with it.
        what: Name of such an object in messages.
        remedy: What a user can do about an object that is not one.
    """
    if line.size > MAX_LINE_BYTES:
        too_long(line.size, line.number, findings)
        return None
    if line.content.isspace():
        return None
    try:
        content = decode_object(line.content.decode("utf-8"), line.number, findings)
        return None if content is None else model.model_validate(content)
    except UnicodeDecodeError as error:
        not_utf8(error, line.number, findings)
    except ValidationError as error:
        findings.invalid(error, line.number, what=what, remedy=remedy)
    return None


def stream_objects(path: Path, model: type[T], *, what: str, remedy: str) -> Iterator[T]:
    """Yield the object on each line of a plain or `.gz` file; blank lines are left out.

    Args:
        path: The file.
        model: What each object must be.
        what: Name of such an object in messages.
        remedy: What a user can do about an object that is not one.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: Some lines are no such object. The valid ones are yielded first, up to the
            tenth that is not.
    """
    findings = Findings(path)
    for line in raw_lines(path):
        found = parse_line(line, model, findings, what=what, remedy=remedy)
        if found is not None:
            yield found
        if len(findings.problems) >= MAX_PROBLEMS:
            break
    findings.raise_errors()
