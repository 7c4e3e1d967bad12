"""What a bundle says of itself: how it was made, and the hash of every file in it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import orjson
from pydantic import Field

from sidelight.errors import InputError, Problem
from sidelight.files import files_below, read_json, read_limited, sha256_file
from sidelight.schemas.base import FileName, Value

if TYPE_CHECKING:
    from pathlib import Path

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
    """What made a bundle, and what is in it.

    Attributes:
        format_version: Of bundles.
        sidelight: Version of this software; another one need not give the same files.
        python: Version of Python.
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
        below = files_below(folder)
        if links := [path for path in below if path.is_symlink()]:
            return [_changed(path, "a plain file", "a symbolic link") for path in links]
        if others := [path for path in below if not path.is_file()]:
            return [_changed(path, "a plain file", "a pipe or a device") for path in others]
        found = describe_files(folder)
        problems = []
        if read_limited(folder / CONTENTS) != self._bytes():
            problems.append(_changed(folder / CONTENTS, "its own bytes", "others"))
        for name in sorted(self.files.keys() | found.keys()):
            expected, there = self.files.get(name), found.get(name)
            if expected != there:
                problems.append(_changed(folder / name, _shown(expected), _shown(there)))
        return problems

    def _bytes(self) -> bytes:
        tree = self.model_dump()
        tree["seal"] = hashlib.sha256(_as_json(tree)).hexdigest()
        return _as_json(tree)


def read_contents(folder: Path) -> Contents:
    """Read what a bundle says of itself.

    Raises:
        InputError: It is none, or one of a newer format.
    """
    path = folder / CONTENTS
    if not path.exists():
        raise InputError(
            f"{folder}: expected a bundle; found no {CONTENTS} in it",
            remedy="Make one with `sidelight bundle`.",
        )
    try:
        return parse_contents(read_limited(path), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}", remedy=_ANEW) from error


def parse_contents(content: bytes, path: Path) -> Contents:
    """Read the contents file of a bundle.

    Args:
        content: Its bytes.
        path: Where they are from, for messages.

    Raises:
        InputError: They are something else, or of a newer format.
    """
    try:
        tree = read_json(content)
        version = tree.pop("format_version")
        if version > FORMAT_VERSION:
            raise InputError(
                f"{path}: expected format {FORMAT_VERSION} or older; found {version}",
                remedy="Install a newer sidelight.",
            )
        tree.pop("seal")
        return Contents(**tree)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: expected what `sidelight bundle` wrote; found: {error}", remedy=_ANEW
        ) from error


def describe_files(folder: Path) -> dict[str, BundledFile]:
    """Return all files of a folder but its contents file."""
    return {
        str(file.relative_to(folder)): BundledFile(
            size_bytes=file.stat().st_size, sha256=sha256_file(file)
        )
        for file in files_below(folder)
        if file != folder / CONTENTS
    }


def _changed(path: Path, expected: str, found: str) -> Problem:
    return Problem("bundle-changed", str(path), None, expected, found, _ANEW)


def _shown(file: BundledFile | None) -> str:
    return f"{file.size_bytes} bytes, SHA-256 {file.sha256[:12]}" if file else "no such file"


def _as_json(tree: object) -> bytes:
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(tree, option=options)
