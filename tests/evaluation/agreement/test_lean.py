"""Which way a side leans, and what swapping the sides does to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.agreement.labels import CategoryAgreement, lean

LEVELS = ("0", "1", "2")
PAIRS = st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)), min_size=1)


def test_by_hand() -> None:
    found = lean(CategoryAgreement.of([("0", "2"), ("1", "1"), ("0", "1"), ("2", "1")], LEVELS))
    assert (found.higher, found.lower) == (2, 1)
    assert found.mean == pytest.approx((2 + 0 + 1 - 1) / 4)
    assert found.words == "the second side is more generous"


@given(PAIRS)
def test_swapping_sides_turns_it_round(pairs: list[tuple[str, str]]) -> None:
    one = lean(CategoryAgreement.of(pairs, LEVELS))
    other = lean(CategoryAgreement.of([pair[::-1] for pair in pairs], LEVELS))
    assert (one.higher, one.lower) == (other.lower, other.higher)
    assert one.mean == pytest.approx(-other.mean)
    swapped = {"more": "less", "less": "more"}
    assert other.words == " ".join(swapped.get(word, word) for word in one.words.split()) or (
        one.words == other.words
    )
