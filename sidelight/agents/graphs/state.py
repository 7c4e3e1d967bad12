"""What an investigation knows, and how what two steps know is put together.

Reducers commute and are idempotent, so the order in which parallel steps end changes nothing.
"""

from __future__ import annotations

from typing import Annotated, TypedDict, TypeVar

from sidelight.schemas.investigation.angle import Angle, Aspect, Coverage, PlannedQuery
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.profile import ArticleProfile
from sidelight.schemas.investigation.question import QuestionSet
from sidelight.schemas.investigation.report import CheckedReport, DraftReport, Report
from sidelight.schemas.investigation.search import Hit
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.ranking import QuestionRankings
from sidelight.schemas.segment import Segment

_Value = TypeVar("_Value")


def union(left: dict[str, _Value], right: dict[str, _Value]) -> dict[str, _Value]:
    """Merge two mappings that agree wherever both have a key; keys come out sorted.

    Raises:
        ValueError: The two disagree, so that neither may silently win.
    """
    for key in left.keys() & right.keys():
        if left[key] != right[key]:
            raise ValueError(f"two steps disagree about {key!r}")
    merged = {**left, **right}
    return {key: merged[key] for key in sorted(merged)}


def merge_evidence(left: EvidenceSet, right: EvidenceSet) -> EvidenceSet:
    """Merge two sets of evidence by segment id."""
    return EvidenceSet.merge(left, right)


def merge_traces(left: Trace, right: Trace) -> Trace:
    """Merge what two steps did."""
    return left.merge(right)


class InvestigationState(TypedDict, total=False):
    """The state of one topic.

    Attributes:
        round_number: Rounds begun, 1-based.
        profile: The article, taken apart.
        angles: By id, what is worth finding out.
        queries: By id, every search made.
        hits: By query id, what each search found, best first.
        evidence: What was selected so far.
        refused: By document id, why a page is not read.
        coverage: What was covered after the last round.
        questions: The final questions.
        rankings: Documents for questions.
        shown: By segment id, those that the documents were ranked by.
        draft_report: Before its sentences were checked.
        checked_report: What stood the last check, and what did not.
        revisions: How often the draft was revised.
        report: The final report.
        trace: What the steps taken so far did, for people.
    """

    round_number: int
    profile: ArticleProfile
    angles: Annotated[dict[str, Angle], union]
    queries: Annotated[dict[str, PlannedQuery], union]
    hits: Annotated[dict[str, list[Hit]], union]
    evidence: Annotated[EvidenceSet, merge_evidence]
    refused: Annotated[dict[str, str], union]
    coverage: Coverage
    questions: QuestionSet
    rankings: QuestionRankings
    shown: dict[str, Segment]
    draft_report: DraftReport
    checked_report: CheckedReport
    revisions: int
    report: Report
    trace: Annotated[Trace, merge_traces]


class Assignment(TypedDict):
    """What one investigator of a round is sent out with."""

    round_number: int
    aspect: Aspect
    queries: list[PlannedQuery]


def usable_evidence(state: InvestigationState) -> EvidenceSet:
    """Return what was selected, but for pages that turned out to give orders later on."""
    return state.get("evidence", EvidenceSet()).without(state.get("refused", {}).keys())
