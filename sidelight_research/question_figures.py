"""Training of the model of good questions, and its figures beside those of simpler models.

Three ways to hold out: whole articles, with nothing known of who assesses them or with other
articles of the same assessor counting most; whole runs; and articles, while the grades of the other
runs on the article are known. Redundancy is measured where the flag was used as it was defined: in
some articles half of all questions have it, whatever they ask.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import orjson

from sidelight.files import atomic_write, sha256_file
from sidelight.learned.questions import (
    FLAWED,
    Outlook,
    QuestionModel,
    closest_earlier,
    masked,
)
from sidelight_research.questions import (
    Fitting,
    articles_of,
    cuts,
    graded_questions,
    limits,
    useful,
    with_article_means,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from sidelight.text_vectors import Encode
    from sidelight_research.questions import GradedQuestion

    Floats = npt.NDArray[np.float64]
    Chosen = npt.NDArray[np.bool_]
    Predict = Callable[[Chosen], Callable[[str], Outlook]]

ARTICLES, RUNS = "articles held out", "runs held out"
ASSESSOR = f"{ARTICLES}, the assessor's other articles known"
MEANS = f"{ARTICLES}, their mean grades known"
KNOWN = f"{RUNS}, the others' grades known"
OTHER_TEAMS = "teams held out, the others' grades known"
_FOLDS = 10
_FEWER = (10, 20)  # articles to learn from, of the 45 of a fold
_OFTEN = 0.3  # share of redundant questions above which an article's flags mean something else
_TEMPLATE_WORDS = 2
_NEIGHBOUR_WIDTH = 0.1  # of a grade, in cosines: at a distance of that a neighbour counts a third
_DOUBT = 0.3  # what the model's own word weighs, against 1 for an equal question's grade
_VOWELS = re.compile(r"[aeiouy]+", re.IGNORECASE)


def question_grades(
    labels: Path, *, encode: Encode, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Train the model of good questions; returns names of figures and what they are."""
    graded = graded_questions(labels)
    vectors = np.asarray(encode([one.text for one in graded]), dtype=np.float64)
    fitting = Fitting(graded)
    grades = np.array([one.grade for one in graded])
    found: dict[str, float] = {}
    for title, groups, folds in (
        (ARTICLES, [one.article for one in graded], _FOLDS),
        (RUNS, [one.run for one in graded], None),
    ):
        for name, predict in _models(graded, fitting).items():
            outlooks = _held_out(graded, groups, folds, predict)
            label = f"{name}, {title}" if name else title
            found |= {f"{label}: {key}": value for key, value in _figures(graded, outlooks)}
            if title == ARTICLES and not name:
                alone = outlooks
    assessed = _by_assessor(graded, fitting)
    for title, outlooks in ((ASSESSOR, assessed), (MEANS, with_article_means(graded, alone))):
        found |= {f"{title}: {key}": value for key, value in _figures(graded, outlooks)}
    for title, of in ((KNOWN, lambda one: one.run), (OTHER_TEAMS, lambda one: team(one.run))):
        known = _with_known(graded, alone, vectors, of)
        found |= {f"{title}: {key}": value for key, value in _figures(graded, known)}
    found |= _learning_curve(graded, fitting)
    found |= dict(limits(graded, vectors))
    redundant, cut = _redundancy(graded, vectors)
    found |= redundant
    model = fitting.fit(np.full(len(graded), fill_value=True))
    if weights:
        worth, flawed = np.array(alone).T
        chosen = cuts(worth, flawed, grades).model_copy(update={"redundant": cut})
        about = _about(labels, graded, found)
        _save(weights, model.model_copy(update={"cuts": chosen, "about": about}))
    yield from found.items()


def team(run: str) -> str:
    """Return who submitted a run, as far as its name tells: what stands before the first mark."""
    return re.split(r"[-_]|Auto", run, maxsplit=1)[0]


def _models(graded: Sequence[GradedQuestion], fitting: Fitting) -> dict[str, Predict]:
    """Return the model, named "", and what it must be better than."""
    grades = useful(graded)
    openings = [" ".join(masked(one.text)[:_TEMPLATE_WORDS]) for one in graded]

    def by_opening(chosen: Chosen) -> Callable[[str], Outlook]:
        known: dict[str, list[float]] = {}
        for place in np.flatnonzero(chosen):
            known.setdefault(openings[place], []).append(grades[place])
        mean = float(grades[chosen].mean())

        def predict(question: str) -> Outlook:
            own = known.get(" ".join(masked(question)[:_TEMPLATE_WORDS]), ())
            worth = (sum(own) + 5 * mean) / (len(own) + 5)
            return Outlook(worth, -worth)

        return predict

    return {
        "": fitting.fit,
        "length alone": lambda _: lambda question: Outlook(-len(question), len(question)),
        "readability alone": lambda _: _by_ease,
        "opening alone": by_opening,
    }


def _by_ease(question: str) -> Outlook:
    """Return Flesch's reading ease of one sentence as its worth."""
    words = question.split() or [""]
    syllables = sum(max(1, len(_VOWELS.findall(word))) for word in words)
    ease = 206.835 - 1.015 * len(words) - 84.6 * syllables / len(words)
    return Outlook(ease, -ease)


def _held_out(
    graded: Sequence[GradedQuestion], groups: Sequence[str], folds: int | None, predict: Predict
) -> list[Outlook]:
    """Return what is expected of each question by a model that has not seen its group."""
    names = sorted(set(groups))
    place = {name: number % (folds or len(names)) for number, name in enumerate(names)}
    fold_of = np.array([place[group] for group in groups])
    found = [Outlook(0.0, 0.0)] * len(graded)
    for fold in range(folds or len(names)):
        model = predict(fold_of != fold)
        for row in np.flatnonzero(fold_of == fold).tolist():
            found[row] = model(graded[row].text)
    return found


def _by_assessor(graded: Sequence[GradedQuestion], fitting: Fitting) -> list[Outlook]:
    """Return outlooks by models that each have not seen the article, but know who assesses it."""
    of = [one.article for one in graded]
    places = {article: place for place, article in enumerate(articles_of(graded))}

    def fit(chosen: Chosen) -> QuestionModel:
        return fitting.fit(chosen, assessor_of=places[of[int(np.argmin(chosen))]])

    return _held_out(graded, of, None, fit)


def _learning_curve(graded: Sequence[GradedQuestion], fitting: Fitting) -> dict[str, float]:
    """Return figures of models that learn from fewer articles, spread over the file."""
    articles = articles_of(graded)
    of = np.array([one.article for one in graded])
    found = {}
    for size in _FEWER:

        def fit(chosen: Chosen, size: int = size) -> QuestionModel:
            others = set(of[chosen].tolist())
            there = [name for name in articles if name in others]
            kept = [there[place * len(there) // size] for place in range(size)]
            return fitting.fit(chosen & np.isin(of, kept))

        outlooks = _held_out(graded, of.tolist(), _FOLDS, fit)
        figures = dict(_figures(graded, outlooks))
        for key in ("Spearman rho of questions", "AUC of grade -1"):
            found[f"{ARTICLES}, {size} to learn from: {key}"] = figures[key]
    return found


def corrected(
    outlooks: Sequence[Outlook],
    cosines: Floats,
    known: Sequence[Outlook],
    graded: Sequence[int],
) -> list[Outlook]:
    """Return outlooks moved by how far the model was off for similar questions on the article.

    `cosines` of the questions with graded ones on the same article are `(n, n_known)`; `known` are
    the outlooks of the graded ones, and `graded` what people gave them, -1 to 4.
    """
    if not graded:
        return list(outlooks)
    off = np.array([(max(0, grade), grade < 0) for grade in graded], dtype=np.float64) - np.array(
        known
    )
    near = np.exp((np.asarray(cosines, dtype=np.float64) - 1) / _NEIGHBOUR_WIDTH)
    moved = np.array(outlooks) + near @ off / (near.sum(axis=1, keepdims=True) + _DOUBT)
    return [Outlook(float(worth), float(flawed)) for worth, flawed in moved]


def _with_known(
    graded: Sequence[GradedQuestion],
    alone: Sequence[Outlook],
    vectors: Floats,
    of: Callable[[GradedQuestion], str],
) -> list[Outlook]:
    """Return outlooks corrected by the grades that others have on the same article."""
    found = list(alone)
    owners = np.array([of(one) for one in graded])
    articles = np.array([one.article for one in graded])
    for article in sorted(set(articles.tolist())):
        for owner in sorted(set(owners.tolist())):
            ours = np.flatnonzero((articles == article) & (owners == owner)).tolist()
            known = np.flatnonzero((articles == article) & (owners != owner)).tolist()
            outlooks = corrected(
                [alone[row] for row in ours],
                vectors[ours] @ vectors[known].T,
                [alone[row] for row in known],
                [graded[row].grade for row in known],
            )
            for row, outlook in zip(ours, outlooks, strict=True):
                found[row] = outlook
    return found


def _figures(
    graded: Sequence[GradedQuestion], outlooks: Sequence[Outlook]
) -> Iterator[tuple[str, float]]:
    """Yield how well outlooks agree with people."""
    from scipy.stats import kendalltau, spearmanr
    from sklearn.metrics import cohen_kappa_score, roc_auc_score

    grades, worths = np.array([one.grade for one in graded]), useful(graded)
    worth, flawed = np.array(outlooks).T
    by_run = {name: [r.run == name for r in graded] for name in sorted({r.run for r in graded})}
    means = [(worth[rows].mean(), worths[rows].mean()) for rows in by_run.values()]
    yield "Kendall tau of runs", float(kendalltau(*zip(*means, strict=True)).statistic)
    yield "Spearman rho of questions", float(spearmanr(worth, worths).statistic)
    articles = np.array([one.article for one in graded])
    inside = [
        spearmanr(worth[articles == name], worths[articles == name]).statistic
        for name in sorted(set(articles.tolist()))
    ]
    yield "mean Spearman rho within an article", float(np.mean(inside))
    yield "AUC of grade -1", float(roc_auc_score(grades == FLAWED, flawed))
    cut = cuts(worth, flawed, grades)
    labels = [_label(one, cut.flawed, cut.grades) for one in outlooks]
    yield "weighted kappa", float(cohen_kappa_score(grades, labels, weights="quadratic"))


def _label(outlook: Outlook, flawed: float, grades: Sequence[float]) -> int:
    return FLAWED if outlook.flawed > flawed else sum(outlook.worth >= cut for cut in grades)


def _redundancy(
    graded: Sequence[GradedQuestion], vectors: Floats
) -> tuple[dict[str, float], float]:
    """Return figures of redundancy, and from which cosine on a question is redundant."""
    from sklearn.metrics import cohen_kappa_score, roc_auc_score

    closest, flags = np.zeros(len(graded)), np.array([one.redundant for one in graded])
    articles = np.array([one.article for one in graded])
    lists: dict[tuple[str, str], list[int]] = {}
    for row, one in enumerate(graded):
        lists.setdefault((one.article, one.run), []).append(row)
    for rows in lists.values():
        rows.sort(key=lambda row: graded[row].rank)
        closest[rows] = closest_earlier(vectors[rows] @ vectors[rows].T)
    as_defined = np.array([flags[articles == name].mean() < _OFTEN for name in articles])
    near, called = closest[as_defined], flags[as_defined]
    levels = [float(level) for level in np.arange(0.6, 0.96, 0.01).round(2)]
    kappas = [float(cohen_kappa_score(called, near >= level)) for level in levels]
    best = int(np.argmax(kappas))
    return {
        "redundancy, all articles: AUC": float(roc_auc_score(flags, closest)),
        "redundancy, flags as defined: AUC": float(roc_auc_score(called, near)),
        "redundancy, flags as defined: kappa": kappas[best],
        "redundancy: articles with flags as defined": float(len(set(articles[as_defined]))),
    }, levels[best]


def _about(
    labels: Path, graded: Sequence[GradedQuestion], found: dict[str, float]
) -> dict[str, str | int | float | dict[str, float]]:
    return {
        "what": "two ridge regressions of grade and flaw on the counts of `form` and on runs of "
        "masked words, which stand in quotation marks; means of articles taken out before",
        "data": "TREC 2024 Lateral Reading, grades of all submitted questions",
        "sha256": sha256_file(labels),
        "questions": len(graded),
        "split": f"{_FOLDS} folds of whole articles, in the order of their ids; one fold a run; "
        "where the others' grades are known, the model is that of the held-out articles; where the "
        "assessor's other articles are, one model an article, its neighbours in the file counting "
        "most",
        "figures": {name: round(value, 3) for name, value in found.items()},
    }


def _save(folder: Path, model: QuestionModel) -> None:
    """Write the weights, one feature a line."""
    content = model.model_dump(mode="json")
    weights = content.pop("weights")
    head = orjson.dumps(content, option=orjson.OPT_INDENT_2).decode().removesuffix("\n}")
    rows = ",\n".join(
        f"    {orjson.dumps(name).decode()}: {orjson.dumps(pair).decode()}"
        for name, pair in weights.items()
    )
    atomic_write(folder / "questions.json", f'{head},\n  "weights": {{\n{rows}\n  }}\n}}\n')
