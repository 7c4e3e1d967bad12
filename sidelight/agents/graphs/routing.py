"""Where an investigation goes next."""

from __future__ import annotations

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Send

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import Assignment, InvestigationState
from sidelight.schemas.investigation.angle import Aspect, PlannedQuery
from sidelight.text import budget_words

# A checked report is revised at most so often: what does not stand by then is left out.
MAX_REVISIONS = 2


def to_investigators(state: InvestigationState) -> list[Send] | Literal["select_evidence"]:
    """Send out one investigator for each side of trustworthiness that the round looks at."""
    number = state["round_number"]
    by_aspect: dict[Aspect, list[PlannedQuery]] = {}
    for query in state["queries"].values():
        if query.round_number == number:
            by_aspect.setdefault(state["angles"][query.angle_id].aspect, []).append(query)
    return [
        Send("investigate", Assignment(round_number=number, aspect=aspect, queries=queries))
        for aspect, queries in by_aspect.items()
    ] or "select_evidence"


def after_coverage(
    state: InvestigationState,
) -> Literal["plan_queries"] | list[Literal["write_questions", "write_report"]]:
    """Go round again as long as that is expected to raise coverage; then write both."""
    return "plan_queries" if state["coverage"].go_on else ["write_questions", "write_report"]


def round_or_questions(
    state: InvestigationState,
) -> Literal["plan_queries", "write_questions"]:
    """Go round again as long as that is expected to raise coverage; then write questions."""
    return "plan_queries" if state["coverage"].go_on else "write_questions"


def after_check(
    state: InvestigationState, runtime: Runtime[Deps]
) -> Literal["revise_report", "finish_report"]:
    """Revise as long as sentences fell and could be made up for, or there is room for more."""
    checked, enough = state["checked_report"], runtime.context.track.cited_text.enough_words
    words = sum(budget_words(sentence.text) for sentence in checked.draft.sentences)
    wanting = checked.removed or (checked.draft.reserve and words < enough)
    return "revise_report" if wanting and state["revisions"] < MAX_REVISIONS else "finish_report"
