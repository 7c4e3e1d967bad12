"""What is chosen fits the budget, covers what matters and does not say one thing twice."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.generation.extractive.write_report.choose import Choices, choose


def choices(
    words: list[int],
    covers: list[list[float]],
    *,
    worth: list[float] | None = None,
    likeness: np.ndarray | None = None,
    concepts: np.ndarray | None = None,
    excludes: np.ndarray | None = None,
) -> Choices:
    n = len(words)
    return Choices(
        words=np.array(words),
        covers=np.array(covers, dtype=np.float64),
        weights=np.ones(len(covers[0])),
        worth=np.array(worth or [1.0] * n),
        likeness=np.eye(n) if likeness is None else likeness,
        concepts=np.eye(n, dtype=bool) if concepts is None else concepts,
        excludes=np.eye(n, dtype=bool) if excludes is None else excludes,
    )


def test_another_side_is_worth_more_than_the_same_again() -> None:
    found = choices([10, 10, 10], [[0.8, 0], [0.7, 0], [0, 0.5]])
    assert choose(found, 20) == [0, 2]


def test_what_has_been_said_in_other_words_is_left() -> None:
    concepts = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    found = choices([10, 10, 10], [[0.5], [0.5], [0.1]], concepts=concepts)
    assert choose(found, 30) == [0, 2]


def test_what_stands_for_many_comes_first() -> None:
    likeness = np.array([[1, 0, 0, 0], [0, 1, 0.9, 0.9], [0, 0.9, 1, 0.6], [0, 0.9, 0.6, 1]])
    found = choices([10] * 4, [[0.1]] * 4, likeness=likeness)
    assert choose(found, 10) == [1]


def test_what_stands_already_uses_words_and_excludes() -> None:
    excludes = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    found = choices([10, 5, 5], [[0.5], [0.5], [0.5]], excludes=excludes)
    assert choose(found, 15, standing=[0]) == [2]


@settings(deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=20), st.integers(0, 120))
def test_the_budget_is_never_exceeded(words: list[int], budget: int) -> None:
    chosen = choose(choices(words, [[0.5]] * len(words)), budget)
    assert sum(words[row] for row in chosen) <= budget
    assert len(set(chosen)) == len(chosen)


def test_what_is_barred_is_not_chosen() -> None:
    assert choose(choices([10, 10], [[0.9, 0], [0, 0.1]]), 20, barred=[0]) == [1]
