"""What an investigation delivers, out of the state that its graph ends in."""

from __future__ import annotations

from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.schemas.investigation.outcome import Outcome
from sidelight.tracks import Track


def outcome_of(state: InvestigationState, track: Track) -> Outcome:
    """Return what came of a topic whose investigation has ended, under the track's task names."""
    return Outcome(
        results={
            track.question_list.name: state["questions"],
            track.cited_text.name: state["report"],
        },
        evidence=tuple(item.segment for item in usable_evidence(state).items),
        trace=state["trace"],
    )
