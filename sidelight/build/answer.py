"""From settings to what answers narratives; it needs no model."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from sidelight.build.roles import PLAIN, offers, plain_performer
from sidelight.errors import InputError, UsageError
from sidelight.parts import ROLES
from sidelight.schemas.topic import Narrative
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sidelight.agents.deps import AnswerDeps
    from sidelight.agents.graphs.answer_state import AnswerState
    from sidelight.build.investigation import Sources
    from sidelight.build.models import ModelAccess
    from sidelight.config.settings import Settings
    from sidelight.runs.log import TopicLog
    from sidelight.runs.runner import Investigate
    from sidelight.schemas.investigation.outcome import Outcome
    from sidelight.schemas.topic import Topic


@asynccontextmanager
async def open_answer(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AsyncIterator[Investigate]:
    """Yield the function that answers one narrative; sources and graph are shared by all.

    Raises:
        UsageError: The settings name a model, which would not be asked.
    """
    del access
    from sidelight.agents.graphs.answer import build_graph, outcome_of

    performers = {settings.roles.performer(role) for role in ROLES}
    if performers != {PLAIN} or settings.retrieval.listwise_depth is not None:
        raise UsageError(
            "narratives are answered without a model, and the settings name one for a step",
            remedy="Leave `roles` and `retrieval.listwise_depth` at their defaults.",
        )
    track, graph = load_track(settings.track), build_graph()

    async def answer(topic: Topic, log: TopicLog) -> Outcome:
        if not isinstance(topic, Narrative):
            raise InputError(f"{topic.topic_id}: expected a narrative to answer")
        state = await graph.ainvoke({}, context=_dependencies(topic, settings, sources, log))
        return outcome_of(cast("AnswerState", state), track)

    yield answer


def _dependencies(
    narrative: Narrative, settings: Settings, sources: Sources, log: TopicLog
) -> AnswerDeps:
    from sidelight.agents.deps import AnswerDeps
    from sidelight.retrieval.lateral import LateralRetriever
    from sidelight.retrieval.segment_cache import SegmentCache
    from sidelight.schemas.investigation.report import DraftReport

    offered = offers(settings, sources.encode, {})
    offered["nothing_found"] = lambda: DraftReport(sentences=())

    def performer(role: str) -> Any:
        return log.timed(role, plain_performer(role, offered))

    lookup = SegmentCache(sources.lookup)
    return AnswerDeps(
        narrative=narrative,
        track=load_track(settings.track),
        select_evidence=performer("select_evidence"),
        write_report=performer("write_report"),
        check_report=performer("check_report"),
        retriever=LateralRetriever(sources.retriever, None, lookup),
        lookup=lookup,
        k=settings.retrieval.k,
    )
