"""Grades fitted and measured on held-out queries; what the shipped weights say of themselves."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.learned.item_grades import ITEM_FEATURES, ITEM_GRADES
from sidelight.learned.ordinal_model import (
    about_model,
    grades_of,
    load_grade_model,
    save_grade_model,
)
from sidelight.learned.pool import POOL_FEATURES, RELEVANCE, pool_features, trusted
from sidelight.text_vectors import Encode
from sidelight_research.passages import cut_held_out, fit_cuts, fit_grades, grade_figures, held_out
from sidelight_research.relevance import relevance_rows, train_relevance
from tests.helpers.public_data import PublicData

QUERIES = np.array([f"q{row // 20}" for row in range(100)])
GRADES = np.arange(100) % 4


def test_scores_that_order_all_give_all_grades_back() -> None:
    scores = GRADES.astype(np.float64)
    predicted = cut_held_out(scores, GRADES, QUERIES, 3, 2)
    found = grade_figures(GRADES, predicted, scores, QUERIES, 3, 2)
    assert predicted.tolist() == GRADES.tolist()
    assert (found.kappa, found.kappa_relevant, found.n) == (1.0, 1.0, 100)
    assert found.tau == pytest.approx(1.0)


def test_scores_that_say_nothing_earn_nothing() -> None:
    scores = np.zeros(100)
    predicted = cut_held_out(scores, GRADES, QUERIES, 3, 2)
    found = grade_figures(GRADES, predicted, scores, QUERIES, 3, 2)
    assert found.kappa == 0
    assert found.tau == 0  # a query that is not ordered counts 0


@given(
    rows=st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 5)), max_size=60),
    relevant=st.integers(1, 5),
)
def test_cuts_ascend_and_every_score_has_a_grade(
    rows: list[tuple[float, int]], relevant: int
) -> None:
    scores, grades = np.array([one for one, _ in rows]), np.array([one for _, one in rows], int)
    cuts = fit_cuts(scores, grades, 5, relevant)
    assert len(cuts) == 5
    assert all(low <= high for low, high in pairwise(cuts))
    assert set(grades_of(scores, cuts).tolist()) <= set(range(6))


def test_no_query_is_predicted_by_a_fit_that_saw_it() -> None:
    def predict(fitted: np.ndarray, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert not set(QUERIES[fitted]) & set(QUERIES[tested])
        assert len(set(QUERIES[tested])) == 1
        return np.ones(tested.sum()), GRADES[tested]

    scores, grades = held_out(QUERIES, predict)
    assert scores.tolist() == [1.0] * 100
    assert grades.tolist() == GRADES.tolist()


def test_a_model_is_kept_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(100, 3)) + GRADES[:, None]
    model = fit_grades(features, GRADES, names=("a", "b", "c"), highest=3, relevant=2, penalty=1.0)
    save_grade_model(tmp_path, "mine", model, {"what": "a test"})
    monkeypatch.setattr("sidelight.learned.ordinal_model.WEIGHTS_FOLDER", tmp_path)
    again = load_grade_model("mine")
    assert again.names == model.names
    assert again.scores(features) == pytest.approx(model.scores(features), abs=1e-4)
    assert again.cuts == pytest.approx(model.cuts, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "features", "rows", "best"),
    [
        (RELEVANCE, POOL_FEATURES, "passages", "pool, no model asked"),
        (ITEM_GRADES, ITEM_FEATURES, "cells", "best grade, against people"),
    ],
)
def test_weights_say_where_they_come_from(
    name: str, features: tuple[str, ...], rows: str, best: str
) -> None:
    about = about_model(name)
    assert load_grade_model(name).names == features
    assert all(len(digest) == 64 for digest in about["data"].values())
    assert about["made by"].startswith("sidelight reproduce")
    assert about[rows] > 4_000
    figures = dict(about["figures"])
    ours = figures.pop(best)
    others = [one for held, one in figures.items() if not held.startswith("cells")]
    for key in ("kappa", "kappa_relevant", "tau"):
        assert all(ours[key] > one[key] for one in others), key


def test_the_pool_is_seen_alike_in_any_order(lexical_encode: Encode) -> None:
    texts = ["Peat is dead moss.", "Bogs are wet.", "Peat bogs hold moss.", "", "Cyclists race."]
    found = pool_features(texts, lexical_encode)
    assert found.shape == (5, len(POOL_FEATURES))
    assert np.isfinite(found).all()
    assert pool_features(texts[::-1], lexical_encode)[::-1] == pytest.approx(found)
    assert trusted(found[:1], np.zeros(len(POOL_FEATURES))).tolist() == [[0.0] * len(POOL_FEATURES)]


@pytest.mark.slow
def test_relevance_of_public_passages_without_a_model(
    shared_data: PublicData, lexical_encode: Encode
) -> None:
    """Words alone, in place of an encoder, are ahead of BM25 and of their own cosine."""
    data = shared_data / "llmjudge-2024"
    graded, qrels = Path(data / "graded.jsonl.gz"), Path(data / "qrels.nist.txt")
    found = train_relevance(relevance_rows(graded, qrels, lexical_encode), (graded, qrels))
    ours = found["pool, no model asked"]
    assert ours.n == 4423
    for name in ("BM25", "cosine with the query", "recorded question ratings, the best"):
        other = found[name]
        assert (ours.kappa or 0) > (other.kappa or 0)
        assert (ours.kappa_relevant or 0) > (other.kappa_relevant or 0)
        assert ours.tau > other.tau
