"""Coefficients by hand, beside independent implementations, and scores of two sides compared."""

from fractions import Fraction
from functools import partial
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement import coefficients
from sidelight.evaluation.agreement.qrels import PairOrder, pair_order
from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.scoring.table import TopicScore

vectors = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=8).map(
    lambda pairs: tuple(np.array(pairs, dtype=float).T)
)


def sampled(first, second, correlate):
    """Return what a correlation is of each of five samples of the items, drawn one by one."""
    draws = np.random.default_rng(0).integers(len(first), size=(5, len(first)))
    counts = np.array([np.bincount(draw, minlength=len(first)) for draw in draws])
    values = [correlate(first[draw], second[draw]) for draw in draws]
    return counts, np.array([np.nan if value is None else value for value in values])


@st.composite
def _tables(draw):
    k = draw(st.integers(2, 4))
    cells = draw(st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k))
    return np.array(cells, dtype=np.int64).reshape(k, k)


tables = _tables()


def as_labels(table):
    """Return the two lists of labels that a table counts."""
    pairs = [place for place, count in np.ndenumerate(table) for _ in range(count)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


NOTHING = np.zeros((2, 2), dtype=np.int64)
ONE_CATEGORY = np.array([[7, 0], [0, 0]])
SKEWED = np.array([[90, 5], [5, 0]])


def test_kappa_and_ac1_by_hand():
    for table, kappa in [
        # p_o = 35 / 50; p_e = (25 * 30 + 25 * 20) / 50^2 = 0.5; (0.7 - 0.5) / 0.5
        ([[20, 5], [10, 15]], 0.4),
        # p_o = 0; p_e = (1 * 1 + 1 * 1) / 4 = 0.5; (0 - 0.5) / 0.5
        ([[0, 1], [1, 0]], -1),
        # p_o = 0 and p_e = 0: nothing was expected, and nothing was found
        ([[0, 7], [0, 0]], 0),
        # p_o = 0.9; p_e = 0.95^2 + 0.05^2 = 0.905
        *((SKEWED, -0.005 / 0.095), (ONE_CATEGORY, None), (NOTHING, None)),
    ]:
        assert coefficients.cohen_kappa(np.array(table)) == pytest.approx(kappa)
    for table, ac1 in [
        # pi = (0.95, 0.05); p_e = 2 * 0.95 * 0.05 / (2 - 1) = 0.095; (0.9 - 0.095) / 0.905
        (SKEWED, 0.805 / 0.905),
        # categories nobody used count: p_e = 0.095 / (3 - 1) = 0.0475
        (np.pad(SKEWED, (0, 1)), 0.8525 / 0.9525),
        (ONE_CATEGORY, 1),  # p_o = 1, p_e = 0
        (NOTHING, None),
    ]:
        assert coefficients.gwet_ac1(table) == pytest.approx(ac1)


@given(tables)
@pytest.mark.parametrize(
    ("coefficient", "weights"),
    [(coefficients.cohen_kappa, None), (coefficients.weighted_kappa, "quadratic")],
)
def test_kappa_as_scikit_learn_has_it(coefficient, weights, table):
    kappa = coefficient(table)
    assert kappa == coefficient(table.T)
    assert kappa is None or -1 <= kappa <= 1
    first, second = as_labels(table)
    if kappa is None:
        assert len({*first, *second}) <= 1
    else:
        labels = list(range(len(table)))
        theirs = cohen_kappa_score(first, second, labels=labels, weights=weights)
        assert kappa == pytest.approx(theirs, abs=1e-12)


def test_weighted_kappa_and_alpha_by_hand():
    # Two of three grades are equal, the third is two steps off. Weighted kappa: 1 - 3 * 4 / 20.
    # Grades given by both: 2, 3, 0 and 1. Ordinal alpha: (3 / 2 + 0 + 1 / 2)^2 = 4 apart, twice,
    # and 2 * (6 * 2.5^2 + 2 * 4.5^2 + 3 * 2^2) = 180 by chance: 1 - 5 * 8 / 180.
    graded = coefficients.confusion_table((1, 1, 0), (3, 1, 0), range(4))
    assert coefficients.weighted_kappa(graded) == pytest.approx(0.4)
    assert coefficients.ordinal_alpha(graded) == pytest.approx(7 / 9)
    # The nominal one goes by equal grades alone, whatever lies between: 36 - 4 - 9 - 1 by chance.
    assert coefficients.nominal_alpha(graded) == pytest.approx(1 - 5 * 2 / 22)
    # The examples of two observers in Krippendorff, Computing Alpha-Reliability (2011).
    nominal = coefficients.confusion_table("aabbdcccedda", "babbbccceddd", "abcde")
    assert coefficients.nominal_alpha(nominal) == pytest.approx(0.692, abs=5e-4)
    binary = coefficients.confusion_table("0100000010", "1110010000", "01")
    for alpha in (coefficients.nominal_alpha, coefficients.ordinal_alpha):
        assert alpha(binary) == pytest.approx(0.095, abs=5e-4)
        assert alpha(ONE_CATEGORY) is alpha(NOTHING) is None
    assert coefficients.weighted_kappa(NOTHING) is None


@given(tables)
def test_ac1_as_a_second_implementation_has_it(table):
    first, second = as_labels(table)
    if not first:
        assert coefficients.raw_agreement(table) is None
        return
    k, n = len(table), len(first)
    observed = Fraction(sum(one == other for one, other in zip(first, second, strict=True)), n)
    assert coefficients.raw_agreement(table) == pytest.approx(float(observed))
    expected = Fraction(0)
    for category in range(k):
        pi = Fraction(first.count(category) + second.count(category), 2 * n)
        expected += pi * (1 - pi) / (k - 1)
    ac1 = coefficients.gwet_ac1(table)
    assert ac1 == pytest.approx(float((observed - expected) / (1 - expected)), abs=1e-12)
    assert -1 <= ac1 <= 1


REFERENCE = np.array([4.0, 3, 2, 1])
TOP_SWAPPED, BOTTOM_SWAPPED = np.array([3.0, 4, 2, 1]), np.array([4.0, 3, 1, 2])
CONSTANT, FALLING = np.array([1.0, 1, 1]), np.array([3.0, 2, 1])
tau_ap = partial(coefficients.once_each, coefficients.resampled_tau_ap)
tau_ap_b = partial(coefficients.once_each, coefficients.resampled_tau_ap_b)
every_correlation = pytest.mark.parametrize(
    ("correlate", "resampled"),
    [
        (coefficients.kendall, coefficients.resampled_kendall),
        (coefficients.spearman, coefficients.resampled_spearman),
        (tau_ap, coefficients.resampled_tau_ap),
        (tau_ap_b, coefficients.resampled_tau_ap_b),
    ],
    ids=("tau_b", "spearman", "tau_ap", "tau_ap_b"),
)


@every_correlation
def test_undefined_when_a_side_is_constant(correlate, resampled):
    assert correlate(CONSTANT, FALLING) is None
    assert correlate(FALLING, CONSTANT) is None
    assert np.isnan(resampled(CONSTANT, FALLING, np.ones((1, 3), dtype=np.int64))).all()


@every_correlation
@given(vectors)
def test_of_samples_as_of_the_items_they_hold(correlate, resampled, case):
    first, second = case
    counts, expected = sampled(first, second, correlate)
    found = resampled(first, second, counts)
    assert found == pytest.approx(expected, nan_ok=True)


def test_correlations_by_hand():
    for correlate, first, second, expected in [
        # 6 pairs, one reversed: (5 - 1) / 6
        (coefficients.kendall, REFERENCE, TOP_SWAPPED, 4 / 6),
        # ab is tied on the first side, ac and bc are concordant: 2 / sqrt((2 + 1) * 2)
        (coefficients.kendall, [2.0, 2, 1], FALLING, 2 / sqrt(6)),
        # without ties 1 - 6 * sum of d^2 / (n * (n^2 - 1)) = 1 - 6 * (1 + 1) / (4 * 15)
        (coefficients.spearman, REFERENCE, TOP_SWAPPED, 0.8),
        # a swap at the top costs more: of what stands above ranks 2, 3, 4 it stands there rightly
        # 0 of 1, 2 of 2, 3 of 3, so that it is 2 / 3 * (0 + 1 + 1) - 1
        (tau_ap, REFERENCE, TOP_SWAPPED, 1 / 3),
        # 1 of 1, 2 of 2, 2 of 3: 2 / 3 * (1 + 1 + 2 / 3) - 1
        (tau_ap, REFERENCE, BOTTOM_SWAPPED, 7 / 9),
        # tied under test are not compared: c and d have a and b above them, rightly: (1 + 1) / 2
        (tau_ap, REFERENCE, [2.0, 2, 1, 1], 1),
        # a tie in the reference counts half. b: 0; c: a and b rightly above it, 1: (0 + 1) / 2
        (tau_ap, [2.0, 2, 1], FALLING, 0.5),
        # equal scores agree with ties, too
        (tau_ap_b, [3.0, 2, 2, 1], [3.0, 2, 2, 1], 1),
    ]:
        assert correlate(np.array(first), np.array(second)) == pytest.approx(expected)
    people, judge = np.arange(26.0), np.zeros(26)
    judge[25] = 1
    assert tau_ap(people, judge) == 1
    # Judge's order: the 25 others have the best above them, rightly: 1. People's order: of the i
    # runs above rank i + 1, the best alone is above it for the judge: 2 / 25 * H(25) - 1.
    harmonic = sum(1 / place for place in range(1, 26))
    assert tau_ap_b(people, judge) == pytest.approx((1 + 2 / 25 * harmonic - 1) / 2)
    assert tau_ap_b(people, judge) < 0.16
    # Figures of the tests of the R package ircor, by the coefficient's authors, in tenths.
    for first, second, published in [
        ([9, 4, 9, 9, 7, 1, 2, 4, 5, 10], [8, 4, 8, 10, 7, 1, 4, 5, 6, 10], 0.7321),
        ([3, 6, 2, 9, 6, 2, 7, 8, 7, 4], [3, 8, 7, 9, 1, 1, 5, 6, 10, 6], 0.297),
        ([2, 6, 9, 1, 5, 6, 8, 4, 10, 4], [8, 3, 3, 9, 6, 3, 2, 9, 0, 2], -0.7047),
    ]:
        assert tau_ap_b(np.array(first), np.array(second)) == pytest.approx(published, abs=5e-5)


@given(vectors)
def test_kendall_as_scipy_has_it(case):
    tau = coefficients.kendall(*case)
    expected = kendalltau(*case, variant="b", method="asymptotic").statistic
    assert expected == pytest.approx(np.nan if tau is None else tau, nan_ok=True)


@given(vectors)
def test_spearman_as_the_correlation_of_mean_ranks(case):
    first, second = case
    rho = coefficients.spearman(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert rho is None
        return
    ranks = [
        [np.sum(side < score) + (np.sum(side == score) + 1) / 2 for score in side]
        for side in (first, second)
    ]
    assert rho == pytest.approx(np.corrcoef(ranks)[0, 1])


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_tau_ap_as_published_where_nothing_is_tied(reference, scores):
    order = sorted(range(6), key=lambda item: -scores[item])
    total = sum(
        sum(reference[above] > reference[item] for above in order[:rank]) / rank
        for rank, item in enumerate(order)
        if rank
    )
    expected = 2 / (6 - 1) * total - 1
    assert tau_ap(np.array(reference, float), np.array(scores, float)) == pytest.approx(expected)


@given(vectors)
def test_tau_ap_is_bounded_and_one_for_equal_scores_and_its_mean_symmetric(case):
    first, second = case
    for value in (tau_ap(first, second), tau_ap_b(first, second)):
        assert value is None or -1 <= value <= 1
    assert tau_ap_b(first, second) == tau_ap_b(second, first)
    if len(set(first)) > 1:
        assert tau_ap(first, first) == 1
        assert tau_ap(first, -first) == -1


GRADES = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), max_size=12)


def test_pairs_by_hand():
    # pairs of (2, 3), (1, 1), (1, 0), (0, 2): alike 12, 13, 14; tied on the first side 23;
    # reversed 24, 34
    order = pair_order([2, 1, 1, 0], [3, 1, 0, 2])
    assert order == PairOrder(3, 1, 2)
    added = order + PairOrder(1, 1, 0)
    assert added.shares == {"concordant": 0.5, "tied": 0.25, "reversed": 0.25}
    for nothing in (pair_order([1, 1, 1], [0, 1, 2]), pair_order([2], [1]), PairOrder()):
        assert nothing.shares is None


@given(GRADES)
def test_pairs_as_going_through_them(pairs):
    products = [(a[0] - b[0]) * (a[1] - b[1]) for a, b in combinations(pairs, 2)]
    assert pair_order([pair[0] for pair in pairs], [pair[1] for pair in pairs]) == PairOrder(
        concordant=sum(product > 0 for product in products),
        tied=sum(product == 0 for product in products),
        reversed=sum(product < 0 for product in products),
    )


PEOPLE = {"a": (0.9, 0.1), "b": (0.6, 0.35), "c": (0.3, 0.2)}
JUDGE = {"a": (0.8, 0.3), "b": (0.5, 0.2), "c": (0.4, 0.1)}


def scores(rows, measure="score"):
    """Return scores from run tag -> one score for each topic t1, t2, ..."""
    return [
        TopicScore(run_tag, f"t{number}", {measure: value})
        for run_tag, values in rows.items()
        for number, value in enumerate(values, 1)
    ]


def test_all_levels_and_correlations_by_hand():
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
    people = {"a": (4,), "b": (3,), "c": (2,), "d": (1,)}
    judge = {"a": (1,), "b": (4,), "c": (3,), "d": (2,)}
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
    people = {"a": (1,), "b": (2,), "c": (3,), "d": (4,)}
    judge = {"a": (2,), "b": (1,), "c": (3,), "d": (4,)}
    for measure, tau in (("contradictory_score", 1 / 3), ("supportive_score", 7 / 9)):
        # a and b are swapped: the top two for contradictions (0 + 1 + 1), else the last two
        # (1 + 1 + 2 / 3); 2 / 3 of that - 1
        found = compare_scores(scores(people, measure), scores(judge, measure), measure)
        assert found.runs["tau_ap"] == pytest.approx(tau)
        assert found.runs["tau_b"] == pytest.approx(2 / 3)
    third = 1 / 3
    people = {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.2, 0.1), "c": (third, third, third)}
    judge = {"a": (0.9,) * 3, "b": (0.5,) * 3, "c": (0.5,) * 3}
    found = compare_scores(scores(people), scores(judge), "score")
    assert found.ties == ((("a", "b"),), (("b", "c"),))
    # ab is tied by people, bc by the judge, ac is reversed: -1 / sqrt(2 * 2)
    assert found.runs["tau_b"] == pytest.approx(-1 / sqrt(4))


def test_a_side_that_scores_all_runs_alike_is_undefined_and_not_zero():
    constant = {"a": (0.5, 0.3), "b": (0.5, 0.2), "c": (0.5, 0.1)}
    found = compare_scores(scores(PEOPLE), scores(constant), "score")
    topics = found.topics["tau_b"]
    assert topics.undefined == ("t1",)
    # t2 alone: b, c, a against a, b, c
    assert topics.mean == topics.low == topics.high == pytest.approx(-1 / 3)
    constant = dict.fromkeys("abc", (0.5, 0.5))
    found = compare_scores(scores(PEOPLE), scores(constant), "score", n_samples=100)
    assert set(found.runs.values()) == set(found.pairs.values()) == {None}
    assert found.topics["spearman"].mean is None
    interval = found.intervals["spearman"]
    assert (interval.low, interval.high, interval.n_undefined) == (None, None, 100)


def test_intervals_come_from_the_seed_and_hold_the_value():
    people = {f"r{number:02}": (number / 20,) for number in range(20)}
    judge = {f"r{number:02}": ((number * 7 % 20 + 3 * number) / 80,) for number in range(20)}
    first = compare_scores(scores(people), scores(judge), "score", n_samples=200, seed=1)
    again = compare_scores(scores(people), scores(judge), "score", n_samples=200, seed=1)
    other = compare_scores(scores(people), scores(judge), "score", n_samples=200, seed=2)
    assert first == again
    assert first.intervals != other.intervals
    for name, interval in first.intervals.items():
        assert -1 <= interval.low < first.runs[name] < interval.high <= 1
    people = {f"r{number}": (number / 10,) for number in range(6)}
    found = compare_scores(scores(people), scores(people), "score", n_samples=200)
    for name, interval in found.intervals.items():
        assert found.runs[name] == pytest.approx(1)
        assert (interval.low, interval.high) == (pytest.approx(1), pytest.approx(1))


def test_only_what_both_sides_scored_is_compared():
    judge = {run: (*values, 0.7) for run, values in {**JUDGE, "z": (0.0, 0.0)}.items()}
    found = compare_scores(scores({**PEOPLE, "y": (1.0, 1.0)}), scores(judge), "score")
    assert found.only_runs == (("y",), ("z",))
    assert found.only_topics == ((), ("t3",))
    assert found.runs == compare_scores(scores(PEOPLE), scores(JUDGE), "score").runs
    one = {"a": JUDGE["a"]}
    with pytest.raises(InputError, match=r"at least 3 runs .* found 1 run and 2 topics"):
        compare_scores(scores(PEOPLE), scores(one), "score")
    with pytest.raises(InputError, match="no score of run c on topic t2"):
        compare_scores(scores(PEOPLE), scores(JUDGE)[:-1], "score")
    with pytest.raises(UsageError, match="no measure 'support' on one side; it has score"):
        compare_scores(scores(PEOPLE), scores(JUDGE), "support")
    for measure in ["score", "contradictory_score"]:
        found = compare_scores(scores(PEOPLE, measure), scores(JUDGE, measure), measure)
        # a (.9 + .1) / 2, b (.6 + .35) / 2, c (.3 + .2) / 2 against 1.1 / 2, .7 / 2, .5 / 2
        assert found.means == ((0.5, 0.475, 0.25), (0.55, 0.35, 0.25))
