"""Wiring of an investigation, the only factory: everything it makes receives plain arguments."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple, cast

from sidelight.errors import UsageError
from sidelight.schemas.topic import Article
from sidelight.telemetry import untraced
from sidelight.tracks import load_track
from sidelight.wiring.models import open_models
from sidelight.wiring.roles import asked_model, open_roles

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from sidelight.agents.state import InvestigationState
    from sidelight.config.settings import RetrievalSettings, Settings
    from sidelight.index.folder import SearchIndex
    from sidelight.retrieval.base import Lookup, Retriever
    from sidelight.runs.log import TopicLog
    from sidelight.runs.runner import Investigate
    from sidelight.schemas.investigation.trace import Outcome
    from sidelight.schemas.segment import Segment
    from sidelight.schemas.topic import Topic
    from sidelight.text_vectors import Encode
    from sidelight.wiring.models import ModelAccess, Models

# Nodes per round, and the nodes before and after the rounds, with room for what a round may add.
_STEPS_PER_ROUND, _STEPS_AROUND = 4, 12


class Sources(NamedTuple):
    """Index and retrievers that investigations read from, usable from any thread.

    Attributes:
        retriever: Finds segments.
        lookup: Returns the segments of some ids.
        encode: Returns the vectors of some texts.
    """

    retriever: Retriever
    lookup: Lookup
    encode: Encode


def open_sources(settings: RetrievalSettings, folder: SearchIndex) -> Sources:
    """Return what an index offers to investigations."""
    return Sources(
        retriever=build_retriever(settings, folder),
        lookup=folder.docstore.get_many,
        encode=folder.encoder.encode_sentences,
    )


def build_retriever(settings: RetrievalSettings, folder: SearchIndex) -> Retriever:
    """Return the first stage that the settings name, reranked where they name a reranker."""
    from sidelight.retrieval.cross_encoder import CrossEncoder
    from sidelight.retrieval.named import open_retriever
    from sidelight.retrieval.rerank import RerankRetriever

    first = open_retriever(settings.retriever, folder, depth=settings.depth)
    if settings.reranker is None:
        return first
    return RerankRetriever(
        first,
        CrossEncoder(settings.reranker),
        folder.docstore.get_many,
        depth=settings.depth,
        margin=settings.rerank_margin,
    )


@asynccontextmanager
async def open_investigation(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AsyncIterator[Investigate]:
    """Keep what investigations need open, and yield the function that investigates one topic.

    Sources, graph and models are shared by all topics.

    Raises:
        UsageError: A role asks a model that the settings do not name, or whose server is nowhere.
        MachineError: A model server cannot be started.
    """
    from sidelight.agents.investigation import build_graph
    from sidelight.agents.state import Deps, outcome_of
    from sidelight.retrieval.lateral import LateralRetriever
    from sidelight.retrieval.segment_cache import SegmentCache

    track = load_track(settings.track)
    graph, allow_own_article = build_graph(), settings.retrieval.allow_own_article
    steps = graph_steps(settings)
    async with open_models(settings, access) as models:
        roles_of_topic = await open_roles(settings, models, sources.encode)
        retriever_of_topic = await open_listwise(settings, models, sources)

        async def investigate(topic: Topic, log: TopicLog) -> Outcome:
            lookup = SegmentCache(sources.lookup)
            around = topic if isinstance(topic, Article) and not allow_own_article else None
            deps = Deps(
                topic=topic,
                track=track,
                roles=roles_of_topic(log),
                retriever=LateralRetriever(retriever_of_topic(log, lookup), around, lookup),
                lookup=lookup,
                k=settings.retrieval.k,
            )
            with untraced():
                state = await graph.ainvoke({}, context=deps, config={"recursion_limit": steps})
            return outcome_of(cast("InvestigationState", state), track)

        yield investigate


def graph_steps(settings: Settings) -> int:
    """Return how many steps an investigation may take before something must be wrong."""
    return _STEPS_PER_ROUND * settings.investigation.max_rounds + _STEPS_AROUND


async def open_listwise(
    settings: Settings, models: Models, sources: Sources
) -> Callable[[TopicLog, Lookup], Retriever]:
    """Return what makes the retriever of a topic, out of its log and its lookup.

    Raises:
        UsageError: A model is to order results, and the settings name none.
    """
    from sidelight.generation.prompted.rank_results import PromptedRanker
    from sidelight.retrieval.listwise import ListwiseRetriever

    depth = settings.retrieval.listwise_depth
    if depth is None:
        return lambda _log, _lookup: sources.retriever
    named = settings.models.ranker or settings.models.writer
    if named is None:
        raise UsageError(
            "retrieval.listwise_depth asks a model, and the settings name none",
            remedy="Name one: --set models.ranker.name=NAME",
        )
    model, loop = await models.named(named), asyncio.get_running_loop()

    def of_topic(log: TopicLog, lookup: Lookup) -> Retriever:
        ranker = PromptedRanker(asked_model(model, named, log))

        async def rank(windows: Sequence[tuple[str, Sequence[Segment]]]) -> list[tuple[int, ...]]:
            return await asyncio.gather(*(ranker(query, window) for query, window in windows))

        # Retrievers search in threads, and models are asked on the loop that opened them.
        return ListwiseRetriever(
            sources.retriever,
            lambda windows: asyncio.run_coroutine_threadsafe(rank(windows), loop).result(),
            lookup,
            depth=depth,
        )

    return of_topic
