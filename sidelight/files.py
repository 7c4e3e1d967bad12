"""Reading and writing files so that a reader never sees half of one."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import io
import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sidelight.errors import UsageError

LOCK = ".lock"
# What `atomic_writer` calls a file until it is whole; `publish` writes to `.<name>.new` first.
_TEMPORARY = re.compile(r"\.(?:\.(.+)\.new|([^.].*))\.[a-z0-9_]{8}\.tmp")


@contextmanager
def atomic_writer(path: Path) -> Iterator[IO[str]]:
    """Open a UTF-8 text file that appears under its name only when the block ends well.

    Lines end in LF on every platform. On an exception, or on `kill -9`, the old file (or its
    absence) is what a reader sees.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_packer(path: Path) -> Iterator[IO[str]]:
    """Open a text file as `atomic_writer` does; one whose name ends in `.gz` is packed.

    The same text gives the same bytes: the time of writing is left out.
    """
    if path.suffix != ".gz":
        with atomic_writer(path) as stream:
            yield stream
        return
    with (
        atomic_writer(path) as stream,
        gzip.GzipFile("", "wb", fileobj=cast("TextIO", stream).buffer, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text,
    ):
        yield text


def half_written_name(path: Path) -> str | None:
    """Return the name of the file that `atomic_writer` was writing here, or None if it was not."""
    found = _TEMPORARY.fullmatch(path.name)
    is_file = path.is_file() and not path.is_symlink()
    return (found[1] or found[2]) if found and is_file else None


def atomic_write(path: Path, text: str) -> None:
    """Write `text` to `path` in one step; see `atomic_writer`."""
    with atomic_writer(path) as stream:
        stream.write(text)


@contextmanager
def locked_folder(folder: Path, busy: UsageError) -> Iterator[None]:
    """Hold a folder, made if need be, for this process; the lock ends when the process does.

    Args:
        folder: Its lock is the file `LOCK` in it.
        busy: Raised when another process holds the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy from None
        yield


def open_binary(path: Path) -> IO[bytes]:
    """Open a plain or gzip-compressed file (by its `.gz` ending) for reading bytes."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def sha256_file(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
