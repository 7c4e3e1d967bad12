"""Open a round: decide what to search for."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.schemas.investigation.trace import Round, Trace


async def plan_queries(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return new angles and the searches of the next round."""
    round_number = state["round_number"] + 1
    plan = await runtime.context.roles.plan_queries(
        state["profile"],
        tuple(state["angles"].values()),
        tuple(state.get("queries", {}).values()),
        usable_evidence(state),
        state.get("coverage"),
        round_number,
    )
    return {
        "round_number": round_number,
        "angles": {angle.angle_id: angle for angle in plan.angles},
        "queries": {query.query_id: query for query in plan.queries},
        "trace": Trace(rounds={round_number: Round(plan=plan)}),
    }
