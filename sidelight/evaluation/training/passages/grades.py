"""Grades fitted to people's, and how well they agree on queries that they were not fitted on.

Whatever gives scores is treated the same: a model, a rank function, the ratings of a language
model. Scores become grades by cuts that agree best with people on the queries for fitting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients.cohen_kappa import cohen_kappa
from sidelight.evaluation.agreement.coefficients.kendall import kendall
from sidelight.learned.grade_model import GradeModel, grades_of
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Values = npt.NDArray[np.float64]
    Grades = npt.NDArray[np.int64]
    Queries = npt.NDArray[np.str_]
    Fit = Callable[[npt.NDArray[np.bool_]], Callable[[], Values]]

_PLACES = 49  # where a cut may be: every fiftieth part of the scores
_ROUNDS = 4


class GradeFigures(Value):
    """Agreement of predicted grades with people's.

    Attributes:
        n: Grades compared.
        kappa: Cohen's kappa on all grades.
        kappa_relevant: Cohen's kappa on relevant or not.
        tau: Mean over queries of Kendall's tau-b between predicted and people's grades. A query
            whose predicted grades are all the same counts 0: it is not ordered. One that people
            graded all the same is left out: nobody could order it.
        tau_scores: The same by scores, before they are cut to grades.
    """

    n: int
    kappa: float | None
    kappa_relevant: float | None
    tau: float
    tau_scores: float


def fit_cuts(scores: Values, grades: Grades, highest: int, relevant: int) -> tuple[float, ...]:
    """Return the cuts from which scores reach grades 1 to `highest`, ascending.

    The cut for the grade from which a passage is relevant is the one with the highest kappa on
    relevant or not; around it the others are moved one by one while kappa on all grades rises.
    """
    if not scores.size:
        return tuple(float(grade) for grade in range(1, highest + 1))
    places = np.unique(np.quantile(scores, np.arange(1, _PLACES + 1) / (_PLACES + 1)))
    counts = np.zeros((highest + 1, len(places) + 1), dtype=np.int64)
    np.add.at(counts, (grades, np.searchsorted(places, scores, side="right")), 1)
    below = np.hstack([np.zeros((highest + 1, 1), dtype=np.int64), counts.cumsum(axis=1)])

    def agreement(chosen: Sequence[int], table: npt.NDArray[np.int64]) -> float:
        edges = [0, *(place + 1 for place in chosen), below.shape[1] - 1]
        found = np.diff(table[:, edges], axis=1)
        return cohen_kappa(found) or 0.0

    split = np.vstack([below[:relevant].sum(axis=0), below[relevant:].sum(axis=0)])
    every = range(len(places))
    middle = max(every, key=lambda place: agreement([place], split))
    shares = [
        int(np.searchsorted(places, np.quantile(scores, (grades < grade).mean()), "right")) - 1
        for grade in range(1, highest + 1)
    ]
    chosen = [
        middle
        if grade == relevant
        else min(middle, share)
        if grade < relevant
        else max(middle, share)
        for grade, share in enumerate(shares, start=1)
    ]
    chosen = [min(max(0, place), len(places) - 1) for place in chosen]
    best = agreement(chosen, below)
    for _ in range(_ROUNDS):
        before = best
        for cut in range(highest):
            if cut + 1 == relevant:
                continue
            low = chosen[cut - 1] if cut else 0
            high = chosen[cut + 1] if cut + 1 < highest else len(places) - 1
            for place in range(low, high + 1):
                moved = [*chosen[:cut], place, *chosen[cut + 1 :]]
                if (found := agreement(moved, below)) > best:
                    best, chosen = found, moved
        if best == before:
            break
    return tuple(float(places[place]) for place in chosen)


def fit_grades(
    features: Values,
    grades: Grades,
    *,
    names: tuple[str, ...],
    highest: int,
    relevant: int,
    penalty: float,
) -> GradeModel:
    """Fit a ridge regression on grades, and cuts on what it gives.

    Args:
        features: `(n, n_features)`.
        grades: `(n,)`, from 0 to `highest`.
        names: Of the features.
        highest: The highest grade.
        relevant: The grade from which a passage is relevant.
        penalty: Of the squared weights of standardised features.
    """
    means, scales = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-6)
    standard = (features - means) / scales
    centred = grades - grades.mean()
    gram = standard.T @ standard + penalty * np.eye(features.shape[1])
    weights = np.linalg.solve(gram, standard.T @ centred)
    model = GradeModel(names, means, scales, weights, float(grades.mean()), ())
    cuts = fit_cuts(model.scores(features), grades, highest, relevant)
    return model._replace(cuts=cuts)


def held_out(
    queries: Queries,
    predict: Callable[[npt.NDArray[np.bool_], npt.NDArray[np.bool_]], tuple[Values, Grades]],
) -> tuple[Values, Grades]:
    """Return scores and grades of all rows, each query's from a fit on the other queries.

    Args:
        queries: `(n,)`.
        predict: Takes which rows to fit on and which to predict; returns scores and grades of the
            latter.
    """
    scores, grades = np.zeros(len(queries)), np.zeros(len(queries), dtype=np.int64)
    for query in sorted(set(queries.tolist())):
        tested = queries == query
        scores[tested], grades[tested] = predict(~tested, tested)
    return scores, grades


def cut_held_out(
    scores: Values, grades: Grades, queries: Queries, highest: int, relevant: int
) -> Grades:
    """Return the grades of scores that need no fit, cut where it fits other queries best."""

    def predict(
        fitted: npt.NDArray[np.bool_], tested: npt.NDArray[np.bool_]
    ) -> tuple[Values, Grades]:
        cuts = fit_cuts(scores[fitted], grades[fitted], highest, relevant)
        return scores[tested], grades_of(scores[tested], cuts)

    return held_out(queries, predict)[1]


def grade_figures(
    people: Grades, predicted: Grades, scores: Values, queries: Queries, highest: int, relevant: int
) -> GradeFigures:
    """Return how well predicted grades agree with people's; all `(n,)`."""
    confusion = np.zeros((highest + 1, highest + 1), dtype=np.int64)
    np.add.at(confusion, (people, predicted), 1)
    halves = np.add.reduceat(np.add.reduceat(confusion, [0, relevant], 0), [0, relevant], 1)
    return GradeFigures(
        n=len(people),
        kappa=cohen_kappa(confusion),
        kappa_relevant=cohen_kappa(halves),
        tau=_mean_tau(people, predicted.astype(np.float64), queries),
        tau_scores=_mean_tau(people, scores, queries),
    )


def _mean_tau(people: Grades, given: Values, queries: Queries) -> float:
    taus = []
    for query in sorted(set(queries.tolist())):
        there = queries == query
        if len(set(people[there].tolist())) > 1:
            taus.append(kendall(given[there], people[there].astype(np.float64)) or 0.0)
    return float(np.mean(taus)) if taus else 0.0
