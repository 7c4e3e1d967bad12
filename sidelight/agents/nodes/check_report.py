"""Hold every sentence against what it cites, and turn keys into citations."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.state import InvestigationState
from sidelight.generation.citations import resolve_report
from sidelight.schemas.report import ReportLimits


async def check_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the final report.

    Raises:
        InputError: What stood the check still breaks a limit of the track.
    """
    track, article = runtime.context.track, runtime.context.article
    checked = await runtime.context.roles.check_report(
        state["profile"], state["draft_report"], state["evidence"]
    )
    limits = ReportLimits(
        max_words=track.max_report_words,
        max_citations=track.max_citations_per_sentence,
        max_uncited=track.max_uncited_sentences,
    )
    report, dropped = resolve_report(article.topic_id, checked.draft, state["evidence"], limits)
    shown = {
        "removed": [removal.model_dump(mode="json") for removal in checked.removed],
        "dropped_citations": [citation._asdict() for citation in dropped],
    }
    return {"report": report, "trace": {"check": shown}}
