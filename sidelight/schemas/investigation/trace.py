"""Trace of a topic's investigation, step by step, and the outcome of a topic.

Each step makes a trace that holds what this step did and nothing else; merged in any order, they
are the trace of the topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, Field

from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Angle, ArticleFacts, Aspect, Coverage, Plan
from sidelight.schemas.investigation.evidence import DroppedHit, FoundClaim, Hit
from sidelight.schemas.investigation.report import (
    DraftQuestions,
    DraftReport,
    DroppedCitation,
    QuestionSet,
    Removal,
    Report,
    SentenceSupport,
    Unused,
)
from sidelight.schemas.run import QuestionRankings, Ranking
from sidelight.schemas.segment import Segment

_Step = TypeVar("_Step")


# Sorted as numbers, because a file has them sorted as text.
_Numbered = Annotated[dict[int, _Step], AfterValidator(lambda steps: dict(sorted(steps.items())))]


class Searched(Value):
    """Results of the searches for one aspect of trustworthiness; `hits` by query id, best first."""

    hits: dict[str, tuple[Hit, ...]]
    dropped: tuple[DroppedHit, ...] = ()


class PageName(Value):
    """Address and title by which a page is mentioned; either may be empty."""

    url: str
    title: str


class Selected(Value):
    """Hits of a round that became evidence, and hits that did not.

    Attributes:
        taken: By segment id, how well it speaks to each angle (by id), in (0, 1].
        dropped: By segment id, why it was left.
        refused: By document id, why the page was shown to no role.
        pages: By document id, all pages that were read.
        claims: What was found stated in the evidence, where somebody read it for claims.
    """

    taken: dict[str, dict[str, float]]
    dropped: dict[str, str]
    refused: dict[str, str]
    pages: dict[str, PageName]
    claims: tuple[FoundClaim, ...] = ()


class Round(Value):
    """One round of searching; None and empty where a step was not taken yet.

    Attributes:
        searched: By side of trustworthiness.
        coverage: How far all evidence reached after it.
    """

    plan: Plan | None = None
    searched: dict[Aspect, Searched] = Field(default_factory=dict)
    selected: Selected | None = None
    coverage: Coverage | None = None


class Revised(Value):
    """Revision of a report after a check removed sentences.

    Attributes:
        found: By the text of a removed sentence, the segments that a search for it brought.
        taken: Segments that became evidence for it.
        refused: By document id, why a page was shown to no role.
    """

    found: dict[str, tuple[str, ...]]
    draft: DraftReport
    taken: tuple[str, ...]
    refused: dict[str, str]


class Finished(Value):
    """Outcome of the citations of the last draft.

    Attributes:
        dropped_citations: Those that the track's rules left no place for.
        invented_keys: Evidence keys its writer named that stand for nothing.
    """

    dropped_citations: tuple[DroppedCitation, ...]
    invented_keys: tuple[str, ...]


class RankedDocument(Value):
    """A document as it was ranked for a question, judged by its best segment.

    `segment_id` is that segment. `label` says how useful the document was found; empty where nobody
    said.
    """

    document_id: str
    segment_id: str
    url: str
    title: str
    label: str
    reason: str


class QuestionSearch(Value):
    """Search for documents on a question.

    Attributes:
        pooled: How many documents the searches brought.
        documents: Those that were kept, in order.
        refused: By document id, why a page was shown to no role.
    """

    question: str
    queries: tuple[str, ...]
    pooled: int
    documents: tuple[RankedDocument, ...]
    refused: dict[str, str]


class Trace(Value):
    """Record of the work on a topic; None and empty where a step was not taken.

    Attributes:
        rubric: The angles drafted before anything was searched for.
        rounds: By number, 1-based.
        documents: By number of a question, how documents for it were found.
        checks: By number of revisions before it, what a check took out.
        stood: By number of revisions before it, how far what a check kept is supported.
        revisions: By number, 1-based.
    """

    profile: ArticleFacts | None = None
    rubric: tuple[Angle, ...] | None = None
    rounds: _Numbered[Round] = Field(default_factory=dict)
    questions: DraftQuestions | None = None
    documents: _Numbered[QuestionSearch] = Field(default_factory=dict)
    draft: DraftReport | None = None
    checks: _Numbered[tuple[Removal, ...]] = Field(default_factory=dict)
    stood: _Numbered[tuple[SentenceSupport, ...]] = Field(default_factory=dict)
    revisions: _Numbered[Revised] = Field(default_factory=dict)
    report: Finished | None = None

    def merge(self, other: Self) -> Self:
        """Return what both tell; commutative, associative and idempotent.

        ValueError is raised if they disagree about a step, so that neither may silently win.
        """
        merged: Self = _merged(self, other, "trace")
        return merged

    def angles(self) -> dict[str, Angle]:
        """Return everything that the investigation asked, by id."""
        plans = (round_.plan for round_ in self.rounds.values() if round_.plan is not None)
        asked = [*(self.rubric or ()), *(angle for plan in plans for angle in plan.angles)]
        return {angle.angle_id: angle for angle in asked}

    def drafts(self) -> tuple[DraftReport, ...]:
        """Return every draft of the report, the first one first."""
        first = () if self.draft is None else (self.draft,)
        return *first, *(revised.draft for revised in self.revisions.values())

    def selections(self) -> list[Selected]:
        """Return what became evidence in each round, in their order."""
        return [one.selected for one in self.rounds.values() if one.selected is not None]

    def unused(self) -> dict[str, Unused]:
        """Return by segment id why evidence is not cited, as far as the steps tell."""
        why: dict[str, Unused] = {}
        for claim in (claim for selected in self.selections() for claim in selected.claims):
            why |= dict.fromkeys(claim.segment_ids, "outdone")
        for draft in self.drafts():
            why |= draft.unused
        for removal in (one for removed in self.checks.values() for one in removed):
            why |= dict.fromkeys(removal.sentence.segment_ids, "removed")
        return why

    def found(self) -> frozenset[str]:
        """Return the segments that any search brought, those of refused pages included."""
        rounds = (one for round_ in self.rounds.values() for one in round_.searched.values())
        found = {hit.segment_id for one in rounds for hits in one.hits.values() for hit in hits}
        for revised in self.revisions.values():
            found.update(*revised.found.values())
        return frozenset(found)

    def refused(self) -> frozenset[str]:
        """Return the documents that were shown to no role."""
        steps: list[Selected | Revised] = [*self.selections(), *self.revisions.values()]
        return frozenset(document_id for step in steps for document_id in step.refused)


def _merged(left: Any, right: Any, step: str) -> Any:
    """Merge two traces, two rounds, or two mappings to steps; a step itself is never merged."""
    if right is None or left == right:
        return left
    if left is None:
        return right
    if isinstance(left, dict):
        keys = sorted(left.keys() | right.keys())
        return {key: _merged(left.get(key), right.get(key), f"{step}.{key}") for key in keys}
    if isinstance(left, Trace | Round):
        return type(left)(
            **{
                name: _merged(getattr(left, name), getattr(right, name), f"{step}.{name}")
                for name in type(left).model_fields
            }
        )
    raise ValueError(f"two steps disagree about {step}")


TaskResult: TypeAlias = QuestionSet | Report | Ranking | QuestionRankings
"""The result of a task: its type is that of the kind of task, and keeps the track's limits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of the work on a topic.

    Attributes:
        results: By the name of the task, for each task of the track.
        evidence: What was taken as evidence, by segment id; results cite nothing else.
    """

    results: Mapping[str, TaskResult]
    evidence: tuple[Segment, ...]
    trace: Trace
