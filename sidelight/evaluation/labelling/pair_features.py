"""What a judge without a model looks at when it compares a submission with a rubric.

Every feature grows with agreement and lies in [-1, 1].
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.checks.wording import figures, names
from sidelight.evaluation.labelling.comparison import shared_share
from sidelight.text import clean, one_line, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.comparison import Comparison
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import SubmittedReport

QUESTION_FEATURES = (
    "rubric words",  # share of the rubric question's words in the submitted question
    "common words",  # harmonic mean of that and the reverse: a vague question shares little
    "common words with answers",  # the reverse taken against the expected answers too
    "cosine",
    "cosine margin",  # over the closest other question of the rubric
    "cosine with answers",
)
ANSWER_FEATURES = ("words", "figures", "names", "cosine")

_MAX_WORDS = 60  # of one place in a report, lest a long list of words count as a statement


class NearestPlace(NamedTuple):
    """The place in a report that is closest to a rubric answer.

    Attributes:
        text: One sentence or two neighbours; empty for an empty report.
        features: In the order of `ANSWER_FEATURES`.
    """

    text: str
    features: tuple[float, ...]


def question_features(
    comparison: Comparison, rubric: Rubric, submitted: Sequence[str]
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


def report_sentences(report: SubmittedReport) -> list[str]:
    """Return the sentences of a report, whatever it calls one; very long ones are cut."""
    return [
        " ".join(words[start : start + _MAX_WORDS])
        for response in report.responses
        for sentence in sentences(clean(response.text))
        for words in [sentence.split()]
        for start in range(0, len(words), _MAX_WORDS)
    ]


def places_in(report: Sequence[str]) -> list[str]:
    """Return the sentences of a report, then every two neighbours that are not long together."""
    neighbours = (f"{left} {right}" for left, right in pairwise(report))
    return [*report, *(text for text in neighbours if len(text.split()) <= _MAX_WORDS)]


def answer_evidence(
    comparison: Comparison, answers: Sequence[str], report: Sequence[str]
) -> list[NearestPlace]:
    """Return the place closest to each answer, by words and cosine together.

    Args:
        comparison: How texts are compared.
        answers: Rubric answers.
        report: `report_sentences`, of whose `places_in` the closest is meant.
    """
    if not report:
        return [NearestPlace("", (0.0,) * len(ANSWER_FEATURES))] * len(answers)
    places = places_in(report)
    wanted = [one_line(answer) for answer in answers]
    cosines = comparison.cosines(wanted, places)
    found = []
    for i, answer in enumerate(wanted):
        overlaps = np.array([comparison.overlap(answer, place) for place in places])
        best = int((overlaps + cosines[i]).argmax())
        place = places[best]
        features = (
            float(overlaps[best]),
            shared_share(figures(answer), figures(place)),
            shared_share(names(answer), names(place)),
            float(cosines[i, best]),
        )
        found.append(NearestPlace(place, features))
    return found


def _harmonic_mean(left: float, right: float) -> float:
    return 2 * left * right / (left + right) if left + right else 0.0
