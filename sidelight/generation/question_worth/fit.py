"""Fit the model of good questions on the 9,500 graded questions of the 2024 track.

Run with: python -m sidelight.generation.question_worth.fit PATH_TO_QUESTION_ASSESSMENTS.TSV

Prints how well it does on articles, then on runs, that were held out, and writes the weights,
fitted on everything, beside this module. A line of the file holds topic, article, assessor, run,
rank, grade (-1 to 4), a flag and the question; -1 counts as 0, as in the track's own averages.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import orjson

from sidelight.generation.question_worth.features import COUNTS, counts, runs
from sidelight.generation.question_worth.model import WEIGHTS, QuestionWorth

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

N_RUNS = 300
PENALTY = 100.0
FOLDS = 10


class Graded(NamedTuple):
    """A question that somebody graded."""

    article: str
    run: str
    grade: int
    text: str


def read_graded(path: Path) -> list[Graded]:
    """Return the graded questions of the track's file."""
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return [Graded(fields[1], fields[3], int(fields[5]), fields[7]) for fields in lines]


def fit(graded: Sequence[Graded]) -> QuestionWorth:
    """Return the ridge regression of grades on the commonest runs of words and the counts."""
    frequency = Counter(run for one in graded for run in runs(one.text))
    chosen = sorted(sorted(frequency), key=lambda run: -frequency[run])[:N_RUNS]
    place = {run: column for column, run in enumerate(chosen)}
    table = np.zeros((len(graded), len(chosen) + len(COUNTS)))
    for row, one in enumerate(graded):
        table[row, [place[run] for run in runs(one.text) if run in place]] = 1.0
        table[row, len(chosen) :] = counts(one.text)
    grades = np.array([max(0, one.grade) for one in graded], dtype=np.float64)
    spread = np.ones(table.shape[1])
    spread[len(chosen) :] = table[:, len(chosen) :].std(axis=0)
    centred = (table - table.mean(axis=0)) / spread
    gram = centred.T @ centred + PENALTY * np.eye(table.shape[1])
    weights = np.linalg.solve(gram, centred.T @ (grades - grades.mean())) / spread
    rounded = [round(float(weight), 4) for weight in weights]
    return QuestionWorth(
        intercept=round(float(grades.mean() - table.mean(axis=0) @ weights), 4),
        runs=dict(zip(chosen, rounded, strict=False)),
        counts=dict(zip(COUNTS, rounded[len(chosen) :], strict=True)),
    )


def held_out(graded: Sequence[Graded], groups: Sequence[str], folds: int) -> dict[str, float]:
    """Return how well questions of groups that were held out are predicted."""
    names = sorted(set(groups))
    fold_of = {name: place % folds for place, name in enumerate(names)}
    predicted = np.zeros(len(graded))
    for fold in range(folds):
        inside = [fold_of[group] == fold for group in groups]
        model = fit([one for one, out in zip(graded, inside, strict=True) if not out])
        for row, (one, out) in enumerate(zip(graded, inside, strict=True)):
            if out:
                predicted[row] = model(one.text)
    grades = np.array([one.grade for one in graded])
    useful = np.maximum(grades, 0)
    of_run = np.array([one.run for one in graded])
    tags = sorted(set(of_run))
    means = [(predicted[of_run == tag].mean(), useful[of_run == tag].mean()) for tag in tags]
    return {
        "kendall_tau_of_run_means": round(_kendall(means), 3),
        "spearman_of_questions": round(_spearman(predicted, useful), 3),
        "auc_of_grade_minus_1": round(_auc(-predicted, grades == -1), 3),
        "auc_of_grade_4": round(_auc(predicted, grades == 4), 3),
    }


def _kendall(pairs: Sequence[tuple[float, float]]) -> float:
    left, right = (np.array(values) for values in zip(*pairs, strict=True))
    upper = np.triu_indices(len(left), 1)
    signs = np.sign(left[:, None] - left)[upper] * np.sign(right[:, None] - right)[upper]
    return float(signs.sum() / len(signs))


def _ranks(values: Floats) -> Floats:
    ordered, inverse, count = np.unique(values, return_inverse=True, return_counts=True)
    del ordered
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[inverse], dtype=np.float64)


def _spearman(left: Floats, right: Floats) -> float:
    return float(np.corrcoef(_ranks(left), _ranks(right))[0, 1])


def _auc(scores: Floats, is_positive: npt.NDArray[np.bool_]) -> float:
    positive, negative = int(is_positive.sum()), int((~is_positive).sum())
    rank_sum = _ranks(scores)[is_positive].sum()
    return float((rank_sum - positive * (positive + 1) / 2) / (positive * negative))


def main(path: Path, destination: Path = WEIGHTS) -> None:
    """Print figures on held-out articles and runs, and write the weights."""
    graded = read_graded(path)
    by_article = held_out(graded, [one.article for one in graded], FOLDS)
    by_run = held_out(graded, [one.run for one in graded], len({one.run for one in graded}))
    print(f"{len(graded)} questions; articles held out: {by_article}; runs held out: {by_run}")
    provenance: dict[str, str | int | float] = {
        "data": "TREC 2024 Lateral Reading, grades of all submitted questions",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "questions": len(graded),
        "split": f"{FOLDS} folds of whole articles; one fold for each run",
        **{f"articles_held_out.{name}": value for name, value in by_article.items()},
        **{f"runs_held_out.{name}": value for name, value in by_run.items()},
    }
    model = fit(graded).model_copy(update={"provenance": provenance})
    shown = orjson.dumps(model.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
    destination.write_bytes(shown + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
