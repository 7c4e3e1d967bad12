"""Turn what stood the check into the final report."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.generation.citations import resolve_report
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.schemas.investigation.report import limits_of
from sidelight.schemas.investigation.trace import Finished, Trace


async def finish_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the final report; where nothing stood the check, it says that nothing was found.

    Raises:
        InputError: What stood the check still breaks a limit of the track.
    """
    limits = limits_of(runtime.context.track.cited_text)
    draft = state["checked_report"].draft
    if not draft.sentences:
        draft = draft.model_copy(update={"sentences": NOTHING_FOUND.sentences})
    report, dropped = resolve_report(
        runtime.context.topic.topic_id, draft, usable_evidence(state), limits
    )
    finished = Finished(dropped_citations=dropped, invented_keys=draft.invented_keys)
    return {"report": report, "trace": Trace(report=finished)}
