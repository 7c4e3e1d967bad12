"""Decide which of the round's hits are evidence."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.state import InvestigationState


async def select_evidence(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return evidence out of this round's hits; earlier evidence stays."""
    deps, round_number = runtime.context, state["round_number"]
    hits = {
        query.angle_id: [hit.segment_id for hit in state["hits"].get(query.query_id, ())]
        for query in state["queries"].values()
        if query.query_id.startswith(f"{round_number}.")
    }
    wanted = sorted({segment_id for segment_ids in hits.values() for segment_id in segment_ids})
    segments = await asyncio.to_thread(deps.lookup, wanted)
    by_id = {segment.segment_id: segment for segment in segments}
    candidates = {
        angle_id: [by_id[segment_id] for segment_id in segment_ids]
        for angle_id, segment_ids in hits.items()
    }
    evidence = await deps.roles.select_evidence(
        state["profile"], tuple(state["angles"].values()), candidates
    )
    shown = {item.segment.segment_id: item.relevance for item in evidence.items}
    return {"evidence": evidence, "trace": {f"round-{round_number}.select": shown}}
