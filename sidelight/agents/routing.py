"""Where an investigation goes next."""

from __future__ import annotations

from typing import Literal

from sidelight.agents.state import InvestigationState


def after_coverage(state: InvestigationState) -> Literal["plan_queries", "write_questions"]:
    """Go round again as long as that is expected to raise coverage."""
    return "plan_queries" if state["coverage"].go_on else "write_questions"
