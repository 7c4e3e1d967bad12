"""How well questions can be graded at all: what a model lacks that does not know who assesses.

How far assessors agree with themselves bounds every judge; means of articles, which are those of
assessors as much as of articles, bound one that sees questions alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.training.questions.graded_questions import articles_of, useful
from sidelight.learned.questions.model import FLAWED, Outlook

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from sidelight.evaluation.training.questions.graded_questions import GradedQuestion

    Floats = npt.NDArray[np.float64]

_NEARLY_THE_SAME = 0.95  # cosine


def limits(graded: Sequence[GradedQuestion], vectors: Floats) -> Iterator[tuple[str, float]]:
    """Yield where grades vary, and how far those of the same question agree.

    Args:
        graded: All questions.
        vectors: Of their texts, `(n, dim)`, normalised.
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
