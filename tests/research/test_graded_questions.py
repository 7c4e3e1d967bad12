"""Training on people's grades of questions: files, a fit that repeats, figures as printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sidelight.errors import InvalidFileError
from sidelight.learned.questions import Outlook, question_model
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
from tests.helpers.public_data import PublicData


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1\ta\t1\tr\t1\t4\t0", "8 columns"),
        ("1\ta\t1\tr\t1\t5\t0\tWhy?", "a grade from -1 to 4"),
        ("1\ta\t1\tr\tx\t4\t0\tWhy?", "a rank"),
    ],
)
def test_what_is_wrong_names_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "grades.tsv"
    path.write_text(f"1\ta\t1\tr\t1\t4\t0\tWhy?\n{line}\n")
    with pytest.raises(InvalidFileError, match=said) as caught:
        graded_questions(path)
    assert caught.value.problems[0].line == 2


def test_a_file_of_no_grades_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "grades.tsv"
    for content in ("", "1\ta\t1\tr\t1\t\t\tWhy?\n"):
        path.write_text(content)
        with pytest.raises(InvalidFileError, match="at least one graded question"):
            graded_questions(path)


def _graded(*grades_by_article: tuple[int, int], runs: int = 2) -> list[GradedQuestion]:
    """Return two questions a run on each article: who pays, and what comes next."""
    return [
        GradedQuestion(f"article-{place}", f"run-{run}", rank, grade, False, text)
        for place, grades in enumerate(grades_by_article)
        for run in range(runs)
        for rank, (text, grade) in enumerate(
            zip(("Who pays for it?", "What comes next?"), grades, strict=True), start=1
        )
    ]


def test_a_generous_assessor_teaches_nothing_but_what_is_better() -> None:
    graded = _graded((4, 3), (1, 0), (2, 1), runs=50)
    model = Fitting(graded).fit(np.full(len(graded), fill_value=True))
    who, what = model("Who pays for it?").worth, model("What comes next?").worth
    assert who - what == pytest.approx(1, abs=0.1)
    assert (who + what) / 2 == pytest.approx(useful(graded).mean(), abs=0.01)


def test_who_assesses_is_told_by_the_articles_beside() -> None:
    graded = _graded(*[(4, 0)] * 8, *[(0, 3)] * 8, runs=20)
    of = np.array([one.article for one in graded])
    for place, (better, worse) in (
        (1, ("Who pays for it?", "What comes next?")),
        (14, ("What comes next?", "Who pays for it?")),
    ):
        model = Fitting(graded).fit(of != f"article-{place}", assessor_of=place)
        assert model(better).worth > model(worse).worth + 1


def test_variance_is_shared_out_and_repetitions_are_compared() -> None:
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


def test_outlooks_can_be_moved_to_the_means_of_articles() -> None:
    graded = _graded((4, 2), (0, -1))
    moved = with_article_means(graded, [Outlook(1.0, 0.5), Outlook(0.0, 0.5)] * 4)
    assert [round(one.worth, 6) for one in moved] == [3.5, 2.5] * 2 + [0.5, -0.5] * 2
    assert [round(one.flawed, 6) for one in moved] == [0.0] * 4 + [0.5] * 4


def test_labels_are_as_frequent_as_among_people() -> None:
    generator = np.random.default_rng(0)
    grades = generator.choice([-1, 0, 1, 2, 3, 4], 2_000)
    worth, flawed = generator.normal(size=(2, 2_000))
    found = cuts(worth, flawed, grades)
    assert np.mean(flawed > found.flawed) == pytest.approx(np.mean(grades == -1), abs=0.01)
    best = np.mean(worth[flawed <= found.flawed] >= found.grades[-1])
    assert best == pytest.approx(np.mean(grades[grades >= 0] == 4), abs=0.01)


def test_the_weights_are_those_of_the_data(shared_data: PublicData) -> None:
    graded = graded_questions(shared_data / "lateral-2024" / "question-assessments.tsv")
    assert useful(graded).mean() == pytest.approx(2.09, abs=0.01)
    again = Fitting(graded).fit(np.full(len(graded), fill_value=True))
    shipped = question_model()
    assert again.weights.keys() == shipped.weights.keys()
    for name, pair in shipped.weights.items():
        assert again.weights[name] == pytest.approx(pair, abs=2e-4)


def test_what_is_printed_is_what_the_weights_say() -> None:
    figures = question_model().about["figures"]
    assert isinstance(figures, dict)
    for name, printed in targets()["lateral2024-questions"].printed.items():
        assert float(printed) == pytest.approx(figures[name], abs=5e-4)
