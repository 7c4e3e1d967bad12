"""Hold every sentence of a draft against what it cites."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.schemas.investigation.trace import Trace


async def check_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return what stands and what does not."""
    checked = await runtime.context.roles.check_report(
        state["profile"], state["draft_report"], usable_evidence(state)
    )
    number = state["revisions"]
    trace = Trace(checks={number: checked.removed}, stood={number: checked.stood})
    return {"checked_report": checked, "trace": trace}
