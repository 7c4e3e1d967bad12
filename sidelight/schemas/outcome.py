"""What an investigation delivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from sidelight.schemas.question import QuestionSet
from sidelight.schemas.report import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.segment import Segment
    from sidelight.schemas.trace import Trace

Result: TypeAlias = QuestionSet | Report
"""The result of a task: its type is that of the kind of task, and keeps the track's limits."""

_Kind = TypeVar("_Kind", bound=Result)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a topic.

    Attributes:
        results: By the name of the task.
        evidence: What was taken as evidence, by segment id; results cite nothing else.
        trace: What was done.
    """

    results: Mapping[str, Result]
    evidence: tuple[Segment, ...]
    trace: Trace

    def result(self, task: str, kind: type[_Kind]) -> _Kind:
        """Return the result of a task that is known to be of some kind.

        Raises:
            KeyError: The investigation did no such task.
            TypeError: The task is of another kind.
        """
        found = self.results[task]
        if not isinstance(found, kind):
            raise TypeError(f"{task}: expected a {kind.__name__}, found a {type(found).__name__}")
        return found
