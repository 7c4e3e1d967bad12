"""Training of the model of frames: does what stands around a statement take it back?

    python -m sidelight_research.framing FRAMES LABELS SEGMENTS [-o WEIGHTS]

FRAMES is `benchmarks/attacks/frames.json.gz`: statements with words around them that take them back
or do not, by several writers. LABELS is `nugget-assignments.jsonl.gz` of TREC RAG 2024: sentences
of answers that have an item's words, where people found all of it, take nothing back, and neither
does what stands beside any sentence. SEGMENTS is `references.jsonl.gz` of the same track: a
sentence of a page takes nothing back that it happens to stand beside. Each writer is predicted by a
model that was fitted on the others and on four fifths of the topics; sentences of SEGMENTS of the
other topics say from which score a frame takes back. The command prints figures of these, with the
vector and for words alone, and with `-o` writes both files of weights.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from sidelight.files import atomic_write, sha256_file
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.learned.reading import sharing
from sidelight.learned.reading.framing import FRAMING, FRAMING_WORDS, IN_PLACE, frames_of, grams
from sidelight.learned.reading.opposition import ALL_BUT, meant_otherwise, said_of
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.text_pieces import read_text
from sidelight.learned.reading.words import read
from sidelight_research.people_labels import read_answers, read_segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.text_vectors import Encode

Values = npt.NDArray[np.float64]
Chosen = npt.NDArray[np.bool_]

_STRENGTH = 10.0
_OFTEN = 6  # rows from which a word or pair is known; each frame stands in two
_FRAME_WEIGHT, _PAGE_WEIGHT = 0.5, 0.25
_EVERY = 9  # sentences of an answer
_FOLDS = 5
_LOST = 0.02  # share of the sentences of pages, on topics left out, that may take something back
_LENGTH = range(4, 41)  # words of a sentence of a page
_FULL = 2


class Frames(NamedTuple):
    """Frames with what is known of them; all are as long.

    Attributes:
        groups: The writer, or the topic of LABELS.
        written: Whether they were written for the model.
        beside: Whether they are a sentence of a page beside what it has nothing to do with.
        states: Whether people found all of an item in the answer.
        by_parse: Whether the parse takes the item back.
        takes_back: Whether the frame does.
    """

    texts: list[str]
    groups: npt.NDArray[np.str_]
    written: Chosen
    beside: Chosen
    states: Chosen
    by_parse: Chosen
    takes_back: Chosen


class _Model(NamedTuple):
    words: TfidfVectorizer
    regression: LogisticRegression

    def scores(self, frames: Frames, vectors: Values | None) -> Values:
        found: Values = self.regression.decision_function(_table(self.words, frames, vectors))
        return found


def read_frames(frames: Path, labels: Path, segments: Path) -> Frames:
    """Return the frames of all three files."""
    rows = []
    for one in orjson.loads(gzip.decompress(frames.read_bytes())):
        for frame, by_parse in _frames(one["item"], one["text"]):
            rows.append((frame, one["writer"], True, False, False, by_parse, one["takes_back"]))
    for answer in read_answers(labels):
        told = said_of(read_text(answer.text).sentences)
        for place in range(0, len(told), _EVERY):
            found = frames_of(told[place], told, place)
            rows += [(one, answer.topic, False, False, False, False, False) for one in found]
        for item, level in zip(answer.items, answer.levels, strict=True):
            if level == _FULL:
                for frame, by_parse in _frames(item, answer.text):
                    rows.append((frame, answer.topic, False, False, True, by_parse, False))
    for frame, topic in _of_pages(segments):
        rows.append((frame, topic, False, True, False, False, False))
    texts, *columns = zip(*rows, strict=True)
    return Frames(list(texts), *map(np.array, columns))


def _frames(item_text: str, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the frame of the sentence that has most of an item, if it has nearly all."""
    item, told = read(item_text), said_of(read_text(text).sentences)
    weights = frequencies().weights(sorted(item.content))
    shares = [sharing.weighted_share(weights, one.sentence.content) for one in told]
    place = int(np.argmax(shares)) if shares else 0
    if shares and shares[place] >= ALL_BUT:
        (itself,) = said_of((item,))
        against = meant_otherwise(itself, told[place], turned=False)
        frames = frames_of(itself, told, place)
        for frame in frames[1:] or frames:  # what is beside it may be all that takes it back
            yield frame, against is not None


def _of_pages(segments: Path) -> Iterator[tuple[str, str]]:
    """Yield a frame with a sentence of each segment, before and behind in turn, and its topic."""
    found = read_segments(segments)
    choose = random.Random(0).choice  # noqa: S311  # no secret
    stands_in = f"{IN_PLACE.capitalize()}."
    turn = 0
    for topic, ids in found.by_topic.items():
        for segment in ids:
            told = [one.text for one in read_text(found.texts[segment]).sentences]
            if known := [one for one in told if len(one.split()) in _LENGTH]:
                both = [choose(known), stands_in]
                yield " ".join(both[:: 1 if turn % 2 else -1]), topic
                turn += 1


def _table(words: TfidfVectorizer, frames: Frames, vectors: Values | None) -> csr_matrix:
    columns = [words.transform(frames.texts), csr_matrix(frames.by_parse[:, None].astype(float))]
    return hstack([*columns, *([] if vectors is None else [csr_matrix(vectors)])]).tocsr()


def _fit(frames: Frames, vectors: Values | None, chosen: Chosen) -> _Model:
    known = [frames.texts[row] for row in np.flatnonzero(chosen & frames.written)]
    words = TfidfVectorizer(analyzer=grams, binary=True, min_df=_OFTEN).fit(known)
    regression = LogisticRegression(C=_STRENGTH, max_iter=3000)
    worth = np.where(frames.written, _FRAME_WEIGHT, np.where(frames.beside, _PAGE_WEIGHT, 1.0))
    table = _table(words, frames, vectors)
    regression.fit(table[chosen], frames.takes_back[chosen], sample_weight=worth[chosen])
    return _Model(words, regression)


def _held_out(frames: Frames, vectors: Values | None) -> tuple[float, dict[str, object]]:
    """Return the score from which a frame takes back, and figures of writers left out."""
    writers = sorted(set(frames.groups[frames.written].tolist()))
    topics = sorted(set(frames.groups[~frames.written].tolist()))
    scores = np.full(len(frames.texts), np.nan)
    states, beside = [], []
    for place, writer in enumerate(writers):
        fold = np.isin(frames.groups, topics[place % _FOLDS :: _FOLDS]) & ~frames.written
        there = (frames.groups == writer) & frames.written
        found = _fit(frames, vectors, ~fold & ~there).scores(frames, vectors)
        scores[there] = found[there]
        states.append(found[fold & frames.states])
        beside.append(found[fold & frames.beside])
    cut = float(np.quantile(np.concatenate(beside), 1 - _LOST))
    states_lost = np.concatenate(states) > cut
    earned = (scores <= cut)[frames.written & frames.takes_back]
    lost = (scores > cut)[frames.written & ~frames.takes_back]
    return cut, {
        "writers": len(writers),
        "frames that take back and earn": round(float(earned.mean()), 3),
        "other frames that lose": round(float(lost.mean()), 3),
        "sentences of pages that take back what stands beside them": _LOST,
        "sentences with an item in full that lose": round(float(states_lost.mean()), 3),
        "the same by the parse alone": round(float(frames.by_parse[frames.states].mean()), 3),
    }


def train(files: Sequence[Path], encode: Encode, save_in: Path | None) -> None:
    """Fit, print figures and write weights, with the vector and for words alone."""
    rows = read_frames(*files)
    for vectors in (np.asarray(encode(rows.texts), np.float64), None):
        name = FRAMING_WORDS if vectors is None else FRAMING
        cut, figures = _held_out(rows, vectors)
        print(f"{name}: {figures}")
        if save_in:
            _save(save_in / f"{name}.json", rows, vectors, cut, figures, files)


def _save(
    path: Path,
    rows: Frames,
    vectors: Values | None,
    cut: float,
    figures: dict[str, object],
    files: Sequence[Path],
) -> None:
    words, regression = _fit(rows, vectors, np.full(len(rows.texts), fill_value=True))
    names, weights = words.get_feature_names_out().tolist(), regression.coef_[0]
    known = zip(names, words.idf_.tolist(), weights[: len(names)].tolist(), strict=True)
    about = {
        "what": "a logistic regression on words and pairs of a frame, the parse and the vector",
        "data": {one.name: sha256_file(one) for one in files},
        "split": "each writer, and each fifth of the topics, predicted by a model of the others",
        "figures": figures,
        "bias": round(float(regression.intercept_[0]) - cut, 4),
        "parse": round(float(weights[len(names)]), 4),
        "vector": np.round(weights[len(names) + 1 :], 4).tolist(),
        "words": {name: [round(rarity, 3), round(weight, 3)] for name, rarity, weight in known},
    }
    atomic_write(path, json.dumps(about, ensure_ascii=False) + "\n")


def main() -> None:
    """Print the figures, and write the weights where a folder is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("frames", "labels", "segments"):
        parser.add_argument(name, type=Path)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    encoder = Encoder().in_arithmetic(Arithmetic.FP32)
    files = (given.frames, given.labels, given.segments)
    train(files, encoder.encode_sentences, given.output)


if __name__ == "__main__":
    main()
