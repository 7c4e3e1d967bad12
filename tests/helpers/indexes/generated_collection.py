"""A collection with the shape of MS MARCO V2.1 segmented, of any size, from a seed.

Ids follow the real grammar and carry true byte offsets, documents are cut into windows of ten
sentences five apart, and lines come to some 1.5 kB. Words are made up; their frequencies follow
Zipf's law.

Run with: python -m tests.helpers.indexes.generated_collection FOLDER SEGMENTS
"""

import gzip
import sys
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson

from sidelight.index.text.corpus import STRIDE, WINDOW

NAME = "msmarco_v2.1_doc_segmented_{shard:02}.json.gz"

_VOCABULARY = 300_000
_SENTENCES = 100_000
# Medians and spreads of log-normal lengths: words in a sentence, sentences in a document.
_SENTENCE_WORDS = (19.0, 0.5)
_DOCUMENT_SENTENCES = (32.0, 0.9)
_SYLLABLES = [consonant + vowel for consonant in "bdfghklmnprstvwz" for vowel in "aeiou"]
_BLOCK = 65_536


class GeneratedDocument(NamedTuple):
    """What the windows of one document share."""

    url: str
    title: str
    headings: str
    sentences: list[str]


def write_collection(folder, segments, *, shards, seed):
    """Write `segments` segments into gz shards of equal count; the same arguments, the same bytes.

    Returns:
        The shards in the order of their numbers.
    """
    folder.mkdir(parents=True, exist_ok=True)
    documents = _documents(np.random.default_rng(seed), min(20 * segments, _SENTENCES))
    paths = []
    for shard in range(shards):
        count = segments * (shard + 1) // shards - segments * shard // shards
        path = folder / NAME.format(shard=shard)
        with path.open("wb") as file, gzip.GzipFile("", "wb", 1, file, mtime=0) as stream:
            for line in islice(_lines(documents, shard), count):
                stream.write(line)
        paths.append(path)
    return paths


def write_vectors_like(folder, ids, dim, seed):
    """Write `ids.npy` and `vectors.npy`, clustered unit vectors (n, dim) float32; return `folder`.

    Clusters lie within clusters and overlap, and variance falls with the number of a dimension, as
    embeddings have it; the noise is strong enough that an inverted file must probe several lists.
    """
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "ids.npy", np.array([one.encode() for one in ids], dtype=np.bytes_))
    rng = np.random.default_rng(seed)
    spectrum = 1 / np.sqrt(1 + np.arange(dim, dtype=np.float32) / 8)

    def drawn(rows):
        return _unit(rng.standard_normal((rows, dim), dtype=np.float32) * spectrum)

    coarse, fine = drawn(64), drawn(4096)
    centers = _unit(coarse[rng.integers(len(coarse), size=len(fine))] + fine)
    vectors = np.lib.format.open_memmap(
        folder / "vectors.npy", mode="w+", dtype=np.float32, shape=(len(ids), dim)
    )
    for start in range(0, len(ids), _BLOCK):
        rows = len(vectors[start : start + _BLOCK])
        of = centers[rng.integers(len(centers), size=rows)]
        vectors[start : start + rows] = _unit(of + 1.1 * drawn(rows))
    vectors.flush()
    return folder


def _unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _documents(rng, sentences):
    pool = _sentences(rng, sentences)
    number = 0
    while True:
        for length in _lengths(rng, _DOCUMENT_SENTENCES, 1000):
            drawn = [pool[place] for place in rng.integers(len(pool), size=length)]
            title = " ".join(drawn[0].split()[:8])
            headings = "\n".join(" ".join(one.split()[:4]) for one in drawn[::12])
            url = f"https://site{number % 9973}.example/{number}"
            yield GeneratedDocument(url, title, headings, drawn)
            number += 1


def _sentences(rng, count):
    lengths = _lengths(rng, _SENTENCE_WORDS, count)
    chances = 1 / np.arange(1, _VOCABULARY + 1)
    ranks = rng.choice(_VOCABULARY, size=int(lengths.sum()), p=chances / chances.sum())
    words = map(lru_cache(_VOCABULARY)(_word), ranks.tolist())
    return [" ".join(islice(words, length)).capitalize() + "." for length in lengths.tolist()]


def _lengths(rng, distribution, count):
    median, spread = distribution
    return np.maximum(rng.lognormal(np.log(median), spread, count), 2).astype(np.int64)


def _word(rank):
    """Return a word that only this rank has; frequent ones are short, as in language."""
    syllables = ""
    number = rank + 1
    while number:
        number, digit = divmod(number, len(_SYLLABLES))
        syllables += _SYLLABLES[digit]
    return syllables


def _lines(documents, shard):
    offset = document_offset = 0
    for document in documents:
        starts = np.cumsum([0, *(len(one) + 1 for one in document.sentences)]).tolist()
        for number, first in enumerate(range(0, len(document.sentences), STRIDE)):
            window = document.sentences[first : first + WINDOW]
            text = " ".join(window)
            content = {
                "docid": f"msmarco_v2.1_doc_{shard:02}_{document_offset}#{number}_{offset}",
                "url": document.url,
                "title": document.title,
                "headings": document.headings,
                "segment": text,
                "start_char": starts[first],
                "end_char": starts[first] + len(text),
            }
            line = orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)
            offset += len(line)
            yield line
            if first + WINDOW >= len(document.sentences):
                break
        document_offset += starts[-1] + len(document.headings) + 200


if __name__ == "__main__":
    for written in write_collection(Path(sys.argv[1]), int(sys.argv[2]), shards=10, seed=1):
        print(written)
