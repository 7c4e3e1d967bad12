"""Counts the two tables of `tables` in the segments that TREC RAG 2024 published."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.evaluation.training.label_files import read_segments
from sidelight.files import atomic_write, sha256_file
from sidelight.learned.reading.tables import (
    FREQUENCIES_FILE,
    NEUTRAL,
    TRANSITIONS_FILE,
    kind_of,
)
from sidelight.learned.reading.words import read, split
from sidelight.text import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sidelight.learned.reading.words import Sentence

_MIN_TOPICS = 4
_FUNCTION_WORDS = 130
_SMOOTHING = 5.0
_LIMIT = 3.0
_FROM_WORDS = 4
_START, _END = "^", "$"


def build_tables(references: Path, folder: Path) -> None:
    """Count both tables in a `references.jsonl` and write them into a folder."""
    source = {
        "source": "TREC RAG 2024, segments of MS MARCO V2.1 by topic (references.jsonl.gz)",
        "sha256": sha256_file(references),
    }
    segments = read_segments(references)
    read_once = {
        segment: [read(part) for part in split(text)] for segment, text in segments.texts.items()
    }
    sentences = {
        topic: [sentence for segment in ids for sentence in read_once[segment]]
        for topic, ids in segments.by_topic.items()
    }
    every = [sentence for parts in read_once.values() for sentence in parts]
    _write(folder / FREQUENCIES_FILE.name, source | _frequencies(sentences))
    _write(folder / TRANSITIONS_FILE.name, source | _order(every))


def _frequencies(sentences: Mapping[str, list[Sentence]]) -> dict[str, Any]:
    counts = Counter(
        stem
        for parts in sentences.values()
        for stem in set().union(*(sentence.content for sentence in parts))
        if not stem.isdigit()
    )
    by_count: dict[int, list[str]] = {}
    for stem, count in sorted(counts.items()):
        if count >= _MIN_TOPICS:
            by_count.setdefault(count, []).append(stem)
    return {
        "what": "in how many topics a stem occurs -> the stems",
        "topics": len(sentences),
        "stems": {str(count): " ".join(stems) for count, stems in sorted(by_count.items())},
    }


def _order(sentences: Iterable[Sentence]) -> dict[str, Any]:
    usable = [sentence for sentence in sentences if len(sentence.words) >= _FROM_WORDS]
    common = Counter(word for sentence in usable for word in sentence.words if word in STOPWORDS)
    alone = {
        word for word, _ in sorted(common.items(), key=lambda x: (-x[1], x[0]))[:_FUNCTION_WORDS]
    }
    pairs: Counter[tuple[str, str]] = Counter()
    for sentence in usable:
        pairs.update(pairwise([_START, *(_kind(shape, alone) for shape in sentence.shapes), _END]))
    inner = {kind for pair in pairs for kind in pair} - {_START, _END} | {NEUTRAL}
    kinds = [_START, *sorted(inner), _END]
    places = {kind: place for place, kind in enumerate(kinds)}
    seen = np.zeros((len(kinds), len(kinds)))
    for (left, right), count in pairs.items():
        seen[places[left], places[right]] = count
    chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    bonds = np.log((seen + _SMOOTHING) / (chance + _SMOOTHING)).clip(-_LIMIT, _LIMIT)
    return {
        "what": "how much more often a kind of word follows another than by chance, in tenths of "
        "a nat; a row for the first, a column for the second",
        "kinds": kinds,
        "bonds": [" ".join(str(round(10 * bond)) for bond in row) for row in bonds],
    }


def _kind(shape: str, alone: set[str]) -> str:
    word = shape.casefold().replace("’", "'")
    return word if word in alone else kind_of(shape)


def _write(path: Path, table: Mapping[str, Any]) -> None:
    atomic_write(path, json.dumps(table, ensure_ascii=False, indent=1) + "\n")
