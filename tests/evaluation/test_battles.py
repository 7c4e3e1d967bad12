"""Battles between answers, and the ratings that they give."""

import asyncio
import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.evaluation.battles import Battle, hold_battle, hold_battles, rate
from tests.helpers.asking.conversation import scripted
from tests.helpers.labels.toy import report_run


def says(better):
    return json.dumps({"reason": "It answers.", "better": better})


def test_each_answer_stands_first_once_and_an_empty_one_loses():
    for replies, won in [
        (("first", "second"), 1.0),  # the same answer in either place
        (("first", "first"), 0.5),  # always the one that stands first
        *((("tie", "second"), 0.75), (("second", "first"), 0.0), (("tie", "tie"), 0.5)),
    ]:
        asked = scripted(*map(says, replies))
        found, reason = asyncio.run(hold_battle(asked.model, "why?", "One.", "Two."))
        assert (found, reason) == (won, "It answers. / It answers.")
        assert asked.user(0).index("One.") < asked.user(0).index("Two.")
        assert asked.user(1).index("Two.") < asked.user(1).index("One.")
    battle = partial(hold_battle, scripted().model)
    assert asyncio.run(battle("why?", " ", "Two."))[0] == 0.0
    assert asyncio.run(battle("why?", "One.", ""))[0] == 1.0
    assert asyncio.run(battle("why?", "", ""))[0] == 0.5
    asked = scripted(*["no JSON"] * 4)
    won, reason = asyncio.run(hold_battle(asked.model, "why?", "One.", "Two."))
    assert won is None
    assert "does not fit the schema: " in reason


def test_all_pairs_meet_on_every_topic_and_no_name_is_told():
    def longer(request):
        user = request.messages[1].content
        assert "run-" not in user
        return says("first" if user.index("A long answer") < user.index("Short") else "second")

    asked = scripted(*[longer] * 4)
    runs = [
        report_run("run-b", t=["Short."]),
        report_run("run-a", t=["A long answer."]),
        report_run("run-c", u=["Short."]),
    ]
    battles = asyncio.run(hold_battles(runs[:2], {"t": "why?"}, asked.model))
    assert [(one.first, one.second, one.won) for one in battles] == [("run-a", "run-b", 1.0)]
    queries = {"t": "why?", "u": "who?", "v": "when?"}
    model = scripted(longer, longer).model
    battles = asyncio.run(hold_battles(runs, queries, model))
    assert {one.topic_id for one in battles} == {"t", "u"}
    assert len(battles) == 5  # a and b on t, and c, which is missing there; c against both on u


def rated(battles):
    return {one.run_tag: one.rating for one in rate(battles, samples=2, seed=0)}


def test_ratings_by_hand():
    # A thousand battles leave little of the half tie that keeps ratings finite.
    battles = [Battle(str(n), "a", "b", float(n % 4 != 0)) for n in range(1000)]
    found = rated(battles)
    assert found["a"] - found["b"] == pytest.approx(400 * np.log10(3), abs=1)
    assert found["a"] + found["b"] == pytest.approx(2000)
    battles = [
        *(Battle(str(n), "strong", "weak", 1.0) for n in range(5)),
        *(Battle(str(n), "strong", "other", 0.5) for n in range(5)),
    ]
    found = rated(battles)
    assert found["strong"] > found["other"] > found["weak"]
    assert max(found.values()) < 2000
    battles = [Battle(str(n), "a", "b", won) for n, won in enumerate((1.0, 0.5, 0.75, 0.0, None))]
    first, second = rate(battles, samples=200, seed=1)
    assert (first.run_tag, first.won, first.tied, first.lost) == ("a", 2, 1, 1)
    assert (second.won, second.tied, second.lost) == (1, 1, 2)
    assert first.interval.low < first.rating < first.interval.high
    assert rate(battles, samples=200, seed=1) == [first, second]
    assert rate(battles[:2], samples=9, seed=0)[0].interval is None
    with pytest.raises(InputError, match="no battle is decided"):
        rate([Battle("1", "a", "b", None)], samples=9, seed=0)


RUNS, WON = st.sampled_from(["ab", "bc", "ac"]), st.sampled_from([0.0, 0.5, 1.0])
BATTLES = st.lists(
    st.builds(lambda topic, runs, won: Battle(topic, *runs, won), st.sampled_from("12"), RUNS, WON),
    min_size=1,
    max_size=20,
)


@settings(max_examples=40)
@given(BATTLES)
def test_the_order_of_runs_in_a_battle_changes_nothing(battles):
    other = [Battle(one.topic_id, one.second, one.first, 1 - one.won) for one in battles]
    first, second = rated(battles), rated(other)
    assert first.keys() == second.keys()
    assert all(first[tag] == pytest.approx(second[tag], abs=1e-6) for tag in first)


@settings(max_examples=40)
@given(BATTLES)
def test_one_more_win_never_costs(battles):
    before, after = (rated([*battles, Battle("1", "a", "b", won)]) for won in (0.0, 1.0))
    assert after["a"] - after["b"] >= before["a"] - before["b"] - 1e-6
