"""The wiring of an investigation that ends in questions, and in documents that answer them."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.routing import round_or_questions, to_investigators
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.agents.nodes.assess_coverage import assess_coverage
from sidelight.agents.nodes.documents.find_documents import find_documents
from sidelight.agents.nodes.draft_rubric import draft_rubric
from sidelight.agents.nodes.investigate import investigate
from sidelight.agents.nodes.plan_queries import plan_queries
from sidelight.agents.nodes.profile_article import profile_article
from sidelight.agents.nodes.select_evidence import select_evidence
from sidelight.agents.nodes.write_questions import write_questions
from sidelight.schemas.investigation.outcome import Outcome
from sidelight.schemas.task import QuestionRankingsTask
from sidelight.tracks import Track

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
    """Return what came of a topic whose questions are written and searched for.

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
