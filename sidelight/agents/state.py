"""State of the graphs, how parallel updates are merged, and the dependencies that nodes receive.

Reducers are commutative and idempotent, so the order in which parallel steps end changes nothing.
Nodes receive their dependencies and never build them.

Searches in their own threads, and their results in the form that roles receive.

A search may wait until a model has ranked its results. The model is called on the event loop, which
resolves host names in the loop's own small thread pool. Searches that waited in those threads would
keep the model's address from ever being resolved, so they get threads of their own.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, NamedTuple, ParamSpec, TypedDict, TypeVar

from sidelight.english.injection import gives_orders
from sidelight.errors import InputError
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
from sidelight.schemas.investigation.evidence import EvidenceSet, Hit, Selection
from sidelight.schemas.investigation.report import CheckedReport, DraftReport, QuestionSet, Report
from sidelight.schemas.investigation.trace import Outcome, PageName, Selected, Trace
from sidelight.schemas.run import QuestionRankings
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.topic import Narrative, Topic
from sidelight.tracks import Track

_Value = TypeVar("_Value")
_NUMBER = re.compile(r"(\d+)")


def union(left: dict[str, _Value], right: dict[str, _Value]) -> dict[str, _Value]:
    """Merge two mappings that agree wherever both have a key; keys come out in counting order.

    "rubric-2" comes before "rubric-10", so that lists keep the order in which they were numbered.

    Raises:
        ValueError: The two disagree, so that neither may silently win.
    """
    for key in left.keys() & right.keys():
        if left[key] != right[key]:
            raise ValueError(f"two steps disagree about {key!r}")
    merged = {**left, **right}
    return {key: merged[key] for key in sorted(merged, key=_counting)}


def _counting(key: str) -> list[tuple[int, str]]:
    """Return what sorts a number by its value: the longer one is the larger."""
    return [(len(part) if part.isdecimal() else 0, part) for part in _NUMBER.split(key)]


def merge_evidence(left: EvidenceSet, right: EvidenceSet) -> EvidenceSet:
    """Merge two sets of evidence by segment id."""
    return EvidenceSet.merge(left, right)


class InvestigationState(TypedDict, total=False):
    """The state of one topic.

    Attributes:
        round_number: Rounds begun, 1-based.
        refused: By document id, why a page is not read.
        shown: By segment id, those that the documents were ranked by.
        draft_report: Before its sentences were checked.
        checked_report: What stood the last check, and what did not.
        revisions: How often the draft was revised.
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
    trace: Annotated[Trace, Trace.merge]


class Assignment(TypedDict):
    """Work assigned to one investigator of a round."""

    round_number: int
    aspect: Aspect
    queries: list[PlannedQuery]


def usable_evidence(state: InvestigationState) -> EvidenceSet:
    """Return the selected evidence, without pages that were later found to give orders."""
    return state.get("evidence", EvidenceSet()).without(state.get("refused", {}).keys())


def known(
    state: InvestigationState,
) -> tuple[ArticleProfile, tuple[Angle, ...], EvidenceSet]:
    """Return what most roles are told: the article, all angles and the usable evidence."""
    return state["profile"], tuple(state["angles"].values()), usable_evidence(state)


class AnswerState(TypedDict, total=False):
    """The state of one narrative."""

    profile: ArticleProfile
    angles: tuple[Angle, ...]
    hits: tuple[Hit, ...]
    evidence: EvidenceSet
    report: Report
    trace: Annotated[Trace, Trace.merge]


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
    """Dependencies of the graph that finds documents; if `rate` is None, scores alone rank them."""

    expand: ExpandQuestion
    rate: RateDocuments | None
    retriever: DocumentRetriever
    depth: int


@dataclass(frozen=True, slots=True)
class Deps:
    """Dependencies of one investigation; `documents` is None where no task asks for them.

    `questions_by` is the name of the performer that writes the questions, for errors.
    """

    topic: Topic
    track: Track
    roles: Roles
    retriever: LateralRetriever
    lookup: Lookup
    k: int
    questions_by: str
    documents: DocumentsDeps | None = None


@dataclass(frozen=True, slots=True)
class AnswerDeps:
    """Dependencies of the answer to one narrative."""

    narrative: Narrative
    track: Track
    select_evidence: SelectEvidence
    write_report: WriteReport
    check_report: CheckReport
    retriever: LateralRetriever
    lookup: Lookup
    k: int


P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(max_workers=32, thread_name_prefix="search")


async def in_thread(search: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a search returns, made in a thread for searches."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_THREADS, lambda: search(*args, **kwargs))


ORDERS = "the page gives orders to software"


class Candidates(NamedTuple):
    """Segments that a role may choose from: under each name asked for, best ranked first.

    `refused` says by document id why none of a page's windows is shown to anyone.
    """

    by_name: dict[str, list[Segment]]
    refused: dict[str, str]


async def read_candidates(
    lookup: Lookup, hits: Mapping[str, Iterable[Hit]], refused: Collection[str]
) -> Candidates:
    """Fetch the segments behind hits, in a thread.

    A page of which any window gives orders to software is left out, here and for good: its other
    windows were written by the same hand. The same hit is taken once under a name.
    """
    wanted = sorted({hit.segment_id for found in hits.values() for hit in found})
    segments, ordering = await asyncio.to_thread(_read, lookup, wanted)
    out = {*refused, *ordering}
    by_name = {
        name: [
            segments[segment_id]
            for segment_id in dict.fromkeys(hit.segment_id for hit in found)
            if document_id_of(segment_id) not in out
        ]
        for name, found in hits.items()
    }
    return Candidates(by_name, ordering)


def _read(lookup: Lookup, wanted: Sequence[str]) -> tuple[dict[str, Segment], dict[str, str]]:
    segments = {one.segment_id: one for one in lookup(wanted)}
    ordering = {
        document_id_of(segment_id): ORDERS
        for segment_id, segment in segments.items()
        if gives_orders(f"{segment.title}\n{segment.text}")  # roles read both
    }
    return segments, ordering


def only_candidates(evidence: EvidenceSet, candidates: Candidates) -> EvidenceSet:
    """Return the evidence that a role chose; raise InputError if any of it was no candidate."""
    shown = {one.segment_id for found in candidates.by_name.values() for one in found}
    taken = [item.segment.segment_id for item in evidence.items]
    for segment_id in (*taken, *(one for claim in evidence.claims for one in claim.segment_ids)):
        if segment_id not in shown:
            raise InputError(f"{segment_id} was taken as evidence but never found")
    return evidence


def selected_of(selection: Selection, candidates: Candidates) -> Selected:
    """Return for the trace what a role chose; see `only_candidates`."""
    evidence = only_candidates(selection.evidence, candidates)
    return Selected(
        taken={item.segment.segment_id: item.relevance for item in evidence.items},
        dropped=selection.dropped,
        refused=candidates.refused,
        pages={
            document_id_of(one.segment_id): PageName(url=one.url, title=one.title)
            for shown in candidates.by_name.values()
            for one in shown
        },
        claims=evidence.claims,
    )
