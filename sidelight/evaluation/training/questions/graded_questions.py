"""People's grades of questions, and the model of good questions fitted on them.

A line of the file holds, between tabs: topic, article, place of the run, run, rank, grade (-1 to
4), whether the question was called redundant, and the question. -1 counts as 0, as in the averages
of the track it is from.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.learned.questions.form import form
from sidelight.learned.questions.model import FLAWED, Cuts, QuestionModel, features
from sidelight.learned.questions.words import runs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Chosen = npt.NDArray[np.bool_]

BEST = 4
_RUNS = 900  # of masked words that become features: the most frequent
_PENALTY = 100.0
_COLUMNS = 8
_DIGITS = 4


class GradedQuestion(NamedTuple):
    """A question that somebody graded.

    Attributes:
        article: Id of the article that it is about.
        run: Who submitted it.
        rank: Its place in the list, from 1.
        grade: From -1 (flawed) to 4.
        redundant: Whether it was called redundant.
        text: The question.
    """

    article: str
    run: str
    rank: int
    grade: int
    redundant: bool
    text: str


def read_graded_questions(path: Path) -> list[GradedQuestion]:
    """Read the file.

    Raises:
        InputError: It cannot be read.
        InvalidFileError: A line is not of its form, or there is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    found = [_graded(path, number, line) for number, line in enumerate(lines, start=1)]
    if not found:
        raise _invalid(path, None, "at least one graded question", "none")
    return found


def _graded(path: Path, number: int, line: str) -> GradedQuestion:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise _invalid(path, number, f"{_COLUMNS} columns between tabs", str(len(cells)))
    _, article, _, run, rank, grade, redundant, text = cells
    if grade not in {str(one) for one in range(FLAWED, BEST + 1)}:
        raise _invalid(path, number, "a grade from -1 to 4 in the sixth column", repr(grade[:60]))
    if not rank.isdecimal():
        raise _invalid(path, number, "a rank in the fifth column", repr(rank[:60]))
    return GradedQuestion(article, run, int(rank), int(grade), redundant == "1", text)


def _invalid(path: Path, number: int | None, expected: str, found: str) -> InvalidFileError:
    remedy = "The question assessments of TREC 2024 Lateral Reading show the form."
    return InvalidFileError([Problem("label-line", str(path), number, expected, found, remedy)])


def useful(graded: Sequence[GradedQuestion]) -> Floats:
    """Return grades as the track averages them, flawed as 0; `(n,)`."""
    return np.array([max(0, one.grade) for one in graded], dtype=np.float64)


class Fitting:
    """Fits the model on parts of the graded questions; what they have in common is counted once.

    Args:
        graded: All of them.
    """

    def __init__(self, graded: Sequence[GradedQuestion]) -> None:
        self._graded = graded
        self._seen = [runs(one.text) for one in graded]
        self._rows = [dict(features(one.text)) for one in graded]
        self._counts = tuple(form(""))
        grades = np.array([one.grade for one in graded])
        self._targets = np.stack([np.maximum(grades, 0), grades == FLAWED], axis=1).astype(float)

    def fit(self, chosen: Chosen) -> QuestionModel:
        """Return the ridge regression of worth and flaw on the chosen questions, without cuts.

        Args:
            chosen: `(n,)`, which to fit on. The runs of words are those frequent among them.
        """
        places = np.flatnonzero(chosen)
        frequency = Counter(run for place in places for run in self._seen[place])
        common = sorted(sorted(frequency), key=lambda run: -frequency[run])[:_RUNS]
        names = (*self._counts, *(f'"{run}"' for run in common))
        column = {name: number for number, name in enumerate(names)}
        table = np.zeros((len(places), len(names)))
        for row, place in enumerate(places):
            for name, value in self._rows[place].items():
                if name in column:
                    table[row, column[name]] = value
        targets = self._targets[places]
        spread = np.ones(len(names))
        spread[: len(self._counts)] = np.maximum(table[:, : len(self._counts)].std(axis=0), 1e-6)
        means = table.mean(axis=0)
        centred = (table - means) / spread
        gram = centred.T @ centred + _PENALTY * np.eye(len(names))
        inside = np.linalg.solve(gram, centred.T @ (targets - targets.mean(axis=0)))
        weights = np.round(inside / spread[:, None], _DIGITS)
        start = np.round(targets.mean(axis=0) - means @ weights, _DIGITS)
        return QuestionModel(
            intercepts=(float(start[0]), float(start[1])),
            weights={
                name: (float(weights[row, 0]), float(weights[row, 1]))
                for row, name in enumerate(names)
            },
        )


def cuts(worth: Floats, flawed: Floats, grades: Integers) -> Cuts:
    """Return where labels begin, so that each is as frequent as among people.

    Args:
        worth: Predicted, `(n,)`.
        flawed: Predicted, `(n,)`.
        grades: By people, `(n,)`.
    """
    bad = float(np.quantile(flawed, 1 - (grades == FLAWED).mean()))
    left, others = worth[flawed <= bad], grades[grades != FLAWED]
    shares = [float(np.mean(others < grade)) for grade in range(1, BEST + 1)]
    one, two, three, four = (round(float(cut), _DIGITS) for cut in np.quantile(left, shares))
    return Cuts(flawed=round(bad, _DIGITS), grades=(one, two, three, four))
