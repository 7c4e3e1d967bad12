"""What the work on a narrative knows."""

from __future__ import annotations

from typing import Annotated, TypedDict

from sidelight.agents.graphs.state import merge_traces
from sidelight.schemas.angle import Angle
from sidelight.schemas.evidence import EvidenceSet
from sidelight.schemas.profile import ArticleProfile
from sidelight.schemas.report import Report
from sidelight.schemas.search import Hit
from sidelight.schemas.trace import Trace


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
