"""Take a narrative apart."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import AnswerDeps
from sidelight.agents.graphs.answer_state import AnswerState
from sidelight.generation.reading.narrative import read_narrative
from sidelight.schemas.investigation.trace import Trace


async def split_narrative(state: AnswerState, runtime: Runtime[AnswerDeps]) -> dict[str, Any]:
    """Return what the narrative asks for."""
    del state
    read = read_narrative(runtime.context.narrative)
    return {
        "profile": read.profile,
        "angles": read.angles,
        "trace": Trace(profile=read.profile.facts()),
    }
