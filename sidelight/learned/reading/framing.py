"""Whether what stands around a statement takes it back, as "a hoax has it that ..." does.

No list of such words is ever complete, so a model learned them: from frames that were written for
it, which take a statement back or do not, and from sentences of real answers in which people found
all of an item. A frame is a sentence that has the words of an item and hardly another among them,
with "it happened" in their place, alone or with a sentence beside it: long neighbours would drown
what a short one says. The model goes by the words and pairs of words of a frame, by its vector, and
by whether the parse takes the item back (see `opposition`). Where the words of an item are
scattered, only the parse is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import numpy as np

from sidelight.learned.ordinal_model import Values, about_model
from sidelight.learned.reading.opposition import Conflict, Said
from sidelight.text_vectors import TextVectors

FRAMING, FRAMING_WORDS = "framing", "framing-words"
IN_PLACE = "it happened"
_WORD_OR_MARK = re.compile(r"[\w']+|[?!:;]")
# In log odds. Of 4,000 sentences of real pages 2.2% take back what they stand behind, 1.3% surely.
_SURELY = 0.5
_TOGETHER = 0.8  # share of the words from the first to the last of an item that are the item's


class Framing:
    """The model; without vectors it goes by words, is surer, and never overrules the parse."""

    def __init__(self, vectors: TextVectors | None) -> None:
        name = FRAMING_WORDS if vectors is None else FRAMING
        file = about_model(name)
        self._vectors = vectors
        self._words: dict[str, tuple[float, float]] = file["words"]
        self._of_vector = np.array(file["vector"])
        self._of_parse, self._bias = file["parse"], file["bias"]

    def takes_back(
        self, item: Said, told: Sequence[Said], place: int, found: Conflict | None, *, surely: bool
    ) -> bool:
        """Tell whether the sentence at a place, or one beside it, takes back an item it has.

        `found` is what the parse of the sentence has against the item. A source is a page, and what
        stands beside a sentence there mostly has nothing to do with it: it has to do so `surely`.
        """
        frames = frames_of(item, told, place)
        if not frames or (found and self._vectors is None):
            return found is not None
        scores = self._scores(frames) + self._of_parse * (found is not None)
        least = [0.0] + [_SURELY if surely else 0.0] * (len(frames) - 1)
        return bool((scores > least).any())

    def _scores(self, frames: Sequence[str]) -> Values:
        """Return how much each frame takes back, the parse aside, `(n_frames,)`."""
        scores = np.full(len(frames), self._bias)
        for row, frame in enumerate(frames):
            known = [self._words[one] for one in sorted(grams(frame) & self._words.keys())]
            if known:
                rarities, weights = np.array(known).T
                scores[row] += float(rarities @ weights) / sqrt(float(rarities @ rarities))
        if self._vectors is not None:
            scores += self._vectors(frames).astype(np.float64) @ self._of_vector
        return scores


def grams(frame: str) -> set[str]:
    """Return the words of a frame, and the pairs of neighbours."""
    words = _WORD_OR_MARK.findall(frame.lower())
    return {*words, *map(" ".join, pairwise(words))}


def frames_of(item: Said, told: Sequence[Said], place: int) -> tuple[str, ...]:
    """Return the sentence at a place as a frame, alone and with neighbours; none if scattered."""
    said = told[place]
    wanted = item.sentence.content.union(item.stems)
    first, last = _window(wanted, said.stems)
    inside = [one for one in said.stems[first : last + 1] if one]
    if sum(one in wanted for one in inside) < _TOGETHER * len(inside):
        return ()
    doc, text = said.parse.doc, said.parse.text
    words = set(item.sentence.words)
    while first and doc[first - 1].lower_ in words:
        first -= 1
    while last + 1 < len(doc) and doc[last + 1].lower_ in words:
        last += 1
    start, end = doc[first].idx, doc[last].idx + len(doc[last])
    alone = f"{text[:start]}{IN_PLACE if start else IN_PLACE.capitalize()}{text[end:]}"
    frames = [alone]
    for at in (place - 1, place + 1):
        if 0 <= at < len(told):
            own, beside = told[at].sentence.content, told[at].parse.text
            # What the item says itself, such as a verdict, takes nothing of it back.
            if not own or own - wanted:
                frames.append(f"{beside} {alone}" if at < place else f"{alone} {beside}")
    return tuple(frames)


def _window(item: frozenset[str], stems: Sequence[str]) -> tuple[int, int]:
    """Return the ends of the shortest part with all that a sentence has of an item, or its own."""
    wanted = item & set(stems) - {""}
    seen: dict[str, int] = {}
    best, left = (0, len(stems) - 1), 0
    for right, stem in enumerate(stems):
        if stem in wanted:
            seen[stem] = seen.get(stem, 0) + 1
        while wanted and len(seen) == len(wanted):
            if right - left < best[1] - best[0]:
                best = (left, right)
            gone = stems[left]
            if gone in seen:
                seen[gone] -= 1
                if not seen[gone]:
                    del seen[gone]
            left += 1
    return best
