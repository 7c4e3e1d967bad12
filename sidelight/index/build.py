"""Build an index folder: docstore, Lucene, vectors, and the manifest last.

```text
<folder>/plan.json       what the folder is for, written first
<folder>/docstore/       segments.sqlite
<folder>/lucene/         a Lucene index
<folder>/vectors/        index.faiss, ids.npy
<folder>/manifest.json   written last; without it nothing opens
```

Each stage works in `<stage>.part` and takes its name when it is done, so a killed build goes on
with the stage it was in; encoding, the slow one, goes on within it.
"""

from __future__ import annotations

import shutil
from contextlib import nullcontext, suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from typing import TYPE_CHECKING

from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.files import LOCK, locked_folder
from sidelight.index.corpus import MS_MARCO, CorpusFields, stream_segments
from sidelight.index.docstore import Docstore, DuplicateSegmentError, write_docstore
from sidelight.index.folder import DOCSTORE, LUCENE, SEGMENTS, VECTORS, docstore_file
from sidelight.index.lucene import ANALYZER, write_lucene
from sidelight.index.manifest import (
    MANIFEST,
    Manifest,
    Plan,
    describe_inputs,
    read_manifest,
    read_plan,
    write_manifest,
    write_plan,
)
from sidelight.index.vectors import write_vectors
from sidelight.schemas.segment import document_id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sidelight.index.encoder import Encoder
    from sidelight.schemas.segment import Segment

    # Given a description and perhaps a total, shows progress while its block runs and yields the
    # function that advances it.
    Progress = Callable[[str, int | None], AbstractContextManager[Callable[[int], object]]]

_PACKAGES = ("faiss-cpu", "faiss-gpu", "pyserini", "sentence-transformers", "sidelight", "torch")


def silent(description: str, total: int | None) -> AbstractContextManager[Callable[[int], object]]:
    """Show no progress."""
    del description, total
    return nullcontext(lambda _: None)


def build_index(
    shards: Sequence[Path],
    folder: Path,
    encoder: Encoder,
    fields: CorpusFields = MS_MARCO,
    progress: Progress = silent,
) -> Manifest:
    """Index the segments of all shards in a folder; a finished, unchanged one is left as it is.

    Args:
        shards: JSONL files; their order does not matter.
        folder: Made if it does not exist, else what an earlier call with the same input left.
        encoder: Encodes all segments.
        fields: Which keys of a line hold the id and the text.
        progress: Shows each stage.

    Raises:
        InputError: A shard cannot be read or holds what is no segment, an id occurs twice, or the
            folder holds something else.
        MachineError: Java, a package or the model is missing.
    """
    plan = Plan(
        inputs=describe_inputs(shards),
        fields=fields,
        encoder=encoder.identity(),
        analyzer=ANALYZER,
    )
    busy = UsageError(
        f"{folder}: another build is at work in this folder",
        remedy="Wait for it, or choose another folder.",
    )
    with locked_folder(folder, busy):
        if _is_finished(folder, plan):
            return read_manifest(folder)
        write_plan(folder, plan)
        _stage(folder / DOCSTORE, lambda part: _write_docstore(part, shards, fields, progress))
        with Docstore(docstore_file(folder)) as docstore:
            _stage(folder / LUCENE, lambda part: _write_lucene(part, docstore, progress))
            _stage(folder / VECTORS, lambda part: _write_vectors(part, docstore, encoder, progress))
            manifest = Manifest(
                plan=plan,
                segments=len(docstore),
                documents=sum(1 for _ in groupby(docstore.ids(), key=document_id_of)),
                files=_files(folder),
                libraries=_libraries(),
            )
        write_manifest(folder, manifest)
    return manifest


def _is_finished(folder: Path, plan: Plan) -> bool:
    begun = read_plan(folder)
    if begun is None:
        if any(entry.name != LOCK for entry in folder.iterdir()):
            raise InputError(
                f"{folder}: expected a new folder or an index; found other files",
                remedy="Choose another folder.",
            )
        return False
    if begun.fingerprint() != plan.fingerprint():
        changed = [
            name
            for name in ("inputs", "fields", "encoder", "analyzer", "format_version")
            if getattr(begun, name) != getattr(plan, name)
        ]
        raise InputError(
            f"{folder}: expected the index of this input; found one that differs in: "
            f"{', '.join(changed)}",
            remedy="Choose another folder, or delete this one first.",
        )
    return (folder / MANIFEST).exists()


def _stage(folder: Path, write: Callable[[Path], None]) -> None:
    """Let a stage write its folder under another name, unless it is done already."""
    if not folder.exists():
        part = folder.with_suffix(".part")
        write(part)
        part.rename(folder)


def _write_docstore(
    part: Path, shards: Sequence[Path], fields: CorpusFields, progress: Progress
) -> None:
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    with progress("segments", None) as advance:
        place = (shards[0], 0)

        def segments() -> Iterator[Segment]:
            nonlocal place
            for shard in shards:
                for segment, line in stream_segments(shard, fields):
                    place = (shard, line)
                    advance(1)
                    yield segment

        try:
            count = write_docstore(part / SEGMENTS, segments())
        except DuplicateSegmentError as error:
            raise _duplicate(error.segment_id, place, shards, fields) from error
    if not count:
        raise InputError(f"{shards[0]}: expected segments; found none in {len(shards)} files")


def _duplicate(
    segment_id: str, second: tuple[Path, int], shards: Sequence[Path], fields: CorpusFields
) -> InvalidFileError:
    """Say where an id occurs twice; the first place is found by reading again."""
    first = next(
        f"{shard}:{line}"
        for shard in shards
        for segment, line in stream_segments(shard, fields)
        if segment.segment_id == segment_id
    )
    problem = Problem(
        "segment-duplicate",
        str(second[0]),
        second[1],
        expected="each segment id once",
        found=f"{segment_id!r}, which is also in {first}",
        remedy="Leave one of the two out.",
    )
    return InvalidFileError([problem])


def _write_lucene(part: Path, docstore: Docstore, progress: Progress) -> None:
    shutil.rmtree(part, ignore_errors=True)
    with progress("Lucene", len(docstore)) as advance:
        write_lucene(part, docstore, advance)


def _write_vectors(part: Path, docstore: Docstore, encoder: Encoder, progress: Progress) -> None:
    with progress("vectors", len(docstore)) as advance:
        write_vectors(part, docstore, encoder, advance)


def _files(folder: Path) -> dict[str, int]:
    return {
        str(file.relative_to(folder)): file.stat().st_size
        for stage in (DOCSTORE, LUCENE, VECTORS)
        for file in sorted((folder / stage).iterdir())
        if file.name != "write.lock"  # Lucene's; nothing reads it
    }


def _libraries() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
