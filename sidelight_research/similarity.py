"""Training of the model of question similarity, on labels by assessors, and its figures.

    python -m sidelight_research.similarity FOLDER [-o WEIGHTS]

The folder holds webs, `*.json.gz` as in `benchmarks/webs/development`, with `question_labels`: the
questions of the rubric, by number, that each submitted question is similar (`S`) or very similar
(`VS`) to by the definitions of TREC DRAGUN. Each topic is predicted by a model that was fitted on
the others. The command prints these figures, for all features and for words alone, and with `-o`
writes both files of weights.
"""

from __future__ import annotations

import argparse
import gzip
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import orjson
from sklearn.linear_model import LogisticRegression

from sidelight.files import sha256_file
from sidelight.index.encoding.encoder import Encoder
from sidelight.learned.ordinal_model import OrdinalModel
from sidelight.learned.similarity import (
    PAIR_FEATURES,
    PAIR_WORDS,
    Expected,
    features,
    similarity_model,
)
from sidelight.text_vectors import TextVectors
from sidelight_research.people import LevelAgreement, agreement_of_levels
from sidelight_research.weights import save_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Values = npt.NDArray[np.float64]
    Levels = npt.NDArray[np.int64]

_MARKS = {"VS": 2, "S": 1}
_ITERATIONS = 3_000


class Pairs(NamedTuple):
    """Labelled pairs of a rubric's question and a submitted one; all but `features` are `(n,)`.

    `features` are in the order of `PAIR_FEATURES`, levels 0 different, 1 similar, 2 very similar.
    """

    features: Values
    levels: Levels
    topics: npt.NDArray[np.str_]


class Fitted(NamedTuple):
    """A model, and the probabilities from which its levels count as reached."""

    model: OrdinalModel
    cuts: tuple[float, float]

    def levels(self, rows: Values) -> Levels:
        """Return the levels of rows of features `(n, n_features)`."""
        reached = _probabilities(self.model, rows)
        first = reached[:, 0] >= self.cuts[0]
        found: Levels = first.astype(np.int64) + (first & (reached.min(axis=1) >= self.cuts[1]))
        return found


def read_pairs(webs: Sequence[Path], vectors: TextVectors) -> Pairs:
    """Return all labelled pairs of some webs, by web, assessor, submitted question, rubric's."""
    rows, levels, topics = [], [], []
    for path in webs:
        web = orjson.loads(gzip.decompress(path.read_bytes()))
        rubric = [
            Expected(
                one["question_text"],
                tuple(answer["answer_text"] for answer in one["short_answers"]),
            )
            for one in web.get("track_rubrics") or web["rubrics"]
        ]
        for labelled in web.get("question_labels", ()):
            found = features(rubric, list(labelled), vectors)
            for column, marks in enumerate(labelled.values()):
                for row in range(len(rubric)):
                    rows.append(found[row, column])
                    levels.append(_MARKS[marks[str(row + 1)]] if str(row + 1) in marks else 0)
                    topics.append(path.name.removesuffix(".json.gz"))
    return Pairs(np.array(rows), np.array(levels), np.array(topics))


def fit(pairs: Pairs, chosen: npt.NDArray[np.bool_], names: Sequence[str]) -> Fitted:
    """Fit on the chosen pairs, `(n,)`; each level is then given as often as people gave it."""
    rows = pairs.features[chosen][:, [PAIR_FEATURES.index(name) for name in names]]
    levels = pairs.levels[chosen]
    means, scales = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    weights, intercepts = [], []
    for level in (1, 2):
        regression = LogisticRegression(max_iter=_ITERATIONS, random_state=0)
        regression.fit((rows - means) / scales, levels >= level)
        weights.append(regression.coef_[0])
        intercepts.append(regression.intercept_[0])
    model = OrdinalModel(tuple(names), means, scales, np.array(weights), np.array(intercepts))
    reached = _probabilities(model, rows)
    first, second = (
        float(np.sort(column)[::-1][int((levels >= level).sum()) - 1])
        for level, column in ((1, reached[:, 0]), (2, reached.min(axis=1)))
    )
    return Fitted(model, (first, second))


def held_out(pairs: Pairs, names: Sequence[str]) -> Levels:
    """Return the level of every pair, predicted without its topic."""
    columns = [PAIR_FEATURES.index(name) for name in names]
    predicted = np.zeros_like(pairs.levels)
    for topic in sorted(set(pairs.topics.tolist())):
        there = pairs.topics == topic
        predicted[there] = fit(pairs, ~there, names).levels(pairs.features[there][:, columns])
    return predicted


def train(webs: Sequence[Path], save_in: Path | None) -> dict[str, LevelAgreement]:
    """Fit and measure both models on some webs; returns figures by the name of the weights."""
    pairs = read_pairs(webs, TextVectors(Encoder().encode_sentences))
    found = {}
    for name, names in (
        (similarity_model(words_only=False), PAIR_FEATURES),
        (similarity_model(words_only=True), PAIR_WORDS),
    ):
        predicted = held_out(pairs, names)
        figures = agreement_of_levels(
            pairs.levels, predicted, pairs.topics.tolist(), [""] * len(predicted)
        )
        found[name] = figures
        if save_in:
            whole = fit(pairs, np.full(len(pairs.levels), fill_value=True), names)
            about = {
                "what": "two cumulative logistic regressions on standardised features; levels 0 "
                "different, 1 similar, 2 very similar",
                "data": {path.name: sha256_file(path) for path in webs},
                "pairs": len(pairs.levels),
                "topics": len(set(pairs.topics.tolist())),
                "split": "each topic predicted by a model fitted on the others",
                "made by": "training on benchmarks/webs/development, as in docs/judging.md",
                "figures": {"topics held out": figures.model_dump()},
                "cuts": [round(cut, 4) for cut in whole.cuts],
            }
            save_model(save_in, name, whole.model, about)
    return found


def _probabilities(model: OrdinalModel, rows: Values) -> Values:
    found: Values = 1 / (1 + np.exp(-model.logits(rows)))
    return found


def main() -> None:
    """Print the figures, and write the weights where a folder is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    for name, found in train(sorted(given.folder.glob("*.json.gz")), given.output).items():
        print(f"{name}: kappa {found.kappa:.3f}, accuracy {found.accuracy:.3f}, {found.confusion}")


if __name__ == "__main__":
    main()
