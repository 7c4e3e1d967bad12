"""What work on a topic delivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sidelight.schemas.investigation.question import QuestionSet
from sidelight.schemas.investigation.report import Report
from sidelight.schemas.ranking import QuestionRankings, Ranking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.investigation.trace import Trace
    from sidelight.schemas.segment import Segment

TaskResult: TypeAlias = QuestionSet | Report | Ranking | QuestionRankings
"""The result of a task: its type is that of the kind of task, and keeps the track's limits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a topic.

    Attributes:
        results: By the name of the task, for each task of the track.
        evidence: What was taken as evidence, by segment id; results cite nothing else.
        trace: What was done.
    """

    results: Mapping[str, TaskResult]
    evidence: tuple[Segment, ...]
    trace: Trace
