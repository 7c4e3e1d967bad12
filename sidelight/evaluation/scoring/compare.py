"""Pairwise significance tests between the runs of one per-topic results file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring import table
from sidelight.evaluation.scoring.measures import measure_called
from sidelight.schemas.grading.judgment import Measure


class TopicValues(NamedTuple):
    """One measure of some runs on the same topics.

    Attributes:
        topic_ids: Sorted.
        values: Run tag -> one value for each topic id, in that order.
        undefined: Those of the topics on which the measure is undefined; all runs have 0 there.
    """

    measure: Measure
    topic_ids: tuple[str, ...]
    values: dict[str, tuple[float, ...]]
    undefined: tuple[str, ...] = ()

    @property
    def defined(self) -> bool:
        """Tell whether there is a topic on which the measure is defined."""
        return len(self.undefined) < len(self.topic_ids)


class PairedComparison(NamedTuple):
    """Two runs on the same topics.

    Attributes:
        difference: Mean of the first minus mean of the second.
        interval: Of the difference; None with fewer than 3 topics.
        p_value: Of the paired randomisation test.
        p_holm: The same, corrected for the number of pairs compared.
        detectable: Smallest true difference that these topics would show with a power of 80%, after
            the correction for the number of pairs; None where they could show none, and for runs
            that differ on no topic.
        won: Topics on which the first is better; None, as `lost`, where neither direction is.
    """

    first: str
    second: str
    difference: float
    interval: table.Interval | None
    p_value: float
    p_holm: float
    won: int | None
    lost: int | None
    tied: int
    detectable: float | None


def topic_values(
    scores: Sequence[table.TopicScore], measure: str | None, source: Path
) -> TopicValues:
    """Pick one measure of per-topic scores.

    `measure` is its name, or None for the first one. `source`, where the scores are from, is named
    in errors.
    """
    measures = [name for name in scores[0].values if all(name in one.values for one in scores)]
    name = measure or measures[0]
    if name not in measures:
        others = {one: measure_called(one).among_tasks or one for one in measures}
        told = (one if one == other else f"{one} ({other})" for one, other in others.items())
        raise UsageError(f"{source} has no measure {name}; it has {', '.join(told)}")
    found: dict[str, dict[str, float]] = {}
    for score in scores:
        found.setdefault(score.run_tag, {})[score.topic_id] = score.values[name]
    topic_ids = tuple(sorted({topic_id for topics in found.values() for topic_id in topics}))
    for run_tag, topics in sorted(found.items()):
        if len(topics) < len(topic_ids):
            lacking = next(topic_id for topic_id in topic_ids if topic_id not in topics)
            raise InputError(
                f"{source}: run {run_tag} has no score for topic {lacking}, which other runs have",
                remedy="Score without --organizer-compat: a topic left out then counts as 0.",
            )
    return TopicValues(
        measure_called(name),
        topic_ids,
        {
            run_tag: tuple(topics[topic_id] for topic_id in topic_ids)
            for run_tag, topics in sorted(found.items())
        },
        table.undefined_topics(scores).get(name, ()),
    )


def compare_runs(
    scores: TopicValues, *, baseline: str | None, samples: int, seed: int
) -> list[PairedComparison]:
    """Compare every pair of runs, or every other run with the baseline.

    Pairs are ordered by the runs' means, the better run first; a baseline comes second in its
    pairs. For measures that are better when low, the better run is the one with the lower mean.
    """
    if len(scores.values) < 2:
        told = f"expected at least two runs to compare by {scores.measure.name}"
        raise InputError(f"{told}; found {', '.join(scores.values)}")
    if baseline is not None and baseline not in scores.values:
        raise UsageError(f"no run {baseline}; there are {', '.join(scores.values)}")
    sign, has_better = scores.measure.sign, scores.measure.direction != "none"
    order = sorted(scores.values, key=lambda run: (-sign * np.mean(scores.values[run]), run))
    if baseline is None:
        pairs = list(combinations(order, 2))
    else:
        pairs = [(run, baseline) for run in order if run != baseline]
    differences = np.array(
        [np.subtract(scores.values[first], scores.values[second]) for first, second in pairs]
    )
    intervals = table.bootstrap_intervals(differences, samples=samples, seed=seed)
    p_values = table.randomisation_tests(differences, samples=samples, seed=seed)
    return [
        PairedComparison(
            first,
            second,
            difference=float(row.mean()),
            interval=interval,
            p_value=p_value,
            p_holm=p_holm,
            won=int(np.count_nonzero(sign * row > 0)) if has_better else None,
            lost=int(np.count_nonzero(sign * row < 0)) if has_better else None,
            tied=int(np.count_nonzero(row == 0)),
            detectable=table.minimum_detectable_difference(row, len(pairs)),
        )
        for (first, second), row, interval, p_value, p_holm in zip(
            pairs, differences, intervals, p_values, table.holm(p_values), strict=True
        )
    ]
