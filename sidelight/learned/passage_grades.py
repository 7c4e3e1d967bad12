"""Passage grades without a language model: the models' inputs, and grades item by item.

Grades from 0 to 5 for questions or key facts: the model learned from passages of TREC DL 2019 that
a language model rated item by item and that people judged for the query. Its weights are in
`weights/`, with how well it agrees with both on queries it had not seen. A grade depends on one
item and one passage alone.

Relevance to a query: systems disagree on much and agree on what a query is about. So a passage that
is similar to most others of its pool is likely to be relevant; this can be seen without the query.
Every feature of a pool comes twice: as it is, and minus its mean over the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sidelight.learned.comparing import Comparer, Task
from sidelight.learned.features import ALIGNED, COPYING, FEATURES
from sidelight.learned.ordinal_model import Values, grades_of, load_grade_model, weights_hash
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.words import content_stems
from sidelight.text_vectors import Encode

ITEM_GRADES = "item_grades"
"""The name of the model and of its file of weights."""

_UNUSED = {*COPYING, *ALIGNED, "order", "polarity", "names", "cosine over items"}
ITEM_FEATURES = tuple(name for name in FEATURES if name not in _UNUSED)
"""What it goes by: what can be seen of one item and one passage, but for what a passage gains by
copying the item.
"""

_COLUMNS = [FEATURES.index(name) for name in ITEM_FEATURES]


class ItemLook(NamedTuple):
    """Inputs of the model: `ITEM_FEATURES` of items in a passage, `(n_items, n_features)`.

    `answers` has for each item the sentence that has most of it, empty where none counts.
    """

    features: Values
    answers: tuple[str, ...]


class ItemReader:
    """Holds items against passages, each by itself."""

    def __init__(self, encode: Encode) -> None:
        self._comparer = Comparer(encode)
        self.prepare = self._comparer.prepare

    def look(self, task: Task) -> ItemLook:
        """Return the inputs of the model for each item of a task."""
        self.prepare([task])
        rows, answers = [], []
        for item in task.items:
            reading, (found,) = self._comparer.compare(task._replace(items=(item,)))
            rows.append([found.features[column] for column in _COLUMNS])
            answers.append(reading.sentences[found.place].text if found.place >= 0 else "")
        features = np.array(rows).reshape(len(rows), len(_COLUMNS))
        return ItemLook(features, tuple(answers))


class ItemGrades:
    """The model; see `ItemReader` for the encoder."""

    def __init__(self, encode: Encode) -> None:
        self._model = load_grade_model(ITEM_GRADES)
        self._reader = ItemReader(encode)
        self.prepare = self._reader.prepare
        self.weights = weights_hash(ITEM_GRADES)
        """A short hash of the file of weights."""

    def grade(self, query: str, items: Sequence[str], passage: str) -> list[tuple[int, str]]:
        """Return for each item a grade and the sentence that answers it; grade 0 comes without."""
        look = self._reader.look(Task(tuple(items), passage, query, is_source=True))
        grades = grades_of(self._model.scores(look.features), self._model.cuts).tolist()
        return [
            (grade, answer) if grade and answer else (0, "")
            for grade, answer in zip(grades, look.answers, strict=True)
        ]


_OWN = (
    "cosine with the others",  # of the passage with the mean of all others
    "cosine with the nearest",  # mean over the ten others that are most like it
    "shared words",  # share of the pool's characteristic words, by weight
    "shared words by length",  # their weight by the logarithm of the passage's length
    "common words",  # how many others use its words, on average
    "length",  # logarithm of the number of content words
    "different words",  # share of content words that are not repeated
)
POOL_FEATURES = (*_OWN, *(f"{name}, less the pool's" for name in _OWN))
"""What `pool_features` returns, in order."""

RELEVANCE = "relevance"
"""The name of the model that goes by these, and of its file of weights."""

MAX_CHARACTERS = 4_000
"""Of a passage; what follows is not read."""

_NEAREST = 10
_CHARACTERISTIC = 20
_POOL = 5  # passages; a pool with as many others is trusted by half


def pool_features(texts: Sequence[str], encode: Encode) -> Values:
    """Return the features of the passages of one pool, `(n_texts, n_features)`."""
    vectors = np.asarray(encode([text[:MAX_CHARACTERS] for text in texts]), dtype=np.float64)
    stems = [content_stems(text[:MAX_CHARACTERS]) for text in texts]
    own = np.hstack([_likeness(vectors), _words(stems)])
    return np.hstack([own, own - own.mean(axis=0)])


def trusted(features: Values, means: Values) -> Values:
    """Return features drawn towards some means, the more the fewer passages there are.

    A pool of one passage says nothing, and all of that passage looks typical of it.
    """
    others = len(features) - 1
    found: Values = means + others / (others + _POOL) * (features - means)
    return found


def _likeness(vectors: Values) -> Values:
    """Return the cosines of each vector with the mean of the others and with its nearest."""
    n = len(vectors)
    if n < 2:
        return np.zeros((n, 2))
    others = vectors.sum(axis=0) - vectors
    lengths = np.maximum(np.linalg.norm(others, axis=1), 1e-9)
    with_others = (vectors * others).sum(axis=1) / lengths
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = -np.sort(-cosines, axis=1)[:, : min(_NEAREST, n - 1)]
    return np.column_stack([with_others, nearest.mean(axis=1)])


def _words(passages: Sequence[Sequence[str]]) -> Values:
    users = Counter(word for words in passages for word in set(words))
    telling = characteristic(passages, _CHARACTERISTIC)
    total = sum(telling.values()) or 1.0
    rows = []
    for words in passages:
        different = set(words)
        # Summed in one order, so that the same passage has the same features on any machine.
        found = sum(weight for word, weight in telling.items() if word in different)
        length = np.log1p(len(words)).item()
        used = sum(users[word] for word in different) / len(passages) / max(1, len(different))
        repeated = len(different) / max(1, len(words))
        rows.append((found / total, found / (1 + length), used, length, repeated))
    return np.array(rows).reshape(len(passages), 5)


def characteristic(passages: Sequence[Sequence[str]], most: int) -> dict[str, float]:
    """Return the stems that tell a pool from other text, the most telling first, with weights.

    A stem weighs its share of the passages times its rarity in English; one that a single passage
    uses tells nothing.
    """
    users = Counter(word for words in passages for word in set(words))
    weigh = frequencies().weight
    weights = {
        word: count / len(passages) * weigh(word) for word, count in users.items() if count > 1
    }
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:most])
