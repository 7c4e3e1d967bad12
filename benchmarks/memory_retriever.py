"""A retriever over segments in memory, and the roles without a model, for benchmarks and tests.

It cuts words to their singular by the S-stemmer, not to the stems of `sidelight.text`, which would
change every score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from sidelight.config.settings import Settings
from sidelight.generation.roles import Roles
from sidelight.index.text.corpus import lexical_text
from sidelight.parts import ROLES
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment
from sidelight.text import STOPWORDS, tokens
from sidelight.text_vectors import Encode
from sidelight.wiring.roles import offers, plain_performer


class MemoryRetriever:
    """Ranks by BM25 as Lucene computes it, with a lighter analysis of words.

    A segment scores the sum over query words of `idf * tf / (tf + k1 * (1 - b + b * n / mean n))`,
    where `idf = ln(1 + (N - df + 0.5) / (df + 0.5))`, tf is how often the word occurs in the
    segment, n the number of its words, df how many of the N segments have the word.

    Args:
        segments: What is searched.
        k1: Saturation of term frequency.
        b: Length normalisation, in [0, 1].
    """

    name = "memory"

    def __init__(self, segments: Iterable[Segment], *, k1: float = 0.9, b: float = 0.4) -> None:
        self._postings: dict[str, dict[str, int]] = {}
        lengths: dict[str, int] = {}
        for segment in segments:
            counts = Counter(analyze(lexical_text(segment)))
            lengths[segment.segment_id] = counts.total()
            for word, count in counts.items():
                self._postings.setdefault(word, {})[segment.segment_id] = count
        mean = sum(lengths.values()) / len(lengths) if any(lengths.values()) else 1.0
        self._norms = {
            segment_id: k1 * (1 - b + b * length / mean) for segment_id, length in lengths.items()
        }

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        return {query.query_id: self._hits(query.text)[:k] for query in queries}

    def _hits(self, text: str) -> list[Hit]:
        scores: dict[str, float] = {}
        for word in analyze(text):
            postings = self._postings.get(word, {})
            having = len(postings)
            idf = math.log(1 + (len(self._norms) - having + 0.5) / (having + 0.5))
            for segment_id, count in postings.items():
                gain = idf * count / (count + self._norms[segment_id])
                scores[segment_id] = scores.get(segment_id, 0.0) + gain
        return ranked([Hit(*item) for item in scores.items()])


def analyze(text: str) -> list[str]:
    """Return case-folded words without stop words, possessives and the plural's `s`."""
    return [_singular(word.removesuffix("'s")) for word in tokens(text) if word not in STOPWORDS]


def _singular(word: str) -> str:
    """Cut the English plural, by the S-stemmer of Harman (JASIS 1991)."""
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def extractive_roles(settings: Settings, encode: Encode) -> Roles:
    """Return fresh roles for one topic: they remember the sentences they have encoded."""
    offered = offers(settings, encode, {})
    return Roles(**{role: plain_performer(role, offered) for role in ROLES})
