"""Text part of an index: the text of some shards, built independently of others, then merged.

```text
<folder>/<part>/docstore/      `OffsetStore` or `SqliteStore`
<folder>/<part>/lucene/        a Lucene index
<folder>/<part>/report.json    written last
```

A shard as published, whose ids say where their segments are, is a part by itself. All other shards
make up one part, since only together can they show which ids occur twice.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError
from sidelight.formats.findings import quoted
from sidelight.index.engine import check_shared
from sidelight.index.folder import DOCSTORE, LUCENE
from sidelight.index.lucene.segments import write_lucene
from sidelight.index.manifest import REPORT, PartReport, ShardReport, read_report, write_report
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
from sidelight.schemas.segment import document_id_of, parse_segment_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sidelight.schemas.segment import Segment

OTHERS = "others"

# Such as `msmarco_v2.1_doc_segmented_16.json.gz`.
_AS_PUBLISHED = re.compile(r"(?P<stem>.+_doc)_segmented_(?P<shard>\d{2})\.jsonl?(\.gz)?", re.ASCII)


class TextPart(NamedTuple):
    """Shards that are read together, and the name of their folder."""

    name: str
    shards: tuple[Path, ...]


@dataclass(frozen=True)
class BuildTextPart:
    """The work on one part.

    Attributes:
        folder: Holds the folders of all parts.
        fields: Which keys of a line hold the id and the text.
        names: Names of all parts of the index.
        strict: Stop at a broken shard instead of going on.
        lexical: Whether to make a Lucene index, too.
    """

    folder: Path
    fields: CorpusFields
    names: frozenset[str]
    strict: bool
    lexical: bool = True

    def __call__(self, part: TextPart) -> PartReport:
        """Build a part, going on after what an interrupted call has finished.

        Raises:
            InputError: A shard cannot be read.
            InvalidFileError: A shard is broken, and that is not to be.
            MachineError: Java or a package is missing, or the folder is.
        """
        check_shared(self.folder)
        work = self.folder / f"{part.name}.part"
        docstore = work / DOCSTORE
        if not (work / REPORT).exists():
            shutil.rmtree(work, ignore_errors=True)
            docstore.mkdir(parents=True)
            write = _write_others if part.name == OTHERS else _write_published
            write_report(work, write(self, part, docstore))
        if self.lexical:
            with Docstore(docstore) as segments:
                # As many other parts may be under way beside this one.
                threads = max((os.cpu_count() or 1) // len(self.names), 1)
                write_lucene(work / LUCENE, segments, threads)
        work.rename(self.folder / part.name)
        return read_report(self.folder / part.name)


def text_parts(shards: Sequence[Path], fields: CorpusFields) -> list[TextPart]:
    """Divide shards into parts.

    Raises:
        InputError: Two files are the same shard as published.
    """
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


def _write_published(work: BuildTextPart, part: TextPart, folder: Path) -> PartReport:
    (shard,) = part.shards
    reader = ShardReader(shard, work.fields, strict=work.strict)
    lines = (
        line if _is_in_place(line, part.name, reader) else line._replace(segment=None)
        for line in reader
    )
    path = folder / f"{part.name}{SUFFIX}"
    count = write_offset_store(path, lines)
    with closing(OffsetStore(path)) as store:
        return PartReport(documents=_documents(store.ids()), shards=(_report(reader, count),))


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


def _write_others(work: BuildTextPart, part: TextPart, folder: Path) -> PartReport:
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
        return PartReport(documents=_documents(store.ids()), shards=tuple(reports))


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


def _report(reader: ShardReader, segments: int) -> ShardReport:
    # Under its name alone: the same shard elsewhere makes the same index.
    problems = tuple(replace(problem, file=reader.path.name) for problem in reader.problems)
    return ShardReport(
        name=reader.path.name, segments=segments, refused=reader.refused, problems=problems
    )
