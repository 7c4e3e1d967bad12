"""The wiring of an investigation; every decision is made elsewhere."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.routing import after_check, after_coverage, to_investigators
from sidelight.agents.graphs.state import InvestigationState
from sidelight.agents.nodes.assess_coverage import assess_coverage
from sidelight.agents.nodes.check_report import check_report
from sidelight.agents.nodes.draft_rubric import draft_rubric
from sidelight.agents.nodes.finish_report import finish_report
from sidelight.agents.nodes.investigate import investigate
from sidelight.agents.nodes.plan_queries import plan_queries
from sidelight.agents.nodes.profile_article import profile_article
from sidelight.agents.nodes.revise_report import revise_report
from sidelight.agents.nodes.select_evidence import select_evidence
from sidelight.agents.nodes.write_questions import write_questions
from sidelight.agents.nodes.write_report import write_report

Investigation = CompiledStateGraph[InvestigationState, Deps, InvestigationState, InvestigationState]


def build_graph() -> Investigation:
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
        write_report,
        check_report,
        revise_report,
        finish_report,
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
    graph.add_conditional_edges(
        "assess_coverage", after_coverage, ["plan_queries", "write_questions", "write_report"]
    )
    graph.add_edge("write_questions", END)
    graph.add_edge("write_report", "check_report")
    graph.add_conditional_edges("check_report", after_check)
    graph.add_edge("revise_report", "check_report")
    graph.add_edge("finish_report", END)
    return graph.compile()
