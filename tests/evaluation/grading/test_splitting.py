"""Texts cut into passages: nothing is lost, nothing is too long, paragraphs come first."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.exams.cells import MAX_TOKENS, count_tokens, split_passages
from sidelight.text import clean

WORDS = st.text(st.sampled_from("ab.,!? \n'“”)é\t—1Z"), max_size=300)


@given(text=WORDS | st.text(max_size=300), limit=st.integers(1, 40))
def test_nothing_is_lost_and_nothing_is_too_long(text: str, limit: int) -> None:
    passages = split_passages(text, limit)
    assert "".join("".join(passages).split()) == "".join(clean(text).split())
    assert all(0 < len(passage.strip()) == len(passage) for passage in passages)
    assert all(
        count_tokens(passage) <= limit or len(passage.split()) == 1 == count_tokens(passage)
        for passage in passages
    )
    assert passages == split_passages(text, limit)


@given(text=WORDS, limit=st.integers(1, 40))
def test_a_passage_stays_as_it_is(text: str, limit: int) -> None:
    for passage in split_passages(text, limit):
        assert split_passages(passage, limit) == [passage]


def test_paragraphs_come_first_then_sentences_then_words() -> None:
    text = "One short paragraph.\n\nA second one. It has two sentences.\n\n\nThe third."
    assert split_passages(text) == text.replace("\n\n\n", "\n\n").split("\n\n")
    assert split_passages("One line.\nAnother line.") == ["One line.", "Another line."]
    assert split_passages("A b c. D e f. G h i.", 8) == ["A b c. D e f.", "G h i."]
    assert split_passages("a b c d e f", 4) == ["a b c d", "e f"]


def test_a_long_text_has_full_passages() -> None:
    text = " ".join(f"Sentence number {number} says little." for number in range(1000))
    passages = split_passages(text)
    assert [count_tokens(one) for one in passages[:-1]] == [396] * (len(passages) - 1)
    assert MAX_TOKENS == 400


@pytest.mark.parametrize("text", ["a" * 500_000, ". " * 250_000, "a\n" * 250_000, "«" * 500_000])
def test_it_takes_a_time_that_grows_with_the_text(text: str) -> None:
    started = time.perf_counter()
    assert split_passages(text)
    assert time.perf_counter() - started < 10
