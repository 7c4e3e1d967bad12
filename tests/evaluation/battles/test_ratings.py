from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.evaluation.battles import Battle, rate


def rated(battles: list[Battle]) -> dict[str, float]:
    return {one.run_tag: one.rating for one in rate(battles, samples=20, seed=0)}


def test_odds_of_three_to_one_are_191_points() -> None:
    # A thousand battles leave little of the half tie that keeps ratings finite.
    battles = [Battle(str(n), "a", "b", float(n % 4 != 0)) for n in range(1000)]
    found = rated(battles)
    assert found["a"] - found["b"] == pytest.approx(400 * np.log10(3), abs=1)
    assert found["a"] + found["b"] == pytest.approx(2000)


def test_who_beats_the_strong_is_stronger_than_who_beats_the_weak() -> None:
    battles = [
        *(Battle(str(n), "strong", "weak", 1.0) for n in range(5)),
        *(Battle(str(n), "strong", "other", 0.5) for n in range(5)),
    ]
    found = rated(battles)
    assert found["strong"] > found["other"] > found["weak"]
    assert max(found.values()) < 2000


def test_the_record_and_the_interval() -> None:
    battles = [Battle(str(n), "a", "b", won) for n, won in enumerate((1.0, 0.5, 0.75, 0.0, None))]
    first, second = rate(battles, samples=200, seed=1)
    assert (first.run_tag, first.won, first.tied, first.lost) == ("a", 2, 1, 1)
    assert (second.won, second.tied, second.lost) == (1, 1, 2)
    assert first.interval is not None
    assert first.interval.low < first.rating < first.interval.high
    assert rate(battles, samples=200, seed=1) == [first, second]
    assert rate(battles[:2], samples=9, seed=0)[0].interval is None


def test_nothing_decided_is_an_error() -> None:
    with pytest.raises(InputError, match="no battle is decided"):
        rate([Battle("1", "a", "b", None)], samples=9, seed=0)


BATTLES = st.lists(
    st.tuples(
        st.sampled_from("12"), st.sampled_from(["ab", "bc", "ac"]), st.sampled_from([0.0, 0.5, 1.0])
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=40)
@given(BATTLES)
def test_the_order_of_runs_in_a_battle_changes_nothing(battles) -> None:
    one = [Battle(topic, pair[0], pair[1], won) for topic, pair, won in battles]
    other = [Battle(topic, pair[1], pair[0], 1 - won) for topic, pair, won in battles]
    first, second = rated(one), rated(other)
    assert first.keys() == second.keys()
    assert all(first[tag] == pytest.approx(second[tag], abs=1e-6) for tag in first)


@settings(max_examples=40)
@given(BATTLES)
def test_one_more_win_never_costs(battles) -> None:
    one = [Battle(topic, pair[0], pair[1], won) for topic, pair, won in battles]
    more = [*one, Battle("1", "a", "b", 1.0)]
    before, after = rated([*one, Battle("1", "a", "b", 0.0)]), rated(more)
    assert after["a"] - after["b"] >= before["a"] - before["b"] - 1e-6
