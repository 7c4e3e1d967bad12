"""Archive of a bundle as one reproducible `.tar.zst` file, and the bundle's manifest.

The archive ends in a Zstandard skippable frame that holds the SHA-256 of all bytes before it.
Every tool that unpacks `.tar.zst` files passes over such frames.

Unpacking trusts nothing in an archive. What a bundle holds is listed by the file that comes first,
the manifest, which also says how the bundle was made; only plain files of that list, with the size
and the hash it says, are written. Links, devices and folders are refused as such, and `tarfile`
extracts nothing: its filters have been circumvented before.
"""

from __future__ import annotations

import hashlib
import struct
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import orjson
import zstandard
from pydantic import Field

from sidelight import files
from sidelight.errors import InputError, Problem
from sidelight.schemas.base import FileName, Value
from sidelight.text import quoted

CONTENTS = "bundle.json"
FORMAT_VERSION = 1

_ANEW = "Take the bundle from where it came from again."


class BundledFile(Value):
    """A file as it was when the bundle was made."""

    size_bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class BundledPrompt(Value):
    """A prompt that the run used."""

    version: int
    fingerprint: str


class Contents(Value):
    """Contents of a bundle, and how it was made.

    Attributes:
        sidelight: Version of this software; another one need not give the same files.
        platform: System and processor.
        packages: Versions of the packages that the run depends on.
        models: Models that were asked, each with its revision as far as the settings say.
        index: Fingerprint of the index.
        prompts: By id, every prompt of this version.
        files: By path in the bundle, every other file.
    """

    format_version: int = FORMAT_VERSION
    sidelight: str
    python: str
    platform: str
    packages: dict[str, str]
    models: dict[str, str]
    index: str
    prompts: dict[str, BundledPrompt]
    files: dict[FileName, BundledFile]

    def write(self, folder: Path) -> None:
        """Write this beside the files it lists."""
        (folder / CONTENTS).write_bytes(self._bytes())

    def check(self, folder: Path) -> list[Problem]:
        """Return every file that is missing, was added, is none or has changed by a byte."""
        below = files.files_below(folder)
        if links := [path for path in below if path.is_symlink()]:
            return [_changed(path, "a plain file", "a symbolic link") for path in links]
        if others := [path for path in below if not path.is_file()]:
            return [_changed(path, "a plain file", "a pipe or a device") for path in others]
        found = describe_files(folder)
        problems = []
        if files.read_limited(folder / CONTENTS) != self._bytes():
            problems.append(_changed(folder / CONTENTS, "its own bytes", "others"))
        for name in sorted(self.files.keys() | found.keys()):
            expected, there = self.files.get(name), found.get(name)
            if expected != there:
                problems.append(_changed(folder / name, _shown(expected), _shown(there)))
        return problems

    def _bytes(self) -> bytes:
        tree = self.model_dump()
        tree["seal"] = hashlib.sha256(files.as_json(tree).encode()).hexdigest()
        return files.as_json(tree).encode()


def read_contents(folder: Path) -> Contents:
    """Read what a bundle says of itself; raise InputError if it is none, or has a newer format."""
    path = folder / CONTENTS
    if not path.exists():
        raise InputError(
            f"{folder}: expected a bundle; found no {CONTENTS} in it",
            remedy="Make one with `sidelight bundle`.",
        )
    try:
        return parse_contents(files.read_limited(path), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}", remedy=_ANEW) from error


def parse_contents(content: bytes, path: Path) -> Contents:
    """Read the contents file of a bundle from its bytes; `path` is named in messages."""
    try:
        tree = files.read_json(content)
        version = tree["format_version"]
        if version > FORMAT_VERSION:
            raise InputError(
                f"{path}: expected format {FORMAT_VERSION} or older; found {version}",
                remedy="Install a newer sidelight.",
            )
        tree.pop("seal")
        return Contents.model_validate_json(orjson.dumps(tree), strict=True)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: expected what `sidelight bundle` wrote; found: {error}", remedy=_ANEW
        ) from error


def describe_files(folder: Path) -> dict[str, BundledFile]:
    """Return all files of a folder but its contents file."""
    return {
        str(file.relative_to(folder)): BundledFile(
            size_bytes=file.stat().st_size, sha256=files.sha256_file(file)
        )
        for file in files.files_below(folder)
        if file != folder / CONTENTS
    }


def _changed(path: Path, expected: str, found: str) -> Problem:
    return Problem("bundle-changed", str(path), None, expected, found, _ANEW)


def _shown(file: BundledFile | None) -> str:
    return f"{file.size_bytes} bytes, SHA-256 {file.sha256[:12]}" if file else "no such file"


_LEVEL = 10
_SKIPPABLE = 0x184D2A50
_SEAL = struct.Struct("<II32s")
_BLOCK = 1 << 20
_SMALL_BLOCK = 1 << 12  # unpacks to 128 MiB at most
# A list of files, or the header with a long name, is never larger.
_MAX_CONTENTS = 64 << 20
_MAX_PAX = 8192
# Traces shrink to a twentieth, evidence to a third. What grows further is no bundle of a run.
_MAX_GROWTH = 50
_ALWAYS_ALLOWED = 64 << 20


def write_archive(folder: Path, path: Path) -> None:
    """Pack a bundle, its contents file first; the archive appears when it is whole."""
    contents = folder / CONTENTS
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with files.atomic_binary(path) as raw:
        with (
            compressor.stream_writer(raw, closefd=False) as stream,
            tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
        ):
            below = files.files_below(folder)
            for file in sorted(below, key=lambda file: (file != contents, file)):
                member = tarfile.TarInfo(str(file.relative_to(folder)))
                member.size = file.stat().st_size
                with files.open_regular(file) as content:
                    archive.addfile(member, content)
        size = raw.tell()
        raw.seek(0)
        digest = _digest(raw, size)
        raw.write(_SEAL.pack(_SKIPPABLE, len(digest), digest))


def read_archive(path: Path, folder: Path) -> None:
    """Unpack the bundle that `write_archive` packed into a new folder.

    InputError is raised if it is something else, or a byte of it has changed; the message says
    after which file inside the damage begins, if it is inside.
    """
    try:
        with files.open_regular(path) as raw:
            size = path.stat().st_size
            max_size = _ALWAYS_ALLOWED + _MAX_GROWTH * size
            sealed = _is_sealed(raw, size)
            raw.seek(0)
            last = "the beginning"
            try:
                for name in _unpack(raw, folder, max_size):
                    last = name
                if sealed:
                    _check_end(raw, size)
            except InputError:
                if sealed:
                    raise
            except (zstandard.ZstdError, tarfile.TarError, EOFError, ValueError) as error:
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


class _Member(NamedTuple):
    """A plain file that comes next in an archive."""

    name: str
    size: int


def _unpack(raw: IO[bytes], folder: Path, max_size: int) -> Iterator[str]:
    """Write an archive's files and yield their names; raise ValueError if one is not as listed."""
    reader = zstandard.ZstdDecompressor().stream_reader(raw)
    first = _next_member(reader)
    if first is None or first.name != CONTENTS or first.size > _MAX_CONTENTS:
        raise ValueError(f"expected {CONTENTS} before all other files")
    content = _read(reader, first.size)
    left = dict(parse_contents(content, folder / CONTENTS).files)
    if (total := sum(file.size_bytes for file in left.values())) > max_size:
        raise ValueError(f"{total} bytes of files are listed, where {max_size} are believed")
    files.make_folder(folder)
    (folder / CONTENTS).write_bytes(content)
    _skip_padding(reader, first.size)
    yield CONTENTS
    while (member := _next_member(reader)) is not None:
        listed = left.pop(member.name, None)
        if listed is None or listed.size_bytes != member.size:
            raise ValueError(
                f"{quoted(member.name)} of {member.size} bytes, which {CONTENTS} does not list"
            )
        _write(reader, folder / member.name, listed)
        _skip_padding(reader, member.size)
        yield member.name
    # The checksum stands behind the zeros that fill the last record.
    rest = reader.read(tarfile.RECORDSIZE + 1)
    if len(rest) > tarfile.RECORDSIZE or any(rest):
        raise ValueError("more bytes behind the last file")


def _check_end(raw: IO[bytes], size: int) -> None:
    """Raise ValueError if something lies between the one frame of an archive and its seal.

    Every other reader of `.tar.zst` files would read a further frame, or pass over it.
    """
    raw.seek(0)
    frame = zstandard.ZstdDecompressor().decompressobj()
    while not frame.eof and (block := raw.read(_SMALL_BLOCK)):
        frame.decompress(block)
    if (behind := size - raw.tell() + len(frame.unused_data)) != _SEAL.size:
        raise ValueError(f"{behind} bytes behind its frame, where the seal has {_SEAL.size}")


def _next_member(reader: zstandard.ZstdDecompressionReader) -> _Member | None:
    """Return the next file, None at the end; raise ValueError if it is not a plain file."""
    long_name = None
    while True:
        block = _read(reader, tarfile.BLOCKSIZE)
        if not any(block):
            return None
        info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        if info.type == tarfile.XHDTYPE and long_name is None and 0 < info.size <= _MAX_PAX:
            long_name = _pax_path(_read(reader, info.size))
            _skip_padding(reader, info.size)
        elif info.type in {tarfile.REGTYPE, tarfile.AREGTYPE} and info.size >= 0:
            return _Member(long_name or info.name, info.size)
        else:
            raise ValueError(f"{quoted(info.name)}, which is no plain file")


def _pax_path(header: bytes) -> str:
    """Return the name in a header that holds nothing else: `21 path=a/long/name` and a newline."""
    length, _, record = header.partition(b" ")
    key, _, name = record.removesuffix(b"\n").partition(b"=")
    if length != str(len(header)).encode() or key != b"path":
        raise ValueError("a header that holds more than a name")
    return name.decode()


def _write(reader: zstandard.ZstdDecompressionReader, path: Path, listed: BundledFile) -> None:
    files.make_folder(path.parent)
    digest = hashlib.sha256()
    left = listed.size_bytes
    with path.open("xb") as stream:
        while left:
            block = _read(reader, min(left, _BLOCK))
            digest.update(block)
            stream.write(block)
            left -= len(block)
    if digest.hexdigest() != listed.sha256:
        raise ValueError(f"{quoted(path.name)} has another SHA-256 than {CONTENTS} says")


def _read(reader: zstandard.ZstdDecompressionReader, size: int) -> bytes:
    block = reader.read(size)
    if len(block) < size:
        raise EOFError("it ends too early")
    return block


def _skip_padding(reader: zstandard.ZstdDecompressionReader, size: int) -> None:
    if any(_read(reader, -size % tarfile.BLOCKSIZE)):
        raise ValueError("bytes between its files")


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
