"""The roles of an investigation.

A role is a callable with one method, so that roles with and without a model can be mixed. All are
asynchronous because some ask a model, and raise ReplyError where it gives no usable answer; none
reads settings or touches files. What performers take and return can be imported from here, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sidelight.schemas.grading.judgment import Usefulness
from sidelight.schemas.investigation.angle import (
    Angle,
    ArticleProfile,
    Aspect,
    Claim,
    Coverage,
    Cut,
    Plan,
    PlannedQuery,
)
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, FoundClaim, Selection
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftQuestions,
    DraftReport,
    DraftSentence,
    Removal,
    Revision,
    SentenceSupport,
)
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article

__all__ = [
    "Angle",
    "ArticleProfile",
    "Aspect",
    "AssessCoverage",
    "CheckReport",
    "CheckedReport",
    "Claim",
    "Coverage",
    "Cut",
    "DraftQuestions",
    "DraftReport",
    "DraftRubric",
    "DraftSentence",
    "Evidence",
    "EvidenceSet",
    "ExpandQuestion",
    "FoundClaim",
    "Plan",
    "PlanQueries",
    "PlannedQuery",
    "ProfileArticle",
    "RateDocuments",
    "Removal",
    "ReviseReport",
    "Revision",
    "SelectEvidence",
    "Selection",
    "SentenceSupport",
    "Usefulness",
    "WriteQuestions",
    "WriteReport",
]


class ProfileArticle(Protocol):
    """Take an article apart."""

    async def __call__(self, article: Article) -> ArticleProfile:
        """Return publisher, authors, names, claims and the cleaned body."""
        ...


class DraftRubric(Protocol):
    """Draft what assessors will probably ask of a report; nobody here sees what they did ask."""

    async def __call__(self, profile: ArticleProfile) -> tuple[Angle, ...]:
        """Return angles weighted by expected importance; none from a performer that drafts none."""
        ...


class PlanQueries(Protocol):
    """Decide what to search for."""

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        queries: Sequence[PlannedQuery],
        evidence: EvidenceSet,
        coverage: Coverage | None,
        round_number: int,
    ) -> Plan:
        """Return the new angles and the searches of a round (1-based).

        `angles` are those known, in the first round those drafted; `queries` are all searches made
        before. `coverage` is that of the last round, None in the first.
        """
        ...


class SelectEvidence(Protocol):
    """Decide which hits are evidence."""

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        candidates: Mapping[str, Sequence[Segment]],
    ) -> Selection:
        """Return evidence out of each angle's candidates (by angle id, best ranked first)."""
        ...


class AssessCoverage(Protocol):
    """Decide whether to go round again."""

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        previous: Coverage | None,
        round_number: int,
    ) -> Coverage:
        """Return what is covered after a round, and whether another is worth its cost."""
        ...


class WriteQuestions(Protocol):
    """Write the questions."""

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return at least as many questions as the track wants, most important first."""
        ...


class WriteReport(Protocol):
    """Write the report."""

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return sentences that cite evidence, within the word budget."""
        ...


class CheckReport(Protocol):
    """Hold every sentence against what it cites."""

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        draft: DraftReport,
        evidence: EvidenceSet,
    ) -> CheckedReport:
        """Return the sentences that stand, and those that do not with the reason."""
        ...


class ReviseReport(Protocol):
    """Make up for what a check took out."""

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return a draft that keeps what stood; `found` is by the text of a removed sentence."""
        ...


class ExpandQuestion(Protocol):
    """Word the searches for a question on an article."""

    async def __call__(self, profile: ArticleProfile, question: str) -> tuple[str, ...]:
        """Return different searches, each with a name of the article that the question lacks."""
        ...


class RateDocuments(Protocol):
    """Tell how useful documents are for answering a question."""

    async def __call__(
        self, profile: ArticleProfile, question: str, documents: Sequence[Segment]
    ) -> list[Usefulness]:
        """Return the usefulness of each document, which its best segment stands for."""
        ...


@dataclass(frozen=True, slots=True)
class Roles:
    """One performer for each role."""

    profile_article: ProfileArticle
    draft_rubric: DraftRubric
    plan_queries: PlanQueries
    select_evidence: SelectEvidence
    assess_coverage: AssessCoverage
    write_questions: WriteQuestions
    write_report: WriteReport
    check_report: CheckReport
    revise_report: ReviseReport
