"""A folder as one `.tar.zst` file: the same bytes for the same folder, and no byte goes unchecked.

The archive ends in a Zstandard skippable frame that holds the SHA-256 of all bytes before it.
Every tool that unpacks `.tar.zst` files passes over such frames.
"""

from __future__ import annotations

import hashlib
import struct
import tarfile
from typing import TYPE_CHECKING

import zstandard

from sidelight.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

_LEVEL = 10
_SKIPPABLE = 0x184D2A50
_SEAL = struct.Struct("<II32s")
_BLOCK = 1 << 20
_ANEW = "Take the bundle from where it came from again."


def write_archive(folder: Path, path: Path) -> None:
    """Pack the files of a folder, in the order of their names; the archive appears when whole."""
    part = path.with_name(f".{path.name}.part")
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with (
        part.open("wb") as raw,
        compressor.stream_writer(raw, closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        for file in sorted(item for item in folder.rglob("*") if item.is_file()):
            member = tarfile.TarInfo(str(file.relative_to(folder)))
            member.size = file.stat().st_size
            with file.open("rb") as content:
                archive.addfile(member, content)
    with part.open("r+b") as whole:
        digest = _digest(whole, part.stat().st_size)
        whole.write(_SEAL.pack(_SKIPPABLE, len(digest), digest))
    part.replace(path)


def read_archive(path: Path, folder: Path) -> None:
    """Unpack an archive made by `write_archive` into a folder.

    Raises:
        InputError: It is something else, or a byte of it has changed; the message names the first
            file inside that cannot be read, if there is one.
    """
    try:
        with path.open("rb") as raw:
            sealed = _is_sealed(raw, path.stat().st_size)
            raw.seek(0)
            last = "the beginning"
            try:
                for name in _unpack(raw, folder):
                    last = name
            except (zstandard.ZstdError, tarfile.TarError, OSError, EOFError) as error:
                raise InputError(
                    f"{path}: expected a whole bundle; found damage after {last}: {error}",
                    remedy=_ANEW,
                ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if not sealed:
        raise InputError(
            f"{path}: expected the bytes that `sidelight bundle` wrote; found others", remedy=_ANEW
        )


def _unpack(raw: IO[bytes], folder: Path) -> Iterator[str]:
    reader = zstandard.ZstdDecompressor().stream_reader(raw)
    with tarfile.open(fileobj=reader, mode="r|") as archive:
        for member in archive:
            archive.extract(member, folder, filter="data")
            yield member.name
    # The checksum stands behind the last member.
    while reader.read(_BLOCK):
        pass


def _is_sealed(raw: IO[bytes], size: int) -> bool:
    if size < _SEAL.size:
        return False
    digest = _digest(raw, size - _SEAL.size)
    return raw.read(_SEAL.size) == _SEAL.pack(_SKIPPABLE, len(digest), digest)


def _digest(raw: IO[bytes], size: int) -> bytes:
    """Return the SHA-256 of the next bytes of a file."""
    digest = hashlib.sha256()
    while size:
        block = raw.read(min(size, _BLOCK))
        if not block:
            break
        digest.update(block)
        size -= len(block)
    return digest.digest()
