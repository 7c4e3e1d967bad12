"""Training on people's grades of questions: files, a fit that repeats, figures as printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sidelight.errors import InvalidFileError
from sidelight.evaluation.published.targets import targets
from sidelight.evaluation.training.questions.graded_questions import (
    Fitting,
    cuts,
    read_graded_questions,
    useful,
)
from sidelight.learned.questions.model import question_model
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
        read_graded_questions(path)
    assert caught.value.problems[0].line == 2


def test_labels_are_as_frequent_as_among_people() -> None:
    generator = np.random.default_rng(0)
    grades = generator.choice([-1, 0, 1, 2, 3, 4], 2_000)
    worth, flawed = generator.normal(size=(2, 2_000))
    found = cuts(worth, flawed, grades)
    assert np.mean(flawed > found.flawed) == pytest.approx(np.mean(grades == -1), abs=0.01)
    best = np.mean(worth[flawed <= found.flawed] >= found.grades[-1])
    assert best == pytest.approx(np.mean(grades[grades >= 0] == 4), abs=0.01)


def test_the_weights_are_those_of_the_data(shared_data: PublicData) -> None:
    graded = read_graded_questions(shared_data / "lateral-2024" / "question-assessments.tsv")
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
