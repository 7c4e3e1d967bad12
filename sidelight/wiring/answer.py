"""Wiring of narrative answering; a model may split, rank and write, all else needs none."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from sidelight.errors import InputError, UsageError
from sidelight.parts import ROLES
from sidelight.registry import load, make
from sidelight.schemas.topic import Narrative
from sidelight.telemetry import untraced
from sidelight.tracks import load_track
from sidelight.wiring.investigation import open_listwise
from sidelight.wiring.models import ask, models_by_name, open_models
from sidelight.wiring.roles import PLAIN, asked_model, model_named, offers, plain_performer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from sidelight.agents.state import AnswerDeps, AnswerState
    from sidelight.config.settings import ModelSettings, Settings
    from sidelight.llm.base import Model
    from sidelight.llm.prompted import PromptedModel
    from sidelight.retrieval.base import Lookup, Retriever
    from sidelight.runs.log import TopicLog
    from sidelight.runs.runner import Investigate
    from sidelight.schemas.investigation.trace import Outcome
    from sidelight.schemas.topic import Topic
    from sidelight.wiring.investigation import Sources
    from sidelight.wiring.models import ModelAccess, Models

_WRITES, _ANSWER_WRITER = "write_report", "prompted-answer"


@asynccontextmanager
async def open_answer(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AsyncIterator[Investigate]:
    """Yield the function that answers one narrative; sources, graph and model are shared by all.

    Raises:
        UsageError: The settings name a model that would not be asked, or none for the writer that
            asks one.
        MachineError: A model server cannot be started.
    """
    from sidelight.agents.answer import build_graph, outcome_of

    performers = {settings.roles.performer(role) for role in ROLES if role != _WRITES}
    writer = settings.roles.performer(_WRITES)
    if performers != {PLAIN} or writer not in {PLAIN, _ANSWER_WRITER}:
        raise UsageError(
            "narratives are answered without a model, and the settings name one for a step",
            remedy=f"Leave `roles` at their defaults, or let a model write: --set "
            f"roles.{_WRITES}={_ANSWER_WRITER}",
        )
    track, graph = load_track(settings.track), build_graph()
    async with open_models(settings, access) as models:
        asked = await _writer(settings, models) if writer == _ANSWER_WRITER else None
        retriever_of_topic = await open_listwise(settings, models, sources)

        async def answer(topic: Topic, log: TopicLog) -> Outcome:
            if not isinstance(topic, Narrative):
                raise InputError(f"{topic.topic_id}: expected a narrative to answer")
            context = _dependencies(topic, settings, sources, log, asked, retriever_of_topic)
            with untraced():
                state = await graph.ainvoke({}, context=context)
            return outcome_of(cast("AnswerState", state), track)

        yield answer


async def _writer(settings: Settings, models: Models) -> tuple[Model, ModelSettings]:
    named = model_named(settings, "writer")
    if named is None:
        raise UsageError(
            f"{_ANSWER_WRITER} asks a model, and the settings name none",
            remedy="Name one: --set models.writer.name=NAME",
        )
    return await models.named(named), named


def _dependencies(
    narrative: Narrative,
    settings: Settings,
    sources: Sources,
    log: TopicLog,
    asked: tuple[Model, ModelSettings] | None,
    retriever_of_topic: Callable[[TopicLog, Lookup], Retriever],
) -> AnswerDeps:
    """Return what the nodes of one narrative work with.

    Args:
        narrative: What is answered.
        settings: Say how.
        sources: What there is to answer from.
        log: Of the topic.
        asked: The model that writes, and its settings; None for a writer that asks none.
        retriever_of_topic: Makes what searches; see `open_listwise`.
    """
    from sidelight.agents.state import AnswerDeps
    from sidelight.retrieval.lateral import LateralRetriever
    from sidelight.retrieval.listed import GivenRetriever
    from sidelight.retrieval.segment_cache import SegmentCache
    from sidelight.schemas.investigation.report import DraftReport

    offered = offers(settings, sources.encode, {})
    offered["nothing_found"] = lambda: DraftReport(sentences=())

    def performer(role: str) -> Any:
        return log.timed(role, plain_performer(role, offered))

    writer = performer(_WRITES)
    if asked is not None:
        offered["writer"] = lambda: asked_model(*asked, log)
        prompted = make(f"performer of {_WRITES}", load(f"role.{_WRITES}", _ANSWER_WRITER), offered)
        plain = plain_performer(_WRITES, offered)
        writer = log.timed(_WRITES, log.with_fallback(_WRITES, prompted, plain))
    lookup = SegmentCache(sources.lookup)
    given = narrative.references
    found = GivenRetriever(given) if given else retriever_of_topic(log, lookup)
    return AnswerDeps(
        narrative=narrative,
        track=load_track(settings.track),
        select_evidence=performer("select_evidence"),
        write_report=writer,
        check_report=performer("check_report"),
        retriever=LateralRetriever(found, None, lookup),
        lookup=lookup,
        k=settings.retrieval.k,
    )


def split_narratives(
    narratives: Sequence[Narrative],
    models: Sequence[str],
    access: ModelAccess,
    at_once: int,
    on_topic: Callable[[], object],
) -> list[Narrative]:
    """Return narratives with sub-questions, the most important first.

    Args:
        narratives: What is split; sub-questions that they have already help the draft.
        models: Who drafts, then who revises; one model does both.
        access: How they may be used.
        at_once: Calls under way at once.
        on_topic: Told of each that is done.

    Raises:
        ReplyError: A model gave no usable answer.
    """
    from sidelight.generation.narratives.drafting import split_into_sub_narratives

    async def one(narrative: Narrative, asked: Sequence[PromptedModel]) -> Narrative:
        found = await split_into_sub_narratives(
            narrative.narrative, narrative.sub_questions, asked[0], asked[-1]
        )
        on_topic()
        return narrative.model_copy(update={"sub_questions": tuple(item.text for item in found)})

    async def work(asked: Mapping[str, PromptedModel]) -> list[Narrative]:
        return list(await asyncio.gather(*(one(item, [*asked.values()]) for item in narratives)))

    return asyncio.run(ask(models_by_name(models, at_once), access, work))
