"""Wiring of the graph that writes questions on articles and finds documents for them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from sidelight.errors import UsageError
from sidelight.registry import load, make
from sidelight.schemas.topic import Article
from sidelight.telemetry import untraced
from sidelight.tracks import load_track
from sidelight.wiring.investigation import graph_steps, open_listwise
from sidelight.wiring.models import open_models
from sidelight.wiring.roles import asked_model, model_named, models_asked, offers, open_roles

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sidelight.agents.state import InvestigationState
    from sidelight.config.settings import Settings
    from sidelight.runs.log import TopicLog
    from sidelight.runs.runner import Investigate
    from sidelight.schemas.investigation.trace import Outcome
    from sidelight.schemas.topic import Topic
    from sidelight.wiring.investigation import Sources
    from sidelight.wiring.models import ModelAccess, Models

UNRATED = "none"
"""Stands for nobody in `documents.rater`."""


@asynccontextmanager
async def open_questions_and_documents(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AsyncIterator[Investigate]:
    """Yield the function that works on one article; sources, graph and models are shared by all.

    Raises:
        UsageError: Somebody is to ask a model that the settings do not name, or whose server is
            nowhere.
        MachineError: A model server cannot be started.
    """
    from sidelight.agents.questions_and_documents import build_graph, outcome_of
    from sidelight.agents.state import Deps, DocumentsDeps
    from sidelight.retrieval.best_segment import DocumentRetriever
    from sidelight.retrieval.lateral import LateralRetriever
    from sidelight.retrieval.segment_cache import SegmentCache

    track, graph = load_track(settings.track), build_graph()
    async with open_models(settings, access) as models:
        roles_of_topic = await open_roles(settings, models, sources.encode)
        retriever_of_topic = await open_listwise(settings, models, sources)
        parts_of_topic = await _open_parts(settings, models, sources)

        async def investigate(topic: Topic, log: TopicLog) -> Outcome:
            lookup = SegmentCache(sources.lookup)
            allowed = settings.retrieval.allow_own_article
            around = topic if isinstance(topic, Article) and not allowed else None
            retriever = LateralRetriever(retriever_of_topic(log, lookup), around, lookup)
            parts = parts_of_topic(log)
            deps = Deps(
                topic=topic,
                track=track,
                roles=roles_of_topic(log),
                retriever=retriever,
                lookup=lookup,
                k=settings.retrieval.k,
                documents=DocumentsDeps(
                    expand=parts["expander"],
                    rate=parts.get("rater"),
                    retriever=DocumentRetriever(
                        lambda queries, k: retriever.search(queries, k).hits
                    ),
                    depth=settings.documents.depth,
                ),
            )
            config = {"recursion_limit": graph_steps(settings)}
            with untraced():
                state = await graph.ainvoke({}, context=deps, config=cast("Any", config))
            return outcome_of(cast("InvestigationState", state), track)

        yield investigate


def document_names(settings: Settings) -> dict[str, str]:
    """Return who words searches and who rates documents, by kind, where somebody does."""
    chosen = {"expander": settings.documents.expander}
    if settings.documents.rater != UNRATED:
        chosen["rater"] = settings.documents.rater
    return chosen


def document_parts(settings: Settings) -> dict[str, type]:
    """Return the classes that word searches and rate documents, by kind.

    Raises:
        UsageError: A name stands for none.
        MachineError: A package that one needs is not installed.
    """
    return {kind: load(kind, name) for kind, name in document_names(settings).items()}


async def _open_parts(
    settings: Settings, models: Models, sources: Sources
) -> Callable[[TopicLog], dict[str, Any]]:
    """Return what makes the parts of a topic; models are opened once for all of them."""
    parts = document_parts(settings)
    opened = {}
    for name in sorted({name for part in parts.values() for name in models_asked(part)}):
        named = model_named(settings, name)
        if named is None:
            raise UsageError(
                "the settings of documents ask a model, and name none",
                remedy="Name one: --set models.writer.name=NAME",
            )
        opened[name] = await models.named(named), named

    def of_topic(log: TopicLog) -> dict[str, Any]:
        asks = {name: asked_model(*model, log) for name, model in opened.items()}
        offered = offers(settings, sources.encode, asks) | {
            "queries_per_question": lambda: settings.documents.queries_per_question
        }
        return {
            kind: log.timed(kind, make(f"{kind} of documents", part, offered))
            for kind, part in parts.items()
        }

    return of_topic
