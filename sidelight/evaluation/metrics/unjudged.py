"""Share of the required labels of a topic that could not be had.

U = 1 - J / N.

N: the labels that the topic asks for, J: those that were given. What was not judged earns nothing,
so a score is to be read beside it. Edge case: a report that cites nothing asks for no verdicts; U
is then 0. Lower is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.metrics.base import checked_depth
from sidelight.schemas.grading.judgment import Measure, Unjudged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight.schemas.grading.judgment import JudgedSentence
    from sidelight.schemas.grading.rubric import Rubric


_UNJUDGED = Measure(
    title="share of what could not be judged, which earns nothing", direction="lower", format=".1%"
)


class UnjudgedPairs:
    """Unjudged share of the pairs of a rubric question and a submitted one."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(
        self, bank: Rubric, pairs: Mapping[tuple[int, int], str | Unjudged], n_questions: int
    ) -> float:
        """Return the share of one run on one topic."""
        return 1 - _judged(pairs.values()) / (len(bank.questions) * n_questions)


class UnjudgedAnswers:
    """Unjudged share of the answers of the rubric."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(self, bank: Rubric, answers: Mapping[str, str | Unjudged]) -> float:
        """Return the share of one run on one topic."""
        n_answers = sum(len(question.answers) for question in bank.questions)
        return 1 - _judged(answers.values()) / n_answers


class UnjudgedNuggets:
    """Unjudged share of the nuggets of the bank."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(self, nuggets: Sequence[str | Unjudged]) -> float:
        """Return the share of one run on one topic."""
        return 1 - _judged(nuggets) / len(nuggets)


class UnjudgedSentences:
    """Unjudged share of the sentences that cite, by their first citation or by all."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(self, sentences: Sequence[JudgedSentence]) -> float:
        """Return the share of one run on one topic."""
        cited = [item for item in sentences if item.first is not None]
        n_unjudged = sum(
            isinstance(item.first, Unjudged) or isinstance(item.all, Unjudged) for item in cited
        )
        return n_unjudged / len(cited) if cited else 0.0


class UnjudgedQuestions:
    """Unjudged share of the first questions of a run.

    Args:
        depth: How many; see `checked_depth`.
    """

    measure: ClassVar[Measure] = _UNJUDGED

    def __init__(self, depth: int = 10) -> None:
        self._depth = checked_depth(depth)

    def __call__(self, grades: Mapping[int, str | Unjudged]) -> float:
        """Return the share of one run on one topic."""
        asked = [label for rank, label in grades.items() if rank <= self._depth]
        return 1 - _judged(asked) / self._depth


def _judged(labels: Iterable[str | Unjudged]) -> int:
    return sum(not isinstance(label, Unjudged) for label in labels)
