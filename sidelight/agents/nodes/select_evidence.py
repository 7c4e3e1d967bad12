"""Decide which of the round's hits are evidence."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.candidates import only_candidates, read_candidates
from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState
from sidelight.schemas.investigation.search import Hit
from sidelight.schemas.investigation.trace import PageName, Round, Selected, Trace
from sidelight.schemas.segment import document_id_of


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
    evidence = only_candidates(selection.evidence, candidates)
    selected = Selected(
        taken={item.segment.segment_id: item.relevance for item in evidence.items},
        dropped=selection.dropped,
        refused=candidates.refused,
        pages={
            document_id_of(segment.segment_id): PageName(url=segment.url, title=segment.title)
            for found in candidates.by_name.values()
            for segment in found
        },
        claims=evidence.claims,
    )
    return {
        "evidence": evidence,
        "refused": candidates.refused,
        "trace": Trace(rounds={round_number: Round(selected=selected)}),
    }
