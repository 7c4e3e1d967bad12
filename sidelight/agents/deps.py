"""What the nodes of one topic work with; they receive it and never build it."""

from __future__ import annotations

from dataclasses import dataclass

from sidelight.generation.roles import (
    CheckReport,
    ExpandQuestion,
    RateDocuments,
    Roles,
    SelectEvidence,
    WriteReport,
)
from sidelight.retrieval.base import Lookup
from sidelight.retrieval.documents.best_segment import DocumentRetriever
from sidelight.retrieval.lateral import LateralRetriever
from sidelight.schemas.topic import Narrative, Topic
from sidelight.tracks import Track


@dataclass(frozen=True, slots=True)
class DocumentsDeps:
    """What finds documents for questions on one article.

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
