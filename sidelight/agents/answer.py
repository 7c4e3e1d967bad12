"""Graph that answers a narrative: split it, search for each part, write a cited answer.

Nodes only wire roles together; every decision is made by a role. A narrative is split without a
model: each of its sentences is a sub-narrative.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from sidelight.agents.state import AnswerDeps, AnswerState, in_thread, read_candidates, selected_of
from sidelight.errors import UsageError
from sidelight.generation.compose import NO_ANSWER, resolve_report
from sidelight.retrieval.first_stage import reciprocal_rank_fusion
from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Aspect, Plan, PlannedQuery
from sidelight.schemas.investigation.evidence import Query
from sidelight.schemas.investigation.trace import (
    Finished,
    Outcome,
    Round,
    Searched,
    TaskResult,
    Trace,
)
from sidelight.schemas.run import Ranking
from sidelight.schemas.task import CitedTextTask, RankingTask, Task
from sidelight.schemas.topic import Narrative
from sidelight.text import content_words, one_line, sentences
from sidelight.tracks import Track

# As nuggets of that importance weigh.
_WEIGHTS = {"vital": 1.0, "okay": 0.5}


class ReadNarrative(NamedTuple):
    """A narrative: the profile of its subject, and what somebody wants to know (`angles`).

    The profile has no outlet and no prose: nothing that an answer says could be copied from it.
    """

    profile: ArticleProfile
    angles: tuple[Angle, ...]


def read_narrative(topic: Narrative) -> ReadNarrative:
    """Return the sub-questions of a narrative, or its sentences where it has none."""
    text = one_line(topic.narrative)
    parts = [part for one in topic.sub_questions if (part := one_line(one))]
    wanted = list(dict.fromkeys(parts or sentences(text) or [text]))
    weights = {
        one_line(part): _WEIGHTS[said]
        for part, said in zip(topic.sub_questions, topic.importance, strict=False)
    }
    profile = ArticleProfile(
        publisher="",
        host="",
        subject="",
        keywords=tuple(dict.fromkeys(content_words(" ".join([text, *parts])))),
        body="",
        asked=text,
    )
    angles = tuple(
        Angle(
            angle_id=f"part-{number}",
            aspect=Aspect.CONTEXT,
            question=part,
            query=part,
            weight=weights.get(part, _WEIGHTS["vital"]),
        )
        for number, part in enumerate(wanted, start=1)
    )
    return ReadNarrative(profile, angles)


async def find_evidence(state: AnswerState, runtime: Runtime[AnswerDeps]) -> dict[str, Any]:
    """Return the hits of all searches in one order, and the evidence among them."""
    deps, angles = runtime.context, state["angles"]
    planned = [PlannedQuery.of(angle, 1, angle.query) for angle in angles]
    queries = [Query(query_id=one.query_id, text=one.text) for one in planned]
    found = await in_thread(deps.retriever.search, queries, deps.k)
    hits = {one.angle_id: found.hits[one.query_id] for one in planned}
    candidates = await read_candidates(deps.lookup, hits, ())
    selection = await deps.select_evidence(state["profile"], angles, candidates.by_name)
    searched = Searched(
        hits={query_id: tuple(ranked) for query_id, ranked in found.hits.items()},
        dropped=found.dropped,
    )
    first_round = Round(
        plan=Plan(angles=angles, queries=tuple(planned)),
        searched={Aspect.CONTEXT: searched},
        selected=selected_of(selection, candidates),
    )
    return {
        "hits": tuple(reciprocal_rank_fusion(found.hits.values())),
        "evidence": selection.evidence,
        "trace": Trace(rounds={1: first_round}),
    }


async def split_narrative(state: AnswerState, runtime: Runtime[AnswerDeps]) -> dict[str, Any]:
    """Return what the narrative asks for."""
    del state
    read = read_narrative(runtime.context.narrative)
    return {
        "profile": read.profile,
        "angles": read.angles,
        "trace": Trace(profile=read.profile.facts()),
    }


async def write_answer(state: AnswerState, runtime: Runtime[AnswerDeps]) -> dict[str, Any]:
    """Return the answer; where no sentence passed the check, it says that nothing was found."""
    deps, profile, evidence = runtime.context, state["profile"], state["evidence"]
    draft = await deps.write_report(profile, state["angles"], evidence)
    checked = await deps.check_report(profile, state["angles"], draft, evidence)
    report, dropped = resolve_report(
        deps.narrative.topic_id,
        checked.draft if checked.draft.sentences else NO_ANSWER,
        evidence,
        deps.track.cited_text,
    )
    finished = Finished(dropped_citations=dropped, invented_keys=draft.invented_keys)
    return {
        "report": report,
        "trace": Trace(
            draft=draft,
            checks={0: checked.removed},
            stood={0: checked.stood},
            report=finished,
        ),
    }


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
    """Return the outcome of a narrative whose answer is written."""
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
