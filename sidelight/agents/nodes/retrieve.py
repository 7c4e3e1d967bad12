"""Search for everything a round planned, in one batch."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.state import InvestigationState
from sidelight.schemas.search import Query


async def retrieve(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the hits of all queries that have none yet; the index is searched in a thread."""
    deps = runtime.context
    done = state.get("hits", {})
    queries = [
        Query(query_id=query.query_id, text=query.text)
        for query in state["queries"].values()
        if query.query_id not in done
    ]
    found = await asyncio.to_thread(deps.retriever.search, queries, deps.k)
    shown = {
        "hits": {query_id: [list(hit) for hit in hits] for query_id, hits in found.hits.items()},
        "dropped": [drop._asdict() for drop in found.dropped],
    }
    return {"hits": found.hits, "trace": {f"round-{state['round_number']}.retrieve": shown}}
