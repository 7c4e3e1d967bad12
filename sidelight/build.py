"""From settings to objects: the only factory. Everything it makes receives plain arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sidelight.agents.state import InvestigationState
    from sidelight.config.settings import RetrievalSettings, Settings
    from sidelight.generation.roles import Encode, Roles
    from sidelight.index.folder import IndexFolder
    from sidelight.retrieval.base import Retriever
    from sidelight.schemas.article import Article

# Nodes per round, and the nodes before and after the rounds, with room for what a round may add.
_STEPS_PER_ROUND, _STEPS_AROUND = 4, 12


def build_retriever(settings: RetrievalSettings, folder: IndexFolder) -> Retriever:
    """Return the first stage that the settings name, reranked where they name a reranker."""
    from sidelight.retrieval.named import open_retriever
    from sidelight.retrieval.rerank import RerankRetriever

    first = open_retriever(settings.retriever, folder, depth=settings.depth)
    if settings.reranker is None:
        return first
    lookup = folder.docstore.get_many
    return RerankRetriever(first, settings.reranker, lookup, depth=settings.depth)


def open_investigation(
    settings: Settings, folder: IndexFolder
) -> Callable[[Article], Awaitable[InvestigationState]]:
    """Return the function that investigates one topic; index and graph are shared by all topics."""
    from sidelight.agents.deps import Deps
    from sidelight.agents.graph import build_graph
    from sidelight.retrieval.lateral import LateralRetriever

    retriever = build_retriever(settings.retrieval, folder)
    track = load_track(settings.track)
    graph = build_graph()
    steps = _STEPS_PER_ROUND * settings.investigation.max_rounds + _STEPS_AROUND

    async def investigate(article: Article) -> InvestigationState:
        deps = Deps(
            article=article,
            track=track,
            roles=extractive_roles(settings, folder.encoder.encode_queries),
            retriever=LateralRetriever(
                retriever,
                article,
                folder.docstore.get_many,
                allow_own_article=settings.retrieval.allow_own_article,
            ),
            lookup=folder.docstore.get_many,
            k=settings.retrieval.k,
        )
        state = await graph.ainvoke({}, context=deps, config={"recursion_limit": steps})
        return cast("InvestigationState", state)

    return investigate


def extractive_roles(settings: Settings, encode: Encode) -> Roles:
    """Return fresh roles for one topic: they remember the sentences they have encoded."""
    from sidelight.generation.extractive.check import ExtractiveChecker
    from sidelight.generation.extractive.coverage import ExtractiveAssessor
    from sidelight.generation.extractive.plan import ExtractivePlanner
    from sidelight.generation.extractive.profile import ExtractiveProfiler
    from sidelight.generation.extractive.questions import ExtractiveQuestionWriter
    from sidelight.generation.extractive.report import ExtractiveReportWriter
    from sidelight.generation.extractive.revise import ExtractiveReviser
    from sidelight.generation.extractive.rubric import ExtractiveRubricDrafter
    from sidelight.generation.extractive.select import ExtractiveSelector
    from sidelight.generation.extractive.sentence_index import SentenceIndex
    from sidelight.generation.roles import Roles

    track = load_track(settings.track)
    index = SentenceIndex(encode)
    return Roles(
        profile_article=ExtractiveProfiler(),
        draft_rubric=ExtractiveRubricDrafter(),
        plan_queries=ExtractivePlanner(),
        select_evidence=ExtractiveSelector(index),
        assess_coverage=ExtractiveAssessor(
            settings.investigation.max_rounds, settings.investigation.min_gain
        ),
        write_questions=ExtractiveQuestionWriter(
            index, track.questions_per_topic, track.max_question_characters
        ),
        write_report=ExtractiveReportWriter(index, track.max_report_words),
        check_report=ExtractiveChecker(),
        revise_report=ExtractiveReviser(),
    )
