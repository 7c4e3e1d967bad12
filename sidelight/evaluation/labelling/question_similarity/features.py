"""What a labeller without a model looks at when it compares two questions.

Every feature grows with agreement and lies in [-1, 1].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison
    from sidelight.schemas.grading.rubric import Rubric

QUESTION_FEATURES = (
    "rubric words",  # share of the rubric question's words in the submitted question
    "common words",  # harmonic mean of that and the reverse: a vague question shares little
    "common words with answers",  # the reverse taken against the expected answers too
    "cosine",
    "cosine margin",  # over the closest other question of the rubric
    "cosine with answers",
)


def question_features(
    comparison: TextComparison, rubric: Rubric, submitted: Sequence[str]
) -> npt.NDArray[np.float64]:
    """Return the features of every pair, `(n_rubric_questions, n_submitted, 6)`."""
    wanted = [one_line(question.text) for question in rubric.questions]
    informed = [
        " ".join([question.text, *sorted(answer.text for answer in question.answers)])
        for question in rubric.questions
    ]
    asked = [one_line(text) for text in submitted]
    cosines = comparison.cosines(wanted, asked)
    informed_cosines = comparison.cosines(informed, asked)
    features = np.zeros((len(wanted), len(asked), len(QUESTION_FEATURES)))
    for i in range(len(wanted)):
        others = np.delete(cosines, i, axis=0).max(axis=0, initial=0)
        for j, text in enumerate(asked):
            shared = comparison.overlap(wanted[i], text)
            features[i, j] = (
                shared,
                _harmonic_mean(shared, comparison.overlap(text, wanted[i])),
                _harmonic_mean(shared, comparison.overlap(text, informed[i])),
                cosines[i, j],
                cosines[i, j] - others[j],
                informed_cosines[i, j],
            )
    return features


def _harmonic_mean(left: float, right: float) -> float:
    return 2 * left * right / (left + right) if left + right else 0.0
