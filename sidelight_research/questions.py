"""Grades that people gave to questions: the model fitted on them, and the limits of any model.

Grade -1 counts as 0, as in the averages of the track that the grades are from. Some articles are
graded far more generously than others, and each had the same runs: means of articles are taken out
before a model is fitted, so that it learns what tells questions on one article apart.

The agreement of assessors with themselves bounds every judge; means of articles, which depend on
the assessor as much as on the article, bound a judge that sees questions alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.errors import InvalidFileError, Problem
from sidelight.formats.labels.qrels import read_question_grades
from sidelight.learned.questions import FLAWED, Cuts, Outlook, QuestionModel, features, form
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Chosen = npt.NDArray[np.bool_]

BEST = 4
_GRADED_TRACK = "lateral2024"
_RUNS = 900  # of masked words that become features: the most frequent
_WEIGHT_PENALTY = 60.0
_DIGITS = 4
# Files do not say who assessed, but articles of one assessor follow each other. How far habits
# (what earns how much) and levels (how generous) carry, in steps of that order; and what an article
# at any distance counts, against about 1 for one beside.
_HABITS, _HABITS_ELSEWHERE = 3.0, 0.05
_LEVELS, _LEVELS_ELSEWHERE = 1.0, 0.01


class GradedQuestion(NamedTuple):
    """A question that somebody graded, from -1 (flawed) to 4; ranks are 1-based."""

    article: str
    run: str
    rank: int
    grade: int
    redundant: bool
    text: str


def graded_questions(path: Path) -> list[GradedQuestion]:
    """Return what people graded, in the order of the file, of which something must be."""
    found = [
        GradedQuestion(
            one.topic_id,
            one.run_tag,
            one.run_question_rank,
            int(one.label),
            bool(one.redundant),
            one.run_question_text,
        )
        for one in read_question_grades(path, load_track(_GRADED_TRACK).scales)
        if not isinstance(one.label, Unjudged)
    ]
    if not found:
        remedy = "The question assessments of TREC 2024 Lateral Reading show the form."
        expected = "at least one graded question"
        raise InvalidFileError([Problem("value", str(path), None, expected, "none", remedy)])
    return found


def useful(graded: Sequence[GradedQuestion]) -> Floats:
    """Return grades as the track averages them, flawed as 0; `(n,)`."""
    return np.array([max(0, one.grade) for one in graded], dtype=np.float64)


class Fitting:
    """Fits the model on parts of the graded questions, articles in the order of the file.

    What the parts have in common is counted once.
    """

    def __init__(self, graded: Sequence[GradedQuestion]) -> None:
        from scipy.sparse import csr_array

        rows = [dict(features(one.text)) for one in graded]
        self._counts = tuple(form(""))
        runs = sorted({name for row in rows for name in row} - {*self._counts})
        self._names = (*self._counts, *runs)
        column = {name: number for number, name in enumerate(self._names)}
        self._table = csr_array(
            (
                [value for row in rows for value in row.values()],
                (
                    [number for number, row in enumerate(rows) for _ in row],
                    [column[name] for row in rows for name in row],
                ),
            ),
            shape=(len(rows), len(self._names)),
        )
        places = {name: place for place, name in enumerate(articles_of(graded))}
        self._place = np.array([places[one.article] for one in graded])
        grades = np.array([one.grade for one in graded])
        self._targets = np.stack([np.maximum(grades, 0), grades == FLAWED], axis=1).astype(float)

    def fit(self, chosen: Chosen, assessor_of: int | None = None) -> QuestionModel:
        """Return the ridge regression of worth and flaw on the chosen questions, without cuts.

        The runs of words are those frequent among the chosen, `(n,)`. `assessor_of` is the place of
        an article, from 0, in the order of the file: those just before and after it count most.
        None is for no assessor in particular.
        """
        rows = self._table[np.flatnonzero(chosen)]
        counts = len(self._counts)
        frequency = np.asarray(rows[:, counts:].sum(axis=0))
        common = counts + np.argsort(-frequency, kind="stable")[:_RUNS]
        columns = np.concatenate([np.arange(counts), common])
        table = rows[:, columns].toarray()
        places, article, size = np.unique(
            self._place[chosen], return_inverse=True, return_counts=True
        )
        habits = levels = np.ones(len(places))
        if assessor_of is not None:
            steps = np.abs(places - assessor_of)
            habits = _HABITS_ELSEWHERE + np.exp(-steps / _HABITS)
            levels = _LEVELS_ELSEWHERE + np.exp(-steps / _LEVELS)
        member = np.equal.outer(np.arange(len(places)), article) / size[:, None]
        means, target_means = member @ table, member @ self._targets[chosen]
        spread = np.ones(len(columns))
        spread[:counts] = np.maximum(table[:, :counts].std(axis=0), 1e-6)
        weight = (habits / np.average(habits, weights=size))[article][:, None]
        inside = (table - means[article]) / spread
        gram = inside.T @ (weight * inside) + _WEIGHT_PENALTY * np.eye(len(columns))
        right = inside.T @ (weight * (self._targets[chosen] - target_means[article]))
        weights = np.round(np.linalg.solve(gram, right) / spread[:, None], _DIGITS)
        left = target_means - means @ weights
        start = np.round(np.average(left, axis=0, weights=levels * size), _DIGITS)
        return QuestionModel(
            intercepts=(float(start[0]), float(start[1])),
            weights={
                self._names[number]: (float(weights[row, 0]), float(weights[row, 1]))
                for row, number in enumerate(columns)
            },
        )


def articles_of(graded: Sequence[GradedQuestion]) -> list[str]:
    """Return the articles in the order of the file."""
    return list(dict.fromkeys(one.article for one in graded))


def cuts(worth: Floats, flawed: Floats, grades: Integers) -> Cuts:
    """Return where labels begin, so that each is as frequent as among people; all `(n,)`."""
    bad = float(np.quantile(flawed, 1 - (grades == FLAWED).mean()))
    left, others = worth[flawed <= bad], grades[grades != FLAWED]
    shares = [float(np.mean(others < grade)) for grade in range(1, BEST + 1)]
    one, two, three, four = (round(float(cut), _DIGITS) for cut in np.quantile(left, shares))
    return Cuts(flawed=round(bad, _DIGITS), grades=(one, two, three, four))


_NEARLY_THE_SAME = 0.95  # cosine


def limits(graded: Sequence[GradedQuestion], vectors: Floats) -> Iterator[tuple[str, float]]:
    """Yield where grades vary, and how far those of the same question agree.

    The vectors of the texts are `(n, dim)`, normalised.
    """
    worth, number = useful(graded), _article_numbers(graded)
    runs = np.unique([one.run for one in graded], return_inverse=True)[1]
    both = number * (runs.max() + 1) + runs
    by_article, by_run = _group_means(worth, number), _group_means(worth, runs)
    by_list, all_ = _group_means(worth, both), worth.var()
    yield "share of variance: articles", float(by_article.var() / all_)
    yield "share of variance: runs", float(by_run.var() / all_)
    together = by_article + by_run - worth.mean()
    yield "share of variance: runs on an article", float(((by_list - together) ** 2).mean() / all_)
    yield "share of variance: within a list", float(((worth - by_list) ** 2).mean() / all_)
    means = np.array([worth[number == one].mean() for one in range(number.max() + 1)])
    yield (
        "neighbouring articles: correlation of mean grades",
        float(np.corrcoef(means[1:], means[:-1])[0, 1]),
    )
    yield from _repeated(graded, number, runs, vectors)


def with_article_means(
    graded: Sequence[GradedQuestion], outlooks: Sequence[Outlook]
) -> list[Outlook]:
    """Return outlooks moved so that their means of each article are those that people gave."""
    number, found = _article_numbers(graded), np.array(outlooks)
    truth = np.stack([useful(graded), [one.grade == FLAWED for one in graded]], axis=1)
    for article in range(number.max() + 1):
        there = number == article
        found[there] += (truth[there] - found[there]).mean(axis=0)
    return [Outlook(float(worth), float(flawed)) for worth, flawed in found]


def _repeated(
    graded: Sequence[GradedQuestion],
    number: npt.NDArray[np.int64],
    runs: npt.NDArray[np.int64],
    vectors: Floats,
) -> Iterator[tuple[str, float]]:
    """Yield how far grades of one question agree that several runs ask on one article."""
    from scipy.stats import spearmanr

    worth = useful(graded)
    texts = np.array([" ".join(one.text.casefold().split()) for one in graded])
    pairs: dict[str, list[tuple[float, float]]] = {"word for word": [], "in similar words": []}
    for article in range(number.max() + 1):
        there = np.flatnonzero(number == article)
        same = texts[there, None] == texts[None, there]
        near = (vectors[there] @ vectors[there].T >= _NEARLY_THE_SAME) & ~same
        others = runs[there, None] != runs[None, there]
        for name, chosen in zip(pairs, (same & others, near & others), strict=True):
            # Each pair both ways, so that neither side is the first.
            left, right = np.nonzero(chosen)
            pairs[name] += zip(worth[there[left]], worth[there[right]], strict=True)
    for name, found in pairs.items():
        yield f"asked again {name}: pairs", len(found) / 2
        if found:
            rho = spearmanr(*zip(*found, strict=True)).statistic
            yield f"asked again {name}: Spearman rho of grades", float(rho)


def _article_numbers(graded: Sequence[GradedQuestion]) -> npt.NDArray[np.int64]:
    numbers = {name: number for number, name in enumerate(articles_of(graded))}
    return np.array([numbers[one.article] for one in graded])


def _group_means(values: Floats, groups: npt.NDArray[np.int64]) -> Floats:
    sums = np.bincount(groups, values)
    means: Floats = (sums / np.maximum(1, np.bincount(groups)))[groups]
    return means
