"""Search for one side of trustworthiness; all investigators of a round work at the same time."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import Assignment
from sidelight.agents.searching import search
from sidelight.schemas.investigation.search import Query
from sidelight.schemas.investigation.trace import Round, Searched, Trace


async def investigate(state: Assignment, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the hits of an investigator's searches, reranked where the retriever reranks.

    Its searches go to the index together and with no others: what else is under way must not decide
    which texts share a batch of the encoder, or the same run could end in other bytes.
    """
    deps = runtime.context
    queries = [Query(query_id=query.query_id, text=query.text) for query in state["queries"]]
    found = await search(deps.retriever, queries, deps.k)
    searched = Searched(
        hits={query_id: tuple(hits) for query_id, hits in found.hits.items()},
        dropped=found.dropped,
    )
    round_ = Round(searched={state["aspect"]: searched})
    return {"hits": found.hits, "trace": Trace(rounds={state["round_number"]: round_})}
