"""Recording of what a run read from index and encoder, and replay of it without a model.

```text
<folder>/searches.jsonl   one search per line: its words, how many hits were asked for, and the hits
<folder>/segments.jsonl   one segment per line
<folder>/texts.jsonl      one text per line, as a JSON string
<folder>/vectors.npy      the vector of each text, (n_texts, dimension) float32
```

Everything is sorted, so the same run is recorded in the same bytes. Vectors are kept because
processors round them differently; with them a replay needs no index, no Java and no encoder. The
files of a replay are compared with the originals byte for byte.
"""

from __future__ import annotations

import tempfile
from itertools import takewhile, zip_longest
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import orjson
from pydantic import TypeAdapter, ValidationError

from sidelight.errors import InputError, Problem
from sidelight.files import MAX_TABLE_BYTES, read_json, read_limited
from sidelight.formats.findings import quoted
from sidelight.runs.directory import as_json
from sidelight.runs.runner import run_topics
from sidelight.runs.self_evaluation import given_rubrics, score_assessments, write_scores
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.segment import Segment
from sidelight.wiring.investigation import Sources
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import open_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from sidelight.config.settings import Settings
    from sidelight.errors import Severity
    from sidelight.runs.directory import RunDirectory
    from sidelight.runs.runner import RunSummary
    from sidelight.schemas.investigation.evidence import Query
    from sidelight.schemas.run import RunManifest
    from sidelight.schemas.task import Task
    from sidelight.schemas.topic import Topic

# What readers of JSON, of numpy's headers and of our values raise.
_NOT_EVIDENCE = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, AttributeError),
    *(TokenError, SyntaxError, MemoryError, OverflowError),
)

K = TypeVar("K")
V = TypeVar("V")


_FROM_ITS_SOURCE = "Take the bundle from where it came from again."


class RecordedSearch(Value):
    """One line of the searches.

    Attributes:
        query: Its words.
        k: How many hits were asked for.
        hits: The hits.
    """

    query: str
    k: int
    hits: tuple[Hit, ...]


class Recording:
    """Searches, segments and vectors, by what was asked for.

    Attributes:
        searches: The hits of each search, by its words and how many were asked for.
        segments: By id.
        vectors: By text, each `(dimension,) float32`.
    """

    def __init__(self) -> None:
        self.searches: dict[tuple[str, int], list[Hit]] = {}
        self.segments: dict[str, Segment] = {}
        self.vectors: dict[str, NDArray[np.float32]] = {}

    def write(self, folder: Path) -> None:
        """Write the four files into a new folder."""
        folder.mkdir(parents=True)
        searches = [
            {"query": text, "k": k, "hits": [tuple(hit) for hit in self.searches[text, k]]}
            for text, k in sorted(self.searches)
        ]
        segments = [self.segments[name].model_dump() for name in sorted(self.segments)]
        texts = sorted(self.vectors)
        _write_lines(folder / "searches.jsonl", searches)
        _write_lines(folder / "segments.jsonl", segments)
        _write_lines(folder / "texts.jsonl", texts)
        vectors = np.array([self.vectors[text] for text in texts], dtype=np.float32)
        np.save(folder / "vectors.npy", vectors, allow_pickle=False)

    @classmethod
    def read(cls, folder: Path) -> Recording:
        """Read what `write` wrote.

        Raises:
            InputError: A file is missing or holds something else.
        """
        found = cls()
        try:
            for search in _read_lines(folder / "searches.jsonl", RecordedSearch):
                found.searches[search.query, search.k] = list(search.hits)
            for segment in _read_lines(folder / "segments.jsonl", Segment):
                found.segments[segment.segment_id] = segment
            texts = _read_lines(folder / "texts.jsonl", str)
            vectors = np.load(folder / "vectors.npy", allow_pickle=False)
            found.vectors.update(zip(texts, vectors, strict=True))
        except _NOT_EVIDENCE as error:
            raise InputError(
                f"{folder}: expected recorded evidence; found: {error}",
                remedy=_FROM_ITS_SOURCE,
            ) from error
        return found


def recording(sources: Sources, record: Recording) -> Sources:
    """Return sources that note all they are asked, and what they answer."""

    def lookup(segment_ids: Sequence[str]) -> Sequence[Segment]:
        segments = sources.lookup(segment_ids)
        record.segments.update(zip(segment_ids, segments, strict=True))
        return segments

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = sources.encode(texts)
        record.vectors.update(zip(texts, vectors, strict=True))
        return vectors

    return Sources(_RecordingRetriever(sources, record), lookup, encode)


def replaying(record: Recording) -> Sources:
    """Return sources that answer what was recorded, and raise InputError for anything else."""

    def lookup(segment_ids: Sequence[str]) -> Sequence[Segment]:
        return [_recorded(record.segments, name, "segment") for name in segment_ids]

    dimension = next((len(vector) for vector in record.vectors.values()), 0)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [_recorded(record.vectors, text, "vector of") for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), dimension)

    return Sources(_ReplayingRetriever(record), lookup, encode)


class _RecordingRetriever:
    def __init__(self, sources: Sources, record: Recording) -> None:
        self.name = sources.retriever.name
        self._retriever = sources.retriever
        self._record = record

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        hits = self._retriever.search(queries, k)
        for query in queries:
            self._record.searches[query.text, k] = hits[query.query_id]
        return hits


class _ReplayingRetriever:
    name = "recorded"

    def __init__(self, record: Recording) -> None:
        self._record = record

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        searches = self._record.searches
        return {query.query_id: _recorded(searches, (query.text, k), "search") for query in queries}


def _recorded(kept: dict[K, V], key: K, what: str) -> V:
    if key not in kept:
        raise InputError(f"the recorded run made no use of the {what} {str(key)[:100]!r}")
    return kept[key]


def _write_lines(path: Path, values: Iterable[object]) -> None:
    with path.open("wb") as stream:
        stream.writelines(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE) for value in values)


def _read_lines(path: Path, kind: type[V]) -> list[V]:
    """Return the value on each line.

    Raises:
        OSError: The file cannot be read.
        InputError: A line holds something else.
    """
    read = TypeAdapter(kind).validate_json
    values = []
    for number, line in enumerate(read_limited(path, MAX_TABLE_BYTES).splitlines(), start=1):
        try:
            read_json(line)  # which is stricter about numbers and depth
            values.append(read(line, strict=True))
        except ValueError as error:
            said = error.errors()[0] if isinstance(error, ValidationError) else None
            where = ".".join(map(str, said["loc"])) if said else ""
            found = f"{where} {quoted(said['input'])}: {said['msg']}" if said else str(error)
            raise InputError(
                f"{path}:{number}: expected recorded evidence; found {found.strip()}",
                remedy=_FROM_ITS_SOURCE,
            ) from error
    return values


_CAUSE = "Use the versions that made the run; if they are the same, something was edited."
# Characters shown before the first that differs; of long lines, only their ends are.
_BEFORE = 10


async def replay_run(
    topics: Sequence[Topic],
    settings: Settings,
    index_fingerprint: str,
    sources: Sources,
    cache: Path,
    out: Path,
    on_topic: Callable[[str], None],
) -> RunSummary:
    """Do a run again in a new folder; models are never asked, only the cache.

    Raises:
        OfflineError: The cache lacks a reply that the run now needs.
    """
    access = ModelAccess(cache=cache, offline=True)
    return await run_topics(
        topics,
        settings,
        index_fingerprint,
        lambda: open_graph(settings, sources, access),
        out,
        on_topic=on_topic,
    )


def compare_runs(recorded: RunDirectory, replayed: RunDirectory) -> list[Problem]:
    """Return every difference between the files of two runs, each with its first line.

    Other versions of packages are no difference between runs, and so a warning.
    """
    problems = []
    tasks = recorded.read_track().tasks
    for name in sorted(_files(recorded, tasks) | _files(replayed, tasks)):
        found, expected = recorded.path / name, replayed.path / name
        problems += _differences(found, _lines(expected), _lines(found))
    old, new = recorded.read_manifest(), replayed.read_manifest()
    return [
        *problems,
        *_differences(recorded.manifest, _but_packages(new), _but_packages(old)),
        *_differences(
            recorded.manifest, _json_lines(new.packages), _json_lines(old.packages), "warning"
        ),
    ]


def compare_scores(scores: Path, rubrics: Path, run: RunDirectory) -> list[Problem]:
    """Return every difference between score files and what the assessments beside them come to."""
    known = given_rubrics(rubrics, run.read_manifest().topics)
    with tempfile.TemporaryDirectory(prefix="sidelight-") as scratch:
        computed = score_assessments(scores, known, run.read_track())
        return [
            problem
            for path in write_scores(computed, Path(scratch))
            for problem in _differences(
                scores / path.name, _lines(path), _lines(scores / path.name)
            )
        ]


def _files(run: RunDirectory, tasks: Sequence[Task]) -> set[str]:
    """Return the paths, in its folder, of the files that a run makes besides its manifest."""
    runs = (run.file(task) for task in tasks)
    files = (run.config, *runs, run.failures, *run.traces.glob("*.json"))
    return {path.relative_to(run.path).as_posix() for path in files}


def _lines(path: Path) -> list[str]:
    return read_limited(path).decode(errors="replace").split("\n") if path.exists() else []


def _but_packages(manifest: RunManifest) -> list[str]:
    return _json_lines(manifest.model_dump(mode="json", exclude={"packages"}))


def _json_lines(value: object) -> list[str]:
    return as_json(value).splitlines()


def _differences(
    path: Path, expected: Sequence[str], found: Sequence[str], severity: Severity = "error"
) -> list[Problem]:
    """Return the first difference between a file and what a replay gives, if there is one."""
    for number, (new, old) in enumerate(zip_longest(expected, found), start=1):
        if new != old:
            same = takewhile(
                lambda pair: pair[0] == pair[1], zip(new or "", old or "", strict=False)
            )
            begin = max(0, sum(1 for _ in same) - _BEFORE)
            shown = _shown(new, begin), _shown(old, begin)
            return [Problem("replay-differs", str(path), number, *shown, _CAUSE, severity)]
    return []


def _shown(line: str | None, begin: int) -> str:
    return "no such line" if line is None else quoted(line[begin:])
