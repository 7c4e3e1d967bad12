"""The wiring of an investigation; every decision is made elsewhere."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from sidelight.agents.deps import Deps
from sidelight.agents.nodes.assess_coverage import assess_coverage
from sidelight.agents.nodes.check_report import check_report
from sidelight.agents.nodes.plan_queries import plan_queries
from sidelight.agents.nodes.profile_article import profile_article
from sidelight.agents.nodes.retrieve import retrieve
from sidelight.agents.nodes.select_evidence import select_evidence
from sidelight.agents.nodes.write_questions import write_questions
from sidelight.agents.nodes.write_report import write_report
from sidelight.agents.routing import after_coverage
from sidelight.agents.state import InvestigationState

Investigation = CompiledStateGraph[InvestigationState, Deps, InvestigationState, InvestigationState]


def build_graph() -> Investigation:
    """Return the compiled graph; it holds no state and serves all topics at once."""
    graph = StateGraph(InvestigationState, context_schema=Deps)
    for node in (
        profile_article,
        plan_queries,
        retrieve,
        select_evidence,
        assess_coverage,
        write_questions,
        write_report,
        check_report,
    ):
        graph.add_node(node)
    graph.add_edge(START, "profile_article")
    graph.add_edge("profile_article", "plan_queries")
    graph.add_edge("plan_queries", "retrieve")
    graph.add_edge("retrieve", "select_evidence")
    graph.add_edge("select_evidence", "assess_coverage")
    graph.add_conditional_edges("assess_coverage", after_coverage)
    graph.add_edge("write_questions", "write_report")
    graph.add_edge("write_report", "check_report")
    graph.add_edge("check_report", END)
    return graph.compile()
