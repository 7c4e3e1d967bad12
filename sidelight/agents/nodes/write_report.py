"""Write the report of Task 2."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.state import InvestigationState


async def write_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return a draft with evidence keys."""
    draft = await runtime.context.roles.write_report(
        state["profile"], tuple(state["angles"].values()), state["evidence"]
    )
    return {"draft_report": draft}
