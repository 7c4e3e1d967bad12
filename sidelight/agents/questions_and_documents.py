"""Graph that writes questions on an article and ranks documents that answer each of them.

Nodes only wire roles together; every decision is made by a role.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from sidelight.agents.investigation import (
    assess_coverage,
    draft_rubric,
    investigate,
    plan_queries,
    profile_article,
    round_or_questions,
    select_evidence,
    to_investigators,
    write_questions,
)
from sidelight.agents.searching import in_thread, read_candidates
from sidelight.agents.state import Deps, DocumentsDeps, InvestigationState, usable_evidence
from sidelight.errors import InputError
from sidelight.retrieval.best_segment import Pooled, pool_documents, rank_pooled
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.evidence import Hit, Query
from sidelight.schemas.investigation.trace import Outcome, QuestionSearch, RankedDocument, Trace
from sidelight.schemas.investigation.usefulness import Usefulness
from sidelight.schemas.run import QuestionHits, QuestionRankings
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.task import QuestionRankingsTask
from sidelight.schemas.topic import QuestionedArticle, question_id
from sidelight.tracks import Track


class _Asked(NamedTuple):
    """A question, its searches, and all that these brought."""

    question_id: str
    question: str
    queries: tuple[str, ...]
    pooled: list[Pooled]


async def find_documents(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return documents for the questions that came with the article, or else for those written.

    Raises:
        InputError: Nothing was found for a question, or there is nobody to look for documents.
    """
    deps, profile = runtime.context, state["profile"]
    parts = deps.documents
    if parts is None:
        raise InputError(f"{deps.topic.topic_id}: documents are wanted, and nobody finds them")
    topic, depth = deps.topic, deps.track.of_kind(QuestionRankingsTask).depth
    given = topic.questions if isinstance(topic, QuestionedArticle) else None
    asked = await _search(deps, parts, profile, given or state["questions"].questions)
    found = await asyncio.gather(*(_rank(deps, parts, profile, one, depth) for one in asked))
    rankings = QuestionRankings(
        topic_id=topic.topic_id, rankings=tuple(hits for hits, _, _ in found), depth=depth
    )
    return {
        "rankings": rankings,
        "shown": {one.segment_id: one for _, _, shown in found for one in shown},
        "trace": Trace(
            documents={number: trail for number, (_, trail, _) in enumerate(found, start=1)}
        ),
    }


async def _search(
    deps: Deps, parts: DocumentsDeps, profile: ArticleProfile, questions: tuple[str, ...]
) -> list[_Asked]:
    """Search for all questions at once, and return what each one's searches brought together."""
    worded = await asyncio.gather(*(parts.expand(profile, one) for one in questions))
    queries = [
        [
            Query(query_id=f"{number}.{place}", text=text)
            for place, text in enumerate(texts, start=1)
        ]
        for number, texts in enumerate(worded, start=1)
    ]
    every = [query for of_question in queries for query in of_question]
    found = await in_thread(parts.retriever.search, every, parts.depth)
    return [
        _Asked(
            question_id=question_id(deps.topic.topic_id, number),
            question=question,
            queries=worded[number - 1],
            pooled=pool_documents(found[query.query_id] for query in queries[number - 1]),
        )
        for number, question in enumerate(questions, start=1)
    ]


async def _rank(
    deps: Deps, parts: DocumentsDeps, profile: ArticleProfile, asked: _Asked, depth: int
) -> tuple[QuestionHits, QuestionSearch, list[Segment]]:
    """Return the ranking of a question, how it came about, and the segments behind it."""
    hits = [Hit(one.segment_ids[0], one.score) for one in asked.pooled]
    candidates = await read_candidates(deps.lookup, {"": hits}, ())
    segments = {document_id_of(one.segment_id): one for one in candidates.by_name[""]}
    rated: dict[str, Usefulness] = {}
    if parts.rate:
        labels = await parts.rate(profile, asked.question, list(segments.values()))
        rated = dict(zip(segments, labels, strict=True))
    ranking = rank_pooled(
        [one for one in asked.pooled if one.document_id in segments],
        {document_id: one.credit for document_id, one in rated.items()},
    )[:depth]
    if not ranking:
        raise InputError(
            f"{asked.question_id}: nothing was found",
            remedy="Search with another retriever, or in a larger index.",
        )
    shown = [segments[hit.segment_id] for hit in ranking]
    trail = QuestionSearch(
        question=asked.question,
        queries=asked.queries,
        pooled=len(asked.pooled),
        documents=tuple(_ranked(one, rated) for one in shown),
        refused=candidates.refused,
    )
    return QuestionHits(question_id=asked.question_id, hits=tuple(ranking)), trail, shown


def _ranked(segment: Segment, rated: dict[str, Usefulness]) -> RankedDocument:
    document_id = document_id_of(segment.segment_id)
    found = rated.get(document_id, Usefulness(reason="", label=None))
    return RankedDocument(
        document_id=document_id,
        segment_id=segment.segment_id,
        url=segment.url,
        title=segment.title,
        label=found.label or "",
        reason=found.reason,
    )


QuestionsAndDocuments = CompiledStateGraph[
    InvestigationState, Deps, InvestigationState, InvestigationState
]


def build_graph() -> QuestionsAndDocuments:
    """Return the compiled graph; it holds no state and serves all topics at once."""
    graph = StateGraph(InvestigationState, context_schema=Deps)
    for node in (
        profile_article,
        draft_rubric,
        plan_queries,
        investigate,
        select_evidence,
        assess_coverage,
        write_questions,
        find_documents,
    ):
        graph.add_node(node)
    graph.add_edge(START, "profile_article")
    graph.add_edge("profile_article", "draft_rubric")
    graph.add_edge("draft_rubric", "plan_queries")
    graph.add_conditional_edges(
        "plan_queries", to_investigators, ["investigate", "select_evidence"]
    )
    graph.add_edge("investigate", "select_evidence")
    graph.add_edge("select_evidence", "assess_coverage")
    graph.add_conditional_edges("assess_coverage", round_or_questions)
    graph.add_edge("write_questions", "find_documents")
    graph.add_edge("find_documents", END)
    return graph.compile()


def outcome_of(state: InvestigationState, track: Track) -> Outcome:
    """Return the outcome of a topic whose questions are written and searched for.

    Raises:
        UsageError: The track has no task for questions, or none for their documents.
    """
    evidence = {item.segment.segment_id: item.segment for item in usable_evidence(state).items}
    evidence |= state["shown"]
    return Outcome(
        results={
            track.question_list.name: state["questions"],
            track.of_kind(QuestionRankingsTask).name: state["rankings"],
        },
        evidence=tuple(evidence[segment_id] for segment_id in sorted(evidence)),
        trace=state["trace"],
    )
