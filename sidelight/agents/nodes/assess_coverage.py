"""Decide whether the evidence reaches far enough."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.schemas.investigation.trace import Round, Trace


async def assess_coverage(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return coverage after the round, with the decision to go on or not."""
    round_number = state["round_number"]
    coverage = await runtime.context.roles.assess_coverage(
        state["profile"],
        tuple(state["angles"].values()),
        usable_evidence(state),
        state.get("coverage"),
        round_number,
    )
    trace = Trace(rounds={round_number: Round(coverage=coverage)})
    return {"coverage": coverage, "trace": trace}
