"""What an investigation knows, and how what two steps know is put together.

Reducers commute and are idempotent, so the order in which parallel steps end changes nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict, TypeVar

from sidelight.schemas.angle import Angle, Coverage, PlannedQuery
from sidelight.schemas.evidence import EvidenceSet
from sidelight.schemas.profile import ArticleProfile
from sidelight.schemas.question import DraftQuestions, QuestionSet
from sidelight.schemas.report import DraftReport, Report
from sidelight.schemas.search import Hit

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


class InvestigationState(TypedDict, total=False):
    """The state of one topic.

    Attributes:
        round_number: Rounds begun, 1-based.
        profile: The article, taken apart.
        angles: By id, what is worth finding out.
        queries: By id, every search made.
        hits: By query id, what each search found, best first.
        evidence: What was selected so far.
        coverage: What was covered after the last round.
        draft_questions: Before the track's limits were checked.
        questions: The final questions.
        draft_report: Before sentences were checked.
        report: The final report.
        trace: By `<round>.<step>`, what a step decided, for people.
    """

    round_number: int
    profile: ArticleProfile
    angles: Annotated[dict[str, Angle], union]
    queries: Annotated[dict[str, PlannedQuery], union]
    hits: Annotated[dict[str, list[Hit]], union]
    evidence: Annotated[EvidenceSet, merge_evidence]
    coverage: Coverage
    draft_questions: DraftQuestions
    questions: QuestionSet
    draft_report: DraftReport
    report: Report
    trace: Annotated[dict[str, dict[str, Any]], union]
