"""From settings to what answers narratives; it needs no model."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, cast

from sidelight.errors import InputError, UsageError
from sidelight.generation.roles import Roles
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
    from sidelight.schemas.outcome import Outcome
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

    performers = {
        settings.roles.default,
        *(getattr(settings.roles, role.name) for role in fields(Roles)),
    }
    if performers - {"extractive", None} or settings.retrieval.listwise_depth is not None:
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
    from sidelight.checks.support import LexicalSupportCheck
    from sidelight.generation.extractive.report import ExtractiveReportWriter
    from sidelight.generation.extractive.select import ExtractiveSelector
    from sidelight.generation.extractive.sentence_index import SentenceIndex
    from sidelight.generation.support_checker import SupportChecker
    from sidelight.retrieval.lateral import LateralRetriever
    from sidelight.retrieval.segment_cache import SegmentCache
    from sidelight.schemas.report import DraftReport

    track, index = load_track(settings.track), SentenceIndex(sources.encode)
    lookup = SegmentCache(sources.lookup)
    keep = settings.investigation.segments_per_angle
    max_words = track.cited_text.max_words
    return AnswerDeps(
        narrative=narrative,
        track=track,
        select_evidence=log.timed("select_evidence", ExtractiveSelector(index, keep)),
        write_report=log.timed(
            "write_report", ExtractiveReportWriter(index, max_words, DraftReport(sentences=()))
        ),
        check_report=log.timed("check_report", SupportChecker(LexicalSupportCheck())),
        retriever=LateralRetriever(sources.retriever, None, lookup),
        lookup=lookup,
        k=settings.retrieval.k,
    )
