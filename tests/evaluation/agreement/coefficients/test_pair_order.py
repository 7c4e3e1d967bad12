from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.agreement.qrels import PairOrder, pair_order

grades = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), max_size=12)


def test_by_hand() -> None:
    # pairs of (2, 3), (1, 1), (1, 0), (0, 2): alike 12, 13, 14; tied on the first side 23;
    # reversed 24, 34
    assert pair_order([2, 1, 1, 0], [3, 1, 0, 2]) == PairOrder(3, 1, 2)


def test_shares_of_several_queries() -> None:
    order = PairOrder(3, 1, 2) + PairOrder(1, 1, 0)
    assert order.shares == {"concordant": 0.5, "tied": 0.25, "reversed": 0.25}


def test_undefined_when_a_side_orders_nothing() -> None:
    assert pair_order([1, 1, 1], [0, 1, 2]).shares is None
    assert pair_order([2], [1]).shares is None
    assert PairOrder().shares is None


@given(grades)
def test_as_going_through_the_pairs(pairs) -> None:
    products = [(a[0] - b[0]) * (a[1] - b[1]) for a, b in combinations(pairs, 2)]
    assert pair_order([pair[0] for pair in pairs], [pair[1] for pair in pairs]) == PairOrder(
        concordant=sum(product > 0 for product in products),
        tied=sum(product == 0 for product in products),
        reversed=sum(product < 0 for product in products),
    )
