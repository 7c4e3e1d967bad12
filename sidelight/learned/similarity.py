"""Similarity of questions: does a submitted question ask what a question of a rubric asks?

Both are compared by words, names, figures and meaning, and so are the answers that the rubric
expects. What most questions of the rubric have in common, such as the subject of the article, tells
none of them from the others: margins over the other questions, and a question's own words, are
features for this reason.

Levels are 0 different, 1 similar, 2 very similar. The weights were fitted on labels that assessors,
language models, gave by the definitions of TREC DRAGUN; `weights/similarity.json` names them and
says how well the model agrees with those of topics that it was not fitted on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sidelight.learned.ordinal_model import Values, about_model, load_model, weights_hash
from sidelight.learned.reading import sharing
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.words import Sentence, read
from sidelight.text_vectors import Encode, TextVectors

PAIR_WORDS = (
    "rubric words",  # weighted share of the rubric question's stems in the submitted question
    "own words",  # the same of stems that hardly another question of the rubric has
    "words with answers",  # harmonic mean of the first and the reverse, in question and answers
    "names",  # share of the rubric question's names
    "asked names",  # share of the submitted question's names in the rubric question
    "figures",  # whether both name a figure, the rubric in question or answers
    "other figures",  # whether the submitted question names figures that the rubric does not
)
PAIR_COSINES = (
    "cosine",
    "cosine over others",  # less the largest with another question of the rubric
    "answer cosine over others",  # the largest with an answer, less that with one of another's
)
PAIR_FEATURES = PAIR_WORDS + PAIR_COSINES

_SHARED_BY_FEW = 0.25  # share of a rubric's questions that may have a word which is one's own


def similarity_model(*, words_only: bool) -> str:
    """Return the name of the weights."""
    return "similarity-words" if words_only else "similarity"


class Expected(NamedTuple):
    """A question of a rubric and the answers that it expects."""

    question: str
    answers: tuple[str, ...]


class SimilarityModel:
    """Does a submitted question ask what a question of a rubric asks?

    Args:
        encode: Texts to L2-normalised vectors `(n, dim) float32` by the default encoder; None takes
            the model that goes by words only.

    Attributes:
        names: The features that the model uses.
        cuts: Probabilities from which levels 1 and 2 count as reached. Similar questions are rare,
            and a level that had to be more likely than not would hardly ever be reached: with these
            each level is given as often as people gave it.
        weights: A short hash of the file of weights.
    """

    def __init__(self, encode: Encode | None) -> None:
        name = similarity_model(words_only=encode is None)
        self._model = load_model(name)
        self._columns = [PAIR_FEATURES.index(feature) for feature in self._model.names]
        self._vectors = TextVectors(encode) if encode else None
        self.names = self._model.names
        first, second = about_model(name)["cuts"]
        self.cuts: tuple[float, float] = (first, second)
        self.weights = weights_hash(name)

    def look(self, rubric: Sequence[Expected], submitted: Sequence[str]) -> tuple[Values, Values]:
        """Return the features of all pairs, by `names`, and the logits of levels 1 and 2.

        They are `(n_rubric, n_submitted, n_features)` and `(n_rubric, n_submitted, 2)`.
        """
        found = features(rubric, submitted, self._vectors)[:, :, self._columns]
        return found, self._model.logits(found)


def features(
    rubric: Sequence[Expected], submitted: Sequence[str], vectors: TextVectors | None
) -> Values:
    """Return the features of every pair, `(n_rubric, n_submitted, n_features)`.

    Without vectors those of meaning are 0.
    """
    wanted = [read(one.question) for one in rubric]
    answered = [[read(answer) for answer in one.answers] for one in rubric]
    asked = [read(text) for text in submitted]
    counts = Counter(stem for one in wanted for stem in one.content)
    few = max(2, _SHARED_BY_FEW * len(rubric))
    found = np.zeros((len(rubric), len(submitted), len(PAIR_FEATURES)))
    for row, (ours, answers) in enumerate(zip(wanted, answered, strict=True)):
        own = frozenset(stem for stem in ours.content if counts[stem] <= few)
        for column, theirs in enumerate(asked):
            found[row, column, : len(PAIR_WORDS)] = _words(ours, own, answers, theirs)
    if vectors is not None and rubric and submitted:
        found[:, :, len(PAIR_WORDS) :] = _cosines(wanted, answered, asked, vectors)
    return found


def _words(
    ours: Sentence, own: frozenset[str], answers: Sequence[Sentence], theirs: Sentence
) -> tuple[float, ...]:
    weights = frequencies().weights
    wanted, asked = weights(sorted(ours.content)), weights(sorted(theirs.content))
    informed = ours.content.union(*(answer.content for answer in answers))
    figures = ours.numbers.union(*(answer.numbers for answer in answers))
    share = sharing.weighted_share(wanted, theirs.content)
    asked_share = sharing.weighted_share(asked, informed)
    return (
        share,
        sharing.weighted_share(weights(sorted(own)), theirs.content),
        # their harmonic mean
        2 * share * asked_share / (share + asked_share) if share + asked_share else 0.0,
        sharing.found_share(ours.names, theirs.content),
        sharing.found_share(theirs.names, ours.content),
        float(bool(theirs.numbers & figures)),
        float(bool(theirs.numbers) and not theirs.numbers & figures),
    )


def _cosines(
    wanted: Sequence[Sentence],
    answered: Sequence[Sequence[Sentence]],
    asked: Sequence[Sentence],
    vectors: TextVectors,
) -> Values:
    texts = [one.text for one in asked]
    cosines = vectors.cosines([one.text for one in wanted], texts).astype(np.float64)
    nearest = np.zeros_like(cosines)
    for row, answers in enumerate(answered):
        if answers:
            nearest[row] = vectors.cosines([one.text for one in answers], texts).max(axis=0)
    return np.stack([cosines, _over_others(cosines), _over_others(nearest)], axis=2)


def _over_others(cosines: Values) -> Values:
    """Return each value less the largest in its column that is not its own."""
    found = np.zeros_like(cosines)
    for row in range(len(cosines)):
        found[row] = cosines[row] - np.delete(cosines, row, axis=0).max(axis=0, initial=0)
    return found
