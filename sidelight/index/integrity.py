"""Hashes of an index's files: a sample, looked at whenever it is opened, and the whole on request.

A text that was changed to one of equal length leaves every size as it was.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.errors import InputError
from sidelight.files import open_regular, sha256_file
from sidelight.formats.findings import Findings
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

_REMEDY = "Copy the whole folder again, or delete it and build the index again."
_BLOCK = 4096
_BLOCKS = 32

HASH_PATTERN = r"^[0-9a-f]{64}$"


class FileHash(Value):
    """SHA-256 of a file and of a sample of it, which takes the same time for any size."""

    whole: str = Field(pattern=HASH_PATTERN)
    sample: str = Field(pattern=HASH_PATTERN)


def hash_files(folder: Path, names: Iterable[str]) -> dict[str, FileHash]:
    """Return the hashes of some files of a folder, by name; of parts that are links, none."""
    return {
        name: FileHash(whole=sha256_file(folder / name), sample=_sample(folder / name))
        for name in names
        if not _is_linked(folder, name)
    }


def check_samples(folder: Path, hashes: Mapping[str, FileHash], findings: Findings) -> None:
    """Add a problem for each file whose sample is another one."""
    for name, expected in hashes.items():
        path = folder / name
        if path.is_file() and _sample(path) != expected.sample:
            _changed(name, findings)


def verify_files(
    folder: Path,
    hashes: Mapping[str, FileHash],
    on_file: Callable[[int], object] = lambda _: None,
) -> int:
    """Read all files of an index, and return how many.

    Raises:
        InputError: The index was built before hashes were kept.
        InvalidFileError: Files have changed; all are named.
    """
    if not hashes:
        raise InputError(
            f"{folder}: expected hashes of its files; found an index built before they were kept",
            remedy="Build the index again to have them.",
        )
    findings = Findings(folder)
    for name, expected in hashes.items():
        if sha256_file(folder / name) != expected.whole:
            _changed(name, findings)
        on_file(1)
    findings.raise_errors()
    return len(hashes)


def _changed(name: str, findings: Findings) -> None:
    findings.error(
        "index-file",
        None,
        expected=f"{name} as it was built",
        found="other bytes",
        remedy=_REMEDY,
    )


def _sample(path: Path) -> str:
    """Return the SHA-256 of blocks that are spread over a file, the first and the last included."""
    size = path.stat().st_size
    digest = hashlib.sha256()
    with open_regular(path) as stream:
        if size <= _BLOCK * _BLOCKS:
            digest.update(stream.read())
        else:
            for number in range(_BLOCKS):
                stream.seek((size - _BLOCK) * number // (_BLOCKS - 1))
                digest.update(stream.read(_BLOCK))
    return digest.hexdigest()


def _is_linked(folder: Path, name: str) -> bool:
    path = folder / name
    while path != folder:
        if path.is_symlink():
            return True
        path = path.parent
    return False
