"""Questions graded without a model: labels, redundancy, and what a run cannot gain by."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sidelight.evaluation.labelling.question_quality import (
    KnownGrade,
    LearnedQuestionQuality,
    LearnedQuestionRedundancy,
    grades,
)
from sidelight.text_vectors import Encode

GOOD = "What is the professional background of {} in energy policy?"
VARIED = (
    "What is the professional background of Garrick Voss?",
    "Who publishes and finances Sentinel Policy Journal?",
    "What did the University of Orrin study examine and measure?",
    "What are the main criticisms of the bog bill?",
    "Does the article show any bias?",
)


class Asked(NamedTuple):
    questions: Sequence[str]


def mean(questions: Sequence[str]) -> float:
    labels = asyncio.run(LearnedQuestionQuality()(Asked(questions)))
    return sum(max(0, int(str(one.label))) for one in labels) / len(labels)


def test_labels_are_those_of_the_scale_and_tell_good_from_flawed() -> None:
    labels = [int(str(one.label)) for one in grades(VARIED)]
    assert labels[-1] == -1
    assert min(labels[:3]) >= 2
    assert grades(()) == []


def test_one_good_pattern_ten_times_gains_nothing() -> None:
    names = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ike", "Jo")
    repeated = [GOOD.format(f"{name} Marsh") for name in names]
    assert mean(repeated[:1]) >= 3
    assert mean(repeated) < mean(VARIED)
    assert {one.label for one in grades(repeated)[2:]} <= {"0", "-1"}


def test_other_names_get_the_same_labels() -> None:
    swapped = [one.replace("Garrick Voss", "Ilva Brandt") for one in VARIED]
    swapped = [one.replace("Sentinel Policy Journal", "Morrow Evening Post") for one in swapped]
    assert [one.label for one in grades(swapped)] == [one.label for one in grades(VARIED)]


def test_what_people_said_of_the_same_question_counts(lexical_encode: Encode) -> None:
    (question, *_) = VARIED
    known = [KnownGrade(question, -1)] * 3
    assert grades([question], known, lexical_encode)[0].label == "-1"
    assert grades([question], known)[0].label == grades([question])[0].label != "-1"


def test_a_question_is_redundant_after_a_near_one_only() -> None:
    def encode(texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.array(
            [[1.0, 0.0] if "fund" in text else [0.0, 1.0] for text in texts], np.float32
        )

    asked = ["Who funds it?", "Who is Ada Marsh?", "By whom is it funded?"]
    found = asyncio.run(LearnedQuestionRedundancy(encode)(Asked(asked)))
    assert [one.label for one in found] == ["0", "0", "1"]
    assert asyncio.run(LearnedQuestionRedundancy(encode)(Asked([]))) == []
