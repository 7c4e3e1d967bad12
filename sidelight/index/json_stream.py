"""JSONL files of any size, read line by line in constant memory."""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from sidelight.errors import InputError
from sidelight.files import open_binary
from sidelight.formats.findings import Findings
from sidelight.formats.lines import decode_object, not_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A file in the wrong format has a problem in every line; nobody needs to see them all.
_MAX_PROBLEMS = 10

T = TypeVar("T", bound=BaseModel)


class Placed(NamedTuple, Generic[T]):
    """A value and the 1-based number of its line."""

    value: T
    line: int


def stream_objects(path: Path, model: type[T], *, what: str, remedy: str) -> Iterator[Placed[T]]:
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
    for number, raw in _lines(path):
        try:
            content = decode_object(raw.decode("utf-8"), number, findings)
            if content is not None:
                yield Placed(model.model_validate(content), number)
        except UnicodeDecodeError as error:
            not_utf8(error, number, findings)
        except ValidationError as error:
            findings.invalid(error, number, what=what, remedy=remedy)
        if len(findings.problems) >= _MAX_PROBLEMS:
            break
    findings.raise_errors()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with open_binary(path) as stream:
            for number, raw in enumerate(stream, start=1):
                content = raw.removeprefix(BOM_UTF8) if number == 1 else raw
                if content.strip():
                    yield number, content
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{path}: cannot be read: {reason}", remedy="Check that the file is there and complete."
        ) from error
