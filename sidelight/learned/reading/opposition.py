"""Contradiction rules for a sentence that says the opposite of an item in the item's words.

Four rules: what the item says is denied in the sentence (see `denial`), or negated, or said with
an antonym, or said of another figure or of other names (see `roles`). Each needs most of the
item's words in the sentence; where less is shared, the model's weights decide.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sidelight.learned.reading.denial import frame
from sidelight.learned.reading.roles import other_figure, other_names
from sidelight.learned.reading.tables import frequencies

if TYPE_CHECKING:
    from sidelight.learned.reading.denial import Frame
    from sidelight.learned.reading.words import Sentence

_TAKEN_BACK = 0.5  # share of what both say that the sentence takes back
_MUCH = 0.6  # share of the item's weight in the sentence from which its negation counts
_NEGATION_LOST_OVERLAP = 0.7
_LITTLE_ELSE = 0.35  # share of the sentence's weight in the item from which opposites count
_NEGATIONS = frozenset("no not never neither nor none nobody nothing without cannot hardly".split())
_REFUSALS = frozenset("fail lack omit omitt refus omissi neglec".split())  # stems that may negate
_NOT_NEGATING = frozenset("only just merely simply doubt question until least surprisingly".split())
_BREAKS = frozenset("but and or although though while because which who that if when".split())
_NEGATION_REACH = 5  # words that a negation reaches, up to the next conjunction

_OPPOSITES = {
    word: pair[1 - place]
    for pair in (
        tuple(item.split("/"))
        for item in (
            "increased/decreased increase/decrease increases/decreases increasing/decreasing "
            "rose/fell rise/fall higher/lower highest/lowest more/fewer above/below "
            "confirmed/denied accepted/rejected approved/rejected supports/opposes "
            "supported/opposed changed/unchanged true/false public/private lawful/unlawful "
            "legal/illegal reliable/unreliable won/lost bought/sold guilty/innocent "
            "largest/smallest best/worst most/least strongest/weakest improves/worsens "
            "improved/worsened success/failure succeeded/failed allowed/forbade "
            "allows/forbids safe/dangerous majority/minority "
            "conservative/liberal profit/loss gained/lost "
            "included/excluded includes/excludes possible/impossible"
        ).split()
    )
    for place, word in enumerate(pair)
}


def taken_back(item: Sentence, sentence: Sentence, framed: Frame) -> bool:
    """Tell whether a sentence denies most of the words that it shares with an item.

    An item that negates or denies something is said by a denial, not taken back, unless the
    sentence denies its negation.
    """
    if not any(framed.taken_back) or any(frame(item).taken_back):
        return False
    if negated(item) and not negated(item) & negated(sentence):
        return False
    weigh = frequencies().weight
    said = {True: 0.0, False: 0.0}  # weight of what is taken back, and of what is not
    shared = dict(said)
    for stem, taken in zip(sentence.stems, framed.taken_back, strict=True):
        if stem:
            said[taken] += weigh(stem)
            shared[taken] += weigh(stem) * (stem in item.content)
    # What says the item in quite other words is taken back with the rest of the sentence.
    counted = shared if any(shared.values()) else said
    return counted[True] > _TAKEN_BACK * sum(counted.values())


def opposed(item: Sentence, sentence: Sentence, overlap: float) -> str:
    """Return why a sentence says the opposite of an item, or nothing if it does not.

    Args:
        item: What is looked for.
        sentence: What was found; denials have been looked at before.
        overlap: The weighted share of the item's stems in the sentence, in [0, 1].
    """
    if overlap >= _MUCH and _negated_there(item, sentence):
        return "it is negated"
    if overlap >= _MUCH and _share(sentence.content, item.content) >= _LITTLE_ELSE:
        if overlap >= _NEGATION_LOST_OVERLAP and _negation_lost(item, sentence):
            return "the negation is missing"
        if word := _opposite_word(item, sentence):
            return f"it says {word}"
    return other_figure(item, sentence) or other_names(item, sentence)


@lru_cache(maxsize=16_384)
def is_polar(sentence: Sentence) -> bool:
    """Tell whether a sentence negates, refuses or denies anything."""
    return (
        any(_negates(sentence, place) for place in range(len(sentence.words)))
        or not sentence.content.isdisjoint(_REFUSALS)
        or any(frame(sentence).taken_back)
    )


@lru_cache(maxsize=16_384)
def negated(sentence: Sentence) -> frozenset[str]:
    """Return the stems within reach of a negation."""
    reached: set[str] = set()
    words = sentence.words
    for place in range(len(words)):
        if not _negates(sentence, place):
            continue
        for other in range(place + 1, min(place + 1 + _NEGATION_REACH, len(words))):
            if words[other] in _BREAKS:
                break
            reached.add(sentence.stems[other])
    return frozenset(reached - {""})


def _negates(sentence: Sentence, place: int) -> bool:
    """Tell whether a word negates; "not only" does not, nor "no other is larger than"."""
    words = sentence.words
    word = words[place]
    if word not in _NEGATIONS and not word.endswith("n't"):
        return False
    if word == "no" and "than" in words[place:]:
        return False
    return place + 1 == len(words) or words[place + 1] not in _NOT_NEGATING


def _negated_there(item: Sentence, sentence: Sentence) -> bool:
    """Tell whether words of the item, and few others, are negated in the sentence only."""
    reached = negated(sentence)
    return bool(reached) and not is_polar(item) and _share(reached, item.content) >= _MUCH


def _negation_lost(item: Sentence, sentence: Sentence) -> bool:
    """Tell whether words that the item negates stand in the sentence without negation."""
    taken = frame(item).taken_back
    reached = negated(item) | {
        stem for stem, back in zip(item.stems, taken, strict=True) if stem and back
    }
    return bool(reached) and not is_polar(sentence) and _share(reached, sentence.content) >= _MUCH


def _share(stems: frozenset[str], given: frozenset[str]) -> float:
    """Return the weighted share of stems that are given."""
    weigh = frequencies().weight
    total = sum(weigh(stem) for stem in sorted(stems))
    return sum(weigh(stem) for stem in sorted(stems & given)) / total if total else 0.0


def _opposite_word(item: Sentence, sentence: Sentence) -> str:
    said, wanted = set(sentence.words), set(item.words)
    return next(
        (
            f"{_OPPOSITES[word]!r} instead of {word!r}"
            for word in item.words
            if word in _OPPOSITES and _OPPOSITES[word] in said - wanted and word not in said
        ),
        "",
    )
