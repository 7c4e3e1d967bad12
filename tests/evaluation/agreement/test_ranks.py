from math import sqrt

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.scoring.table import TopicScore

Rows = dict[str, tuple[float, ...]]

PEOPLE: Rows = {"a": (0.9, 0.1), "b": (0.6, 0.35), "c": (0.3, 0.2)}
JUDGE: Rows = {"a": (0.8, 0.3), "b": (0.5, 0.2), "c": (0.4, 0.1)}


def scores(rows: Rows, measure: str = "score") -> list[TopicScore]:
    """Return scores from run tag -> one score for each topic t1, t2, ..."""
    return [
        TopicScore(run_tag, f"t{number}", {measure: value})
        for run_tag, values in rows.items()
        for number, value in enumerate(values, 1)
    ]


def test_the_three_levels_differ():
    found = compare_scores(scores(PEOPLE), scores(JUDGE), "score")
    assert found.run_tags == ("a", "b", "c")
    assert found.topic_ids == ("t1", "t2")
    # means .5 .475 .25 and .55 .35 .25: a, b, c on both sides
    assert found.runs["tau_b"] == pytest.approx(1)
    # t1: a, b, c on both sides, 1; t2: b, c, a against a, b, c, (1 - 2) / 3
    topics = found.topics["tau_b"]
    assert topics.mean == pytest.approx(1 / 3)
    assert (topics.low, topics.high) == (pytest.approx(-1 / 3), pytest.approx(1))
    # The judge orders all six a1 b1 c1 a2 b2 c2; people gave them .9 .6 .3 .1 .35 .2: of 15 pairs
    # c1 b2, a2 b2 and a2 c2 are reversed, (12 - 3) / 15
    assert found.pairs["tau_b"] == pytest.approx(0.6)


def test_all_correlations_with_the_first_side_as_reference():
    people: Rows = {"a": (4,), "b": (3,), "c": (2,), "d": (1,)}
    judge: Rows = {"a": (1,), "b": (4,), "c": (3,), "d": (2,)}
    found = compare_scores(scores(people), scores(judge), "score")
    # 3 of 6 pairs reversed; rho = 1 - 6 * (9 + 1 + 1 + 1) / (4 * 15)
    # tau_AP: the judge's order is b, c, d, a with 1 of 1, 2 of 2, 0 of 3 above rightly:
    # 2 / 3 * (1 + 1 + 0) - 1; the other way round it would be -2 / 9
    assert found.runs == {
        "tau_b": pytest.approx(0),
        "spearman": pytest.approx(-0.2),
        "tau_ap": pytest.approx(1 / 3),
        "tau_ap_b": pytest.approx((1 / 3 - 2 / 9) / 2),
    }
    assert found.pairs == found.runs
    assert {name: topic.mean for name, topic in found.topics.items()} == found.runs


def test_the_top_is_where_the_best_runs_are():
    people: Rows = {"a": (1,), "b": (2,), "c": (3,), "d": (4,)}
    judge: Rows = {"a": (2,), "b": (1,), "c": (3,), "d": (4,)}
    for measure, tau in (("contradictory_score", 1 / 3), ("supportive_score", 7 / 9)):
        # a and b are swapped: the top two for contradictions (0 + 1 + 1), else the last two
        # (1 + 1 + 2 / 3); 2 / 3 of that - 1
        found = compare_scores(scores(people, measure), scores(judge, measure), measure)
        assert found.runs["tau_ap"] == pytest.approx(tau)
        assert found.runs["tau_b"] == pytest.approx(2 / 3)


def test_ties_are_listed_and_rounding_does_not_break_them():
    third = 1 / 3
    people: Rows = {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.2, 0.1), "c": (third, third, third)}
    judge: Rows = {"a": (0.9,) * 3, "b": (0.5,) * 3, "c": (0.5,) * 3}
    found = compare_scores(scores(people), scores(judge), "score")
    assert found.ties == ((("a", "b"),), (("b", "c"),))
    # ab is tied by people, bc by the judge, ac is reversed: -1 / sqrt(2 * 2)
    assert found.runs["tau_b"] == pytest.approx(-1 / sqrt(4))


def test_a_side_that_scores_all_runs_alike_leaves_a_topic_undefined():
    constant: Rows = {"a": (0.5, 0.3), "b": (0.5, 0.2), "c": (0.5, 0.1)}
    found = compare_scores(scores(PEOPLE), scores(constant), "score")
    topics = found.topics["tau_b"]
    assert topics.undefined == ("t1",)
    # t2 alone: b, c, a against a, b, c
    assert topics.mean == topics.low == topics.high == pytest.approx(-1 / 3)


def test_undefined_throughout_is_not_zero():
    constant: Rows = dict.fromkeys("abc", (0.5, 0.5))
    found = compare_scores(scores(PEOPLE), scores(constant), "score", n_samples=100)
    assert set(found.runs.values()) == set(found.pairs.values()) == {None}
    assert found.topics["spearman"].mean is None
    interval = found.intervals["spearman"]
    assert (interval.low, interval.high, interval.n_undefined) == (None, None, 100)


def test_intervals_come_from_the_seed_and_hold_the_value():
    people: Rows = {f"r{number:02}": (number / 20,) for number in range(20)}
    judge: Rows = {f"r{number:02}": ((number * 7 % 20 + 3 * number) / 80,) for number in range(20)}
    first = compare_scores(scores(people), scores(judge), "score", n_samples=200, seed=1)
    again = compare_scores(scores(people), scores(judge), "score", n_samples=200, seed=1)
    other = compare_scores(scores(people), scores(judge), "score", n_samples=200, seed=2)
    assert first == again
    assert first.intervals != other.intervals
    for name, interval in first.intervals.items():
        assert -1 <= interval.low < first.runs[name] < interval.high <= 1


def test_resampling_runs_leaves_full_agreement_alone():
    people: Rows = {f"r{number}": (number / 10,) for number in range(6)}
    found = compare_scores(scores(people), scores(people), "score", n_samples=200)
    for name, interval in found.intervals.items():
        assert found.runs[name] == pytest.approx(1)
        assert (interval.low, interval.high) == (pytest.approx(1), pytest.approx(1))


def test_only_what_both_sides_scored_is_compared():
    judge: Rows = {run: (*values, 0.7) for run, values in {**JUDGE, "z": (0.0, 0.0)}.items()}
    found = compare_scores(scores({**PEOPLE, "y": (1.0, 1.0)}), scores(judge), "score")
    assert found.only_runs == (("y",), ("z",))
    assert found.only_topics == ((), ("t3",))
    assert found.runs == compare_scores(scores(PEOPLE), scores(JUDGE), "score").runs


def test_two_runs_are_refused():
    two = {run: values for run, values in JUDGE.items() if run != "c"}
    with pytest.raises(InputError, match=r"at least 3 runs .* there are 2 runs and 2 topics"):
        compare_scores(scores(PEOPLE), scores(two), "score")


def test_a_missing_score_is_not_zero():
    with pytest.raises(InputError, match="no score of run c on topic t2"):
        compare_scores(scores(PEOPLE), scores(JUDGE)[:-1], "score")


def test_both_sides_need_the_measure():
    with pytest.raises(UsageError, match="no measure 'support'; there are score"):
        compare_scores(scores(PEOPLE), scores(JUDGE), "support")


@pytest.mark.parametrize("measure", ["score", "contradictory_score"])
def test_means_are_as_scored_also_where_lower_is_better(measure):
    found = compare_scores(scores(PEOPLE, measure), scores(JUDGE, measure), measure)
    # a (.9 + .1) / 2, b (.6 + .35) / 2, c (.3 + .2) / 2 against 1.1 / 2, .7 / 2, .5 / 2
    assert found.means == ((0.5, 0.475, 0.25), (0.55, 0.35, 0.25))
