"""The place in a report where an expected answer is told, if anywhere, and how near it comes.

Every feature grows with agreement and lies in [-1, 1].
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.labelling.comparing.text_comparison import shared_share
from sidelight.text import clean, one_line, sentences
from sidelight.wording import figures, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison
    from sidelight.schemas.run import SubmittedReport

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


def nearest_places(
    comparison: TextComparison, answers: Sequence[str], report: Sequence[str]
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
