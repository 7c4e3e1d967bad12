"""A verdict is what is said last, and nothing off the scale is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.passage_grade import DIRECT_METHODS, last_verdict

NUMBERS = DIRECT_METHODS["UMBRELA"].verdicts
WORDS = DIRECT_METHODS["Sun"].verdicts


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("3", "3"),
        ("##final score: 3", "3"),
        ("On a scale from 0 to 2 it is good.\n##final score: 3", "3"),
        ("##final score: 3\nThe scale goes from 0 to 2.", "3"),
        ("Grade: 0? No. Final grade: **2**", "2"),
        ("Final answer: 3 (not category 0)", "3"),
        ("##final score: 4", None),
        ("##final score: 3 ##final score: 4", None),
        ("##final score: -1", None),
        ("##final score: 2.5", None),
        ("##final score: 30", None),
        ("7", None),
        ("it holds 3 answers", None),
        ("o-3", None),
        ("", None),
    ],
)
def test_numbers(said: str, verdict: str | None) -> None:
    assert last_verdict(said, NUMBERS) == verdict


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Yes", "yes"),
        (" no. ", "no"),
        ("Decision: Yes", "yes"),
        ("Answer: Yes ... Answer: No", "no"),
        ("maybe", None),
        ("1", None),
        ("Verdict: partly", None),
    ],
)
def test_words(said: str, verdict: str | None) -> None:
    assert last_verdict(said, WORDS) == verdict


@given(st.text(max_size=300))
def test_whatever_is_said_a_verdict_is_on_the_scale(said: str) -> None:
    assert last_verdict(said, NUMBERS) in {None, *NUMBERS}


def test_a_long_reply_takes_no_long_time() -> None:
    assert last_verdict("score is " * 200_000, NUMBERS) is None
    assert last_verdict(f"{'grade: 1 ' * 200_000}grade: 2", NUMBERS) == "2"
