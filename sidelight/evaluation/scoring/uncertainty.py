"""Bootstrap confidence intervals and tests for a mean over topics or a difference of two means.

Topics are resampled: the question is what another sample of topics would have given. All random
numbers come from one seeded generator, so the same scores give the same figures, and the result for
one row of scores does not depend on the other rows.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.evaluation.scoring.table import ScoreTable

    Matrix = npt.NDArray[np.float64]

CONFIDENCE = 0.95
POWER = 0.8
MIN_TOPICS = 3
FEW = 10
"""Below so many topics or runs, intervals cover less than they say and are to be warned about."""
_MAX_EXACT = 12
# Sums of the same numbers in another order may differ in the last digits.
_TIE = 1e-12


class Interval(NamedTuple):
    """A 95% confidence interval."""

    low: float
    high: float


def bootstrap_intervals(scores: Matrix, *, samples: int, seed: int) -> list[Interval | None]:
    """Return the 95% percentile bootstrap interval of each row's mean over topics.

    With few topics the plain percentile interval is too narrow (for 30 it covers less than 94%),
    so the percentiles are moved out to Phi(sqrt(n / (n - 1)) * t), where t is the quantile of
    Student's t with n - 1 degrees of freedom at 2.5% and 97.5% (the expanded percentile interval:
    Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69(4),
    2015). The same resampled topics serve all rows.

    Args:
        scores: One row for each run (or pair of runs), one column for each topic.
        samples: How many times the topics are resampled.
        seed: Of the generator.

    Returns:
        One interval for each row; None for all of them with fewer than 3 topics.
    """
    n_topics = scores.shape[1]
    if n_topics < MIN_TOPICS:
        return [None] * len(scores)
    generator = np.random.default_rng(seed)
    shares = generator.multinomial(n_topics, np.full(n_topics, 1 / n_topics), samples) / n_topics
    tail = expanded_tail(n_topics)
    # Not `@`: the last digits of BLAS depend on its build and its number of threads.
    return [
        Interval(*np.quantile(np.einsum("st,t->s", shares, row), (tail, 1 - tail)).tolist())
        for row in scores
    ]


def expanded_tail(n_topics: int) -> float:
    """Return the lower percentile, in (0, .5), of an interval; see `bootstrap_intervals`."""
    from scipy.special import ndtr, stdtrit

    t = stdtrit(n_topics - 1, (1 - CONFIDENCE) / 2)
    return float(ndtr(sqrt(n_topics / (n_topics - 1)) * t))


def run_intervals(table: ScoreTable, *, samples: int, seed: int) -> dict[str, Interval | None]:
    """Return run tag -> interval of the run's mean in the first measure of the table.

    There is none where that is undefined.

    Args:
        table: Every run is scored on every topic.
        samples: As in `bootstrap_intervals`.
        seed: As in `bootstrap_intervals`.
    """
    measure = table.main.name
    rows: dict[str, list[float]] = {run.run_tag: [] for run in table.runs}
    for topic in table.topics:
        rows[topic.run_tag].append(topic.values[measure])
    intervals = bootstrap_intervals(np.array(list(rows.values())), samples=samples, seed=seed)
    undefined = {run.run_tag for run in table.runs if measure in run.undefined}
    return {
        run_tag: None if run_tag in undefined else interval
        for run_tag, interval in zip(rows, intervals, strict=True)
    }


def randomisation_tests(differences: Matrix, *, samples: int, seed: int) -> list[float]:
    """Return the two-sided p-value of each row under the paired randomisation test.

    If two runs are alike, the sign of their difference on a topic is a toss-up. p is the share of
    sign patterns whose sum is at least as far from 0 as the observed one: of all 2^m patterns where
    m <= 12 topics differ, otherwise (1 + hits) / (1 + samples) with random patterns, which is never
    0 (Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for Information
    Retrieval Evaluation, CIKM 2007; Phipson and Smyth, Permutation P-values Should Never Be Zero,
    2010). Without any difference p is 1.

    Args:
        differences: One row for each pair of runs, one column for each topic.
        samples: How many random patterns are drawn.
        seed: Of the generator.
    """
    generator = np.random.default_rng(seed)
    random_signs = generator.choice((-1.0, 1.0), size=(samples, differences.shape[1]))
    return [_randomisation_test(row, random_signs) for row in differences]


def _randomisation_test(row: npt.NDArray[np.float64], random_signs: Matrix) -> float:
    different = row[row != 0]
    exact = len(different) <= _MAX_EXACT
    if exact:
        patterns = np.arange(2 ** len(different))[:, None] >> np.arange(len(different))
        sums = np.einsum("st,t->s", 1.0 - 2.0 * (patterns & 1), different)
    else:
        sums = np.einsum("st,t->s", random_signs, row)
    hits = int(np.count_nonzero(np.abs(sums) >= abs(row.sum()) - _TIE))
    return hits / len(sums) if exact else (1 + hits) / (1 + len(sums))


def minimum_detectable_difference(
    differences: npt.NDArray[np.float64], n_comparisons: int = 1
) -> float | None:
    """Return the smallest true difference that as many topics would show four times in five.

    (t(n - 1, 1 - a / 2) + t(n - 1, 0.8)) * s / sqrt(n), with a = 0.05 / m

    n: number of topics, s: standard deviation of the paired differences (divisor n - 1), t: the
    quantile of Student's t, m: number of comparisons, whose smallest p-value Holm's method holds
    against a; for a two-sided test with a power of 80%. Source: Bloom, Minimum Detectable Effects,
    Evaluation Review 19(5), 1995.

    None with fewer than 3 topics, and where no difference could ever be shown: the randomisation
    test of n topics gives no p-value below 2 / 2^n.

    Args:
        differences: `(n,)` of two runs, topic by topic.
        n_comparisons: How many pairs of runs are compared at once.
    """
    from scipy.special import stdtrit

    n_topics, level = len(differences), (1 - CONFIDENCE) / n_comparisons
    if n_topics < MIN_TOPICS or smallest_p_value(n_topics) > level:
        return None
    quantiles = stdtrit(n_topics - 1, (1 - level / 2, POWER))
    return float(quantiles.sum() * np.std(differences, ddof=1) / sqrt(n_topics))


def smallest_p_value(n_topics: int) -> float:
    """Return the least p-value that the paired randomisation test can give: 2 / 2^n.

    Of the 2^n patterns of signs the observed one and its mirror image are always as extreme.
    """
    return 2.0 ** (1 - n_topics)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down method, in the same order.

    The k-th smallest of m is multiplied by m - k + 1, capped at 1, and raised to the corrected
    value before it where that is larger (Holm, A Simple Sequentially Rejective Multiple Test
    Procedure, Scandinavian Journal of Statistics 6(2), 1979).
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for k, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - k)))
        corrected[place] = largest
    return corrected
