"""How much of a topic's credit a stage of the run still held.

The credit of a stage is the score that a report would get whose labels were those of the stage;
`scoring.funnel` says which stages there are. In [0, 1]; higher is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping


class StageCredit:
    """The credit of one stage.

    Args:
        stage: Its name.
    """

    measure: ClassVar[Measure] = Measure(title="credit that a stage held")

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def __call__(self, stages: Mapping[str, float]) -> float:
        """Return the credit of one run on one topic; 0 for a stage that it did not reach."""
        return stages.get(self._stage, 0.0)
