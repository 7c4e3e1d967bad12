"""Fits to people's grades and labels: on held-out data, repeated, and as printed."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.learned.ordinal_model import (
    WEIGHTS_FOLDER,
    about_model,
    grades_of,
    load_grade_model,
)
from sidelight.learned.passage_grades import (
    ITEM_FEATURES,
    ITEM_GRADES,
    POOL_FEATURES,
    RELEVANCE,
    pool_features,
    trusted,
)
from sidelight.learned.questions import Outlook, question_model
from sidelight_research.passages import cut_held_out, fit_cuts, fit_grades, grade_figures, held_out
from sidelight_research.published import targets
from sidelight_research.questions import (
    Fitting,
    GradedQuestion,
    cuts,
    graded_questions,
    limits,
    useful,
    with_article_means,
)
from sidelight_research.relevance import relevance_rows, train_relevance
from sidelight_research.training import TOPICS, TOPICS_AND_RUNS, shipped_figures, train_answers
from sidelight_research.weights import save_grade_model

QUERIES = np.array([f"q{row // 20}" for row in range(100)])
GRADES = np.arange(100) % 4


def test_figures_of_perfect_and_of_empty_scores():
    scores = GRADES.astype(np.float64)
    predicted = cut_held_out(scores, GRADES, QUERIES, 3, 2)
    found = grade_figures(GRADES, predicted, scores, QUERIES, 3, 2)
    assert predicted.tolist() == GRADES.tolist()
    assert (found.kappa, found.kappa_relevant, found.n) == (1.0, 1.0, 100)
    assert found.tau == pytest.approx(1.0)
    scores = np.zeros(100)
    predicted = cut_held_out(scores, GRADES, QUERIES, 3, 2)
    found = grade_figures(GRADES, predicted, scores, QUERIES, 3, 2)
    assert found.kappa == 0
    assert found.tau == 0  # a query that is not ordered counts 0


@given(
    rows=st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 5)), max_size=60),
    relevant=st.integers(1, 5),
)
def test_cuts_ascend_and_every_score_has_a_grade(rows, relevant):
    scores, grades = np.array([one for one, _ in rows]), np.array([one for _, one in rows], int)
    cuts = fit_cuts(scores, grades, 5, relevant)
    assert len(cuts) == 5
    assert all(low <= high for low, high in pairwise(cuts))
    assert set(grades_of(scores, cuts).tolist()) <= set(range(6))


def test_no_query_is_predicted_by_a_fit_that_saw_it():
    def predict(fitted, tested):
        assert not set(QUERIES[fitted]) & set(QUERIES[tested])
        assert len(set(QUERIES[tested])) == 1
        return np.ones(tested.sum()), GRADES[tested]

    scores, grades = held_out(QUERIES, predict)
    assert scores.tolist() == [1.0] * 100
    assert grades.tolist() == GRADES.tolist()


def test_a_model_is_kept_as_it_is(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(100, 3)) + GRADES[:, None]
    model = fit_grades(features, GRADES, names=("a", "b", "c"), highest=3, relevant=2, penalty=1.0)
    save_grade_model(tmp_path, "mine", model, {"what": "a test"})
    monkeypatch.setattr("sidelight.learned.ordinal_model.WEIGHTS_FOLDER", tmp_path)
    again = load_grade_model("mine")
    assert again.names == model.names
    assert again.scores(features) == pytest.approx(model.scores(features), abs=1e-4)
    assert again.cuts == pytest.approx(model.cuts, abs=1e-6)


def test_weights_say_where_they_come_from():
    for name, features, rows, best in [
        (RELEVANCE, POOL_FEATURES, "passages", "pool, no model asked"),
        (ITEM_GRADES, ITEM_FEATURES, "cells", "best grade, against people"),
    ]:
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
    for name in MODELS:
        about = about_model(name)
        assert all(len(digest) == 64 for digest in about["data"].values())
        assert about["labels by people"] > 5_000
        assert {TOPICS, TOPICS_AND_RUNS} <= set(shipped_figures(name))
    assert sum(path.stat().st_size for path in WEIGHTS_FOLDER.iterdir()) < MOST_BYTES
    shipped = shipped_figures("answers")
    assert (shipped[TOPICS].kappa or 0) >= 0.49
    assert (shipped[TOPICS_AND_RUNS].kappa or 0) >= 0.45


def test_the_pool_is_seen_alike_in_any_order(lexical_encode):
    texts = ["Peat is dead moss.", "Bogs are wet.", "Peat bogs hold moss.", "", "Cyclists race."]
    found = pool_features(texts, lexical_encode)
    assert found.shape == (5, len(POOL_FEATURES))
    assert np.isfinite(found).all()
    assert pool_features(texts[::-1], lexical_encode)[::-1] == pytest.approx(found)
    assert trusted(found[:1], np.zeros(len(POOL_FEATURES))).tolist() == [[0.0] * len(POOL_FEATURES)]


@pytest.mark.slow
def test_relevance_of_public_passages_without_a_model(shared_data, lexical_encode):
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


# Training on people's grades of questions: files, a fit that repeats, figures as printed.
def test_what_is_wrong_names_its_line(tmp_path):
    for line, said in [
        ("1\ta\t1\tr\t1\t4\t0", "8 columns"),
        ("1\ta\t1\tr\t1\t5\t0\tWhy?", "0, -1 as the grade"),
        ("1\ta\t1\tr\tx\t4\t0\tWhy?", "a rank"),
    ]:
        path = tmp_path / "grades.tsv"
        path.write_text(f"1\ta\t1\tr\t1\t4\t0\tWhy?\n{line}\n")
        with pytest.raises(InvalidFileError, match=said) as caught:
            graded_questions(path)
        assert caught.value.problems[0].line == 2
    path = tmp_path / "grades.tsv"
    for content in ("", "1\ta\t1\tr\t1\t\t\tWhy?\n"):
        path.write_text(content)
        with pytest.raises(InvalidFileError, match="at least one graded question"):
            graded_questions(path)


def _graded(*grades_by_article, runs=2):
    """Return two questions a run on each article: who pays, and what comes next."""
    return [
        GradedQuestion(f"article-{place}", f"run-{run}", rank, grade, False, text)
        for place, grades in enumerate(grades_by_article)
        for run in range(runs)
        for rank, (text, grade) in enumerate(
            zip(("Who pays for it?", "What comes next?"), grades, strict=True), start=1
        )
    ]


def test_a_generous_assessor_teaches_nothing_but_is_told_by_the_articles_beside():
    graded = _graded((4, 3), (1, 0), (2, 1), runs=50)
    model = Fitting(graded).fit(np.full(len(graded), fill_value=True))
    who, what = model("Who pays for it?").worth, model("What comes next?").worth
    assert who - what == pytest.approx(1, abs=0.1)
    assert (who + what) / 2 == pytest.approx(useful(graded).mean(), abs=0.01)
    graded = _graded(*[(4, 0)] * 8, *[(0, 3)] * 8, runs=20)
    of = np.array([one.article for one in graded])
    for place, (better, worse) in (
        (1, ("Who pays for it?", "What comes next?")),
        (14, ("What comes next?", "Who pays for it?")),
    ):
        model = Fitting(graded).fit(of != f"article-{place}", assessor_of=place)
        assert model(better).worth > model(worse).worth + 1


def test_variance_is_shared_out_and_repetitions_are_compared():
    graded = _graded((4, 3), (1, 0), (2, -1))
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]] * (len(graded) // 2))
    for place in (0, 4):  # the same as "Who pays for it?" of another run, in other words
        graded.append(graded[place]._replace(run="run-2", text="Who pays?"))
        vectors = np.vstack([vectors, vectors[:1]])
    found = dict(limits(graded, vectors))
    assert found["asked again word for word: pairs"] == 6
    assert found["asked again word for word: Spearman rho of grades"] == pytest.approx(1)
    assert found["asked again in similar words: pairs"] == 4
    assert found["asked again in similar words: Spearman rho of grades"] == pytest.approx(1)
    found = dict(limits(_graded((4, 3), (1, 0), (2, -1)), vectors[:12]))
    shares = [value for name, value in found.items() if name.startswith("share of variance")]
    assert len(shares) == 4
    assert sum(shares) == pytest.approx(1)


def test_labels_and_outlooks_follow_those_of_people():
    graded = _graded((4, 2), (0, -1))
    moved = with_article_means(graded, [Outlook(1.0, 0.5), Outlook(0.0, 0.5)] * 4)
    assert [round(one.worth, 6) for one in moved] == [3.5, 2.5] * 2 + [0.5, -0.5] * 2
    assert [round(one.flawed, 6) for one in moved] == [0.0] * 4 + [0.5] * 4
    generator = np.random.default_rng(0)
    grades = generator.choice([-1, 0, 1, 2, 3, 4], 2_000)
    worth, flawed = generator.normal(size=(2, 2_000))
    found = cuts(worth, flawed, grades)
    assert np.mean(flawed > found.flawed) == pytest.approx(np.mean(grades == -1), abs=0.01)
    best = np.mean(worth[flawed <= found.flawed] >= found.grades[-1])
    assert best == pytest.approx(np.mean(grades[grades >= 0] == 4), abs=0.01)


def test_the_weights_are_those_of_the_data_and_as_printed(shared_data):
    figures = question_model().about["figures"]
    assert isinstance(figures, dict)
    for name, printed in targets()["lateral2024-questions"].printed.items():
        assert float(printed) == pytest.approx(figures[name], abs=5e-4)
    graded = graded_questions(shared_data / "lateral-2024" / "question-assessments.tsv")
    assert useful(graded).mean() == pytest.approx(2.09, abs=0.01)
    again = Fitting(graded).fit(np.full(len(graded), fill_value=True))
    shipped = question_model()
    assert again.weights.keys() == shipped.weights.keys()
    for name, pair in shipped.weights.items():
        assert again.weights[name] == pytest.approx(pair, abs=2e-4)


# The shipped weights are what training on the public labels gives.
MODELS = ("answers", "answers-words", "support")
MOST_BYTES = 600_000


@pytest.mark.slow
def test_training_again_gives_the_shipped_figures(shared_data):
    trained = train_answers(shared_data / "rag-2024" / "nugget-assignments.jsonl.gz", None)
    for way, found in trained.figures.items():
        shipped = trained.shipped[way]
        assert found.n == shipped.n
        assert found.kappa == pytest.approx(shipped.kappa, abs=0.01)
        assert found.accuracy == pytest.approx(shipped.accuracy, abs=0.01)
        assert found.tau == pytest.approx(shipped.tau, abs=0.01)
