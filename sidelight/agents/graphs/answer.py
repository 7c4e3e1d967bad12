"""The wiring of an answer to a narrative; every decision is made elsewhere."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from sidelight.agents.deps import AnswerDeps
from sidelight.agents.graphs.answer_state import AnswerState
from sidelight.agents.nodes.answer.find_evidence import find_evidence
from sidelight.agents.nodes.answer.split_narrative import split_narrative
from sidelight.agents.nodes.answer.write_answer import write_answer
from sidelight.schemas.outcome import Outcome
from sidelight.schemas.task import RankingTask
from sidelight.tracks import Track

Answering = CompiledStateGraph[AnswerState, AnswerDeps, AnswerState, AnswerState]


def build_graph() -> Answering:
    """Return the compiled graph; it holds no state and serves all topics at once."""
    graph = StateGraph(AnswerState, context_schema=AnswerDeps)
    graph.add_node(split_narrative)
    graph.add_node(find_evidence)
    graph.add_node(write_answer)
    graph.add_edge(START, "split_narrative")
    graph.add_edge("split_narrative", "find_evidence")
    graph.add_edge("find_evidence", "write_answer")
    graph.add_edge("write_answer", END)
    return graph.compile()


def outcome_of(state: AnswerState, track: Track) -> Outcome:
    """Return what came of a narrative whose answer is written."""
    return Outcome(
        results={
            track.of_kind(RankingTask).name: state["ranking"],
            track.cited_text.name: state["report"],
        },
        evidence=tuple(item.segment for item in state["evidence"].items),
        trace=state["trace"],
    )
