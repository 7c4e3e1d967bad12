"""How far agreement on labels could be chance: what another draw of topics would have given.

Labels of one topic go together, so topics are resampled and not labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients.cohen_kappa import cohen_kappa
from sidelight.evaluation.agreement.coefficients.gwet_ac1 import gwet_ac1
from sidelight.evaluation.scoring.uncertainty import MIN_TOPICS, Interval, expanded_tail

if TYPE_CHECKING:
    import numpy.typing as npt

COEFFICIENTS = {"kappa": cohen_kappa, "ac1": gwet_ac1}


def agreement_intervals(
    tables: npt.NDArray[np.int64], *, samples: int, seed: int
) -> dict[str, Interval | None]:
    """Return the 95% bootstrap interval of each coefficient, by its name.

    The percentiles are those of `scoring.uncertainty.bootstrap_intervals`. Samples in which a
    coefficient is undefined are left out.

    Args:
        tables: `(n_topics, K, K)` counts; the first side's categories are the rows.
        samples: How many times the topics are resampled.
        seed: Of the generator.

    Returns:
        None for a coefficient that no sample defines, and for all with fewer than 3 topics.
    """
    n_topics = len(tables)
    if n_topics < MIN_TOPICS:
        return dict.fromkeys(COEFFICIENTS)
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(n_topics, np.full(n_topics, 1 / n_topics), samples)
    resampled = np.einsum("st,tij->sij", counts, tables)
    tail = expanded_tail(n_topics)
    intervals: dict[str, Interval | None] = {}
    for name, coefficient in COEFFICIENTS.items():
        values = [value for table in resampled if (value := coefficient(table)) is not None]
        intervals[name] = (
            Interval(*np.quantile(values, (tail, 1 - tail)).tolist()) if values else None
        )
    return intervals
