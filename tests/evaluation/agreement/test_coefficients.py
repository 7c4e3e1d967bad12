"""Coefficients by hand, beside independent implementations, and what must hold of any."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score

from sidelight.evaluation.agreement.coefficients import (
    chance_corrected,
    cohen_kappa,
    expected_agreement,
    gwet_ac1,
    kendall,
    raw_agreement,
    resampled_kendall,
    resampled_spearman,
    resampled_tau_ap,
    resampled_tau_ap_b,
    spearman,
    tau_ap,
    tau_ap_b,
)
from sidelight.evaluation.agreement.qrels import PairOrder, pair_order
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
from sidelight.tracks import load_track
from tests.helpers.labels.agreement_tables import as_labels, tables
from tests.helpers.labels.score_vectors import sampled, vectors

SCALES = load_track().scales
NOTHING = np.zeros((2, 2), dtype=np.int64)
ONE_CATEGORY = np.array([[7, 0], [0, 0]])
SKEWED = np.array([[90, 5], [5, 0]])


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        # p_o = 35 / 50; p_e = (25 * 30 + 25 * 20) / 50^2 = 0.5; (0.7 - 0.5) / 0.5
        ([[20, 5], [10, 15]], 0.4),
        # p_o = 0; p_e = (1 * 1 + 1 * 1) / 4 = 0.5; (0 - 0.5) / 0.5
        ([[0, 1], [1, 0]], -1),
        # p_o = 0 and p_e = 0: nothing was expected, and nothing was found
        ([[0, 7], [0, 0]], 0),
        # p_o = 0.9; p_e = 0.95^2 + 0.05^2 = 0.905
        (SKEWED, -0.005 / 0.095),
        (ONE_CATEGORY, None),
        (NOTHING, None),
    ],
)
def test_kappa_by_hand(table, kappa):
    assert cohen_kappa(np.array(table)) == pytest.approx(kappa)


@pytest.mark.parametrize(
    ("table", "ac1"),
    [
        # pi = (0.95, 0.05); p_e = 2 * 0.95 * 0.05 / (2 - 1) = 0.095; (0.9 - 0.095) / 0.905
        (SKEWED, 0.805 / 0.905),
        # categories nobody used count: p_e = 0.095 / (3 - 1) = 0.0475
        (np.pad(SKEWED, (0, 1)), 0.8525 / 0.9525),
        (ONE_CATEGORY, 1),  # p_o = 1, p_e = 0
        (NOTHING, None),
    ],
)
def test_ac1_by_hand(table, ac1):
    assert gwet_ac1(table) == pytest.approx(ac1)


@given(tables)
def test_kappa_as_scikit_learn_has_it(table):
    kappa = cohen_kappa(table)
    assert kappa == cohen_kappa(table.T)
    assert kappa is None or -1 <= kappa <= 1
    first, second = as_labels(table)
    if kappa is None:
        assert len({*first, *second}) <= 1
    else:
        labels = list(range(len(table)))
        assert kappa == pytest.approx(cohen_kappa_score(first, second, labels=labels), abs=1e-12)


@given(tables)
def test_ac1_as_a_second_implementation_has_it(table):
    first, second = as_labels(table)
    if not first:
        assert raw_agreement(table) is None
        return
    k, n = len(table), len(first)
    observed = Fraction(sum(one == other for one, other in zip(first, second, strict=True)), n)
    assert raw_agreement(table) == pytest.approx(float(observed))
    expected = Fraction(0)
    for category in range(k):
        pi = Fraction(first.count(category) + second.count(category), 2 * n)
        expected += pi * (1 - pi) / (k - 1)
    ac1 = gwet_ac1(table)
    assert ac1 == pytest.approx(float((observed - expected) / (1 - expected)), abs=1e-12)
    assert -1 <= ac1 <= 1


def test_published_question_agreement_is_consistent():
    # DRAGUN resources paper, table 2: 8.7% very-similar, 12.9% similar, 78.4% of no credit; taken
    # for the judge's shares, too, which are not public. Section 4: raw 82.1%, AC1 .785.
    expected = expected_agreement([0.087, 0.129, 0.784])
    # (0.087 * 0.913 + 0.129 * 0.871 + 0.784 * 0.216) / 2 = 0.3612 / 2
    assert expected == pytest.approx(0.1806, abs=1e-4)
    assert chance_corrected(0.821, expected) == pytest.approx(0.782, abs=5e-4)


def test_published_answer_agreement_is_consistent(shared_data):
    # People, table 2: supports 5.0%, partial 7.8%, contradicts 0.8%, none 86.4%. The judge: its
    # published labels. Section 4: raw 86.7%, AC1 .85.
    people = {"supports": 0.050, "partial": 0.078, "contradicts": 0.008, "none": 0.864}
    path = shared_data / "dragun-2025" / "autojudge" / "auto_report_assessments.csv"
    labels = read_assessments(path, ANSWER_ASSESSMENTS, SCALES)
    judge = Counter(item.label for item in labels)
    shares = [(people[label] + judge[label] / len(labels)) / 2 for label in SCALES["answers"].names]
    assert chance_corrected(0.867, expected_agreement(shares)) == pytest.approx(0.854, abs=5e-4)


REFERENCE = np.array([4.0, 3, 2, 1])
TOP_SWAPPED, BOTTOM_SWAPPED = np.array([3.0, 4, 2, 1]), np.array([4.0, 3, 1, 2])
CONSTANT, FALLING = np.array([1.0, 1, 1]), np.array([3.0, 2, 1])
RESAMPLED = {
    kendall: resampled_kendall,
    spearman: resampled_spearman,
    tau_ap: resampled_tau_ap,
    tau_ap_b: resampled_tau_ap_b,
}
every_correlation = pytest.mark.parametrize(
    "correlate", RESAMPLED, ids=lambda correlate: correlate.__name__
)


@every_correlation
def test_undefined_when_a_side_is_constant(correlate):
    assert correlate(CONSTANT, FALLING) is None
    assert correlate(FALLING, CONSTANT) is None


@every_correlation
@given(vectors)
def test_of_samples_as_of_the_items_they_hold(correlate, case):
    first, second = case
    counts, expected = sampled(first, second, correlate)
    found = RESAMPLED[correlate](first, second, counts)
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("correlate", "first", "second", "expected"),
    [
        # 6 pairs, one reversed: (5 - 1) / 6
        (kendall, REFERENCE, TOP_SWAPPED, 4 / 6),
        (kendall, REFERENCE, BOTTOM_SWAPPED, 4 / 6),
        # ab is tied on the first side, ac and bc are concordant: 2 / sqrt((2 + 1) * 2)
        (kendall, [2.0, 2, 1], FALLING, 2 / sqrt(6)),
        # without ties 1 - 6 * sum of d^2 / (n * (n^2 - 1)) = 1 - 6 * (1 + 1) / (4 * 15)
        (spearman, REFERENCE, TOP_SWAPPED, 0.8),
        # a swap at the top costs more: of what stands above ranks 2, 3, 4 it stands there rightly
        # 0 of 1, 2 of 2, 3 of 3, so that it is 2 / 3 * (0 + 1 + 1) - 1
        (tau_ap, REFERENCE, TOP_SWAPPED, 1 / 3),
        # 1 of 1, 2 of 2, 2 of 3: 2 / 3 * (1 + 1 + 2 / 3) - 1
        (tau_ap, REFERENCE, BOTTOM_SWAPPED, 7 / 9),
        # order c, d, a, b. d: c rightly above, +1; a: c and d wrongly, -1; b: c and d wrongly, a
        # rightly, (-1 - 1 + 1) / 3: (1 - 1 - 1 / 3) / 3
        (tau_ap, REFERENCE, [2.0, 1, 4, 3], -1 / 9),
        # order b, c, d, a. c: +1; d: +1; a: -1: 1 / 3
        (tau_ap, REFERENCE, [1.0, 4, 3, 2], 1 / 3),
        # and the other way, order a, b, c, d. b: -1; c: (-1 + 1) / 2; d: (-1 + 1 + 1) / 3: -2 / 9
        (tau_ap, [1.0, 4, 3, 2], REFERENCE, -2 / 9),
        # tied under test are not compared: c and d have a and b above them, rightly: (1 + 1) / 2
        (tau_ap, REFERENCE, [2.0, 2, 1, 1], 1),
        # a tie in the reference counts half. b: 0; c: a and b rightly above it, 1: (0 + 1) / 2
        (tau_ap, [2.0, 2, 1], FALLING, 0.5),
        # equal scores agree with ties, too
        (tau_ap_b, [3.0, 2, 2, 1], [3.0, 2, 2, 1], 1),
    ],
)
def test_correlations_by_hand(correlate, first, second, expected):
    assert correlate(np.array(first), np.array(second)) == pytest.approx(expected)


@given(vectors)
def test_kendall_as_scipy_has_it(case):
    tau = kendall(*case)
    expected = kendalltau(*case, variant="b", method="asymptotic").statistic
    assert expected == pytest.approx(np.nan if tau is None else tau, nan_ok=True)


@given(vectors)
def test_spearman_as_the_correlation_of_mean_ranks(case):
    first, second = case
    rho = spearman(first, second)
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


def test_a_judge_that_only_knows_the_best_of_26_knows_little():
    people, judge = np.arange(26.0), np.zeros(26)
    judge[25] = 1
    assert tau_ap(people, judge) == 1
    # Judge's order: the 25 others have the best above them, rightly: 1. People's order: of the i
    # runs above rank i + 1, the best alone is above it for the judge: 2 / 25 * H(25) - 1.
    harmonic = sum(1 / place for place in range(1, 26))
    assert tau_ap_b(people, judge) == pytest.approx((1 + 2 / 25 * harmonic - 1) / 2)
    assert tau_ap_b(people, judge) < 0.16


@pytest.mark.parametrize(
    ("first", "second", "published"),
    [  # figures of the tests of the R package ircor, by the coefficient's authors
        (
            [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
            [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
            0.7321,
        ),
        (
            [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
            [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
            0.297,
        ),
        (
            [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
            [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
            -0.7047,
        ),
    ],
)
def test_tau_ap_b_as_published(first, second, published):
    assert tau_ap_b(np.array(first), np.array(second)) == pytest.approx(published, abs=5e-5)


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
