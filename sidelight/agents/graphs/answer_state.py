"""What the work on a narrative knows."""

from __future__ import annotations

from typing import Annotated, TypedDict

from sidelight.agents.graphs.state import merge_traces
from sidelight.schemas.investigation.angle import Angle
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.profile import ArticleProfile
from sidelight.schemas.investigation.report import Report
from sidelight.schemas.investigation.search import Hit
from sidelight.schemas.investigation.trace import Trace


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
