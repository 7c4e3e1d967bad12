"""What an investigation delivers, out of the state that its graph ends in."""

from __future__ import annotations

from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.schemas.outcome import QUESTIONS, REPORT, Outcome


def outcome_of(state: InvestigationState) -> Outcome:
    """Return what came of a topic whose investigation has ended."""
    return Outcome(
        results={QUESTIONS: state["questions"], REPORT: state["report"]},
        evidence=tuple(item.segment for item in usable_evidence(state).items),
        trace=state["trace"],
    )
