"""Runs compared: intervals, tests and what can be detected, by hand and against Student."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, t

from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.evaluation.scoring import table
from sidelight.evaluation.scoring.compare import compare_runs, topic_values
from tests.helpers.labels.toy import write_csv

scores = st.lists(st.floats(0, 1), min_size=3, max_size=20)


def interval(row, samples=2000, seed=0):
    (found,) = table.bootstrap_intervals(np.array([row]), samples=samples, seed=seed)
    return found


def p_value(row, samples=10_000, seed=0):
    (found,) = table.randomisation_tests(np.array([row], dtype=float), samples=samples, seed=seed)
    return found


def test_bootstrap_intervals_by_hand_and_as_student_has_them():
    # The lower tail is Phi(sqrt(3 / 2) * t(2, 0.025)) = Phi(1.2247 * -4.3027) = Phi(-5.27) < 1e-6,
    # so the ends are the least and largest of 2,000 means. Three topics are drawn: all 0 with
    # probability 8 / 27, all 1 with probability 1 / 27.
    assert interval([0.0, 0.0, 1.0]) == table.Interval(0.0, 1.0)
    assert interval([0.5]) is interval([0.0, 1.0]) is None
    row = np.random.default_rng(5).normal(0.5, 0.1, 30)
    half = t.ppf(0.975, 29) * row.std(ddof=1) / sqrt(30)
    found = interval(list(row), samples=20_000)
    assert found == pytest.approx((row.mean() - half, row.mean() + half), abs=0.005)


@given(
    st.integers(3, 20).flatmap(
        lambda n: st.lists(
            st.lists(st.floats(0, 1), min_size=n, max_size=n), min_size=2, max_size=3
        )
    )
)
def test_a_row_does_not_depend_on_the_others(rows):
    together = table.bootstrap_intervals(np.array(rows), samples=50, seed=3)
    assert together == [interval(row, samples=50, seed=3) for row in rows]


@given(scores)
def test_an_interval_lies_within_the_scores(row):
    low, high = interval(row, samples=200)
    assert min(row) - 1e-9 <= low <= high <= max(row) + 1e-9


def test_the_seed_decides_and_holm_by_hand():
    row = list(np.random.default_rng(1).uniform(size=10))
    assert interval(row, seed=1) == interval(row, seed=1)
    assert interval(row, seed=1) != interval(row, seed=2)
    differences = list(np.random.default_rng(1).normal(0.3, 1, 15))
    assert p_value(differences, seed=1) == p_value(differences, seed=1)
    assert p_value(differences, seed=1) != p_value(differences, seed=2)
    # 0.01 * 3 = 0.03; 0.03 * 2 = 0.06; 0.04 * 1 = 0.04, raised to 0.06
    assert table.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert table.holm([0.7, 0.6]) == [1.0, 1.0]


def test_differences_are_tested_exactly_or_sampled():
    for row, expected in [
        ([1, 1, 1], 2 / 8),  # only +++ and --- are as far from 0 as 3
        ([1, 1, 1, 0, 0], 2 / 8),  # topics without a difference do not matter
        ([3, 1], 2 / 4),  # sums 4, 2, -2, -4
        ([0.2, -0.1, 0.1, 0.1], 8 / 16),  # |0.3| or more: +++-, ++-+, +-++, ++++ and mirrored
        ([1, -1], 1.0),
        ([0, 0, 0], 1.0),
    ]:
        assert p_value(row, samples=10) == expected
    row = np.random.default_rng(2).normal(0.4, 1, 14)
    sums = [abs(np.dot(signs, row)) for signs in product((-1, 1), repeat=14)]
    exact = np.mean(np.array(sums) >= abs(row.sum()) - 1e-12)
    assert 0.05 < exact < 0.5
    assert p_value(list(row)) == pytest.approx(exact, abs=0.015)
    assert p_value([1.0] * 40, samples=99) == 1 / 100
    row = list(np.random.default_rng(3).normal(0.3, 1, 20))
    assert p_value(row) == p_value([-value for value in row])


def test_detectable_differences_by_hand():
    # s = sqrt(3.5) = 1.87083; t(5, 0.975) = 2.57058, t(5, 0.8) = 0.91954;
    # 3.49012 * 1.87083 / sqrt(6) = 2.66562
    row = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert table.minimum_detectable_difference(row) == pytest.approx(2.66562, abs=1e-4)
    assert (
        table.minimum_detectable_difference(row[:1])
        is table.minimum_detectable_difference(row[:2])
        is table.minimum_detectable_difference(0 * row)
        is None
    )
    row = np.random.default_rng(0).normal(0, 0.1, 9)
    # five topics: p is 2 / 32 = 0.0625 at least; six: 2 / 64 = 0.03125, but not for two pairs
    assert table.minimum_detectable_difference(row[:5]) is None
    assert table.minimum_detectable_difference(row[:6]) is not None
    assert table.minimum_detectable_difference(row[:6], 2) is None
    # nine topics: 2 / 512 = 0.0039, under 0.05 / 12 and over 0.05 / 13
    assert table.minimum_detectable_difference(row, 12) > table.minimum_detectable_difference(row)
    assert table.minimum_detectable_difference(row, 13) is None
    row = np.random.default_rng(4).normal(0, 0.1, 30)
    centrality = table.minimum_detectable_difference(row) / (row.std(ddof=1) / sqrt(30))
    critical = t.ppf(0.975, 29)
    power = nct.sf(critical, 29, centrality) + nct.cdf(-critical, 29, centrality)
    assert power == pytest.approx(0.8, abs=0.01)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_and_keeps_the_order(p_values):
    corrected = table.holm(p_values)
    assert all(before <= after <= 1 for before, after in zip(p_values, corrected, strict=True))
    pairs = sorted(zip(p_values, corrected, strict=True))
    assert [after for _, after in pairs] == sorted(corrected)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "skewed"])
def test_intervals_cover_the_true_mean(shape):
    generator = np.random.default_rng(11)
    if shape == "normal":
        mean, rows = 0.5, generator.normal(0.5, 0.15, (2000, 30))
    else:
        mean, rows = 2 / 7, generator.beta(2, 5, (2000, 30))
    intervals = table.bootstrap_intervals(rows, samples=10_000, seed=0)
    covered = np.mean([low <= mean <= high for low, high in intervals])
    assert covered == pytest.approx(0.95, abs=0.015)


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [11, 30])
def test_equal_runs_seldom_differ(n_topics):
    generator = np.random.default_rng(12)
    first, second = generator.beta(2, 5, (2, 2000, n_topics))
    p_values = table.randomisation_tests(first - second, samples=10_000, seed=0)
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.01)


HEADER = "run_tag,topic_id,supportive_score,contradictory_score"
ROWS = (
    *(("x", "a", 0.5, 0.0), ("x", "b", 0.5, 0.0), ("x", "c", 1.0, 0.25), ("y", "a", 0.25, 0.5)),
    *(("y", "b", 0.5, 0.0), ("y", "c", 0.0, 0.0), ("z", "a", 1.0, 0.0), ("z", "b", 1.0, 0.0)),
    ("z", "c", 1.0, 0.0),
)


def compare(path, *rows, measure=None, baseline=None):
    file = write_csv(path / "t.csv", HEADER, *rows)
    scores = topic_values(table.read_topic_scores(file), measure, file)
    return compare_runs(scores, baseline=baseline, samples=1000, seed=0)


def test_runs_are_compared_by_hand(tmp_path):
    (pair,) = compare(tmp_path, *ROWS[:6])
    assert (pair.first, pair.second) == ("x", "y")
    # differences 0.25, 0, 1: mean 1.25 / 3; sums of 0.25 and 1 with signs: 1.25, 0.75 and mirrored
    assert pair.difference == pytest.approx(1.25 / 3)
    assert pair.p_value == 0.5
    assert pair.p_holm == 0.5
    assert (pair.won, pair.lost, pair.tied) == (2, 0, 1)
    # three topics: from the least to the largest mean of three draws
    assert pair.interval == pytest.approx((0, 1))
    # no difference on three topics gives a p below 2 / 2^3
    assert pair.detectable is None
    pairs = compare(tmp_path, *ROWS)
    assert [(pair.first, pair.second) for pair in pairs] == [("z", "x"), ("z", "y"), ("x", "y")]
    assert all(pair.difference > 0 for pair in pairs)
    # z - x: 0.5, 0.5, 0: p 2 / 4; z - y: 0.75, 0.5, 1: p 2 / 8, times 3
    assert [pair.p_value for pair in pairs] == [0.5, 0.25, 0.5]
    assert [pair.p_holm for pair in pairs] == [1.0, 0.75, 1.0]
    pairs = compare(tmp_path, *ROWS, measure="contradictory_score", baseline="y")
    assert [(pair.first, pair.second) for pair in pairs] == [("z", "y"), ("x", "y")]
    # x - y: -0.5, 0, 0.25
    assert pairs[1].difference == pytest.approx(-0.25 / 3)
    assert (pairs[1].won, pairs[1].lost, pairs[1].tied) == (1, 1, 1)
    with pytest.raises(InputError, match="run y has no score for topic c"):
        compare(tmp_path, *ROWS[:5])
    per_run = write_csv(tmp_path / "r.csv", "run_tag,score", ("x", 0.5))
    with pytest.raises(InvalidFileError, match="csv-columns"):
        table.read_topic_scores(per_run)
    with pytest.raises(UsageError, match="it has supportive_score, contradictory_score"):
        compare(tmp_path, *ROWS, measure="score")
    with pytest.raises(UsageError, match="no run q"):
        compare(tmp_path, *ROWS, baseline="q")
    with pytest.raises(InputError, match="two runs"):
        compare(tmp_path, *ROWS[:3])
