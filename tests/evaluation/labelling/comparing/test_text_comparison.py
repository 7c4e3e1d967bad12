from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.comparing import TextComparison


def test_rare_words_weigh_more() -> None:
    comparison = TextComparison(["alpha beta", "alpha gamma", "alpha delta"])
    # n = 3: alpha has df 3, log(4 / 3.5); beta has df 1, log(4 / 1.5)
    common, rare = log(4 / 3.5), log(4 / 1.5)
    assert comparison.overlap("alpha beta", "the alpha") == pytest.approx(common / (common + rare))
    assert comparison.overlap("alpha beta", "Beta!") == pytest.approx(rare / (common + rare))


def test_unseen_words_weigh_most_and_stop_words_nothing() -> None:
    comparison = TextComparison(["alpha beta"])
    # n = 1: alpha log(2 / 1.5), the unseen omega log(2 / 0.5)
    expected = log(2 / 1.5) / (log(2 / 1.5) + log(2 / 0.5))
    assert comparison.overlap("alpha and the omega", "alpha") == pytest.approx(expected)
    assert comparison.overlap("and the", "and the") == 0


def test_cosines_are_zero_without_an_encoder_and_encoded_once_with_one() -> None:
    assert TextComparison([]).cosines(["a", "b"], ["c"]).tolist() == [[0], [0]]
    asked: list[str] = []

    def encode(texts):
        asked.extend(texts)
        return np.array([[1, 0] if text == "a" else [0, 1] for text in texts], dtype=np.float32)

    comparison = TextComparison([], encode)
    assert comparison.cosines(["a", "b"], ["a", "a"]).tolist() == [[1, 1], [0, 0]]
    comparison.cosines(["b"], ["a"])
    assert asked == ["a", "b"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_overlap_is_a_share(wanted: str, text: str) -> None:
    comparison = TextComparison(["some words of a rubric"])
    assert 0 <= comparison.overlap(wanted, text) <= 1 + 1e-12
    # More text never loses a word that was there.
    assert comparison.overlap(wanted, f"{text} {wanted}") >= comparison.overlap(wanted, text)
