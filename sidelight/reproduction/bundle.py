"""Bundle of a run with its inputs and everything needed to reproduce it.

```text
bundle.json     versions, models, and the hash of every other file
topics.jsonl    the articles
run/            the run directory, without its logs of calls
scores/         assessments and scores, where the run was judged
rubrics/        what it was judged by
evidence/       every search, segment and vector that the run read
replies.jsonl   every reply of a model
prompts/        the text of every prompt
```

The run is repeated while it is recorded, from its index and its replies alone: a run that cannot
be repeated is not bundled.

Verification checks the hashes of all files, and replays the run, which must produce the same files.
Assessments are taken as they are; the scores that follow from them are recomputed.

What a run read from index and encoder is recorded in four files:

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

import platform
import shutil
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from sidelight import errors, files
from sidelight.config.load import changed_code
from sidelight.config.settings import Settings
from sidelight.formats.verdict import read_topics
from sidelight.llm.cache import KeptReply, keep_replies, kept_replies
from sidelight.prompting import find_prompts
from sidelight.reproduction.archive import (
    CONTENTS,
    BundledPrompt,
    Contents,
    describe_files,
    read_archive,
    read_contents,
    write_archive,
)
from sidelight.runs.directory import RunDirectory
from sidelight.runs.runner import RunSummary, run_topics
from sidelight.runs.self_evaluation import DRAFTED, given_rubrics, score_assessments, write_scores
from sidelight.schemas.base import FileName, Value, faults
from sidelight.schemas.investigation.evidence import Hit, Query
from sidelight.schemas.run import RunManifest
from sidelight.schemas.segment import Segment
from sidelight.schemas.task import Task
from sidelight.schemas.topic import Topic
from sidelight.text import quoted
from sidelight.versions import VERSION
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, open_graph, open_sources

if TYPE_CHECKING:
    from sidelight.index.folder import SearchIndex

K = TypeVar("K")
V = TypeVar("V")


_FROM_ITS_SOURCE = "Take the bundle from where it came from again."


class RecordedSearch(Value):
    """One search: its words, how many hits were asked for, and the hits."""

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
        """Read what `write` wrote; raise InputError if a file is missing or has other content."""
        found = cls()
        try:
            searches = _read_lines(
                folder / "searches.jsonl", RecordedSearch, lambda one: (one.query, one.k)
            )
            found.searches = {key: list(search.hits) for key, search in searches.items()}
            found.segments = _read_lines(
                folder / "segments.jsonl", Segment, lambda one: one.segment_id
            )
            texts = _read_lines(folder / "texts.jsonl", str, lambda text: text)
            found.vectors = _read_vectors(folder / "vectors.npy", list(texts))
        except OSError as error:
            raise errors.InputError(
                f"{error.filename}: expected recorded evidence; it cannot be read: "
                f"{error.strerror}",
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
        raise errors.InputError(f"the recorded run made no use of the {what} {str(key)[:100]!r}")
    return kept[key]


def _write_lines(path: Path, values: Iterable[object]) -> None:
    with path.open("wb") as stream:
        stream.writelines(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE) for value in values)


def _read_lines(path: Path, kind: type[V], key: Callable[[V], K]) -> dict[K, V]:
    """Return values by `key`, which no two lines share; raise OSError if the file is unreadable."""
    read = TypeAdapter(kind).validate_json
    values: dict[K, V] = {}
    lines = files.read_limited(path, files.MAX_TABLE_BYTES).splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            files.read_json(line)  # which is stricter about numbers and depth
            value = read(line, strict=True)
            if key(value) in values:
                raise ValueError(f"{quoted(str(key(value)))} again")  # noqa: TRY301 - as all others
        except ValueError as error:
            raise errors.InputError(
                f"{path}:{number}: expected recorded evidence; found {faults(error)}",
                remedy=_FROM_ITS_SOURCE,
            ) from error
        values[key(value)] = value
    return values


def _read_vectors(path: Path, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Return the vector of each text; raise OSError if the file holds no float32 matrix."""
    if not texts:
        return {}
    vectors = files.map_array(path, "float32", 2)
    if len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise errors.InputError(
            f"{path}: expected a vector of finite numbers for each of {len(texts)} texts; found "
            f"{len(vectors)} vectors, of which {np.isfinite(vectors).all(axis=1).sum()} are finite",
            remedy=_FROM_ITS_SOURCE,
        )
    return dict(zip(texts, vectors, strict=True))


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

    OfflineError is raised if the cache lacks a reply that the run now needs.
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


def compare_runs(recorded: RunDirectory, replayed: RunDirectory) -> list[errors.Problem]:
    """Return every difference between the files of two runs, each with its first line.

    Other versions of packages are no difference between runs, and so a warning.
    """
    problems = []
    tasks = recorded.read_track().tasks
    for name in sorted(_files(recorded, tasks) | _files(replayed, tasks)):
        found, expected = recorded.path / name, replayed.path / name
        problems += _differences(found, _lines(expected), _lines(found))
    new, old = (run.read_manifest().model_dump(mode="json") for run in (replayed, recorded))
    packages = _json_lines(new.pop("packages")), _json_lines(old.pop("packages"))
    return [
        *problems,
        *_differences(recorded.manifest, _json_lines(new), _json_lines(old)),
        *_differences(recorded.manifest, *packages, "warning"),
    ]


def compare_scores(scores: Path, rubrics: Path, run: RunDirectory) -> list[errors.Problem]:
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
    made = (run.config, *runs, run.failures, *run.traces.glob("*.json"))
    return {path.relative_to(run.path).as_posix() for path in made}


def _lines(path: Path) -> list[str]:
    return files.read_limited(path).decode(errors="replace").split("\n") if path.exists() else []


def _json_lines(value: object) -> list[str]:
    return files.as_json(value).splitlines()


def _differences(
    path: Path, expected: Sequence[str], found: Sequence[str], severity: errors.Severity = "error"
) -> list[errors.Problem]:
    """Return the first difference between a file and what a replay gives, if there is one."""
    for number, (new, old) in enumerate(zip_longest(expected, found), start=1):
        if new != old:
            same = takewhile(
                lambda pair: pair[0] == pair[1], zip(new or "", old or "", strict=False)
            )
            begin = max(0, sum(1 for _ in same) - _BEFORE)
            shown = f"{_shown(new, begin)}, as made again", f"{_shown(old, begin)} in the file"
            return [errors.Problem("replay-differs", str(path), number, *shown, _CAUSE, severity)]
    return []


def _shown(line: str | None, begin: int) -> str:
    return "no such line" if line is None else quoted("…" * bool(begin) + line[begin:])


_FILE_NAME: TypeAdapter[str] = TypeAdapter(FileName)
TOPICS, RUN, SCORES, RUBRICS = "topics.jsonl", "run", "scores", "rubrics"
EVIDENCE, REPLIES, PROMPTS = "evidence", "replies.jsonl", "prompts"


async def make_bundle(  # long: one list of what a bundle holds
    run: RunDirectory,
    topics: Path,
    folder: SearchIndex,
    cache: Path,
    archive: Path,
    rubrics: Path | None = None,
    on_topic: Callable[[str], None] = lambda _: None,
) -> Contents:
    """Repeat a finished run, record what it reads, and pack everything into one `.tar.zst` file.

    `topics` is the run's topics file, `cache` has its model replies, and `rubrics` is the folder of
    what it was judged by, unless it drafted that itself. InputError is raised for a run that is
    unfinished, was made with another index or other topics, was edited, or comes out differently
    this time; for a judged run without rubrics; and for a link among its scores or rubrics.
    OfflineError is raised if the cache lacks a reply, RefusedFileError for a pipe or a device.
    """
    settings = run.read_settings()
    judged_by = _rubrics_of(run, rubrics)
    manifest = run.manifest_with(folder.fingerprint())
    if manifest.failed_topics:
        raise errors.InputError(
            f"{run.manifest}: expected a finished run; found {len(manifest.failed_topics)} "
            "failed topics",
            remedy="Call `sidelight run` again first.",
        )
    todo = read_topics(topics, run.read_track())
    found = {topic.topic_id for topic in todo}
    if differing := sorted(found.symmetric_difference(manifest.topics)):
        raise errors.InputError(
            f"{topics}: expected the topics of the run; {differing[0]} is in one of the two only",
            remedy="Give the topics file that the run was made with.",
        )
    record = Recording()
    files.check_output(archive)
    files.make_folder(archive.parent)
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".bundle-") as scratch:
        again, packed = RunDirectory(Path(scratch, "again")), Path(scratch, "packed")
        if judged_by is not None:
            _copy(run.path / SCORES, packed / SCORES, DRAFTED, "replies", ".*")
            _copy(judged_by, packed / RUBRICS)
        summary = await replay_run(
            todo,
            settings,
            folder.fingerprint(),
            recording(open_sources(settings.retrieval, folder), record),
            cache,
            again.path,
            on_topic,
        )
        problems = [item for item in compare_runs(run, again) if item.severity == "error"]
        if problems:
            raise errors.InvalidFileError(problems)
        record.write(packed / EVIDENCE)
        shutil.copyfile(topics, packed / TOPICS)
        shutil.copytree(again.path, packed / RUN, ignore=shutil.ignore_patterns(".*", "calls"))
        _write_replies(packed / REPLIES, cache, summary)
        _write_prompts(packed / PROMPTS)
        contents = _describe(packed, settings, manifest)
        contents.write(packed)
        write_archive(packed, archive)
    return contents


def _rubrics_of(run: RunDirectory, given: Path | None) -> Path | None:
    """Return the rubrics a run was judged by, its own or those given; None if it was not judged."""
    scores = run.path / SCORES
    if not scores.exists():
        return None
    drafted = scores / DRAFTED
    # A folder that somebody names may be a link; what lies in a run is the run's own.
    found = drafted if drafted.exists() else given and given.resolve()
    if found is None:
        raise errors.InputError(
            f"{scores}: expected the rubrics that the run was judged by; found none",
            remedy="Name their folder with --rubrics.",
        )
    return found


def _copy(folder: Path, to: Path, *left_out: str) -> None:
    """Copy a folder without what the patterns `left_out` match, and without following links.

    InputError is raised for a link among what is copied, since a bundle must hold nothing from
    elsewhere, and for a name that a bundle cannot list; RefusedFileError for a pipe or a device.
    """
    files.check_folder(folder)
    ignored = shutil.ignore_patterns(*left_out)
    copied = Path(shutil.copytree(folder, to, symlinks=True, ignore=ignored))
    below = [folder / path.relative_to(copied) for path in files.files_below(copied)]
    if link := next((path for path in (folder, *below) if path.is_symlink()), None):
        raise errors.InputError(
            f"{link}: expected a plain file or folder; found a link to {link.readlink()}",
            remedy="Put what it leads to in its place, if everybody may have it; else remove it.",
        )
    for path in below:
        try:
            _FILE_NAME.validate_python(str(Path(copied.name, path.relative_to(folder))))
        except ValidationError as error:
            raise errors.InputError(
                f"{path}: expected a name that a bundle can list, short and in printable "
                f"characters without a backslash; found {path.name!r}",
                remedy="Rename the file, or remove it.",
            ) from error


def _write_replies(path: Path, cache: Path, summary: RunSummary) -> None:
    asked = {call.request for log in summary.logs.values() for call in log.calls}
    kept = kept_replies(cache, asked) if asked else []
    with path.open("wb") as stream:
        stream.writelines(f"{reply.model_dump_json()}\n".encode() for reply in kept)


def _write_prompts(folder: Path) -> None:
    folder.mkdir()
    for prompt in find_prompts():
        (folder / f"{prompt.id}.md").write_text(prompt.source, encoding="utf-8")


def _prompts() -> dict[str, BundledPrompt]:
    return {
        prompt.id: BundledPrompt(version=prompt.version, fingerprint=prompt.fingerprint)
        for prompt in find_prompts()
    }


def _describe(packed: Path, settings: Settings, manifest: RunManifest) -> Contents:
    return Contents(
        sidelight=manifest.sidelight,
        python=platform.python_version(),
        platform=platform.platform(),
        packages=manifest.packages,
        models={model.name: model.revision for model in settings.models.of_run()},
        index=manifest.index,
        prompts=_prompts(),
        files=describe_files(packed),
    )


class Verification(NamedTuple):
    """Result of verifying a bundle.

    Attributes:
        contents: What the bundle says of itself.
        problems: What has changed or comes out otherwise; warnings included.
        topics: How many topics were done again.
    """

    contents: Contents
    problems: tuple[errors.Problem, ...]
    topics: int

    @property
    def succeeded(self) -> bool:
        """Tell whether everything is as it was and comes out the same."""
        return all(problem.severity != "error" for problem in self.problems)


async def verify_bundle(
    bundle: Path,
    on_topic: Callable[[str], None] = lambda _: None,
    plugins: Container[str] = (),
) -> Verification:
    """Check all bytes of a bundle and, if they are the ones that were packed, replay it.

    `bundle` is a file made by `make_bundle`, or the folder it was unpacked to. `plugins` are
    unregistered parts that its run may name because the user allowed them. MachineError is raised
    if another version made the bundle, since a replay by this one need not give the same.
    """
    with _unpacked(bundle) as folder:
        try:
            found = await _verified(bundle, folder, on_topic, plugins)
        except errors.SidelightError as error:  # who has the archive never sees that folder
            error.message = error.message.replace(str(folder), str(bundle))
            raise
    named = (
        replace(one, file=one.file.replace(str(folder), str(bundle))) for one in found.problems
    )
    return found._replace(problems=tuple(named))


async def _verified(
    bundle: Path, folder: Path, on_topic: Callable[[str], None], plugins: Container[str]
) -> Verification:
    contents = read_contents(folder)
    problems = contents.check(folder)
    if problems:
        return Verification(contents, tuple(problems), 0)
    if contents.sidelight != VERSION:
        raise errors.MachineError(
            f"{bundle}: all bytes are as they were packed; the replay needs sidelight "
            f"{contents.sidelight}, and this is {VERSION}",
            remedy=f"Install it with: pip install sidelight=={contents.sidelight}",
        )
    here, topics = _prompts(), 0
    problems = [
        errors.Problem(
            "prompt-changed",
            str(folder / CONTENTS),
            None,
            f"the prompt {name} as it is installed here",
            "another wording",
            f"Install sidelight {contents.sidelight} unchanged.",
        )
        for name in sorted(here.keys() | contents.prompts.keys())
        if here.get(name) != contents.prompts.get(name)
    ]
    if not problems:
        problems, topics = await _replay(folder, contents, on_topic, plugins)
    return Verification(contents, tuple(problems), topics)


@contextmanager
def _unpacked(bundle: Path) -> Iterator[Path]:
    if bundle.is_dir():
        yield bundle
        return
    with tempfile.TemporaryDirectory(prefix="sidelight-") as scratch:
        read_archive(bundle, Path(scratch))
        yield Path(scratch)


def _read_replies(path: Path) -> Iterator[KeptReply]:
    with files.open_regular(path) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield KeptReply.model_validate_json(line, strict=True)
            except ValidationError as error:
                raise errors.InputError(
                    f"{path}:{number}: expected a kept reply; found: {faults(error)}"
                ) from error


async def _replay(
    folder: Path,
    contents: Contents,
    on_topic: Callable[[str], None],
    plugins: Container[str],
) -> tuple[list[errors.Problem], int]:
    recorded = RunDirectory(folder / RUN, plugins)
    settings = recorded.read_settings()
    if changed := changed_code(recorded.config, settings):
        found = f"other code of {' and '.join(changed)} on this machine"
        expected = "the code that made the run"
        remedy = "Put the modules that made the run on PYTHONPATH; their hashes end this file."
        where = str(recorded.config), None
        return [errors.Problem("code-changed", *where, expected, found, remedy)], 0
    topics = read_topics(folder / TOPICS, recorded.read_track())
    with tempfile.TemporaryDirectory(prefix="sidelight-") as scratch:
        again, cache = RunDirectory(Path(scratch, "run")), Path(scratch, "cache")
        keep_replies(cache, _read_replies(folder / REPLIES))
        try:
            await replay_run(
                topics,
                settings,
                contents.index,
                replaying(Recording.read(folder / EVIDENCE)),
                cache,
                again.path,
                on_topic,
            )
        except errors.OfflineError as error:
            missing = "every reply that the replay needs"
            remedy = "The replay goes another way than the run went; compare the versions."
            return [
                errors.Problem(
                    "reply-missing", str(folder / REPLIES), None, missing, str(error), remedy
                )
            ], 0
        problems = compare_runs(recorded, again)
    if (folder / SCORES).exists():
        problems += compare_scores(folder / SCORES, folder / RUBRICS, recorded)
    return problems, len(topics)
