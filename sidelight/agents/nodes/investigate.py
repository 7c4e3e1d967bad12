"""Search for one angle; all investigators of a round work at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.state import Assignment
from sidelight.schemas.search import Query


async def investigate(state: Assignment, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the hits of an angle's searches, reranked where the retriever reranks.

    Only the searches of one angle go to the index together: what else is under way must not decide
    which texts share a batch of the encoder, or the same run could end in other bytes.
    """
    deps, angle_id = runtime.context, state["angle_id"]
    queries = [Query(query_id=query.query_id, text=query.text) for query in state["queries"]]
    found = await asyncio.to_thread(deps.retriever.search, queries, deps.k)
    shown = {
        "hits": {query_id: [list(hit) for hit in hits] for query_id, hits in found.hits.items()},
        "dropped": [drop._asdict() for drop in found.dropped],
    }
    return {
        "hits": found.hits,
        "trace": {f"round-{state['round_number']}.investigate.{angle_id}": shown},
    }
