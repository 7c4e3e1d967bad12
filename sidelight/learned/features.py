"""Features of a pair of item and text: vectors, words, order, names and figures, and form.

Sentences that contradict or retract the item are left out for this item before anything is
compared, so nothing in them can earn it credit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from sidelight.english.veridicality import Stance
from sidelight.learned.ordinal_model import Values
from sidelight.learned.reading import sharing
from sidelight.learned.reading.framing import Framing
from sidelight.learned.reading.opposition import conflict, said_of
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.text_pieces import Reading
from sidelight.learned.reading.words import Sentence

COSINES = (
    "best cosine",  # of the item with one sentence
    "best cosine of two",  # with two neighbours, or one
    "second cosine",
    "mean of top cosines",  # of the best three
    "cosine with all",  # with the mean of all sentences
    "cosine over mean",  # the best, less the mean over the sentences
    "cosine over items",  # the best, less that place's mean cosine with the other items
    "cosine with context",
)
LENGTHS = ("text words", "place words")
WORDS = (
    "words",  # weighted share of the item's stems in the sentence that has most
    "words of two",  # the same with two neighbours
    "words in all",
    "new words",  # the same three of stems that the context does not hold
    "new words of two",
    "new words in all",
    "rarest word",  # whether the item's rarest new stem is in the two neighbours
    "like words",  # share of stems with a word alike in the first four letters
    "phrases",  # share of the item's neighbouring stems that are near each other in the text
    "order",  # of the item's stems in that sentence, how many neighbours follow each other
    "figures",
    "names",
    "polarity",  # whether only one of item and place negates
    "item words",  # logarithms of the lengths: of the item's content, of all sentences, of the best
    *LENGTHS,
)
COPYING = (
    "letters",  # share of the item's runs of four letters in the text
    "letters of place",  # the same in the best sentence and its neighbours
    "word pairs",  # share of the item's neighbouring words that are neighbours in the text
    "copied",  # longest run of the item's words in the text, as a share of the item
    "copied words",  # logarithm of its length
)
ALIGNED = (
    # weighted means, over the item's words, of the largest cosine with a word, each in its sense
    "aligned words",  # of the sentence that has most
    "aligned words of two",  # with two neighbours
    "aligned words in all",
    "weakest word",  # the least of these cosines in that sentence
)
FEATURES = COSINES + WORDS + COPYING + ALIGNED

_UNALIGNED = (0.0,) * len(ALIGNED)
_LOOKED_AT = 0.3  # share of an item's words from which opposition is looked for
_ORDERED = 0.3  # share of an item's neighbouring words that a doubtful sentence must have
_SAID_OF_IT = 0.65  # from which the text is taken to contradict the item
_TOP = 3


class Alignment(NamedTuple):
    """How near each word of an item comes to a word of each asserted sentence.

    Attributes:
        near: The largest cosine, `(n_sentences, n_words)`.
        weights: How much each word counts, `(n_words,)`.
    """

    near: Values
    weights: Values


class ItemFeatures(NamedTuple):
    """Features of one item in a text, and limits of its level.

    Attributes:
        features: In the order of `FEATURES`.
        most: The highest level there can be: 0 where no sentence is left, or none has as much of
            the item as one that says the opposite, nor all of its figures; 1 where the item has
            figures and neither the best sentence nor its neighbours hold one of them; else 2.
        place: Place of the best sentence in the reading; -1 if none is left.
        opposed: Why the text says the opposite, or nothing.
        opposed_place: Place of the sentence that does; -1 if none.
    """

    features: tuple[float, ...]
    most: int
    place: int
    opposed: str
    opposed_place: int


def evidence(
    items: Sequence[Sentence],
    context: Sentence,
    reading: Reading,
    cosines: Values | None,
    context_cosines: Values | None,
    aligned: Sequence[Alignment] | None,
    framing: Framing | None,
    *,
    is_source: bool,
) -> list[ItemFeatures]:
    """Return the features of each item in a text.

    `cosines` are of each item with each of `reading.texts`, `(n_items, n_texts)`, and
    `context_cosines` with the context, `(n_items,)`; None goes by words only. `context` is what was
    asked, empty if unknown. Without `framing` the parse alone says what takes an item back.
    """
    items = [sharing.without_inserted(item, reading.sentences) for item in items]
    new = sharing.novelty(items, context)
    shape = (len(items), len(reading.texts))
    known = np.zeros(shape) if cosines is None else cosines
    asked = np.zeros(len(items)) if context_cosines is None else context_cosines
    looks = (
        _Look(item, new[row], reading, known, row, framing, is_source=is_source)
        for row, item in enumerate(items)
    )
    return [
        look.evidence(float(asked[row]), aligned[row] if aligned else None)
        for row, look in enumerate(looks)
    ]


class _Look:
    """One item held against one text."""

    def __init__(
        self,
        item: Sentence,
        new: Mapping[str, float],
        reading: Reading,
        cosines: Values,
        row: int,
        framing: Framing | None,
        *,
        is_source: bool,
    ) -> None:
        self.is_source, self.framing = is_source, framing
        self.item, self.new, self.reading = item, new, reading
        self.all = frequencies().weights(sorted(item.content))
        self.cosines, self.row = cosines, row
        self.opposed, self.opposed_place, self.opposed_share = "", -1, 0.0
        (self.itself,) = said_of((item,))
        self.told = said_of(reading.sentences)
        self.known = frozenset().union(*(sentence.content for sentence in reading.sentences))
        self.alone = not any(one.has_clause for one in self.told)
        self.nearest = self._nearest()
        against = [self._against(place) for place in range(len(reading.sentences))]
        self.said = [
            sentence
            for sentence, opposite in zip(reading.sentences, against, strict=True)
            if not opposite
        ]
        kept = [
            column
            for column, place in enumerate(reading.asserted)
            if not against[place] and not self._shuffled(place)
        ]
        self.kept = kept
        self.places = [reading.asserted[column] for column in kept]

    def _nearest(self) -> int:
        """Return the place of the asserted sentence with most of the item's words and meaning."""
        shares = [
            sharing.weighted_share(self.all, self.reading.sentences[place].content)
            for place in self.reading.asserted
        ]
        if not shares:
            return -1
        own = self.cosines[self.row, : len(shares)]
        return self.reading.asserted[int((np.array(shares) + own).argmax())]

    def _shuffled(self, place: int) -> bool:
        """Tell whether a sentence that may be shuffled words has not the item's words in order."""
        sentence = self.reading.sentences[place]
        return (
            place in self.reading.doubtful and sharing.pairs_found(self.item, [sentence]) < _ORDERED
        )

    def _against(self, place: int) -> bool:
        sentence = self.reading.sentences[place]
        overlap = sharing.weighted_share(self.all, sentence.content)
        told = self.told[place]
        is_open = overlap < _SAID_OF_IT and not self.is_source
        if is_open and told.is_withheld and not self.itself.is_withheld:
            return True
        if overlap < _LOOKED_AT and place != self.nearest:
            return False
        around = None
        if self.framing:
            surely = self.is_source
            around = partial(self.framing.takes_back, self.itself, self.told, place, surely=surely)
        found = conflict(
            self.itself, told, overlap, self.known, alone=self.alone, takes_back=around
        )
        if found and overlap >= _SAID_OF_IT:
            self.opposed_share = max(self.opposed_share, overlap)
            if found.contradicts and not self.opposed:
                self.opposed, self.opposed_place = found.reason, place
        return found is not None

    def evidence(self, asked: float, aligned: Alignment | None) -> ItemFeatures:
        if not self.places:
            nothing = (0.0,) * len(COSINES + WORDS)
            features = (*nothing, *self._copying(()), *_UNALIGNED)
            return ItemFeatures(features, 0, -1, self.opposed, self.opposed_place)
        sentences = [self.reading.sentences[place] for place in self.places]
        shares = np.array(
            [sharing.weighted_share(self.all, sentence.content) for sentence in sentences]
        )
        own = self.cosines[self.row, self.kept]
        best = int((shares + own).argmax())
        pairs = self._pairs()
        both = self._with_neighbour(best, pairs)
        cosines = self._cosines(own, pairs, asked)
        words = self._words(sentences, shares, best, both)
        near = sentences[max(0, best - 1) : best + 2]
        wanted = self.item.numbers
        most = 1 if wanted and not wanted & sharing.numbers_of(near) else 2
        if shares.max() < self.opposed_share and not self._gives_all_figures(sentences):
            most = 0  # what it contradicts in so many words it does not say elsewhere in fewer
        features = (*cosines, *words, *self._copying(near), *self._aligned(aligned, pairs))
        return ItemFeatures(features, most, self.places[best], self.opposed, self.opposed_place)

    def _gives_all_figures(self, sentences: Sequence[Sentence]) -> bool:
        """Tell whether a sentence about the item gives its figures, two or more of them."""
        wanted = self.item.numbers
        return len(wanted) > 1 and any(
            wanted <= sentence.numbers
            and sharing.weighted_share(self.all, sentence.content) >= _LOOKED_AT
            for sentence in sentences
        )

    def _pairs(self) -> list[tuple[int, int, int]]:
        """Return column in the cosines and both places in `places` of each pair that is left."""
        where = {place: i for i, place in enumerate(self.places)}
        first = len(self.reading.asserted)
        return [
            (first + number, where[place], where[place + 1])
            for number, (place, _) in enumerate(self.reading.pairs)
            if place in where and place + 1 in where
        ]

    def _with_neighbour(self, best: int, pairs: list[tuple[int, int, int]]) -> frozenset[str]:
        """Return the stems of the best sentence and of the neighbour that adds most."""
        options = [
            self.reading.sentences[self.places[left]].content
            | self.reading.sentences[self.places[right]].content
            for _, left, right in pairs
            if best in (left, right)
        ]
        options.append(self.reading.sentences[self.places[best]].content)
        return max(options, key=lambda stems: sharing.weighted_share(self.all, stems))

    def _cosines(
        self, own: Values, pairs: list[tuple[int, int, int]], asked: float
    ) -> tuple[float, ...]:
        ranked = np.sort(own)[::-1]
        top = float(ranked[0])
        of_two = max([top, *(float(self.cosines[self.row, column]) for column, _, _ in pairs)])
        others = np.delete(self.cosines[:, self.kept[int(own.argmax())]], self.row)
        return (
            top,
            of_two,
            float(ranked[1]) if len(ranked) > 1 else top,
            float(ranked[:_TOP].mean()),
            float(own.mean()),
            top - float(own.mean()),
            top - float(others.mean()) if len(others) else 0.0,
            asked,
        )

    def _aligned(
        self, aligned: Alignment | None, pairs: list[tuple[int, int, int]]
    ) -> tuple[float, ...]:
        if aligned is None or not len(aligned.weights):
            return _UNALIGNED
        near, shares = aligned.near[self.kept], aligned.weights / aligned.weights.sum()
        each = near @ shares
        best = int(each.argmax())
        of_two = [np.maximum(near[left], near[right]) @ shares for _, left, right in pairs]
        return (
            float(each[best]),
            float(max([each[best], *of_two])),
            float(near.max(axis=0) @ shares),
            float(near[best].min()),
        )

    def _words(
        self, sentences: list[Sentence], shares: Values, best: int, both: frozenset[str]
    ) -> tuple[float, ...]:
        item, place = self.item, sentences[best]
        everything = frozenset().union(*(sentence.content for sentence in sentences))
        new = [sharing.weighted_share(self.new, sentence.content) for sentence in sentences]
        near = sentences[max(0, best - 1) : best + 2]
        rarest = max(self.new, key=lambda stem: self.new[stem], default="")
        denies = Stance.DENIED in self.itself.stances
        return (
            float(shares.max()),
            sharing.weighted_share(self.all, both),
            sharing.weighted_share(self.all, everything),
            max(new),
            sharing.weighted_share(self.new, both),
            sharing.weighted_share(self.new, everything),
            float(rarest in both),
            sharing.alike_share(self.new, both),
            sharing.phrases_near(item, sentences),
            sharing.order_kept(item, place),
            sharing.found_share(item.numbers, sharing.numbers_of(near)),
            sharing.found_share(item.names, both),
            float(denies != (Stance.DENIED in self.told[self.places[best]].stances)),
            np.log1p(len(item.content)).item(),
            np.log1p(sum(len(sentence.words) for sentence in sentences)).item(),
            np.log1p(len(place.words)).item(),
        )

    def _copying(self, near: Sequence[Sentence]) -> tuple[float, ...]:
        """Return what is copied from the item, be it in a list, a headline or a question."""
        item, said = self.item, self.said
        run = sharing.longest_run(item, said)
        return (
            sharing.letters_found(item, said),
            sharing.letters_found(item, near),
            sharing.pairs_found(item, said),
            run / max(1, len(item.words)),
            np.log1p(run).item(),
        )
