"""Turn what stood the check into the report of Task 2."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.state import InvestigationState, usable_evidence
from sidelight.generation.citations import resolve_report
from sidelight.schemas.report import ReportLimits


async def finish_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the final report.

    Raises:
        InputError: What stood the check still breaks a limit of the track.
    """
    track = runtime.context.track
    limits = ReportLimits(
        max_words=track.max_report_words,
        max_citations=track.max_citations_per_sentence,
        max_uncited=track.max_uncited_sentences,
    )
    draft = state["checked_report"].draft
    report, dropped = resolve_report(
        runtime.context.article.topic_id, draft, usable_evidence(state), limits
    )
    shown = {
        "dropped_citations": [citation._asdict() for citation in dropped],
        "invented_keys": draft.invented_keys,
    }
    return {"report": report, "trace": {"report": shown}}
