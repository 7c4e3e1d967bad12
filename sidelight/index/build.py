"""Build of an index folder: parts of text, merged; vectors; and the manifest last.

```text
<folder>/plan.json       what the folder is for, written first
<folder>/parts/<part>/   a part's docstore, Lucene index and (written last) report, until merged
<folder>/docstore/       the text of the segments
<folder>/lucene/         a Lucene index
<folder>/vectors/        the vectors, kept as the profile says
<folder>/manifest.json   written last; without it nothing opens
```

Each part and each stage works in `<name>.part` and takes its name when it is done, so that an
interrupted build resumes with what it has; encoding, the slow stage, resumes within a part. Parts
that exist already are linked to. A shard as published, whose ids say where their segments are, is a
part by itself. All other shards make up one part, since only together can they show which ids occur
twice.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.files import LOCK, locked_folder
from sidelight.index import manifest
from sidelight.index.encoding.calibration import read_encoding
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.engine import Engine, LocalEngine, Progress, check_shared
from sidelight.index.folder import DOCSTORE, IMPACT, LUCENE, VECTORS, GivenParts, open_text
from sidelight.index.lucene.segments import ANALYZER, merge_lucene, write_lucene
from sidelight.index.text.corpus import MS_MARCO, CorpusFields, ShardLine, ShardReader
from sidelight.index.text.docstore import (
    SEGMENTS,
    SUFFIX,
    Docstore,
    OffsetStore,
    SqliteStore,
    SqliteWriter,
    shard_name,
    write_offset_store,
)
from sidelight.index.vectors.part import VectorPart, describe_sources, vector_parts
from sidelight.index.vectors.profiles import EXACT, IN_LUCENE, NO_VECTORS, profile_named
from sidelight.index.vectors.vectors import write_vectors
from sidelight.schemas.segment import Segment, document_id_of, parse_segment_id
from sidelight.text import quoted
from sidelight.versions import installed_versions

OTHERS = "others"

# Such as `msmarco_v2.1_doc_segmented_16.json.gz`.
_AS_PUBLISHED = re.compile(r"(?P<stem>.+_doc)_segmented_(?P<shard>\d{2})\.jsonl?(\.gz)?", re.ASCII)


class TextPart(NamedTuple):
    """Shards that are read together, and the name of their folder."""

    name: str
    shards: tuple[Path, ...]


@dataclass(frozen=True)
class BuildTextPart:
    """The work on one part of those in `folder`, called `names`; `lexical` adds a Lucene index."""

    folder: Path
    fields: CorpusFields
    names: frozenset[str]
    strict: bool
    lexical: bool = True

    def __call__(self, part: TextPart) -> manifest.PartReport:
        """Build a part, going on after what an interrupted call has finished."""
        check_shared(self.folder)
        work = self.folder / f"{part.name}.part"
        docstore = work / DOCSTORE
        if not (work / manifest.REPORT).exists():
            shutil.rmtree(work, ignore_errors=True)
            docstore.mkdir(parents=True)
            write = _write_others if part.name == OTHERS else _write_published
            manifest.write_value(work, write(self, part, docstore))
        if self.lexical:
            with Docstore(docstore) as segments:
                # As many other parts may be under way beside this one.
                threads = max((os.cpu_count() or 1) // len(self.names), 1)
                write_lucene(work / LUCENE, segments, threads)
        work.rename(self.folder / part.name)
        return manifest.read_report(self.folder / part.name)


def text_parts(shards: Sequence[Path], fields: CorpusFields) -> list[TextPart]:
    """Divide shards into parts; two files of the same published shard raise InputError."""
    parts: dict[str, TextPart] = {}
    others = []
    for shard in shards:
        match = _AS_PUBLISHED.fullmatch(shard.name) if fields == MS_MARCO else None
        if match is None:
            others.append(shard)
            continue
        name = f"{match['stem']}_{match['shard']}"
        if name in parts:
            raise InputError(
                f"{shard}: expected each shard once; {parts[name].shards[0]} is the same one",
                remedy="Leave one of the two out.",
            )
        parts[name] = TextPart(name, (shard,))
    if others:
        parts[OTHERS] = TextPart(OTHERS, tuple(others))
    return list(parts.values())


def merge_docstores(folder: Path, parts: Sequence[Path]) -> None:
    """Move the document stores of all parts into one folder; some may have been moved before."""
    folder.mkdir(exist_ok=True)
    for part in parts:
        for file in (part / DOCSTORE).iterdir():
            file.replace(folder / file.name)


def _write_published(work: BuildTextPart, part: TextPart, folder: Path) -> manifest.PartReport:
    (shard,) = part.shards
    reader = ShardReader(shard, work.fields, strict=work.strict)
    lines = (
        line if _is_in_place(line, part.name, reader) else line._replace(segment=None)
        for line in reader
    )
    path = folder / f"{part.name}{SUFFIX}"
    count = write_offset_store(path, lines)
    with closing(OffsetStore(path)) as store:
        shards = (_report(reader, count),)
        return manifest.PartReport(documents=_documents(store.ids()), shards=shards)


def _is_in_place(line: ShardLine, name: str, reader: ShardReader) -> bool:
    """Tell whether a segment's id says where it is; note it if not."""
    if line.segment is None:
        return False
    segment_id, raw = line.segment.segment_id, line.raw
    place = parse_segment_id(segment_id)
    right = place is not None and shard_name(place) == name and place.offset == raw.offset
    if not right:
        reader.refuse(
            "segment-place",
            raw.number,
            expected=f"an id like {name}_N#N_{raw.offset}, after the byte where the line begins",
            found=quoted(segment_id),
            remedy="Fetch the shard again; if it is not the shard as published, rename the file.",
        )
    return right


def _write_others(work: BuildTextPart, part: TextPart, folder: Path) -> manifest.PartReport:
    reports = []
    with SqliteWriter(folder / SEGMENTS) as writer:
        for shard in part.shards:
            reader = ShardReader(shard, work.fields, strict=work.strict)
            count = 0
            for (number, *_), segment in reader:
                if segment is not None:
                    count += _add(writer, segment, number, work.names, reader)
            reports.append(_report(reader, count))
    with closing(SqliteStore(folder / SEGMENTS)) as store:
        return manifest.PartReport(documents=_documents(store.ids()), shards=tuple(reports))


def _add(
    writer: SqliteWriter, segment: Segment, line: int, names: frozenset[str], reader: ShardReader
) -> bool:
    """Add a segment and tell whether that was right; note it if not."""
    place = parse_segment_id(segment.segment_id)
    if place and shard_name(place) in names:
        reader.refuse(
            "segment-shard",
            line,
            expected="ids of other segments than those of the shards as published",
            found=quoted(segment.segment_id),
            remedy="Leave the line or the shard out.",
        )
        return False
    added = writer.add(segment)
    if not added:
        reader.refuse(
            "segment-duplicate",
            line,
            expected="each segment id once",
            found=f"{quoted(segment.segment_id)} again",
            remedy="Leave one of the two out.",
        )
    return added


def _documents(segment_ids: Iterable[str]) -> int:
    return sum(1 for _ in groupby(segment_ids, key=document_id_of))


def _report(reader: ShardReader, segments: int) -> manifest.ShardReport:
    # Under its name alone: the same shard elsewhere makes the same index.
    problems = tuple(replace(problem, file=reader.path.name) for problem in reader.problems)
    return manifest.ShardReport(
        name=reader.path.name, segments=segments, refused=reader.refused, problems=problems
    )


_PARTS = "parts"
_PACKAGES = ("faiss-cpu", "faiss-gpu", "pyserini", "sentence-transformers", "sidelight", "torch")


def silent(description: str, total: int | None) -> AbstractContextManager[Callable[[int], object]]:
    """Show no progress."""
    del description, total
    return nullcontext(lambda _: None)


# long: half of it says what its arguments mean
def build_index(
    shards: Sequence[Path],
    folder: Path,
    encoder: Encoder,
    fields: CorpusFields = MS_MARCO,
    progress: Progress = silent,
    *,
    strict: bool = False,
    engine: Engine | None = None,
    profile: str = EXACT,
    vectors: Sequence[str] = (),
    given: GivenParts = GivenParts(),  # noqa: B008 - frozen
    splade: str = "",
) -> manifest.Manifest:
    """Index the segments of all shards in a folder; a finished, unchanged one is left as it is.

    A script that calls this does so under `if __name__ == "__main__":`; see `LocalEngine`.

    Args:
        shards: JSONL files in any order; empty if a given Lucene index has the text.
        folder: Made if it does not exist, else what an earlier call with the same input left.
        encoder: Encodes all segments.
        fields: Which keys of a line hold the id and the text.
        progress: Shows each stage.
        strict: Stop at a broken shard, instead of indexing what is sound and reporting the rest.
        engine: Where the parts are worked on; the processes of this machine by default.
        profile: Name of the way to keep and search vectors, or `none`.
        vectors: Parquet files with the vectors of the segments, by the model of the encoder, or
            the name of a published set; if none, the segments are encoded.
        given: Parts that exist already.
        splade: Name or path of the model that weighs the words of queries, for learned weights.
    """
    plan = manifest.IndexPlan(
        inputs=manifest.describe_inputs(shards),
        fields=fields,
        encoder=encoder.identity(),
        analyzer=ANALYZER,
        profile=_kept_as(profile, shards, given),
        vectors=describe_sources(vectors),
        given=given.describe(),
        arithmetic=encoder.arithmetic,
        splade=splade,
    )
    busy = UsageError(
        f"{folder}: another build is at work in this folder",
        remedy="Wait for it, or choose another folder.",
    )
    with locked_folder(folder, busy), _left_empty_if_refused(folder):
        if _is_finished(folder, plan):
            made = manifest.read_manifest(folder)
            _check(made.shards, strict=strict)
        else:
            manifest.write_value(folder, plan)
            given.link(folder)
            # Other machines work in other folders.
            folder = folder.absolute()
            parts = text_parts([shard.absolute() for shard in shards], fields)
            names = frozenset(name for name, _ in parts)
            lexical = given.lucene is None
            build = BuildTextPart(folder / _PARTS, fields, names, strict, lexical)
            build.folder.mkdir(exist_ok=True)
            engine = engine or LocalEngine()
            reports = _write_text(folder, parts, build, engine, progress)
            with closing(open_text(folder)) as text:
                given.check(text)
                if isinstance(text, Docstore) and plan.profile not in {NO_VECTORS, IN_LUCENE}:
                    _stage(
                        folder / VECTORS,
                        lambda part: _write_vectors(
                            part,
                            vector_parts(build.folder, text, encoder, vectors, engine, progress),
                            plan,
                            progress,
                        ),
                    )
                segments = len(text)
            files = _files(folder)
            made = manifest.Manifest(
                plan=plan,
                segments=segments,
                documents=sum(report.documents for report in reports),
                shards=tuple(shard for report in reports for shard in report.shards),
                files=files,
                hashes=manifest.hash_files(folder, files),
                libraries=installed_versions(_PACKAGES),
                encoding=read_encoding(build.folder),
            )
            manifest.write_value(folder, made)
        shutil.rmtree(folder / _PARTS, ignore_errors=True)
    return made


@contextmanager
def _left_empty_if_refused(folder: Path) -> Iterator[None]:
    """Empty a folder again that was empty, when its input is refused: another may be built there.

    What a build has done that the machine stopped stays, and the same call goes on with it.
    """
    was_empty = all(entry.name == LOCK for entry in folder.iterdir())
    try:
        yield
    except (InputError, UsageError):
        if was_empty:
            for entry in folder.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                elif entry.name != LOCK:
                    entry.unlink()
        raise


def _kept_as(profile: str, shards: Sequence[Path], given: GivenParts) -> str:
    """Return what the plan says about vectors."""
    if given.hnsw:
        return IN_LUCENE
    if profile == NO_VECTORS:
        return profile
    if not shards:
        raise UsageError(
            "vectors are made of shards; found a Lucene index alone",
            remedy="Name the shards, give --hnsw, or do without vectors: --profile none",
        )
    return profile_named(profile).name


def _is_finished(folder: Path, plan: manifest.IndexPlan) -> bool:
    begun = manifest.read_plan(folder)
    if begun is None:
        if any(entry.name != LOCK for entry in folder.iterdir()):
            raise InputError(
                f"{folder}: expected a new folder or an index; found other files",
                remedy="Choose another folder.",
            )
        return False
    if begun.fingerprint() != plan.fingerprint():
        fields = manifest.IndexPlan.model_fields
        changed = [name for name in fields if getattr(begun, name) != getattr(plan, name)]
        raise InputError(
            f"{folder}: expected the index of this input; found one that differs in: "
            f"{', '.join(changed)}",
            remedy="Nothing is added to an index: build one of all documents in another folder, or "
            "delete this one first.",
        )
    return (folder / manifest.MANIFEST).exists()


def _stage(folder: Path, write: Callable[[Path], None]) -> None:
    """Let a stage write its folder under another name, unless it is done already."""
    if not folder.exists():
        part = folder.with_suffix(".part")
        write(part)
        part.rename(folder)


def _write_text(
    folder: Path,
    parts: Sequence[TextPart],
    build: BuildTextPart,
    engine: Engine,
    progress: Progress,
) -> list[manifest.PartReport]:
    """Build the parts that are missing, and merge all."""
    if not parts:
        return []
    paths = [build.folder / part.name for part in parts]
    with progress("text", len(parts)) as advance:
        missing = [part for part, path in zip(parts, paths, strict=True) if not path.exists()]
        advance(len(parts) - len(missing))
        finished: Iterator[manifest.PartReport] = engine.map(build, missing)
        for _ in finished:
            advance(1)
    reports = list(map(manifest.read_report, paths))
    _check([shard for report in reports for shard in report.shards], strict=build.strict)
    _stage(folder / DOCSTORE, lambda part: merge_docstores(part, paths))
    indexes = [path / LUCENE for path in paths]
    if len(indexes) == 1 and not (folder / LUCENE).exists():
        indexes[0].rename(folder / LUCENE)  # merging would copy it
    _stage(folder / LUCENE, lambda part: merge_lucene(part, indexes))
    for index in indexes:
        shutil.rmtree(index, ignore_errors=True)
    return reports


def _check(shards: Sequence[manifest.ShardReport], *, strict: bool) -> None:
    """Refuse shards none of which holds a segment and, if so asked, broken ones."""
    problems = [problem for shard in shards for problem in shard.problems]
    empty = bool(shards) and not any(shard.segments for shard in shards)
    if problems and (strict or empty):
        raise InvalidFileError(problems)
    if empty:
        raise InputError(
            f"{shards[0].name}: expected segments; found none in {len(shards)} files",
            remedy="Name files with segments.",
        )


def _write_vectors(
    part: Path, parts: Sequence[VectorPart], plan: manifest.IndexPlan, progress: Progress
) -> None:
    with progress("index of vectors", None) as advance:
        write_vectors(part, parts, profile_named(plan.profile), advance)


def _files(folder: Path) -> dict[str, int]:
    return {
        str(file.relative_to(folder)): file.stat().st_size
        for stage in (DOCSTORE, LUCENE, IMPACT, VECTORS)
        for path, _, names in os.walk(folder / stage, followlinks=True)
        for file in sorted(Path(path, name) for name in names)
        if file.name != "write.lock"  # Lucene's; nothing reads it
    }
