"""The model that grades passages item by item, trained on passages that others graded.

The RUBRIC workbench published passages of TREC DL 2019 with a language model's rating of each item
of a bank and with people's judgment for the query. The model learns the mean of both: ratings tell
items apart, and judgments tell what people call an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.training.passages.grades import (
    GradeFigures,
    cut_held_out,
    fit_cuts,
    fit_grades,
    grade_figures,
    held_out,
)
from sidelight.files import sha256_file
from sidelight.formats.banks.exams import read_exams
from sidelight.formats.labels.graded_passages import read_graded
from sidelight.learned.comparing import Task
from sidelight.learned.grade_model import save_grade_model
from sidelight.learned.item_grades import ITEM_FEATURES, ITEM_GRADES, ItemReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from sidelight.learned.grade_model import GradeModel
    from sidelight.text_vectors import Encode

    Values = npt.NDArray[np.float64]
    Whole = npt.NDArray[np.int64]
    Chosen = npt.NDArray[np.bool_]

_HIGHEST, _RELEVANT = 5, 4  # ratings, and from which the paper calls a passage relevant
_JUDGED, _JUDGED_RELEVANT = 3, 2  # the same of people's judgments
_PENALTY = 1_000.0  # figures hardly change over a factor of ten


class ItemRows(NamedTuple):
    """Cells as rows; all `(n,)` but the features.

    Attributes:
        queries: The query of each.
        passages: The passage of each, numbered over all queries.
        features: `(n, n_features)`, in the order of `ITEM_FEATURES`.
        ratings: What the language model gave the cell.
        judgments: What people gave the passage; below 0 where nobody judged it.
    """

    queries: npt.NDArray[np.str_]
    passages: Whole
    features: Values
    ratings: Whole
    judgments: Whole


def item_rows(graded: Path, bank: Path, encode: Encode) -> ItemRows:
    """Read the cells of a file that were rated, of queries that a bank has.

    Args:
        graded: Passages with ratings and judgments.
        bank: The texts of the items.
        encode: Texts to vectors, by the default encoder in single precision.
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
            tasks[passage.passage_id] = rated, Task(items, passage.text, exam.query_text)
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

    Args:
        rows: The cells.
        files: What they come from.
        save_in: Folder for the weights; None keeps them nowhere.

    Returns:
        Agreement of its grades with the ratings, cell by cell; and with people's judgments of
        passages, of its best grade and of the best rating, each cut where it fits best on the
        other queries.
    """

    def predict(fitted: Chosen, tested: Chosen) -> tuple[Values, Whole]:
        model = _fit(rows, fitted)
        scores = model.scores(rows.features[tested])
        return scores, model.grades(scores)

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
        penalty=_PENALTY,
    )
    scores = model.scores(rows.features[chosen])
    return model._replace(cuts=fit_cuts(scores, ratings, _HIGHEST, _RELEVANT))


def _against_people(rows: ItemRows, grades: Whole) -> GradeFigures:
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
    """Train the model of item grades; returns names of figures and what they are.

    Args:
        graded: See `item_rows`.
        bank: Likewise.
        encode: The default encoder, in single precision.
        weights: Folder for what is learned; None keeps nothing.
    """
    rows = item_rows(graded, bank, encode)
    for name, found in train_item_grades(rows, (graded, bank), weights).items():
        yield f"{name}: Cohen kappa", found.kappa
        yield f"{name}: Cohen kappa, relevant or not", found.kappa_relevant
        yield f"{name}: mean Kendall tau of a query", found.tau
