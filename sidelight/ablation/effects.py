"""What each arm's difference from the base arm does, with its uncertainty."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.scoring.compare import compare_runs, topic_values
from sidelight.evaluation.scoring.uncertainty import bootstrap_intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.scoring.compare import PairedComparison, TopicValues
    from sidelight.evaluation.scoring.table import TopicScore
    from sidelight.evaluation.scoring.uncertainty import Interval
    from sidelight.schemas.grading.measure import Measure


class ArmMean(NamedTuple):
    """An arm's mean over topics, with its 95% interval; None with fewer than 3 topics.

    Where a measure is undefined on all topics there is neither.
    """

    mean: float | None
    interval: Interval | None


class MeasureEffects(NamedTuple):
    """One measure over all arms.

    Attributes:
        measure: What was measured.
        values: By arm, its value on each topic.
        means: By arm.
        effects: By arm but the base: its mean less the base's. Chance is corrected for the number
            of arms by Holm's method.
    """

    measure: Measure
    values: TopicValues
    means: dict[str, ArmMean]
    effects: dict[str, PairedComparison]


def find_effects(
    scores: Sequence[TopicScore], base: str, *, samples: int, seed: int
) -> list[MeasureEffects]:
    """Return what arms do by every measure, in the order of the scores' measures.

    Args:
        scores: Of every arm on every topic.
        base: Name of the base arm.
        samples: Bootstrap samples and random sign patterns.
        seed: Of both.
    """
    found = []
    for measure in scores[0].values:
        values = topic_values(scores, measure, Path("the arms"))
        matrix = np.array(list(values.values.values()))
        intervals = bootstrap_intervals(matrix, samples=samples, seed=seed)
        means = {
            name: ArmMean(float(row.mean()), interval) if values.defined else ArmMean(None, None)
            for name, row, interval in zip(values.values, matrix, intervals, strict=True)
        }
        effects = {}
        if len(values.values) > 1 and values.defined:
            pairs = compare_runs(values, baseline=base, samples=samples, seed=seed)
            effects = {pair.first: pair for pair in pairs}
        found.append(MeasureEffects(values.measure, values, means, effects))
    return found
