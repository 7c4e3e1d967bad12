"""The model of good questions: two sums of weights, read from a file that says where it comes from.

One sum is the grade people would give, a flawed question counting as 0; the other tells how likely
they would call it flawed. Labels are cut from both so that each is as frequent as among people.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson
from pydantic import Field

from sidelight.learned.questions.form import form
from sidelight.learned.questions.words import runs
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

WEIGHTS = Path(__file__).parent.parent / "weights" / "questions.json"
FLAWED = -1


class Outlook(NamedTuple):
    """What is expected of a question.

    Attributes:
        worth: The grade, from about 0 (useless) to 4; it may lie a little outside.
        flawed: How likely it is flawed, from about 0 to 1; it may lie a little outside.
    """

    worth: float
    flawed: float


class Cuts(Value):
    """From where on a question gets a label.

    Attributes:
        flawed: Above it, a question is flawed.
        grades: From which worth on it gets grade 1, 2, 3 and 4.
        redundant: From which cosine with an earlier question of its list on it is redundant.
    """

    flawed: float = 1.0
    grades: tuple[float, float, float, float] = (0.5, 1.5, 2.5, 3.5)
    redundant: float = 1.0


class QuestionModel(Value):
    """Predicts what people would say of a question, by its own words.

    Attributes:
        about: What it was fitted on, and how well it does on what was held out.
        intercepts: Worth and flaw of a question without any feature.
        cuts: Where labels begin.
        weights: By feature, what one of it adds to the worth and to the flaw.
    """

    about: dict[str, str | int | float | dict[str, float]] = Field(default_factory=dict)
    intercepts: tuple[float, float]
    cuts: Cuts = Cuts()
    weights: dict[str, tuple[float, float]]

    def __call__(self, question: str) -> Outlook:
        """Return what is expected of a question."""
        worth, flawed = self.intercepts
        for name, value in features(question):
            if found := self.weights.get(name):
                worth += found[0] * value
                flawed += found[1] * value
        return Outlook(worth, flawed)

    def label(self, outlook: Outlook) -> int:
        """Return the grade, from -1 (flawed) to 4."""
        if outlook.flawed > self.cuts.flawed:
            return FLAWED
        return sum(outlook.worth >= cut for cut in self.cuts.grades)


def features(question: str) -> Iterator[tuple[str, float]]:
    """Yield the features of a question: counts, then runs of words, each in quotation marks."""
    yield from form(question).items()
    for run in sorted(runs(question)):
        yield f'"{run}"', 1.0


@cache
def question_model() -> QuestionModel:
    """Return the model as it is distributed."""
    return QuestionModel.model_validate(orjson.loads(WEIGHTS.read_bytes()))
