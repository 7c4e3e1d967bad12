"""Write a report."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.schemas.investigation.trace import Trace


async def write_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return a first draft."""
    draft = await runtime.context.roles.write_report(
        state["profile"], tuple(state["angles"].values()), usable_evidence(state)
    )
    return {
        "draft_report": draft,
        "revisions": 0,
        "trace": Trace(draft=draft),
    }
