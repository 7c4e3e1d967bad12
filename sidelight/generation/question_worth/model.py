"""The model of good questions: a sum of weights, read from a file that says where it comes from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import orjson
from pydantic import Field

from sidelight.generation.question_worth.features import COUNTS, counts, runs
from sidelight.schemas.base import Value

WEIGHTS = Path(__file__).with_name("weights.json")


class QuestionWorth(Value):
    """Predicts the grade people would give a question, on the scale 0 (useless) to 4.

    Attributes:
        provenance: What it was fitted on, and how well it does on what was held out.
        intercept: Grade of a question without any of the runs.
        runs: By run of words, what it adds.
        counts: By count, what one of it adds.
    """

    provenance: dict[str, str | int | float] = Field(default_factory=dict)
    intercept: float
    runs: dict[str, float]
    counts: dict[str, float]

    def __call__(self, question: str) -> float:
        """Return the predicted grade of a question; it may lie a little outside the scale."""
        return (
            self.intercept
            + sum(self.runs.get(run, 0.0) for run in sorted(runs(question)))
            + sum(
                self.counts[name] * value
                for name, value in zip(COUNTS, counts(question), strict=True)
            )
        )


@cache
def fitted_question_worth() -> QuestionWorth:
    """Return the model as it is distributed."""
    return QuestionWorth.model_validate(orjson.loads(WEIGHTS.read_bytes()))
