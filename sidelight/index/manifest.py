"""Manifest of an index: how it was built, reports on its shards, and integrity checks of its files.

File sizes are checked whenever an index is opened, with hashes of a sample of bytes: a text that
was changed to one of equal length leaves every size as it was. Hashes of whole files are checked on
request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import Field, ValidationError

from sidelight import files
from sidelight.errors import InputError, Problem
from sidelight.formats.lines import Findings
from sidelight.index.encoding.calibration import Encoding
from sidelight.index.encoding.encoder import EncoderIdentity
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.index.text.corpus import CorpusFields
from sidelight.index.vectors.profiles import EXACT
from sidelight.registry import check_path
from sidelight.schemas.base import FileName, Value, faults

REPORT = "report.json"


class ShardReport(Value):
    """Counts of a shard: segments indexed and lines refused, with `problems` of the first such."""

    name: str
    segments: int
    refused: int
    problems: tuple[Problem, ...]


class PartReport(Value):
    """Counts of the shards of one part, and their number of documents."""

    documents: int
    shards: tuple[ShardReport, ...]


def read_report(part: Path) -> PartReport:
    """Return what was found in a part."""
    return _read(part / REPORT, PartReport)


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
        name: FileHash(whole=files.sha256_file(folder / name), sample=_sample(folder / name))
        for name in names
        if not _is_linked(folder, name)
    }


def verify_files(
    folder: Path,
    hashes: Mapping[str, FileHash],
    on_file: Callable[[int], object] = lambda _: None,
) -> int:
    """Read all files of an index, and return how many.

    If files have changed, InvalidFileError is raised and names them all. An index that was built
    before hashes were kept raises InputError.
    """
    if not hashes:
        raise InputError(
            f"{folder}: expected hashes of its files; found an index built before they were kept",
            remedy="Build the index again to have them.",
        )
    findings = Findings(folder)
    for name, expected in hashes.items():
        if files.sha256_file(folder / name) != expected.whole:
            _damaged(findings, f"{name} as it was built", "other bytes")
        on_file(1)
    findings.raise_errors()
    return len(hashes)


def _damaged(findings: Findings, expected: str, found: str) -> None:
    findings.error(
        "index-file",
        None,
        expected=expected,
        found=found,
        remedy="Copy the whole folder again, or delete it and build the index again.",
    )


def _sample(path: Path) -> str:
    """Return the SHA-256 of blocks that are spread over a file, the first and the last included."""
    size = path.stat().st_size
    digest = hashlib.sha256()
    with files.open_regular(path) as stream:
        if size <= _BLOCK * _BLOCKS:
            digest.update(stream.read())
        else:
            for number in range(_BLOCKS):
                stream.seek((size - _BLOCK) * number // (_BLOCKS - 1))
                digest.update(stream.read(_BLOCK))
    return digest.hexdigest()


def _is_linked(folder: Path, name: str) -> bool:
    parts = Path(name).parts
    return any(folder.joinpath(*parts[: n + 1]).is_symlink() for n in range(len(parts)))


FORMAT_VERSION = 2
MANIFEST = "manifest.json"

_PLAN = "plan.json"
_MAKE = (
    "Make one of web pages, texts or documents, and name its folder:\n"
    "  sidelight corpus segment PAGES -o SEGMENTS.jsonl\n"
    "  sidelight index build SEGMENTS.jsonl -o INDEX\n"
    "If a server keeps the index: sidelight index remote"
)
_BUILD_AGAIN = "Run the same `sidelight index build` again; it resumes."

V = TypeVar("V", bound=Value)


class InputFile(Value):
    """A shard as it was when the index was built."""

    name: str
    size_bytes: int
    sha256: str


class IndexPlan(Value):
    """Everything that decides what an index holds.

    Attributes:
        fields: Which keys of a line of the inputs hold what.
        vectors: Files with the vectors of the segments, or names of published sets; none if they
            are encoded.
        given: Parts that were there before.
        arithmetic: What the encoder computes in, if it was told.
        splade: Name of the model that weighs the words of queries; empty where no given part has
            learned weights.
    """

    format_version: int = FORMAT_VERSION
    inputs: tuple[InputFile, ...]
    fields: CorpusFields
    encoder: EncoderIdentity
    analyzer: str
    profile: str = EXACT
    vectors: tuple[InputFile | str, ...] = ()
    given: tuple[InputFile, ...] = ()
    arithmetic: Arithmetic | None = None
    splade: str = ""

    def fingerprint(self) -> str:
        """Return a SHA-256 that is the same for the same content, whatever its files are called."""
        content = self.model_dump(
            exclude={
                "inputs": True,
                "vectors": True,
                "given": True,
                "encoder": {"name"},
                "arithmetic": self.arithmetic is None,
                "splade": not self.splade,
            }
        )
        content["inputs"] = sorted(shard.sha256 for shard in self.inputs)
        content["vectors"] = [
            source if isinstance(source, str) else source.sha256 for source in self.vectors
        ]
        if self.given:
            content["given"] = [part.model_dump() for part in self.given]
        return hashlib.sha256(
            orjson.dumps(files.in_utf8(content), option=orjson.OPT_SORT_KEYS)
        ).hexdigest()


class Manifest(Value):
    """A finished index.

    Attributes:
        documents: How many documents the segments come from; 0 where only Lucene has the text.
        shards: What was found in each shard; indexes of format 1 do not say.
        files: Size in bytes of each file, by its path in the folder.
        hashes: Of each file that is no link; none in an index of an older version.
        encoding: How the segments were encoded; None if their vectors were given.
    """

    plan: IndexPlan
    segments: int
    documents: int
    shards: tuple[ShardReport, ...] = ()
    files: dict[FileName, int]
    hashes: dict[FileName, FileHash] = Field(default_factory=dict)
    libraries: dict[str, str]
    encoding: Encoding | None = None


def describe_inputs(shards: Sequence[Path]) -> tuple[InputFile, ...]:
    """Read the shards and return their names, sizes and hashes."""
    try:
        described = ((one.name, one.stat().st_size, files.sha256_file(one)) for one in shards)
        return tuple(InputFile(name=n, size_bytes=size, sha256=h) for n, size, h in described)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error


def read_plan(folder: Path) -> IndexPlan | None:
    """Return what a folder was begun with, or None when nothing was begun in it."""
    return _read(folder / _PLAN, IndexPlan) if (folder / _PLAN).exists() else None


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a finished index and check by samples that its files are there."""
    path = folder / MANIFEST
    if not path.exists():
        begun = (folder / _PLAN).exists()
        remedy = _BUILD_AGAIN if begun else _MAKE
        if (folder / "index" / MANIFEST).exists():
            remedy = f"There is one in {folder / 'index'}: name that."
        found = "an unfinished one" if begun else "none"
        if not folder.exists():
            found, remedy = "no such folder", f"{check_path(folder)} {remedy}"
        raise InputError(f"{folder}: expected an index; found {found}", remedy=remedy)
    manifest = _read(path, Manifest)
    files.check_folder(folder)
    findings = Findings(path)
    for name, size in manifest.files.items():
        file = folder / name
        found = f"{file.stat().st_size} bytes" if file.is_file() else "no such file"
        if found != f"{size} bytes":
            _damaged(findings, f"{name} with {size} bytes", found)
    findings.raise_errors()
    for name, expected in manifest.hashes.items():
        if (folder / name).is_file() and _sample(folder / name) != expected.sample:
            _damaged(findings, f"{name} as it was built", "other bytes")
    findings.raise_errors()
    return manifest


_FILE_NAMES = {PartReport: REPORT, IndexPlan: _PLAN, Manifest: MANIFEST}


def write_value(folder: Path, value: PartReport | IndexPlan | Manifest) -> None:
    """Write the report on a part, the plan of an index, or the manifest, which ends its build."""
    content = files.as_json(files.in_utf8(value.model_dump()))
    files.atomic_write(folder / _FILE_NAMES[type(value)], content)


def _read(path: Path, kind: type[V]) -> V:
    try:
        read = files.read_limited(path)
        content = files.read_json(read)
        if kind is not PartReport:  # which lasts only as long as a build
            plan = content if kind is IndexPlan else content["plan"]
            if plan["format_version"] > FORMAT_VERSION:
                raise InputError(
                    f"{path}: expected an index of format {FORMAT_VERSION} or older; found format "
                    f"{plan['format_version']}",
                    remedy="Install a newer sidelight, or build the index again with this one.",
                )
        return kind.model_validate_json(read, strict=True)
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValidationError) as error:
        found = getattr(error, "strerror", None) or faults(error)
        raise InputError(
            f"{path}: expected what `sidelight index build` wrote; found: {found}",
            remedy="Delete the folder and build the index again.",
        ) from error
