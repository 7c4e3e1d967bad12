"""A judge of somebody else's: it reads nothing, asks nobody and finds nothing."""

from sidelight.evaluation.labelling.judge import Judge, Judgment
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)


class PlainJudge(Judge):
    """Gives everything the lowest label."""

    name = "plain"
    version = "1"

    def __init__(self):
        protocols = (QUESTION_SIMILARITY, COMPOUND_QUESTIONS, REPORT_ANSWERS)
        self.labellers = {protocol: self._lowest(protocol) for protocol in protocols}

    def _lowest(self, protocol):
        async def label(case):
            return [Judgment(protocol.scale.lowest)] * len(protocol.units(case))

        return label
