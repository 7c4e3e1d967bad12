from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.relevance import majority, vote


@pytest.mark.parametrize(
    ("given", "together"),
    [
        ((4, 4, 0), 4),  # most say so
        ((4, 2, 0), 2),  # all differ: the one in the middle
        ((0, 0, 3, 4, 4), 3),  # two are as frequent
        ((1, 1, 3, 3), 1),  # and of two middle ones the lower
        ((3, None, 3), 3),
        ((3, None, None), None),  # one of three is no majority
        ((2,), 2),
    ],
)
def test_the_majority_wins_and_the_median_breaks_ties(given, together) -> None:
    assert majority(given) == together


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7), st.randoms())
def test_the_order_of_judges_changes_nothing(given, random) -> None:
    other = [*given]
    random.shuffle(other)
    assert majority(given) == majority(other)
    assert majority(given) in given


def test_who_said_what_is_recorded() -> None:
    judges = {"a": {"1": {"x": 3, "y": 0}}, "b": {"1": {"x": 3}, "2": {"z": 1}}}
    found = vote(judges)
    assert found["1"]["x"] == (3, (3, 3))
    assert found["1"]["x"].agreeing == 2
    assert found["1"]["y"] == (None, (0, None))
    assert found["2"]["z"].given == (None, 1)
