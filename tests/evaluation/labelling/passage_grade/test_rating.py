"""The paper's fallback for replies that are no grade, and that of the code published with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.passage_grade import UNANSWERABLE, self_rating


@pytest.mark.parametrize("phrase", UNANSWERABLE)
def test_what_says_that_there_is_no_answer_is_0(phrase: str) -> None:
    assert len(UNANSWERABLE) == 8
    for said in (phrase, phrase.title(), f" {phrase}. ", f'"{phrase}"'):
        assert self_rating(said) == 0
        assert self_rating(said, workbench=True) == 1


@pytest.mark.parametrize(
    ("said", "paper", "workbench"),
    [
        ("4", 4, 4),
        (" [5].", 5, 5),
        ("0", 0, 0),
        ("7", 1, 0),
        ("10", 1, 0),
        ("-3", 3, 3),
        ("4 of 5", 1, 0),
        ("the sky", 1, 0),
        ("unanswerably", 1, 1),
        ("", 1, 1),
        ("5" * 10_000, 1, 1),
    ],
)
def test_what_else_is_said(said: str, paper: int, workbench: int) -> None:
    assert self_rating(said) == paper
    assert self_rating(said, workbench=True) == workbench


@given(st.text(max_size=300), st.booleans())
def test_any_reply_has_a_grade(said: str, workbench: bool) -> None:
    assert 0 <= self_rating(said, workbench=workbench) <= 5
