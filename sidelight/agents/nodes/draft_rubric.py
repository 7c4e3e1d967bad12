"""Draft what assessors will probably ask; the official rubric is never seen."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState
from sidelight.schemas.investigation.trace import Trace


async def draft_rubric(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the drafted angles."""
    angles = await runtime.context.roles.draft_rubric(state["profile"])
    return {
        "angles": {angle.angle_id: angle for angle in angles},
        "trace": Trace(rubric=angles),
    }
