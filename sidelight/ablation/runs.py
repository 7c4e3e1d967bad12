"""Execution of an experiment's arms as run directories, or as TREC runs over shared queries.

All arms share one budget limit. Hits and vectors that several arms need are computed once.

Grid of experimental arms, read from one YAML file.

```yaml
base: ../extractive.yaml        # a configuration, relative to this file; the defaults if left out
dimensions:
  retriever:
    hybrid: {}                  # the first of each dimension makes the base arm
    bm25: {retrieval.retriever: bm25}
  rounds:
    three: {}
    one: {investigation.max_rounds: 1}
```

Every combination is an arm: `hybrid+three`, `hybrid+one`, `bm25+three`, `bm25+one`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from sidelight.config.load import check_same, dump_settings, load_settings, read_yaml_file
from sidelight.config.settings import RetrievalSettings, Settings
from sidelight.errors import UsageError
from sidelight.evaluation.scoring.retrieval import score_runs
from sidelight.evaluation.scoring.table import TopicScore
from sidelight.files import MAX_TABLE_BYTES, atomic_write, bundled, read_limited
from sidelight.formats.runs.trec_run import read_trec_run, write_trec_run
from sidelight.registry import did_you_mean
from sidelight.retrieval.base import Retriever
from sidelight.runs.log import TopicLog
from sidelight.runs.runner import Investigate, RunSummary, run_topics, side_by_side
from sidelight.schemas.base import Value, fault
from sidelight.schemas.investigation.evidence import Hit, Query
from sidelight.schemas.investigation.trace import Outcome
from sidelight.schemas.topic import Topic
from sidelight.text_vectors import TextVectors
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, build_retriever, open_graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sidelight.index.folder import SearchIndex

_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", max_length=40)]
_Changes = dict[str, Any]


class Grid(Value):
    """Contents of a grid file.

    Attributes:
        base: Configuration that all arms differ from, relative to the grid file.
        dimensions: By name, the choices of a dimension; by name, the settings each changes.
        measures: For experiments with queries and labels, measures by the names of ir_measures; the
            first one is plotted.
        hits: For these, hits per query.
        id_field: For these, key of the id in the lines of a corpus.
        text_field: For these, key of the text.
    """

    base: str | None = None
    dimensions: dict[_Name, dict[_Name, _Changes]] = Field(min_length=1)
    measures: str = "nDCG@10 R@100"
    hits: int = Field(100, ge=1, le=1000)
    id_field: str = "docid"
    text_field: str = "segment"


class Arm(NamedTuple):
    """One combination of choices.

    Attributes:
        name: The choices, joined by `+`.
        changes: Settings it changes, by name.
        settings: All of them, resolved; the run id is the base's and the arm's name.
        same_as: An earlier arm with the same settings, whose results are this one's.
    """

    name: str
    changes: dict[str, Any]
    settings: Settings
    same_as: str | None

    @property
    def folder_name(self) -> str:
        """The arm whose folder holds its results."""
        return self.same_as or self.name


def read_grid(path: Path | Mapping[str, Any]) -> Grid:
    """Read a grid from a file, or from the content of one."""
    where = path if isinstance(path, Path) else "the grid"
    content = read_yaml_file(path, "grid") if isinstance(path, Path) else path
    try:
        return Grid.model_validate(content)
    except ValidationError as error:
        # A misspelt key is named before the one that is missing for it.
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        said, known = fault(first), Grid.model_fields
        if first["type"] == "extra_forbidden":  # only keys of the grid itself are fixed
            name = str(first["loc"][0])
            said = f"unknown key {name}{did_you_mean(name, known)}"
        raise UsageError(
            f"{where}: {said}; the keys of a grid are {', '.join(known)}",
            remedy="Compare with configs/ablations/mini-web.yaml; for searches, with "
            "retrieval.yaml beside it, which has `measures: nDCG@10 R@100 AP RR`.",
        ) from None


def arms_of(grid: Grid, path: Path) -> list[Arm]:
    """Return every combination of a grid, the base arm first.

    UsageError, which names the arm, is raised if two of its choices change one setting, or a
    setting is unknown or out of range.
    """
    base = bundled(path).parent / grid.base if grid.base else None
    arms: list[Arm] = []
    first_with: dict[str, str] = {}
    run_ids: set[str] = set()
    for choices in product(*(choice.items() for choice in grid.dimensions.values())):
        name = "+".join(choice for choice, _ in choices)
        changes: dict[str, Any] = {}
        for choice, wanted in choices:
            for twice in changes.keys() & wanted.keys():
                raise UsageError(
                    f"{path}: arm {name}: expected each setting to be changed once; "
                    f"{choice} changes {twice} again"
                )
            changes |= wanted
        # JSON is YAML, which is what values on the command line are.
        overrides = [f"{key}={json.dumps(value)}" for key, value in changes.items()]
        try:
            settings = load_settings(base, overrides, option="")
        except UsageError as error:
            message = f"{path}: arm {name}: {error.message}"
            raise UsageError(message, remedy=error.remedy) from None
        same_as = first_with.setdefault(settings.fingerprint(), name)
        if _RUN_ID not in changes:
            settings = _named(settings, name, run_ids)
        run_ids.add(settings.submission.run_id)
        arms.append(Arm(name, changes, settings, None if same_as == name else same_as))
    return arms


_RUN_ID, _MAX_RUN_ID = "submission.run_id", 60


def _named(settings: Settings, arm: str, taken: Container[str]) -> Settings:
    """Return settings with a run id of the arm's own, so that arms can be judged together."""
    run_id = f"{settings.submission.run_id}-{arm.replace('+', '.')}"
    if len(run_id) > _MAX_RUN_ID or run_id in taken:
        digest = hashlib.sha256(arm.encode()).hexdigest()[:8]
        run_id = f"{run_id[: _MAX_RUN_ID - 9]}-{digest}"
    submission = settings.submission.model_copy(update={"run_id": run_id})
    return settings.model_copy(update={"submission": submission})


class SharedSources:
    """Sources of all arms over one index."""

    def __init__(self, folder: SearchIndex) -> None:
        self._folder = folder
        self._encode = TextVectors(self._encode_sentences)
        self._retrievers: dict[str, RememberingRetriever] = {}

    def fingerprint(self) -> str:
        """Return the hash of the index."""
        return self._folder.fingerprint()

    def of(self, settings: RetrievalSettings) -> Sources:
        """Return the sources of an arm; arms that search alike share their hits."""
        return Sources(self.retriever(settings), self._folder.docstore.get_many, self._encode)

    def retriever(self, settings: RetrievalSettings) -> Retriever:
        """Return the retriever of an arm."""
        # All but these decide the hits of a retriever.
        key = settings.model_dump_json(exclude={"k", "listwise_depth", "allow_own_article"})
        if key not in self._retrievers:
            self._retrievers[key] = RememberingRetriever(build_retriever(settings, self._folder))
        return self._retrievers[key]

    def _encode_sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Only this loads the encoder; a finished experiment has nothing to encode.
        return self._folder.encoder.encode_sentences(texts)


class RememberingRetriever:
    """Searches with another retriever, once for each text and number of hits."""

    def __init__(self, retriever: Retriever) -> None:
        self.name = retriever.name
        self._retriever = retriever
        self._found: dict[tuple[str, int], list[Hit]] = {}

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        new = [query for query in queries if (query.text, k) not in self._found]
        if new:
            hits = self._retriever.search(new, k)
            self._found.update(((query.text, k), hits[query.query_id]) for query in new)
        return {query.query_id: self._found[query.text, k] for query in queries}


ARMS = "arms"


async def run_arms(
    arms: Sequence[Arm],
    topics: Sequence[Topic],
    sources: SharedSources,
    folder: Path,
    access: ModelAccess,
    *,
    parallel: int,
    on_topic: Callable[[str], None] = lambda _: None,
    on_step: Callable[[str, str, str], None] = lambda _topic_id, _step, _arm: None,
) -> dict[str, RunSummary]:
    """Finish the runs of all arms that are not finished; arms with equal settings share one.

    Each run gets a directory under `arms/` in `folder`. All models share one cache and one budget.
    `parallel` is the maximum of concurrent topics, over all arms. The result has a summary for the
    first arm of each run, by name. UsageError is raised for an arm that would start a model server,
    since arms side by side would start many.
    """
    for arm in arms:
        for name, server in arm.settings.servers.items():
            given = access.base_url if name == "default" else None
            if server.start and not (given or server.base_url or access.offline):
                raise UsageError(
                    f"arm {arm.name}: expected the address of the server {name!r}, which all arms "
                    "share; found settings that start one",
                    remedy="Start it once, and give its address: --base-url http://HOST:PORT/v1",
                )
    limit = asyncio.Semaphore(parallel)

    async def run(arm: Arm) -> RunSummary:
        @asynccontextmanager
        async def start() -> AsyncIterator[Investigate]:
            shared = sources.of(arm.settings.retrieval)
            async with open_graph(arm.settings, shared, access) as investigate:
                yield _limited(investigate, limit)

        return await run_topics(
            topics,
            arm.settings,
            sources.fingerprint(),
            start,
            folder / ARMS / arm.name,
            parallel=parallel,
            on_topic=on_topic,
            on_step=lambda topic_id, step: on_step(topic_id, step, arm.name),
        )

    own = [arm for arm in arms if arm.same_as is None]
    summaries = await side_by_side(own, run, len(own))
    return {arm.name: summary for arm, summary in zip(own, summaries, strict=True)}


def _limited(investigate: Investigate, limit: asyncio.Semaphore) -> Investigate:
    """Return an investigation that waits for its turn among those of all arms."""

    async def within_limit(topic: Topic, log: TopicLog) -> Outcome:
        async with limit:
            return await investigate(topic, log)

    return within_limit


_RUN, _CONFIG = "run.txt", "config.yaml"


def search_arms(
    arms: Sequence[Arm],
    queries: Sequence[Query],
    hits: int,
    sources: SharedSources,
    folder: Path,
    on_arm: Callable[[str], None] = lambda _: None,
) -> None:
    """Write `run.txt` and `config.yaml` in `arms/<name>/` for every arm that has no run yet.

    `hits` are per query. UsageError is raised if the folder of an arm was made with other settings,
    code, index or queries.
    """
    asked = json.dumps([hits, *([query.query_id, query.text] for query in queries)]).encode()
    searched = {"index": sources.fingerprint(), "queries": hashlib.sha256(asked).hexdigest()}
    for arm in arms:  # whatever cannot be opened is found before the first search
        if not (folder / ARMS / arm.folder_name / _RUN).exists():
            sources.retriever(arm.settings.retrieval)
    for arm in arms:
        if arm.same_as is None:
            place = folder / ARMS / arm.name
            config = dump_settings(arm.settings, searched)
            if (place / _RUN).exists():
                check_same(place / _CONFIG, config, "an arm")
            else:
                found = sources.retriever(arm.settings.retrieval).search(queries, hits)
                atomic_write(place / _CONFIG, config)
                write_trec_run(place / _RUN, found, arm.settings.submission.run_id)
        on_arm(arm.name)


def hits_of(arm: Arm, folder: Path) -> str:
    """Return a hash of the hits of a searched arm, without its run id, the last column."""
    content = read_limited(folder / ARMS / arm.folder_name / _RUN, MAX_TABLE_BYTES)
    digest = hashlib.sha256()
    for line in content.splitlines():
        digest.update(line.rpartition(b" ")[0] + b"\n")
    return digest.hexdigest()


def score_searches(
    arms: Sequence[Arm], qrels: Mapping[str, Mapping[str, int]], measures: str, folder: Path
) -> list[TopicScore]:
    """Return every arm's score on every labelled query, the measures in the order given."""
    runs = {arm.name: read_trec_run(folder / ARMS / arm.folder_name / _RUN) for arm in arms}
    return [topic for scores in score_runs(qrels, runs, measures) for topic in scores.topics]
