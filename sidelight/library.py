"""Build, search, run, score, compare, judge and ablate: what scripts and notebooks call.

Whatever these functions return prints itself in a few words, and `to_frame()` makes a
`pandas.DataFrame` of all but an index. Runs, labels and queries are files, dictionaries or frames.

All of them raise InputError where something given cannot be read, is not finished or does not fit,
UsageError where something asked for does not exist, and MachineError where a model or a package is
missing.
"""

from __future__ import annotations

import asyncio
import ctypes
import inspect
import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial, wraps
from math import isfinite, nan
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from sidelight.errors import InputError, SidelightError, UsageError
from sidelight.files import is_file
from sidelight.formats.table import to_frame
from sidelight.text import counted, quoted

if TYPE_CHECKING:
    from sidelight.cli.ablate import Experiment
    from sidelight.cli.console import Result
    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.index.folder import SearchIndex
    from sidelight.runs.runner import RunSummary
    from sidelight.runs.self_evaluation import SelfEvaluation
    from sidelight.schemas.investigation.evidence import Query
    from sidelight.schemas.topic import Topic

Run: TypeAlias = "str | Path | Mapping[str, Mapping[str, float]] | Any"
"""A file in TREC's format, `{query: {segment: score}}`, or a data frame or records of such rows."""

# What columns of a data frame may be called: here, in ir_measures, and in PyTerrier.
_QUERY, _SEGMENT = ("query_id", "query", "qid"), ("segment_id", "doc_id", "docno", "docid")
_SCORE, _GRADE = ("score",), ("relevance", "label", "grade")
_ID, _TEXT = ("query_id", "qid"), ("text", "query", "title")  # of frames of queries
_FILE = re.compile(r"irds:\S+|\S+\.(tsv|txt|jsonl)")  # of queries, there or misspelt

P = ParamSpec("P")
R = TypeVar("R")

_SETTINGS = re.compile(r"--set [\w.]+=[^\s,;]+(?: --set [\w.]+=[^\s,;]+)*")
_OPTION = re.compile(r"--([a-z-]+)")
# Options that parameters are not called like.
_CALLED = {"set": "settings", "measure": "measures", "judge": "by"}


def _beside_a_loop(call: Callable[[], R]) -> R:
    """Call in a thread of its own where an event loop runs in this one, as in a notebook's kernel.

    What is called starts loops of its own, and a thread has one. An interruption goes on there.
    """
    running = None
    with suppress(RuntimeError):
        running = asyncio.get_running_loop()
    if running is None:  # called out of the block, whose error would stand above those of the call
        return call()
    made: Future[R] = Future()

    def work() -> None:
        try:
            made.set_result(call())
        except BaseException as error:  # also what ends a program: it is raised where it belongs
            made.set_exception(error)

    thread = Thread(target=partial(copy_context().run, work), daemon=True)
    thread.start()
    try:
        return made.result()
    except KeyboardInterrupt:
        interrupt = ctypes.py_object(KeyboardInterrupt)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), interrupt)
        thread.join()
        raise


def _in_python(function: Callable[P, R]) -> Callable[P, R]:
    """Let errors of a function name its parameters where they name options of commands."""
    parameters = inspect.signature(function).parameters
    named = {option: name for option, name in _CALLED.items() if name in parameters}
    named |= {name.replace("_", "-"): name for name in parameters}

    def listed(found: re.Match[str]) -> str:
        given = found[0].removeprefix("--set ").split(" --set ")
        return f"settings={given}".replace("'", '"') if "settings" in parameters else found[0]

    def parameter(found: re.Match[str]) -> str:
        return f"`{named[found[1]]}`" if found[1] in named else found[0]

    def in_python(text: str) -> str:
        said, *command = re.split(r"(?=sidelight [a-z])", text)  # which is typed as it is
        return _OPTION.sub(parameter, _SETTINGS.sub(listed, said)) + "".join(command)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return _beside_a_loop(partial(function, *args, **kwargs))
        except SidelightError as error:
            error.message, error.remedy = in_python(error.message), in_python(error.remedy)
            error.args = (error.message,)
            raise

    return called


@dataclass(frozen=True, repr=False)
class Hits(Sequence[dict[str, Any]]):
    """The hits of one call of `search`: a sequence of rows.

    A row has `query_id`, `rank` from 1, `score`, `segment_id`, `title`, `url` and `text`. Scores
    fall with the rank, as in a run that is written: equal ones are lowered by the smallest step.
    """

    rows: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __repr__(self) -> str:
        lines = [f"<{counted(len(self), 'hit')}>"]
        for row in self.rows[:_ROWS]:
            if row["rank"] == 1:
                lines.append(f"{row['query_id']}:")
            figures = f"{row['rank']:3} {row['score']:.4f} {row['segment_id']}"
            lines.append(f"{figures} {row['title'][:_TITLE]}")
        if len(self) > _ROWS:
            lines.append(f"... and {len(self) - _ROWS} more")
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return the hits as a `pandas.DataFrame`."""
        return to_frame(self.rows)

    def to_run(self) -> dict[str, dict[str, float]]:
        """Return the scores by query and segment id, as `score` and ir_measures take them."""
        found: dict[str, dict[str, float]] = {}
        for row in self.rows:
            found.setdefault(row["query_id"], {})[row["segment_id"]] = row["score"]
        return found


@_in_python
def build_index(
    segments: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    profile: str = "exact",
    encoder: str | None = None,
    dim: int | None = None,
) -> SearchIndex:
    """Build an index, or leave it as it is where it was built of the same; opened, it is returned.

    The command builds the text in several processes, which a script would have to be guarded for.

    Args:
        segments: A file of segments as `sidelight corpus segment` writes them, or several.
        output: The index folder.
        profile: How vectors are kept and searched, or `none`.
        encoder: Name or path of a sentence-transformers model; the bundled one by default.
        dim: Numbers a vector; the encoder's by default.
    """
    from sidelight.cli.index import check_segments
    from sidelight.cli.progress import progress_bar
    from sidelight.index import build
    from sidelight.index.encoding.encoder import DEFAULT_ENCODER, Encoder
    from sidelight.index.engine import LocalEngine
    from sidelight.index.folder import open_index

    shards = [Path(one) for one in ([segments] if isinstance(segments, str | Path) else segments)]
    if not shards:
        raise UsageError("expected files of segments; found none")
    check_segments(shards)
    made, here = Encoder(encoder or DEFAULT_ENCODER, dim), LocalEngine(processes=1)
    build.build_index(
        shards, Path(output), made, progress=progress_bar, engine=here, profile=profile
    )
    return open_index(Path(output))


@_in_python
def search(
    queries: str | Path | Sequence[str] | Mapping[str, str] | Any,
    index: str | Path | SearchIndex,
    *,
    k: int = 10,
    retriever: str | type | None = None,
) -> Hits:
    """Search an index.

    Args:
        queries: Words, several, words by id, a data frame, or a file of `id<TAB>text` lines.
        index: The index folder, or an index that `open_index` or `build_index` returned.
        k: Hits per query, at least 1.
        retriever: Its name or class; `hybrid`, or `bm25` if the index has no vectors, by default.
    """
    from sidelight.formats.runs.trec_run import falling_scores
    from sidelight.index.folder import open_index
    from sidelight.retrieval.first_stage import open_retriever

    if k < 1:
        raise UsageError(f"expected --k of at least 1; found {k}")
    asked = _asked(queries)
    folder = open_index(index)
    opened = open_retriever(_place(retriever) if retriever else None, folder)
    rows: list[dict[str, Any]] = []
    for query_id, hits in opened.search(asked, k).items():
        segments = folder.docstore.get_many([hit.segment_id for hit in hits])
        scores = falling_scores([hit.score for hit in hits], query_id)
        for rank, (score, segment) in enumerate(zip(scores, segments, strict=True), start=1):
            row = {"query_id": query_id, "rank": rank, "score": float(score)}
            rows.append({**row, **segment.model_dump(include=_OF_SEGMENT)})
    return Hits(tuple(rows))


_OF_SEGMENT = {"segment_id", "title", "url", "text"}
_TITLE, _ROWS = 60, 20  # characters of a title, and hits, shown


@_in_python
def run(
    topics: str | Path | Sequence[Topic],
    index: str | Path | SearchIndex,
    output: str | Path,
    *,
    config: str | Path | None = None,
    settings: Sequence[str] = (),
    base_url: str | None = None,
) -> RunSummary:
    """Investigate topics and write the files of a run; an interrupted call resumes.

    Args:
        topics: A topics file, or topics as `read_topics` returns them.
        index: The index folder, or an index that `open_index` or `build_index` returned.
        output: The run directory.
        config: YAML file of differences from the defaults.
        settings: Single settings, such as `retrieval.k=50`.
        base_url: Address of the model server, where a model is asked.
    """
    from sidelight.cli.progress import progress_bar
    from sidelight.config.load import load_settings
    from sidelight.formats.verdict import read_topics
    from sidelight.index.folder import open_index
    from sidelight.runs.directory import RunDirectory
    from sidelight.tracks import load_track
    from sidelight.wiring.estimate import check_asked
    from sidelight.wiring.models import ModelAccess
    from sidelight.wiring.run import make_run

    known = load_settings(config, settings)
    check_asked(known, base_url)
    if isinstance(topics, str | Path):
        topics = read_topics(Path(topics), load_track(known.track))
    folder, access = Path(output), ModelAccess(Path(output) / "cache", base_url=base_url)
    with progress_bar("topics", total=len(topics)) as advance:
        advance.keep(RunDirectory(folder).n_finished(topics))
        return make_run(
            topics,
            known,
            open_index(index),
            folder,
            access,
            on_topic=lambda _: advance(1),
            on_step=advance.begin,
        )


@_in_python
def score(
    runs: Run | Mapping[str, Run], qrels: Run, measures: str | Sequence[Any] | Any = "nDCG@10 R@100"
) -> ScoreTable:
    """Score search results against relevance labels, as trec_eval does.

    Args:
        runs: One run or what `search` returned; several files; or runs by name.
        qrels: Labels: a file, `{query: {segment: grade}}`, a data frame, or records.
        measures: Those of ir_measures, or their names.
    """
    from sidelight.evaluation.scoring.retrieval import retrieval_table, score_runs
    from sidelight.formats.labels.qrels import read_qrels
    from sidelight.formats.runs.trec_run import read_trec_run

    def results(one: Run) -> Mapping[str, Iterable[tuple[str, float]]]:
        if isinstance(one, str | Path):
            return read_trec_run(Path(one))
        given = one.to_run() if isinstance(one, Hits) else one
        return {name: hits.items() for name, hits in _by_query(given, _SCORE).items()}

    labels = read_qrels(Path(qrels)) if isinstance(qrels, str | Path) else _labels(qrels)
    found = {tag: results(one) for tag, one in _by_name(runs).items()}
    scores = score_runs(labels, found, " ".join(_names(measures)))
    for told in [told for one in scores for told in one.warnings]:
        warnings.warn(told, stacklevel=3)
    return retrieval_table(scores)


def _place(part: Any) -> str:
    """Return the name of a part: as it is given, or the place of a class."""
    return f"{part.__module__}:{part.__qualname__}" if isinstance(part, type) else str(part)


def _names(measures: Any) -> list[str]:
    """Return the names of one or several measures, which may be objects of ir_measures."""
    is_one = isinstance(measures, str) or not isinstance(measures, Iterable)
    return [str(one) for one in ([measures] if is_one else measures)]


def _by_name(runs: Any) -> Mapping[Any, Any]:
    """Return runs by name: as they are given, by their files, or a single one as `run`."""
    files = [runs] if isinstance(runs, str | Path) else runs
    if isinstance(files, list | tuple) and files:
        if all(isinstance(one, str | Path) for one in files):
            return {Path(one): one for one in files}
    elif isinstance(runs, Mapping):
        inner = [one.values() if isinstance(one, Mapping) else [{}] for one in runs.values()]
        if any(isinstance(one, Mapping) for values in inner for one in values):
            return runs  # what is one run has scores by segment in each of its values
    return {"run": runs}


def _asked(given: Any) -> list[Query]:
    """Return queries out of a text, several, a dictionary, a data frame or a file."""
    from sidelight.formats.topics import read_queries
    from sidelight.schemas.investigation.evidence import Query

    is_text = isinstance(given, str)
    if isinstance(given, Path) or (is_text and (is_file(given) or _FILE.fullmatch(given))):
        return read_queries(Path(given))
    if hasattr(given, "columns"):
        rows = _rows(given, _ID, _TEXT)
    elif isinstance(given, Mapping):
        rows = given.items()
    else:
        many = isinstance(given, Iterable) and not is_text
        rows = enumerate(given if many else [given], start=1)
    asked = []
    for name, text in rows:
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"expected words to search for; found {quoted(text)}")
        asked.append(Query(query_id=str(name), text=text))
    return asked


def _labels(given: Any) -> dict[str, dict[str, int]]:
    """Return grades by query and segment; see `_by_query`."""
    found = _by_query(given, _GRADE)
    return {query: {at: int(n) for at, n in row.items()} for query, row in found.items()}


def _by_query(given: Any, values: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    """Return figures by query and segment, out of a dictionary, a data frame or records."""
    found: dict[str, dict[str, float]] = {}
    if hasattr(given, "columns"):
        rows = _rows(given, _QUERY, _SEGMENT, values)
    elif isinstance(given, Mapping) and all(isinstance(row, Mapping) for row in given.values()):
        rows = ((query, *item) for query, row in given.items() for item in row.items())
        found = {str(query): {} for query in given}
    else:
        records = [*given] if isinstance(given, Iterable) else []
        fields = {getattr(one, "_fields", ()) for one in records}
        if len(fields) != 1 or not any(fields):
            wanted = "a file, a dictionary, a data frame, or records of ir_measures"
            raise InputError(f"expected {wanted}; found {quoted(given)}")
        columns = dict(zip(*fields, zip(*records, strict=True), strict=True))
        rows = _rows(columns, _QUERY, _SEGMENT, values)
    for query, segment, value in rows:
        number = nan
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)
        if not isfinite(number):
            raise InputError(
                f"query {query}: expected numbers as {values[0]}; found {quoted(value)}"
            )
        found.setdefault(str(query), {})[str(segment)] = number
    return found


def _rows(given: Any, *wanted: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Return the rows of some columns of a data frame, each by the names that it may have."""
    columns = []
    for names in wanted:
        name = next((name for name in names if name in given), None)
        if name is None:
            raise InputError(
                f"expected a column called {' or '.join(names)}; found "
                f"{quoted(', '.join(map(str, given)))}",
                remedy="Rename the columns of the data frame.",
            )
        columns.append(given[name])
    return zip(*columns, strict=True)


@_in_python
def compare(
    scores: ScoreTable | str | Path | Sequence[str | Path],
    measure: Any = None,
    *,
    baseline: str | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Result:
    """Compare runs pair by pair, as the command `score compare` does.

    Args:
        scores: What `score` returned, or one or several files of scores per topic that the command
            `score` wrote.
        measure: The one to compare by; the first of them by default.
        baseline: The run to compare all others with; None for all pairs.
        samples: Bootstrap samples and random sign patterns; 10,000 by default.
        seed: Of both.
    """
    from sidelight.cli.options import Sampling
    from sidelight.cli.score import compared, topic_scores
    from sidelight.evaluation.scoring import DEFAULT_SAMPLES
    from sidelight.evaluation.scoring.table import ScoreTable

    files = [scores] if isinstance(scores, str | Path) else scores
    named = measure and str(measure)
    if isinstance(scores, ScoreTable):
        by_task = [([*scores.topics], Path("the scores"))]
    elif isinstance(files, list | tuple) and all(isinstance(one, str | Path) for one in files):
        by_task = topic_scores([*map(Path, files)], measure=named)
        if len(by_task) > 1:
            remedy = "Compare the files of one task, or by a measure that one task has."
            raise UsageError("expected scores of one task; found several", remedy=remedy)
    else:
        wanted = "what `score` returned, or files of scores per topic"
        remedy = "Give `score` several runs by name, and `compare` what it returns."
        raise UsageError(f"expected {wanted}; found {quoted(scores)}", remedy=remedy)
    sampling = Sampling(samples or DEFAULT_SAMPLES, seed)
    return compared(*by_task[0], named, baseline, sampling)


@_in_python
def judge(
    run: str | Path,
    index: str | Path | SearchIndex,
    rubrics: str | Path | None = None,
    *,
    by: str = "embedded",
    examples: str | Path | None = None,
) -> SelfEvaluation:
    """Judge a finished run with its own files, score it, and find where it lost credit.

    Args:
        run: The run directory; labels and scores go into its folder `scores`.
        index: The index it was made with.
        rubrics: Folder of rubrics; None for those that the run drafted.
        by: The name of a judge that asks no model.
        examples: Folder of labelled runs that the judge learns from.
    """
    from sidelight.cli.progress import progress_bar
    from sidelight.evaluation.labelling.examples import read_examples
    from sidelight.index.folder import open_index
    from sidelight.runs.directory import RunDirectory
    from sidelight.runs.self_evaluation import collect, evaluate_run, read_finished
    from sidelight.wiring.judges import JudgeInputs, make_judge

    folder, directory = open_index(index), RunDirectory(Path(run))
    given = None if rubrics is None else Path(rubrics)
    finished = read_finished(directory, folder.fingerprint(), given)
    labelled = None if examples is None else read_examples(Path(examples))
    made = make_judge(by, JudgeInputs(finished.rubrics, labelled, articles=finished.articles))
    material = collect(finished, folder.docstore.get_many, made.words_at_once)
    with progress_bar("labels", total=material.n_labels) as advance:
        work = partial(evaluate_run, made, material, directory.scores, advance)
        return asyncio.run(work())


@_in_python
def ablate(
    grid: str | Path | Mapping[str, Any],
    output: str | Path,
    index: str | Path | SearchIndex,
    *,
    topics: str | Path | Sequence[Topic] | None = None,
    rubrics: str | Path | None = None,
    queries: str | Path | Mapping[str, str] | Any = None,
    qrels: Run | None = None,
    judge: str = "embedded",
    examples: str | Path | None = None,
    measures: str | Sequence[Any] = (),
    samples: int | None = None,
    seed: int = 0,
) -> Experiment:
    """Compare arms that differ from a base in a few settings, as the command `ablate` does.

    Args:
        grid: YAML file of the arms, or what such a file holds; a value may be a class of your own.
        output: Folder of the experiment, for its tables, plots and runs.
        index: The index that all arms search, as `search` takes it.
        topics: A topics file, or topics as `read_topics` returns them; every arm is a run.
        rubrics: Folder of rubrics to judge the runs by.
        queries: A file of `id<TAB>text` lines, `{id: text}`, or a data frame; every arm searches.
        qrels: Relevance labels of these queries, as `score` takes them.
        judge: The name of a judge that asks no model.
        examples: Folder of labelled runs that the judge learns from.
        measures: Further measures of runs, by their names.
        samples: Bootstrap samples and random sign patterns; 10,000 by default.
        seed: Of both.
    """
    from sidelight.cli.ablate import Inputs, experiment
    from sidelight.cli.options import Sampling
    from sidelight.evaluation.scoring import DEFAULT_SAMPLES

    if isinstance(grid, Mapping):
        named = {"measures": " ".join(_names(grid["measures"]))} if "measures" in grid else {}
        grid = json.loads(json.dumps({**grid, **named}, default=_place))
    if isinstance(topics, str):
        topics = Path(topics)
    if queries is not None:
        queries = _asked(Path(queries) if isinstance(queries, str) else queries)
    if qrels is not None:
        qrels = Path(qrels) if isinstance(qrels, str | Path) else _labels(qrels)
    return experiment(
        Path(grid) if isinstance(grid, str) else grid,
        Path(output),
        index,
        Inputs(
            topics,
            None if rubrics is None else Path(rubrics),
            queries,
            qrels,
            None if examples is None else Path(examples),
        ),
        judge=judge,
        sampling=Sampling(samples or DEFAULT_SAMPLES, seed),
        further=_names(measures),
    )
