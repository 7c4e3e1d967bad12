"""A judge of somebody else's: it reads nothing, asks nobody and finds nothing."""

from __future__ import annotations

from typing import Any

from sidelight.evaluation.labelling.judge import Judge, Judgment, Labeller, LabellingProtocol
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)


class PlainJudge(Judge):
    """Gives everything the lowest label."""

    name = "plain"
    version = "1"

    def __init__(self) -> None:
        protocols = (QUESTION_SIMILARITY, COMPOUND_QUESTIONS, REPORT_ANSWERS)
        self.labellers = {protocol: self._lowest(protocol) for protocol in protocols}

    def _lowest(self, protocol: LabellingProtocol[Any]) -> Labeller[Any]:
        async def label(case: Any) -> list[Judgment]:
            return [Judgment(protocol.scale.lowest)] * len(protocol.units(case))

        return label
