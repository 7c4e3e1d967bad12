"""The wiring of an answer to a narrative; every decision is made elsewhere."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from sidelight.agents.deps import AnswerDeps
from sidelight.agents.graphs.answer_state import AnswerState
from sidelight.agents.nodes.answer.find_evidence import find_evidence
from sidelight.agents.nodes.answer.split_narrative import split_narrative
from sidelight.agents.nodes.answer.write_answer import write_answer
from sidelight.errors import UsageError
from sidelight.schemas.investigation.outcome import Outcome, TaskResult
from sidelight.schemas.ranking import Ranking
from sidelight.schemas.task import CitedTextTask, RankingTask, Task
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
    """Return what came of a narrative whose answer is written.

    Raises:
        UsageError: The track asks for something that is neither a ranking nor a cited text.
    """
    return Outcome(
        results={task.name: _result(state, task) for task in track.tasks},
        evidence=tuple(item.segment for item in state["evidence"].items),
        trace=state["trace"],
    )


def _result(state: AnswerState, task: Task) -> TaskResult:
    if isinstance(task, RankingTask):
        if task.depth is not None:
            return Ranking(state["report"].topic_id, state["hits"][: task.depth], task.depth)
        # What nobody would answer from is not worth handing in.
        taken = {item.segment.segment_id for item in state["evidence"].items}
        hits = tuple(hit for hit in state["hits"] if hit.segment_id in taken)
        return Ranking(state["report"].topic_id, hits, None)
    if isinstance(task, CitedTextTask):
        return state["report"]
    raise UsageError(f"narratives are answered and ranked for; the task {task.name} wants neither")
