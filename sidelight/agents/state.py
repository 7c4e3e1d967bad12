"""State of the graphs, how parallel updates are merged, and the dependencies that nodes receive.

Reducers are commutative and idempotent, so the order in which parallel steps end changes nothing.
Nodes receive their dependencies and never build them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict, TypeVar

from sidelight.generation.roles import (
    CheckReport,
    ExpandQuestion,
    RateDocuments,
    Roles,
    SelectEvidence,
    WriteReport,
)
from sidelight.retrieval.base import Lookup
from sidelight.retrieval.best_segment import DocumentRetriever
from sidelight.retrieval.lateral import LateralRetriever
from sidelight.schemas.investigation.angle import (
    Angle,
    ArticleProfile,
    Aspect,
    Coverage,
    PlannedQuery,
)
from sidelight.schemas.investigation.evidence import EvidenceSet, Hit
from sidelight.schemas.investigation.report import CheckedReport, DraftReport, QuestionSet, Report
from sidelight.schemas.investigation.trace import Outcome, Trace
from sidelight.schemas.run import QuestionRankings
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Narrative, Topic
from sidelight.tracks import Track

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
    """Merge the traces of two steps."""
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
    """Work assigned to one investigator of a round."""

    round_number: int
    aspect: Aspect
    queries: list[PlannedQuery]


def usable_evidence(state: InvestigationState) -> EvidenceSet:
    """Return the selected evidence, without pages that were later found to give orders."""
    return state.get("evidence", EvidenceSet()).without(state.get("refused", {}).keys())


class AnswerState(TypedDict, total=False):
    """The state of one narrative.

    Attributes:
        profile: What tells its subject.
        angles: What it asks for.
        hits: All that was found, best first.
        evidence: What was taken to answer from.
        report: The answer.
        trace: What the steps taken so far did, for people.
    """

    profile: ArticleProfile
    angles: tuple[Angle, ...]
    hits: tuple[Hit, ...]
    evidence: EvidenceSet
    report: Report
    trace: Annotated[Trace, merge_traces]


def outcome_of(state: InvestigationState, track: Track) -> Outcome:
    """Return the outcome of a topic whose investigation has ended, under the track's task names."""
    return Outcome(
        results={
            track.question_list.name: state["questions"],
            track.cited_text.name: state["report"],
        },
        evidence=tuple(item.segment for item in usable_evidence(state).items),
        trace=state["trace"],
    )


@dataclass(frozen=True, slots=True)
class DocumentsDeps:
    """Dependencies of the graph that finds documents for questions.

    Attributes:
        expand: Words the searches for a question.
        rate: Tells how useful documents are; None ranks by their scores alone.
        retriever: Finds documents, never the article itself.
        depth: Documents kept per search.
    """

    expand: ExpandQuestion
    rate: RateDocuments | None
    retriever: DocumentRetriever
    depth: int


@dataclass(frozen=True, slots=True)
class Deps:
    """Dependencies of one investigation.

    Attributes:
        topic: What is worked on.
        track: Limits of the files that come out.
        roles: One performer for each role.
        retriever: Finds segments, never the article's own.
        lookup: Segment ids to segments, in the order asked for.
        k: Segments kept per query.
        documents: What finds documents; None where no task asks for them.
    """

    topic: Topic
    track: Track
    roles: Roles
    retriever: LateralRetriever
    lookup: Lookup
    k: int
    documents: DocumentsDeps | None = None


@dataclass(frozen=True, slots=True)
class AnswerDeps:
    """Dependencies of the answer to one narrative.

    Attributes:
        narrative: What is answered.
        track: Limits of the files that come out.
        select_evidence: Decides which hits are evidence.
        write_report: Writes the answer.
        check_report: Holds its sentences against what they cite.
        retriever: Finds segments.
        lookup: Segment ids to segments, in the order asked for.
        k: Segments kept per query.
    """

    narrative: Narrative
    track: Track
    select_evidence: SelectEvidence
    write_report: WriteReport
    check_report: CheckReport
    retriever: LateralRetriever
    lookup: Lookup
    k: int
