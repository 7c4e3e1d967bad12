"""Bounded reading and atomic writing of files.

Input is a regular file of limited size; output appears whole or not at all.

A pipe may never end and a device never does; neither can be read a second time, which finding out
the format of a file takes. So both are refused before they are opened.
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import io
import math
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any, Literal, TypeGuard, cast

import orjson

from sidelight.errors import UsageError

if TYPE_CHECKING:
    from sqlite3 import Connection

    import numpy as np


LOCK = ".lock"
# One document: a configuration, a prompt, a manifest, a trace.
MAX_DOCUMENT_BYTES = 64 << 20
# Lines or a table that are held in memory together: runs, labels, topics.
MAX_TABLE_BYTES = 2 << 30
# Of lists and objects one in another, in JSON; official files have five.
MAX_NESTING = 40
# Of folders one in another, below the one that is looked into or in a path that is written.
MAX_FOLDERS = 100
# Graded passages, which repeat the most, shrink to a twentieth.
_MAX_GROWTH = 30
_ALWAYS_ALLOWED = 64 << 20
# What `atomic_writer` calls a file until it is whole; `publish` writes to `.<name>.new` first.
_TEMPORARY = re.compile(r"\.(?:\.(.+)\.new|([^.].*))\.[a-z0-9_]{8}\.tmp")
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_SYSTEM_FOLDERS = {"proc", "sys"}
# What numpy's reader of headers raises.
_NO_HEADER = (ValueError, TypeError, KeyError, SyntaxError, TokenError, MemoryError, RecursionError)
_MAX_AXIS = 1 << 40
_SHOWN = 100
_BLOCK = 1 << 20
_UNPACKED_AT_ONCE = 1 << 16


class RefusedFileError(OSError):
    """The path is of something not read or written: no regular file, or one beyond the bounds."""

    def __init__(self, path: Path, expected: str, found: str, remedy: str) -> None:
        super().__init__(errno.EINVAL, f"expected {expected}; found {found}. {remedy}", str(path))


def open_regular(path: Path) -> io.BufferedReader:
    """Open a regular file for reading its bytes as they are.

    Raises:
        RefusedFileError: It is a pipe, a device or a socket.
        OSError: It cannot be opened.
    """
    _check_regular(path, path.stat().st_mode, "Save what it gives in a file, and name that one.")
    return path.open("rb")


def open_binary(path: Path) -> IO[bytes]:
    """Open a plain or gzip-compressed file (by its `.gz` ending) for reading bytes.

    Reading a compressed one raises RefusedFileError where it grows out of all proportion.

    Raises:
        OSError: It cannot be opened.
    """
    stream = open_regular(path)
    if path.suffix != ".gz":
        return stream
    return cast("IO[bytes]", io.BufferedReader(_Unpacked(stream, path), _UNPACKED_AT_ONCE))


def bundled(path: Path) -> Path:
    """Return a path, or what is installed in its place where it names no file here.

    `configs/rest.yaml` is the file of this name that came with sidelight, wherever that is called.
    """
    package = Path(__file__).parent
    if path.parts[:1] == ("configs",) and not path.exists():
        here = (place / path for place in (package, package.parent))
        return next((one for one in here if one.exists()), path)
    return path


def read_limited(path: Path, most: int = MAX_DOCUMENT_BYTES) -> bytes:
    """Return the content of a regular file, unpacked where its name ends in `.gz`.

    Raises:
        RefusedFileError: It is no regular file, or has more than `most` bytes.
        OSError: It cannot be read.
    """
    size, left, blocks = path.stat().st_size, most + 1, []
    with open_binary(path) as stream:
        while size <= most and (block := stream.read(min(left, max(size, _BLOCK) + 1))):
            blocks.append(block)
            left -= len(block)
    if size > most or not left:
        raise RefusedFileError(
            path, f"at most {most:,} bytes in such a file", "more", "Name another file."
        )
    return b"".join(blocks)


def read_json(content: bytes | str) -> Any:
    """Return the value that a JSON text stands for.

    What is no JSON, or is nested deeper than `MAX_NESTING`, raises JSONDecodeError.
    """
    value = orjson.loads(content)
    brackets = ("[", "{") if isinstance(content, str) else (b"[", b"{")
    if sum(map(content.count, brackets)) > MAX_NESTING and _is_deep(value):  # type: ignore[arg-type]
        text = content if isinstance(content, str) else content.decode()
        raise orjson.JSONDecodeError(f"more than {MAX_NESTING} levels of nesting", text, 0)
    return value


def map_array(path: Path, kind: str, axes: int) -> np.memmap[tuple[int, ...], np.dtype[Any]]:
    """Return the array in a `.npy` file, whose numbers are read when they are used.

    `kind` is numpy's name for the type of its elements (`S`: bytes of any length), `axes` how many
    axes it has.

    Raises:
        RefusedFileError: It is no regular file, holds something else, or less than its header says.
        OSError: It cannot be opened.
    """
    import numpy as np

    with open_regular(path) as stream:
        try:
            version = np.lib.format.read_magic(stream)
            shape, is_fortran, found = np.lib.format.read_array_header_1_0(stream)
        except _NO_HEADER as error:
            raise _other_array(path, kind, axes, "something else") from error
        place = stream.tell()
    left = path.stat().st_size - place
    is_kind = found.kind == "S" if kind == "S" else found == np.dtype(kind)
    is_whole = all(0 < n < _MAX_AXIS for n in shape[1:]) and min(shape, default=-1) >= 0
    if version != (1, 0) or not is_kind or not is_whole or len(shape) != axes:
        raise _other_array(path, kind, axes, f"{found} of shape {shape}")
    if found.itemsize * math.prod(shape) > left or not found.itemsize:
        raise _other_array(path, kind, axes, f"one of {left} bytes with the shape {shape}")
    order: Literal["F", "C"] = "F" if is_fortran else "C"
    return np.memmap(path, found, "r", place, tuple(map(int, shape)), order)


def _other_array(path: Path, kind: str, axes: int, found: str) -> RefusedFileError:
    expected = f"an array of {kind} with {axes} axes"
    return RefusedFileError(path, expected, found[:_SHOWN], "Take it from its source again.")


# All that is neither a table nor an index of one, and columns that a table computes.
_COMPUTED = """
SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR rootpage = 0 UNION ALL
SELECT one.name FROM sqlite_master AS one JOIN pragma_table_xinfo(one.name) WHERE hidden
"""


def check_tables(database: Connection) -> None:
    """Refuse a database in which reading computes something, which may never end.

    A view, a trigger, a virtual table or a computed column raises DatabaseError.
    """
    from sqlite3 import DatabaseError

    if found := database.execute(_COMPUTED).fetchone():
        raise DatabaseError(f"{found[0][:_SHOWN]!r}, which is no plain table")


def files_below(folder: Path) -> list[Path]:
    """Return all but folders of a folder and the folders in it, sorted; no link is followed.

    Raises:
        RefusedFileError: Folders lie one in another deeper than any that sidelight makes.
        OSError: A folder cannot be looked into.
    """
    found: list[Path] = []
    level = [folder]
    for _ in range(MAX_FOLDERS):
        if not level:
            return sorted(found)
        entries = [entry for one in level for entry in os.scandir(one)]
        level = [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
        found += [Path(entry) for entry in entries if not entry.is_dir(follow_symlinks=False)]
    raise RefusedFileError(
        folder,
        f"at most {MAX_FOLDERS} folders one in another",
        "more",
        "Remove what is no part of it.",
    )


def check_folder(folder: Path) -> None:
    """Refuse a folder in which, or in a folder of which, a pipe, a device or a link to one lies.

    For folders whose files libraries open that ask nothing.

    Raises:
        RefusedFileError: There is one.
        OSError: A folder cannot be looked into.
    """
    for path in files_below(folder):
        if path.exists() and not path.is_dir():
            _check_regular(path, path.stat().st_mode, "Remove it; it is no part of the folder.")


def make_folder(folder: Path) -> None:
    """Make a folder and those it lies in, where they are missing.

    Raises:
        RefusedFileError: The path has more folders than any that is meant.
        OSError: It cannot be made.
    """
    if len(folder.parts) > MAX_FOLDERS:
        raise RefusedFileError(
            folder,
            f"a path of at most {MAX_FOLDERS} folders",
            str(len(folder.parts)),
            "Name a shorter one.",
        )
    folder.mkdir(parents=True, exist_ok=True)


def check_output(path: Path) -> None:
    """Refuse an output path that exists and is no file, such as `/dev/null`.

    Raises:
        RefusedFileError: A pipe or a device is there, or would have to be.
        IsADirectoryError: A folder is there.
    """
    remedy = "Name a file; tables that are printed can go to a pipe."
    above = Path(os.path.realpath(path.parent))
    if above == Path("/dev") or not _SYSTEM_FOLDERS.isdisjoint(above.parts[1:2]):
        raise RefusedFileError(path, "a place for a file", "one for devices", remedy)
    if path.exists():
        _check_regular(path, path.stat().st_mode, remedy)


@contextmanager
def atomic_binary(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write and read, which appears under its name only when the block ends well.

    On an exception, or on `kill -9`, the old file (or its absence) is what a reader sees.

    Raises:
        RefusedFileError: A pipe or a device has that name; it is left as it is.
    """
    check_output(path)
    make_folder(path.parent)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as stream:
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
def atomic_writer(path: Path) -> Iterator[IO[str]]:
    """Open a UTF-8 text file as `atomic_binary` does; lines end in LF on every platform."""
    with atomic_binary(path) as stream, _as_text(stream) as text:
        yield text


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
        atomic_binary(path) as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        _as_text(cast("IO[bytes]", packed)) as text,
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
    """Lock a folder, made if need be, for this process; the lock ends when the process does.

    The lock is its file `LOCK`; a folder that was made here and holds nothing else is removed at
    the end. `busy` is raised when another process holds the folder.
    """
    is_new = not folder.exists()
    make_folder(folder)
    with open_to_append(folder / LOCK) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy from None
        try:
            yield
        finally:
            if is_new and [*folder.iterdir()] == [folder / LOCK]:
                (folder / LOCK).unlink()
                folder.rmdir()


def open_to_append(path: Path) -> IO[bytes]:
    """Open a file, made if need be, for adding bytes to its end.

    Raises:
        RefusedFileError: A pipe or a device has that name.
    """
    check_output(path)
    return path.open("ab")


def sha256_file(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a regular file, read in blocks."""
    from hashlib import file_digest

    with open_regular(path) as stream:
        return file_digest(stream, "sha256").hexdigest()


def _check_regular(path: Path, mode: int, remedy: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        found = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise RefusedFileError(path, "a regular file", found, remedy)


def _is_deep(value: object) -> bool:
    """Tell whether a value has more levels than are read; without recursion, which would end."""
    level = [value]
    for _ in range(MAX_NESTING):
        lists = [one.values() if isinstance(one, dict) else one for one in level if _is_nest(one)]
        level = [child for one in lists for child in one if _is_nest(child)]
        if not level:
            return False
    return True


def _is_nest(value: object) -> TypeGuard[dict[str, Any] | list[Any]]:
    return isinstance(value, dict | list)


def is_file(name: str | Path) -> bool:
    """Tell whether a name leads to a file; one that no file can have leads to none."""
    return os.path.isfile(name)  # noqa: PTH113 - `Path.is_file` raises for such a name


def is_folder(name: str | Path) -> bool:
    """Tell whether a name leads to a folder; one that none can have leads to none."""
    return os.path.isdir(name)  # noqa: PTH112 - `Path.is_dir` raises for such a name


def as_json(value: Any, *, sort: bool = True) -> str:
    """Return a value as indented JSON, with a final newline."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    options |= orjson.OPT_SORT_KEYS if sort else 0
    return orjson.dumps(value, option=options).decode()


def in_utf8(value: Any) -> Any:
    """Return a value for JSON with escapes in names of files that are other bytes than UTF-8."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {in_utf8(key): in_utf8(one) for key, one in value.items()}
    return [in_utf8(one) for one in value] if isinstance(value, list | tuple) else value


@contextmanager
def _as_text(stream: IO[bytes]) -> Iterator[IO[str]]:
    """Write text to a stream of bytes, which stays open."""
    # Names of files may be other bytes than UTF-8.
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        yield text
    finally:
        text.detach()


class _Unpacked(io.RawIOBase):
    """What a gzip-compressed file holds, up to a multiple of its size."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream = stream
        self._path = path
        self._packed = gzip.GzipFile(fileobj=stream)
        self._most = self._left = _ALWAYS_ALLOWED + _MAX_GROWTH * path.stat().st_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # `readinto` would drop what it had unpacked when it meets damage further on.
        unpacked = self._packed.read1(len(buffer))
        size = len(unpacked)
        buffer[:size] = unpacked
        self._left -= size
        if self._left < 0:
            raise RefusedFileError(
                self._path,
                f"at most {self._most:,} bytes when unpacked",
                "more",
                "Unpack it first, if it is meant to be so large.",
            )
        return size

    def close(self) -> None:
        self._packed.close()
        self._stream.close()
        super().close()
