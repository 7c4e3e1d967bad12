"""Search for everything a narrative asks for, and take what an answer can be made from."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.candidates import only_candidates, read_candidates
from sidelight.agents.deps import AnswerDeps
from sidelight.agents.graphs.answer_state import AnswerState
from sidelight.agents.searching import search
from sidelight.retrieval.fusion import reciprocal_rank_fusion
from sidelight.schemas.investigation.angle import Aspect, Plan, PlannedQuery
from sidelight.schemas.investigation.search import Query
from sidelight.schemas.investigation.trace import PageName, Round, Searched, Selected, Trace
from sidelight.schemas.segment import document_id_of


async def find_evidence(state: AnswerState, runtime: Runtime[AnswerDeps]) -> dict[str, Any]:
    """Return the hits of all searches in one order, and the evidence among them."""
    deps, angles = runtime.context, state["angles"]
    planned = [PlannedQuery.of(angle, 1, angle.query) for angle in angles]
    found = await search(
        deps.retriever, [Query(query_id=one.query_id, text=one.text) for one in planned], deps.k
    )
    hits = {one.angle_id: found.hits[one.query_id] for one in planned}
    candidates = await read_candidates(deps.lookup, hits, ())
    selection = await deps.select_evidence(state["profile"], angles, candidates.by_name)
    evidence = only_candidates(selection.evidence, candidates)
    selected = Selected(
        taken={item.segment.segment_id: item.relevance for item in evidence.items},
        dropped=selection.dropped,
        refused=candidates.refused,
        pages={
            document_id_of(one.segment_id): PageName(url=one.url, title=one.title)
            for shown in candidates.by_name.values()
            for one in shown
        },
    )
    searched = Searched(
        hits={query_id: tuple(ranked) for query_id, ranked in found.hits.items()},
        dropped=found.dropped,
    )
    first_round = Round(
        plan=Plan(angles=angles, queries=tuple(planned)),
        searched={Aspect.CONTEXT: searched},
        selected=selected,
    )
    return {
        "hits": tuple(reciprocal_rank_fusion(found.hits.values())),
        "evidence": evidence,
        "trace": Trace(rounds={1: first_round}),
    }
