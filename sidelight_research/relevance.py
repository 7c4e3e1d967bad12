"""Training of the model that grades passages for a query from their pool, and its figures.

People graded the passages of 25 queries for the LLMJudge challenge (TREC DL 2023). The files that
are published with a language model's self-ratings do not have the texts of the queries, and the
model needs none. It is compared to rank functions, which get the text of a query where it is
given, and otherwise the words that tell its pool from other text.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.files import sha256_file
from sidelight.formats.banks.exams import read_query_texts
from sidelight.formats.labels.graded_passages import read_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.learned.ordinal_model import grades_of
from sidelight.learned.passage_grades import (
    MAX_CHARACTERS,
    POOL_FEATURES,
    RELEVANCE,
    characteristic,
    pool_features,
    trusted,
)
from sidelight.learned.reading.words import content_stems
from sidelight.text_vectors import TextVectors
from sidelight_research.passages import (
    PENALTY,
    GradeFigures,
    cut_held_out,
    fit_grades,
    grade_figures,
    held_out,
)
from sidelight_research.weights import save_grade_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from sidelight.learned.ordinal_model import GradeModel
    from sidelight.schemas.grading.graded_passage import GradedPassage
    from sidelight.text_vectors import Encode

    Values = npt.NDArray[np.float64]
    Chosen = npt.NDArray[np.bool_]

HIGHEST, RELEVANT = 3, 2
"""The highest grade people gave, and the one from which they call a passage relevant."""

_STAND_IN = 8  # words
_K1, _B = 0.9, 0.4


class RelevanceRows(NamedTuple):
    """Graded passages as rows, those of a query together; all `(n,)` but the features.

    `features` are in the order of `POOL_FEATURES`. `scores` has those of what else gives scores, by
    name; `given` has the grades of who gave some that are on the scale already.
    """

    queries: npt.NDArray[np.str_]
    grades: npt.NDArray[np.int64]
    features: Values
    scores: Mapping[str, Values]
    given: Mapping[str, npt.NDArray[np.int64]]


def relevance_rows(
    graded: Path, qrels: Path, encode: Encode, queries: Path | None = None
) -> RelevanceRows:
    """Read passages that people graded, and the ratings of a language model.

    Words of their pools stand in for the texts of queries where there are none. The vectors are
    those of the default encoder in single precision.
    """
    people = read_qrels(qrels)
    texts = read_query_texts(queries) if queries else {}
    pools = [
        (query.query_id, [one for one in query.passages if one.passage_id in known])
        for query in read_graded(graded)
        if (known := people.get(query.query_id))
    ]
    passages = [passage for _, pool in pools for passage in pool]
    asked = {query: texts.get(query) or _stand_in(pool) for query, pool in pools}
    vectors_of = TextVectors(encode)
    features, cosines = [], []
    for query, pool in pools:
        read = [one.text for one in pool]
        features.append(pool_features(read, vectors_of))
        vectors = vectors_of([text[:MAX_CHARACTERS] for text in read])
        cosines.append(vectors @ vectors_of([asked[query]])[0])
    best = {
        f"recorded {kind} ratings, the best": np.array(
            [_best_rating(one, kind) for one in passages], dtype=np.float64
        )
        for kind in ("question", "nugget")
    }
    return RelevanceRows(
        queries=np.array([query for query, pool in pools for _ in pool]),
        grades=np.array([people[one.query_id][one.passage_id] for one in passages]),
        features=np.vstack(features),
        scores={
            "BM25": _bm25(
                [one.text for one in passages], [asked[one.query_id] for one in passages]
            ),
            "cosine with the query": np.concatenate(cosines).astype(np.float64),
            **best,
        },
        given=_recorded(passages),
    )


def train_relevance(
    rows: RelevanceRows, files: Sequence[Path], save_in: Path | None = None
) -> dict[str, GradeFigures]:
    """Fit and measure the model, and measure all else that gives scores to the same passages.

    Returns agreement with people by who graded, on queries that were not fitted on. The files are
    named in the weights, which are saved only where there is a folder for them.
    """

    def predict(fitted: Chosen, tested: Chosen) -> tuple[Values, npt.NDArray[np.int64]]:
        model = _fit(rows, fitted)
        scores = model.scores(trusted(rows.features[tested], model.means))
        return scores, grades_of(scores, model.cuts)

    scores, grades = held_out(rows.queries, predict)
    found = {"pool, no model asked": _figures(rows, grades, scores)}
    for name, values in rows.scores.items():
        cut = cut_held_out(values, rows.grades, rows.queries, HIGHEST, RELEVANT)
        found[name] = _figures(rows, cut, values)
    for name, labels in rows.given.items():
        found[name] = _figures(rows, labels, labels.astype(np.float64))
    if save_in:
        about = {
            "what": "a ridge regression on standardised features, cut to grades 0 to 3",
            "data": {path.name: sha256_file(path) for path in files},
            "passages": len(rows.grades),
            "queries": len(set(rows.queries.tolist())),
            "split": "each query predicted by a model fitted on the others",
            "made by": "sidelight reproduce llmjudge-embedded --data FOLDER -o weights",
            "figures": {name: one.model_dump() for name, one in found.items()},
        }
        model = _fit(rows, np.full(len(rows.grades), fill_value=True))
        save_grade_model(save_in, RELEVANCE, model, about)
    return found


def _fit(rows: RelevanceRows, chosen: Chosen) -> GradeModel:
    features = rows.features[chosen]
    means = features.mean(axis=0)
    for query in sorted(set(rows.queries[chosen].tolist())):
        there = rows.queries[chosen] == query
        features[there] = trusted(features[there], means)
    return fit_grades(
        features,
        rows.grades[chosen],
        names=POOL_FEATURES,
        highest=HIGHEST,
        relevant=RELEVANT,
        penalty=PENALTY,
    )


def _figures(rows: RelevanceRows, grades: npt.NDArray[np.int64], scores: Values) -> GradeFigures:
    return grade_figures(rows.grades, grades, scores, rows.queries, HIGHEST, RELEVANT)


def _stand_in(pool: Sequence[GradedPassage]) -> str:
    """Return words of a pool in place of its query."""
    stems = [content_stems(one.text[:MAX_CHARACTERS]) for one in pool]
    return " ".join(characteristic(stems, _STAND_IN))


def _best_rating(passage: GradedPassage, kind: str) -> int:
    """Return the best rating by items of a kind; 0 where there is none."""
    ratings = (
        item.rating
        for grading in passage.gradings
        if grading.kind == kind
        for item in grading.items
    )
    return max((one for one in ratings if isinstance(one, int)), default=0)


def _recorded(passages: Sequence[GradedPassage]) -> dict[str, npt.NDArray[np.int64]]:
    """Return grades for the query as a whole that are recorded of all passages, by prompt."""
    by_prompt: dict[str, list[int]] = {}
    for passage in passages:
        for grade in passage.direct:
            if isinstance(grade.rating, int):
                name = f"recorded direct grades, {grade.grader.prompt}"
                by_prompt.setdefault(name, []).append(min(HIGHEST, max(0, grade.rating)))
    return {
        name: np.array(grades) for name, grades in by_prompt.items() if len(grades) == len(passages)
    }


def _bm25(passages: Sequence[str], queries: Sequence[str]) -> Values:
    """Return the BM25 score of each passage for its query, all passages being the collection.

    The sum over query stems of `idf * tf / (tf + k1 * (1 - b + b * n / mean n))`.
    """
    counts = [Counter(content_stems(text)) for text in passages]
    having = Counter(word for words in counts for word in words)
    mean = sum(words.total() for words in counts) / max(1, len(counts)) or 1.0

    def score(words: Counter[str], query: str) -> float:
        norm = _K1 * (1 - _B + _B * words.total() / mean)
        return sum(
            math.log(1 + (len(counts) - having[word] + 0.5) / (having[word] + 0.5))
            * words[word]
            / (words[word] + norm)
            for word in dict.fromkeys(content_stems(query))
            if words[word]
        )

    return np.array([score(words, query) for words, query in zip(counts, queries, strict=True)])


def relevance(
    graded: Path, qrels: Path, queries: Path | None = None, *, encode: Encode, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Train the model of relevance; returns names of figures and what they are."""
    rows = relevance_rows(graded, qrels, encode, queries)
    for name, found in train_relevance(rows, (graded, qrels), weights).items():
        yield f"{name}: Cohen kappa", found.kappa
        yield f"{name}: Cohen kappa, relevant or not", found.kappa_relevant
        yield f"{name}: mean Kendall tau of a query", found.tau
        yield f"{name}: mean Kendall tau by score", found.tau_scores
