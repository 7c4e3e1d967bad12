"""Coefficients of agreement: raw, kappas, AC1 and alpha for labels; tau-b, rho, tau_AP for ranks.

Labels. Every coefficient is computed from a confusion table: n_ij is the number of items that the
first side gave category i and the second side category j; n is their sum. All are undefined (None)
when nothing was compared. Higher is better.

- Raw agreement, p_o = (1 / n) * sum over k of n_kk, in [0, 1]. It rewards both sides for a common
  category: read it beside `cohen_kappa` and `gwet_ac1`.
- Chance-corrected agreement, A = (p_o - p_e) / (1 - p_e), where p_e is the agreement expected by
  chance, in which kappa and AC1 differ. 1 is full agreement, 0 what chance would give, below 0 is
  worse than chance. With p_e = 1 nothing is left to explain, and A is undefined: neither 0 nor 1
  would be true.
- Cohen's kappa, p_e = sum over k of p_k * q_k, with p_k, q_k the share of category k among the
  labels of the first and of the second side. Undefined, too, when both sides used one and the same
  category throughout. It drops where one category is much more common than the others; `gwet_ac1`
  does not. Source: Cohen, Educational and Psychological Measurement 20 (1960).
- Gwet's AC1, p_e = 1 / (K - 1) * sum over k of pi_k * (1 - pi_k), with K the categories of the
  scheme, used or not, and pi_k the mean of the two sides' shares of category k. p_e is at most
  1 / K, so it never reaches 1. Source: Gwet, British Journal of Mathematical and Statistical
  Psychology 61 (2008).
- Weighted kappa, 1 - n * sum over i, j of w_ij * n_ij / sum over i, j of w_ij * r_i * c_j, with
  w_ij = (i - j)^2 and r_i, c_j the numbers of labels i of the first and j of the second side: a
  label two steps away disagrees four times as much as a neighbour. For categories in order.
  Undefined where both sides used one and the same category throughout. Source: Cohen,
  Psychological Bulletin 70 (1968).
- Krippendorff's alpha, 1 - (2n - 1) * sum over i, j of d_ij * (n_ij + n_ji) / sum over i, j of
  d_ij * m_i * m_j, with m_i = r_i + c_i. Nominal: d_ij = 1 for i other than j. Ordinal, for
  categories in order: d_ij = (m_i / 2 + sum of the m between i and j + m_j / 2)^2. Undefined where
  both sides used one and the same category throughout. Source: Krippendorff, Content Analysis
  (2004), chapter 11.

Ranks. A correlation is computed for many bootstrap samples of the items at once, from how often
each sample holds each item; the correlation of the items themselves is that of the sample with each
item once. Sums are of small whole numbers until the last step, so they are exact in any order. All
are undefined (None) when either side is constant, as it is for a single item.

- Kendall's tau-b = (C - D) / sqrt((C + D + T_x) * (C + D + T_y)), with C, D the pairs of items that
  the two sides order alike and differently, and T_x, T_y the pairs tied on the first side only and
  on the second side only. Source: Kendall, Biometrika 33 (1945).
- Spearman's rho = cov(R_x, R_y) / (sd(R_x) * sd(R_y)), with R_x, R_y the ranks of the items on
  either side; tied items share the mean of their ranks. Minus the mean of all ranks, a rank is half
  of: items above it minus items below it. Source: Spearman, American Journal of Psychology 15
  (1904).
- AP correlation, tau_AP = 1 / |N| * sum over i in N of 1 / |A_i| * sum over j in A_i of
  sgn(r_j - r_i): like Kendall's tau, but a swap near the top costs more than one at the bottom. The
  items are ordered by the scores under test; A_i are the items that score strictly above item i
  there, N the items for which A_i is not empty, r the reference score. Source: Yilmaz, Aslam and
  Robertson, SIGIR 2008. Their formula, 2 / (n - 1) * sum over i > 1 of C(i) / (i - 1) - 1 with C(i)
  the items above rank i that belong there, is the same where nothing is tied. Items tied under test
  are compared with those above their whole group and not with each other, so that equal scores on
  both sides give 1 with ties, too. A pair tied in the reference counts half, as if either order
  were right.
- AP correlation where both sides may tie, tau_AP,b = (t(x, y) + t(y, x)) / 2, with t(x, y) =
  1 / |N| * sum over i in N of (2 * C_i / |A_i| - 1): symmetric, and a tie is never agreement. A_i
  are the items that score strictly above item i in x, N the items for which A_i is not empty, C_i
  those of A_i that score strictly above item i in y, too. Source: Urbano and Marrero, The Treatment
  of Ties in AP Correlation, ICTIR 2017. A judge that knows the best of n runs and ties all others
  has a tau_AP of 1, since ties under test are not compared there; here it is near 0. Equal scores
  on both sides give 1, with ties, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt


def chance_corrected(observed: float, expected: float) -> float | None:
    """Return the agreement beyond chance; None when chance alone would agree throughout."""
    return None if expected >= 1 else (observed - expected) / (1 - expected)


Confusion = npt.NDArray[np.int64]
"""`(K, K)`: a row for each category of the first side, a column for each of the second."""


def confusion_table(
    first: Sequence[Hashable], second: Sequence[Hashable], categories: Sequence[Hashable]
) -> Confusion:
    """Count two lists of labels of the same things.

    `first` and `second` are `(n,)`, in the same order. `categories` are all K of the scheme, used
    or not, in the order of the table.
    """
    place = {category: number for number, category in enumerate(categories)}
    table = np.zeros((len(place), len(place)), dtype=np.int64)
    for (left, right), count in Counter(zip(first, second, strict=True)).items():
        table[place[left], place[right]] = count
    return table


def cohen_kappa(table: Confusion) -> float | None:
    """Return Cohen's kappa, in [-1, 1]; None when it is undefined."""
    n = int(table.sum())
    if not n:
        return None
    # Counts are whole numbers, so that p_e = 1 is met exactly.
    by_chance = int(table.sum(axis=1) @ table.sum(axis=0))
    return chance_corrected(int(table.trace()) / n, by_chance / n**2)


def kappa_of_cell(table: Confusion, row: int, column: int) -> float | None:
    """Return kappa where the first side says `row` or not, and the second `column` or not."""
    both = int(table[row, column])
    first, second = int(table[row].sum()) - both, int(table[:, column].sum()) - both
    neither = int(table.sum()) - both - first - second
    return cohen_kappa(np.array([[both, first], [second, neither]]))


def raw_agreement(table: Confusion) -> float | None:
    """Return the share of equal labels; None when nothing was compared."""
    n = int(table.sum())
    return int(np.trace(table)) / n if n else None


def gwet_ac1(table: Confusion) -> float | None:
    """Return Gwet's AC1, in [-1, 1]; None when nothing was compared, or there is one category.

    `table` is `(K, K)` over all K categories of the scheme, used or not.
    """
    observed = raw_agreement(table)
    if observed is None or len(table) < 2:
        return None
    shares = (table.sum(axis=1) + table.sum(axis=0)) / (2 * table.sum())
    return chance_corrected(observed, float(np.sum(shares * (1 - shares))) / (len(table) - 1))


def weighted_kappa(table: Confusion) -> float | None:
    """Return kappa with squared weights, in [-1, 1], for categories in order; None if undefined."""
    steps = np.arange(len(table))
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    return _beyond_chance((steps[:, None] - steps) ** 2, table * table.sum(), by_chance)


def nominal_alpha(table: Confusion) -> float | None:
    """Return Krippendorff's alpha of two sides, at most 1; None where it is undefined."""
    return _alpha(table, 1 - np.eye(len(table)))


def ordinal_alpha(table: Confusion) -> float | None:
    """Return Krippendorff's alpha for categories in order, at most 1; None where undefined."""
    given = table.sum(axis=0) + table.sum(axis=1)
    middles = given.cumsum() - given / 2
    return _alpha(table, (middles[:, None] - middles) ** 2)


def _alpha(table: Confusion, distances: npt.NDArray[np.float64]) -> float | None:
    both = table + table.T
    given = both.sum(axis=1)
    return _beyond_chance(distances, both * (both.sum() - 1), np.outer(given, given))


def _beyond_chance(
    distances: npt.NDArray[Any], observed: npt.NDArray[Any], by_chance: npt.NDArray[Any]
) -> float | None:
    expected = float((distances * by_chance).sum())
    return 1 - float((distances * observed).sum()) / expected if expected else None


Scores = npt.NDArray[np.float64]
"""`(n,)`: one score for each item; higher comes first."""

Counts = npt.NDArray[np.int64]
"""`(n_samples, n)`: how often each sample holds each item."""

Correlations = npt.NDArray[np.float64]
"""`(n_samples,)`: NaN where a side is constant in the sample."""


def pair_signs(scores: Scores) -> npt.NDArray[np.float64]:
    """Return `(n, n)`: 1 where the item of the row scores higher, -1 where that of the column."""
    column = np.asarray(scores, dtype=np.float64)[:, np.newaxis]
    return np.sign(column - column.T)


def once_each(
    resampled: Callable[[Scores, Scores, Counts], Correlations], first: Scores, second: Scores
) -> float | None:
    """Return the correlation of the items themselves; None when a side is constant."""
    value = float(resampled(first, second, np.ones((1, len(first)), dtype=np.int64))[0])
    return None if isnan(value) else value


def kendall(first: Scores, second: Scores) -> float | None:
    """Return tau-b, in [-1, 1], symmetric; None when a side is constant."""
    return once_each(resampled_kendall, first, second)


def resampled_kendall(first: Scores, second: Scores, counts: Counts) -> Correlations:
    """Return tau-b of every sample of the items."""
    one, other = pair_signs(first), pair_signs(second)
    agreement, untied, other_untied = (
        # Over all pairs of the items that a sample holds; each pair twice, which cancels out.
        np.sum((counts @ signs) * counts, axis=1)
        for signs in (one * other, one**2, other**2)
    )
    with np.errstate(invalid="ignore"):
        taus: Correlations = agreement / np.sqrt(untied * other_untied)
    return taus


def spearman(first: Scores, second: Scores) -> float | None:
    """Return rho, in [-1, 1], symmetric; None when a side is constant."""
    return once_each(resampled_spearman, first, second)


def resampled_spearman(first: Scores, second: Scores, counts: Counts) -> Correlations:
    """Return rho of every sample of the items."""
    one, other = counts @ pair_signs(first), counts @ pair_signs(second)
    covariance, variance, other_variance = (
        np.sum(counts * products, axis=1) for products in (one * other, one**2, other**2)
    )
    with np.errstate(invalid="ignore"):
        rhos: Correlations = covariance / np.sqrt(variance * other_variance)
    return rhos


def resampled_tau_ap(reference: Scores, scores: Scores, counts: Counts) -> Correlations:
    """Return tau_AP of every sample of the items, in [-1, 1], not symmetric.

    `reference` says what the order should be; the order of `scores` is tested.
    """
    order = pair_signs(reference)
    above = pair_signs(scores) > 0  # the item of the row is above that of the column
    n_above = counts @ above
    means = (counts @ (above * order)) / np.maximum(n_above, 1)
    n_compared = np.where(n_above > 0, counts, 0)
    varied = np.any((counts @ np.abs(order)) * counts > 0, axis=1)
    with np.errstate(invalid="ignore"):
        taus = np.sum(n_compared * means, axis=1) / np.sum(n_compared, axis=1)
    return np.where(varied, taus, np.nan)


def resampled_tau_ap_b(first: Scores, second: Scores, counts: Counts) -> Correlations:
    """Return tau_AP,b of every sample of the items, in [-1, 1], symmetric."""
    # The item of the row is above that of the column.
    one, other = pair_signs(first) > 0, pair_signs(second) > 0
    return (_directed(one, one & other, counts) + _directed(other, one & other, counts)) / 2


def _directed(
    above: npt.NDArray[np.bool_], concordant: npt.NDArray[np.bool_], counts: Counts
) -> Correlations:
    n_above = counts @ above
    shares = (counts @ concordant) / np.maximum(n_above, 1)
    n_compared = np.where(n_above > 0, counts, 0)
    with np.errstate(invalid="ignore"):
        taus: Correlations = np.sum(n_compared * (2 * shares - 1), axis=1) / np.sum(
            n_compared, axis=1
        )
    return taus
