"""Rank correlation of runs by two sides' scores, at three levels.

The levels answer different questions and can differ widely: the runs by their mean over topics; the
runs within each topic, averaged over topics; and all (topic, run) pairs as one list. Judges that
agree on the first may still be of no use for a single topic.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement import coefficients
from sidelight.evaluation.scoring.measures import measure_called
from sidelight.evaluation.scoring.table import CONFIDENCE, TopicScore
from sidelight.text import counted

Matrix = npt.NDArray[np.float64]


CORRELATIONS = {
    "tau_b": coefficients.resampled_kendall,
    "spearman": coefficients.resampled_spearman,
    "tau_ap": coefficients.resampled_tau_ap,
    "tau_ap_b": coefficients.resampled_tau_ap_b,
}
"""Of bootstrap samples of scores; the first side is the reference of tau_ap, which a
side with many ties can flatter: tau_ap_b is its form for ties."""

MIN_RUNS = 3
"""Two runs are in order or they are not: a correlation would say nothing more."""

MIN_RUNS_FOR_INTERVALS = 5
"""Two orders of four runs are the same, or each other's reverse, by chance one time in twelve."""

TIE_DIGITS = 12  # scores that differ later differ by rounding, and are ties


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A percentile interval: what a correlation would be for other runs like these.

    Attributes:
        low: The 2.5th percentile over samples of the runs; None when no sample defines one, and
            with too few runs to say anything.
        high: The 97.5th.
        n_undefined: Samples left out because a side was constant in them.
    """

    low: float | None
    high: float | None
    n_undefined: int


@dataclass(frozen=True, slots=True)
class TopicMean:
    """The mean of a correlation over topics.

    Attributes:
        mean: Over the topics that define it; None when there is none.
        undefined: Topics left out because a side scored all runs the same.
    """

    mean: float | None
    low: float | None
    high: float | None
    undefined: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoreComparison:
    """Two sides' scores of the same runs on the same topics, by correlation name.

    Attributes:
        run_tags: Runs compared, sorted.
        topic_ids: Topics compared, sorted.
        only_runs: Runs that only the first and only the second side has.
        only_topics: Topics that only the first and only the second side has.
        means: Each run's mean over topics on the first and on the second side, as `run_tags`.
        scores: Each run's scores on the first and on the second side, by run as `run_tags`, then by
            topic as `topic_ids`.
        runs: Of the runs' means over topics.
        intervals: Of `runs`, by resampling the runs.
        topics: Of the runs' scores within a topic.
        pairs: Of all scores as one list.
        ties: Runs of equal mean, in groups, on the first and on the second side.
    """

    measure: str
    run_tags: tuple[str, ...]
    topic_ids: tuple[str, ...]
    only_runs: tuple[tuple[str, ...], tuple[str, ...]]
    only_topics: tuple[tuple[str, ...], tuple[str, ...]]
    means: tuple[tuple[float, ...], tuple[float, ...]]
    scores: tuple[tuple[tuple[float, ...], ...], tuple[tuple[float, ...], ...]]
    runs: dict[str, float | None]
    intervals: dict[str, Bootstrap]
    topics: dict[str, TopicMean]
    pairs: dict[str, float | None]
    ties: tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]


def compare_scores(
    first: Sequence[TopicScore],
    second: Sequence[TopicScore],
    measure: str,
    *,
    n_samples: int = 1000,
    seed: int = 0,
) -> ScoreComparison:
    """Compare two sides' scores, such as those by people's labels and by a judge's.

    The first side is the reference of tau_ap. `measure` names the score to compare; if it is better
    when low, the lowest scores are the top that tau_ap looks at.
    """
    cells = _cells(first, measure), _cells(second, measure)
    runs = [{run for run, _ in side} for side in cells]
    topics = [{topic for _, topic in side} for side in cells]
    run_tags, topic_ids = sorted(runs[0] & runs[1]), sorted(topics[0] & topics[1])
    if len(run_tags) < MIN_RUNS or not topic_ids:
        raise InputError(
            f"a rank correlation needs at least {MIN_RUNS} runs that both sides scored on the same "
            f"topics; found {counted(len(run_tags), 'run')} and {counted(len(topic_ids), 'topic')} "
            "on both",
            remedy="Score more runs on both sides; run tags must be spelled alike.",
        )
    exact = [_matrix(side, run_tags, topic_ids) for side in cells]
    # Rounded once: means of rounded scores would part runs that are tied.
    raw_means = [side.mean(axis=1).round(TIE_DIGITS) for side in exact]
    raw = [side.round(TIE_DIGITS) for side in exact]
    # From here on higher is better, so that tau_ap looks at the right end.
    sign = measure_called(measure).sign
    one, other = (sign * side for side in raw)
    means = sign * raw_means[0], sign * raw_means[1]
    return ScoreComparison(
        measure=measure,
        run_tags=tuple(run_tags),
        topic_ids=tuple(topic_ids),
        only_runs=(tuple(sorted(runs[0] - runs[1])), tuple(sorted(runs[1] - runs[0]))),
        only_topics=(tuple(sorted(topics[0] - topics[1])), tuple(sorted(topics[1] - topics[0]))),
        means=(tuple(raw_means[0].tolist()), tuple(raw_means[1].tolist())),
        scores=(_rows(raw[0]), _rows(raw[1])),
        runs=_correlations(*means),
        intervals=_bootstrap(*means, n_samples, seed),
        topics=_topic_means(one, other, topic_ids),
        pairs=_correlations(one.ravel(), other.ravel()),
        ties=(_ties(means[0], run_tags), _ties(means[1], run_tags)),
    )


def _cells(scores: Collection[TopicScore], measure: str) -> dict[tuple[str, str], float]:
    """Return (run tag, topic id) -> score, without topics on which the measure is undefined.

    Where it is undefined on all topics, all scores are 0, and no correlation is defined.
    """
    cells, nowhere = {}, all(measure in score.undefined for score in scores)
    for score in scores:
        if measure not in score.values:
            raise UsageError(
                f"there is no measure {measure!r} on one side; it has {', '.join(score.values)}",
                remedy="Name one that both sides have, or give both columns one name in their "
                "files.",
            )
        if nowhere or measure not in score.undefined:
            cells[score.run_tag, score.topic_id] = score.values[measure]
    return cells


def _matrix(
    cells: dict[tuple[str, str], float], run_tags: Sequence[str], topic_ids: Sequence[str]
) -> Matrix:
    """Return scores `(n_runs, n_topics)`."""
    missing = [
        f"run {run} on topic {topic}"
        for run in run_tags
        for topic in topic_ids
        if (run, topic) not in cells
    ]
    if missing:
        raise InputError(
            f"there is no score of {missing[0]}, and of {len(missing) - 1} more such pairs, "
            "though the same side scores them elsewhere",
            remedy="Score with the rubrics (`sidelight score`): there a topic left out counts 0.",
        )
    return np.array([[cells[run, topic] for topic in topic_ids] for run in run_tags])


def _rows(scores: Matrix) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, scores.tolist()))


def _correlations(
    first: coefficients.Scores, second: coefficients.Scores
) -> dict[str, float | None]:
    return {
        name: coefficients.once_each(resampled, first, second)
        for name, resampled in CORRELATIONS.items()
    }


def _bootstrap(
    first: coefficients.Scores, second: coefficients.Scores, n_samples: int, seed: int
) -> dict[str, Bootstrap]:
    generator = np.random.default_rng(seed)
    n_runs = len(first)
    counts = generator.multinomial(n_runs, np.full(n_runs, 1 / n_runs), n_samples)
    intervals = {}
    for name, resampled in CORRELATIONS.items():
        values = resampled(first, second, counts)
        values = values[~np.isnan(values)]
        low = high = None
        if len(values) and n_runs >= MIN_RUNS_FOR_INTERVALS:
            tail = (1 - CONFIDENCE) / 2
            low, high = (float(end) for end in np.quantile(values, [tail, 1 - tail]))
        intervals[name] = Bootstrap(low, high, n_samples - len(values))
    return intervals


def _topic_means(one: Matrix, other: Matrix, topic_ids: Sequence[str]) -> dict[str, TopicMean]:
    found = [_correlations(first, second) for first, second in zip(one.T, other.T, strict=True)]
    means = {}
    for name in CORRELATIONS:
        values = [value for topic in found if (value := topic[name]) is not None]
        means[name] = TopicMean(
            mean=float(np.mean(values)) if values else None,
            low=min(values, default=None),
            high=max(values, default=None),
            undefined=tuple(
                topic_id
                for topic_id, topic in zip(topic_ids, found, strict=True)
                if topic[name] is None
            ),
        )
    return means


def _ties(means: coefficients.Scores, run_tags: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of runs with equal means, the best first."""
    groups: dict[float, list[str]] = defaultdict(list)
    for mean, run_tag in zip(means.tolist(), run_tags, strict=True):
        groups[mean].append(run_tag)
    return tuple(
        tuple(group) for _, group in sorted(groups.items(), reverse=True) if len(group) > 1
    )
