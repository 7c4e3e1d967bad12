"""Graphs of an investigation: their nodes, one per step, and the routing between them.

The steps: profile the article, draft the rubric that assessors might write (the official one is
never read), plan a round of queries, search for all of them concurrently, select evidence, assess
coverage and either start another round or go on and write the questions. Then one graph writes the
report, checks each sentence against its citations, revises the report where sentences were removed,
and assembles the final one; the other ranks documents that answer each question. Nodes only wire
roles together; every decision is made by a role.
"""

from __future__ import annotations

import asyncio
from typing import Any, Literal, NamedTuple

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from sidelight.agents.state import (
    Assignment,
    Deps,
    DocumentsDeps,
    InvestigationState,
    in_thread,
    known,
    only_candidates,
    read_candidates,
    selected_of,
    usable_evidence,
)
from sidelight.errors import InputError
from sidelight.generation.compose import nothing_told, resolve_report, within
from sidelight.retrieval.best_segment import Pooled, pool_documents, rank_pooled
from sidelight.schemas.grading.judgment import Usefulness
from sidelight.schemas.investigation.angle import ArticleProfile, Aspect, PlannedQuery
from sidelight.schemas.investigation.evidence import Hit, Query
from sidelight.schemas.investigation.report import QuestionSet
from sidelight.schemas.investigation.trace import (
    Finished,
    Outcome,
    QuestionSearch,
    RankedDocument,
    Revised,
    Round,
    Searched,
    Trace,
)
from sidelight.schemas.run import QuestionHits, QuestionRankings
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.task import QuestionRankingsTask
from sidelight.schemas.topic import Article, QuestionedArticle, question_id
from sidelight.text import budget_words, one_line
from sidelight.tracks import Track

# A checked report is revised at most so often: what does not stand by then is left out.
MAX_REVISIONS = 2

_FOUND_PER_SENTENCE = 5


def to_investigators(state: InvestigationState) -> list[Send] | Literal["select_evidence"]:
    """Start one investigator for each aspect of trustworthiness that the round looks at."""
    number = state["round_number"]
    by_aspect: dict[Aspect, list[PlannedQuery]] = {}
    for query in state["queries"].values():
        if query.round_number == number:
            by_aspect.setdefault(state["angles"][query.angle_id].aspect, []).append(query)
    return [
        Send("investigate", Assignment(round_number=number, aspect=aspect, queries=queries))
        for aspect, queries in by_aspect.items()
    ] or "select_evidence"


def after_coverage(
    state: InvestigationState,
) -> Literal["plan_queries"] | list[Literal["write_questions", "write_report"]]:
    """Start another round while that is expected to raise coverage; then write both."""
    return "plan_queries" if state["coverage"].go_on else ["write_questions", "write_report"]


def round_or_questions(
    state: InvestigationState,
) -> Literal["plan_queries", "write_questions"]:
    """Start another round while that is expected to raise coverage; then write questions."""
    return "plan_queries" if state["coverage"].go_on else "write_questions"


def after_check(
    state: InvestigationState, runtime: Runtime[Deps]
) -> Literal["revise_report", "finish_report"]:
    """Revise while removed sentences could be replaced, or there is room for more."""
    checked, enough = state["checked_report"], runtime.context.track.cited_text.enough_words
    words = sum(budget_words(sentence.text) for sentence in checked.draft.sentences)
    wanting = checked.removed or (checked.draft.reserve and words < enough)
    return "revise_report" if wanting and state["revisions"] < MAX_REVISIONS else "finish_report"


async def profile_article(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the profile of the target article."""
    del state
    article = runtime.context.topic
    if not isinstance(article, Article):
        raise InputError(f"{article.topic_id}: expected an article to investigate")
    profile = await runtime.context.roles.profile_article(article)
    return {"profile": profile, "round_number": 0, "trace": Trace(profile=profile.facts())}


async def draft_rubric(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the drafted angles."""
    angles = await runtime.context.roles.draft_rubric(state["profile"])
    return {"angles": {angle.angle_id: angle for angle in angles}, "trace": Trace(rubric=angles)}


async def plan_queries(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return new angles and the searches of the next round."""
    round_number = state["round_number"] + 1
    profile, angles, evidence = known(state)
    queries = tuple(state.get("queries", {}).values())
    plan = await runtime.context.roles.plan_queries(
        profile, angles, queries, evidence, state.get("coverage"), round_number
    )
    return {
        "round_number": round_number,
        "angles": {angle.angle_id: angle for angle in plan.angles},
        "queries": {query.query_id: query for query in plan.queries},
        "trace": Trace(rounds={round_number: Round(plan=plan)}),
    }


async def investigate(state: Assignment, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the hits of an investigator's searches, reranked where the retriever reranks.

    Its searches go to the index together and with no others: what else is under way must not decide
    which texts share a batch of the encoder, or the same run could end in other bytes.
    """
    deps = runtime.context
    queries = [Query(query_id=query.query_id, text=query.text) for query in state["queries"]]
    found = await in_thread(deps.retriever.search, queries, deps.k)
    searched = Searched(
        hits={query_id: tuple(hits) for query_id, hits in found.hits.items()},
        dropped=found.dropped,
    )
    round_ = Round(searched={state["aspect"]: searched})
    return {"hits": found.hits, "trace": Trace(rounds={state["round_number"]: round_})}


async def select_evidence(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return evidence out of this round's hits; earlier evidence stays."""
    deps, round_number = runtime.context, state["round_number"]
    hits: dict[str, list[Hit]] = {}
    for query in state["queries"].values():
        if query.round_number == round_number:
            hits.setdefault(query.angle_id, []).extend(state["hits"].get(query.query_id, ()))
    candidates = await read_candidates(deps.lookup, hits, state.get("refused", {}))
    selection = await deps.roles.select_evidence(
        state["profile"], tuple(state["angles"].values()), candidates.by_name
    )
    selected = selected_of(selection, candidates)
    return {
        "evidence": selection.evidence,
        "refused": candidates.refused,
        "trace": Trace(rounds={round_number: Round(selected=selected)}),
    }


async def assess_coverage(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return coverage after the round, with the decision to go on or not."""
    round_number = state["round_number"]
    coverage = await runtime.context.roles.assess_coverage(
        *known(state), state.get("coverage"), round_number
    )
    trace = Trace(rounds={round_number: Round(coverage=coverage)})
    return {"coverage": coverage, "trace": trace}


async def write_questions(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return exactly the questions the track wants."""
    deps, task = runtime.context, runtime.context.track.question_list
    draft = await deps.roles.write_questions(*known(state))
    questions = tuple(map(one_line, draft.questions))[: task.count]
    try:
        checked = QuestionSet(deps.topic.topic_id, questions, task.count, task.max_characters)
    except InputError as error:
        raise InputError(f"performer of write_questions {deps.questions_by!r}: {error}") from error
    return {"questions": checked, "trace": Trace(questions=draft)}


async def write_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return a first draft."""
    draft = await runtime.context.roles.write_report(*known(state))
    return {"draft_report": draft, "revisions": 0, "trace": Trace(draft=draft)}


async def check_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the checked report: sentences kept, as far as they fit, and sentences removed."""
    deps = runtime.context
    profile, angles, evidence = known(state)
    checked = await deps.roles.check_report(profile, angles, state["draft_report"], evidence)
    kept = within(checked.draft, deps.track.cited_text.max_words)
    checked = checked.model_copy(update={"draft": kept})
    number = state["revisions"]
    trace = Trace(checks={number: checked.removed}, stood={number: checked.stood})
    return {"checked_report": checked, "trace": trace}


async def revise_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Search again for what a removed sentence said, and return the next draft."""
    deps, number = runtime.context, state["revisions"] + 1
    checked = state["checked_report"]
    queries = [
        Query(query_id=removal.sentence.text, text=removal.sentence.text)
        for removal in checked.removed
    ]
    found = await in_thread(deps.retriever.search, queries, _FOUND_PER_SENTENCE)
    candidates = await read_candidates(deps.lookup, found.hits, state.get("refused", {}))
    revision = await deps.roles.revise_report(*known(state), checked, candidates.by_name)
    evidence = only_candidates(revision.evidence, candidates)
    revised = Revised(
        found={text: tuple(hit.segment_id for hit in hits) for text, hits in found.hits.items()},
        draft=revision.draft,
        taken=tuple(item.segment.segment_id for item in evidence.items),
        refused=candidates.refused,
    )
    return {
        "draft_report": revision.draft,
        "evidence": evidence,
        "refused": candidates.refused,
        "revisions": number,
        "trace": Trace(revisions={number: revised}),
    }


async def finish_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the final report; where nothing was found or no sentence stood, it says so."""
    task = runtime.context.track.cited_text
    draft, evidence = state["checked_report"].draft, usable_evidence(state)
    if not draft.sentences:
        draft = draft.model_copy(update={"sentences": nothing_told(evidence).sentences})
    report, dropped = resolve_report(runtime.context.topic.topic_id, draft, evidence, task)
    finished = Finished(dropped_citations=dropped, invented_keys=draft.invented_keys)
    return {"report": report, "trace": Trace(report=finished)}


Investigation = CompiledStateGraph[InvestigationState, Deps, InvestigationState, InvestigationState]


def _investigating(*further: Any) -> StateGraph[InvestigationState, Deps]:
    """Return a graph up to the assessment of coverage, with the nodes that the rest needs."""
    graph = StateGraph(InvestigationState, context_schema=Deps)
    for node in (
        profile_article,
        draft_rubric,
        plan_queries,
        investigate,
        select_evidence,
        assess_coverage,
        write_questions,
        *further,
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
    return graph


def build_graph() -> Investigation:
    """Return the graph of questions and a report; it holds no state and serves all topics."""
    graph = _investigating(write_report, check_report, revise_report, finish_report)
    graph.add_conditional_edges(
        "assess_coverage", after_coverage, ["plan_queries", "write_questions", "write_report"]
    )
    graph.add_edge("write_questions", END)
    graph.add_edge("write_report", "check_report")
    graph.add_conditional_edges("check_report", after_check)
    graph.add_edge("revise_report", "check_report")
    graph.add_edge("finish_report", END)
    return graph.compile()


class _Asked(NamedTuple):
    """A question, its searches, and all that these brought."""

    question_id: str
    question: str
    queries: tuple[str, ...]
    pooled: list[Pooled]


async def find_documents(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return documents for the questions that came with the article, or else for those written."""
    deps, profile = runtime.context, state["profile"]
    parts = deps.documents
    if parts is None:
        raise InputError(f"{deps.topic.topic_id}: documents are wanted, and nobody finds them")
    topic, depth = deps.topic, deps.track.of_kind(QuestionRankingsTask).depth
    given = topic.questions if isinstance(topic, QuestionedArticle) else None
    asked = await _search_questions(deps, parts, profile, given or state["questions"].questions)
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


async def _search_questions(
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


def build_documents_graph() -> Investigation:
    """Return the graph of questions and their documents."""
    graph = _investigating(find_documents)
    graph.add_conditional_edges("assess_coverage", round_or_questions)
    graph.add_edge("write_questions", "find_documents")
    graph.add_edge("find_documents", END)
    return graph.compile()


def documents_outcome_of(state: InvestigationState, track: Track) -> Outcome:
    """Return the outcome of a topic whose questions are written and searched for."""
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
