"""Cross-validation of grades of passages, and training of the model that grades item by item.

Whatever gives scores is treated the same: a model, a rank function, the ratings of a language
model. Scores become grades by cuts that agree best with people on the queries for fitting, and
agreement is measured on the queries that were held out.

The model of item grades learns from passages of TREC DL 2019 that the RUBRIC workbench published
with a language model's rating of each item of a bank and with people's judgment for the query. It
learns the mean of both: ratings tell items apart, and judgments tell what people call an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.agreement.coefficients import cohen_kappa, kendall
from sidelight.files import sha256_file
from sidelight.formats.banks.exams import read_exams
from sidelight.formats.labels.graded_passages import read_graded
from sidelight.learned.comparing import Task
from sidelight.learned.ordinal_model import GradeModel, grades_of
from sidelight.learned.passage_grades import ITEM_FEATURES, ITEM_GRADES, ItemReader
from sidelight.schemas.base import Value
from sidelight_research.weights import save_grade_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from sidelight.text_vectors import Encode

    Values = npt.NDArray[np.float64]
    Grades = npt.NDArray[np.int64]
    Queries = npt.NDArray[np.str_]
    Chosen = npt.NDArray[np.bool_]

_PLACES = 49  # where a cut may be: every fiftieth part of the scores
_ROUNDS = 4


class GradeFigures(Value):
    """Agreement of predicted grades with people's.

    Attributes:
        n: Grades compared.
        kappa_relevant: Cohen's kappa on relevant or not; `kappa` is that on all grades.
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
    """Fit a ridge regression on grades `(n,)` from 0 to `highest`, and cuts on what it gives.

    A passage is relevant from the grade `relevant` on. The penalty is that of the squared weights
    of standardised features, `(n, n_features)`.
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

    `predict` takes which rows to fit on and which to predict; it returns scores and grades of the
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


_HIGHEST, _RELEVANT = 5, 4  # ratings, and from which the paper calls a passage relevant
_JUDGED, _JUDGED_RELEVANT = 3, 2  # the same of people's judgments
PENALTY = 1_000.0
"""Of the squared weights of a fit to grades; figures hardly change over a factor of ten."""


class ItemRows(NamedTuple):
    """Cells as rows; all `(n,)` but the features, which are in the order of `ITEM_FEATURES`.

    `passages` are numbered over all queries. `ratings` are what the language model gave the cell,
    `judgments` what people gave the passage; below 0 where nobody judged it.
    """

    queries: npt.NDArray[np.str_]
    passages: Grades
    features: Values
    ratings: Grades
    judgments: Grades


def item_rows(graded: Path, bank: Path, encode: Encode) -> ItemRows:
    """Read the cells of a file that were rated, of queries that a bank has.

    The vectors are those of the default encoder in single precision.
    """
    reader = ItemReader(encode)
    banks = {one.topic_id: one for one in read_exams(bank)}
    queries, numbers, features, ratings, judgments = [], [], [], [], []
    number = -1
    for query in read_graded(graded):
        if query.query_id not in banks:
            continue
        exam = banks[query.query_id]
        texts = {item.item_id: item.text for item in exam.items}
        tasks = {}
        for passage in query.passages:
            rated = [
                (item.item_id, item.rating)
                for grading in passage.gradings
                for item in grading.items
                if item.item_id in texts and isinstance(item.rating, int)
            ]
            items = tuple(texts[item_id] for item_id, _ in rated)
            tasks[passage.passage_id] = (
                rated,
                Task(items, passage.text, exam.query_text, is_source=True),
            )
        reader.prepare(task for _, task in tasks.values())
        for passage in query.passages:
            number += 1
            rated, task = tasks[passage.passage_id]
            features.append(reader.look(task).features)
            ratings += [rating for _, rating in rated]
            judged = -1 if passage.relevance is None else passage.relevance
            queries += [query.query_id] * len(rated)
            numbers += [number] * len(rated)
            judgments += [judged] * len(rated)
    return ItemRows(
        np.array(queries),
        np.array(numbers),
        np.vstack(features),
        np.clip(np.array(ratings), 0, _HIGHEST),
        np.array(judgments),
    )


def train_item_grades(
    rows: ItemRows, files: Sequence[Path], save_in: Path | None = None
) -> dict[str, GradeFigures]:
    """Fit and measure the model on queries that it was not fitted on.

    The files are named in the weights, which are saved only where there is a folder for them.

    Returns:
        Agreement of its grades with the ratings, cell by cell; and with people's judgments of
        passages, of its best grade and of the best rating, each cut where it fits best on the
        other queries.
    """

    def predict(fitted: Chosen, tested: Chosen) -> tuple[Values, Grades]:
        model = _fit(rows, fitted)
        scores = model.scores(rows.features[tested])
        return scores, grades_of(scores, model.cuts)

    scores, grades = held_out(rows.queries, predict)
    found = {
        "cells, against the recorded ratings": grade_figures(
            rows.ratings, grades, scores, rows.queries, _HIGHEST, _RELEVANT
        ),
        "best grade, against people": _against_people(rows, grades),
        "best recorded rating, against people": _against_people(rows, rows.ratings),
    }
    if save_in:
        about = {
            "what": "a ridge regression on standardised features, cut to grades 0 to 5",
            "target": "mean of the recorded rating and the judgment scaled to 5; cuts by ratings",
            "data": {path.name: sha256_file(path) for path in files},
            "cells": len(rows.ratings),
            "queries": len(set(rows.queries.tolist())),
            "split": "each query predicted by a model fitted on the others",
            "made by": "sidelight reproduce rubric-grades --data FOLDER -o weights",
            "figures": {name: one.model_dump() for name, one in found.items()},
        }
        model = _fit(rows, np.full(len(rows.ratings), fill_value=True))
        save_grade_model(save_in, ITEM_GRADES, model, about)
    return found


def _fit(rows: ItemRows, chosen: Chosen) -> GradeModel:
    ratings, judgments = rows.ratings[chosen], rows.judgments[chosen]
    judged = np.where(judgments < 0, ratings, judgments * _HIGHEST / _JUDGED)
    model = fit_grades(
        rows.features[chosen],
        np.round((ratings + judged) / 2).astype(np.int64),
        names=ITEM_FEATURES,
        highest=_HIGHEST,
        relevant=_RELEVANT,
        penalty=PENALTY,
    )
    scores = model.scores(rows.features[chosen])
    return model._replace(cuts=fit_cuts(scores, ratings, _HIGHEST, _RELEVANT))


def _against_people(rows: ItemRows, grades: Grades) -> GradeFigures:
    """Return how well the best grade of each judged passage agrees with people's judgment."""
    judged = rows.judgments >= 0
    numbers, place = np.unique(rows.passages[judged], return_inverse=True)
    best = np.zeros(len(numbers))
    np.maximum.at(best, place, grades[judged].astype(np.float64))
    first = np.unique(rows.passages[judged], return_index=True)[1]
    queries = rows.queries[judged][first]
    people = np.minimum(rows.judgments[judged][first], _JUDGED)
    cut = cut_held_out(best, people, queries, _JUDGED, _JUDGED_RELEVANT)
    return grade_figures(people, cut, best, queries, _JUDGED, _JUDGED_RELEVANT)


def item_grades(
    graded: Path, bank: Path, *, encode: Encode, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Train the model of item grades; returns names of figures and what they are."""
    rows = item_rows(graded, bank, encode)
    for name, found in train_item_grades(rows, (graded, bank), weights).items():
        yield f"{name}: Cohen kappa", found.kappa
        yield f"{name}: Cohen kappa, relevant or not", found.kappa_relevant
        yield f"{name}: mean Kendall tau of a query", found.tau
