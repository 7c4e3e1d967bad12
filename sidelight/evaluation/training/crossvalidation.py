"""How well a model does on topics, and on runs, that it was not fitted on.

Every figure comes from predictions for labels whose topic (and, where it says so, run) was held
out. Made rows are held out with the topic and run they were made from, and never counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.agreement.coefficients.cohen_kappa import cohen_kappa
from sidelight.evaluation.agreement.coefficients.kendall import kendall
from sidelight.learned.ordinal_model import OrdinalModel, allowed, likeliest
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from sidelight.evaluation.training.datasets import Rows

    Levels = npt.NDArray[np.int64]

CREDIT = (0.0, 0.5, 1.0)
"""What each level is worth: none, partial, full."""

_LEVELS = 3
_RUN_FOLDS = 5
_MADE_WEIGHT = 0.1  # of a made row, against 1 for a row that people labelled
_ITERATIONS = 2_000


class Figures(Value):
    """Agreement of predicted labels with people's.

    Attributes:
        n: Labels compared.
        kappa: Cohen's kappa on three labels; None when both sides use one label throughout.
        accuracy: Share of equal labels, in [0, 1].
        tau: Kendall's tau-b of the runs by mean credit; None with fewer than two different runs.
        runs: Runs compared.
        confusion: `[people's level][predicted level]`, counts.
    """

    n: int
    kappa: float | None
    accuracy: float
    tau: float | None
    runs: int
    confusion: tuple[tuple[int, ...], ...]


class Recipe(NamedTuple):
    """How a model is made from rows.

    Attributes:
        names: The features it uses.
        columns: Where they are in the rows.
        by_topic: Whether it learns what distinguishes labels within a topic, each feature being
            taken from its topic's mean, so that topics whose texts are all alike teach the same.
        needs_figures: See `ordinal_model.allowed`.
        strength: Of the fit, inverse to its penalty; figures hardly change over a factor of ten.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    by_topic: bool
    needs_figures: bool
    strength: float


def fit(rows: Rows, chosen: npt.NDArray[np.bool_], recipe: Recipe) -> OrdinalModel:
    """Fit both regressions on some rows.

    Args:
        rows: All rows.
        chosen: `(n,)`, which of them to fit on.
        recipe: How.
    """
    from sklearn.linear_model import LogisticRegression

    features, levels = rows.features[chosen][:, recipe.columns], rows.levels[chosen]
    people, topics = rows.people[chosen], rows.topics[chosen]
    means = features[people].mean(axis=0)
    if recipe.by_topic:
        for topic in sorted(set(topics.tolist())):
            there = topics == topic
            features[there] += means - features[there & people].mean(axis=0)
    scales = np.maximum(features[people].std(axis=0), 1e-6)
    worth = np.where(people, 1.0, _MADE_WEIGHT)
    weights, intercepts = [], []
    for level in range(1, _LEVELS):
        regression = LogisticRegression(C=recipe.strength, max_iter=_ITERATIONS, random_state=0)
        regression.fit((features - means) / scales, levels >= level, sample_weight=worth)
        weights.append(regression.coef_[0])
        intercepts.append(regression.intercept_[0])
    return OrdinalModel(recipe.names, means, scales, np.array(weights), np.array(intercepts))


def predict_held_out(
    rows: Rows, recipe: Recipe, *, hold_out_runs: bool, shown: Rows | None = None
) -> Levels:
    """Return the level of every row, predicted without its topic, and if asked without its run.

    Runs are held out a fifth at a time, in the order of their names. Rows that were made get -1.

    Args:
        rows: All rows.
        recipe: How the model is made.
        hold_out_runs: Whether runs are held out besides topics.
        shown: The same rows as a model is shown those that it judges, where it is shown less than
            it is fitted on; None where it is shown the same.
    """
    shown = shown or rows
    predicted = np.full(len(rows.levels), -1)
    most = np.array(allowed(shown.most.tolist(), needs_figures=recipe.needs_figures))
    run_names = sorted(set(rows.runs[rows.people].tolist()))
    folds: Iterable[list[str]] = (
        [run_names[start::_RUN_FOLDS] for start in range(_RUN_FOLDS)]
        if hold_out_runs
        else [run_names]
    )
    for runs in folds:
        ours = np.isin(rows.runs, runs)
        for topic in sorted(set(rows.topics.tolist())):
            there = rows.topics == topic
            tested = there & ours & rows.people
            if not tested.any():
                continue
            model = fit(rows, ~there & ~ours if hold_out_runs else ~there, recipe)
            features = shown.features[tested][:, recipe.columns]
            levels = likeliest(model.probabilities(features))
            predicted[tested] = np.minimum(most[tested], levels)
    return predicted


def figures(people: Levels, judge: Levels, topics: Sequence[str], runs: Sequence[str]) -> Figures:
    """Return how well two lists of levels agree; all `(n,)`."""
    confusion = np.zeros((_LEVELS, _LEVELS), dtype=np.int64)
    np.add.at(confusion, (people, judge), 1)
    return Figures(
        n=len(people),
        kappa=cohen_kappa(confusion),
        accuracy=float(np.trace(confusion) / max(1, confusion.sum())),
        tau=run_tau(people, judge, topics, runs),
        runs=len(set(runs)),
        confusion=tuple(tuple(int(count) for count in row) for row in confusion),
    )


def run_tau(
    people: Levels, judge: Levels, topics: Sequence[str], runs: Sequence[str]
) -> float | None:
    """Return Kendall's tau-b of the runs; None when it is undefined.

    The score of a run is the mean over its topics of the mean credit of its labels, each item
    counting the same, vital or not.
    """
    credit = np.array(CREDIT)
    cells: dict[str, dict[str, list[int]]] = {}
    for row, (run, topic) in enumerate(zip(runs, topics, strict=True)):
        cells.setdefault(run, {}).setdefault(topic, []).append(row)
    scores = [
        [
            float(np.mean([credit[levels[rows]].mean() for rows in by_topic.values()]))
            for _, by_topic in sorted(cells.items())
        ]
        for levels in (people, judge)
    ]
    first, second = (np.array(side) for side in scores)
    return kendall(first, second)
