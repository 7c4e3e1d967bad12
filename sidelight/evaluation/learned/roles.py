"""Whether a sentence says of other names or figures what an item says of its own.

Names: "Corrance sued Ashdale" is not "Ashdale sued Corrance", but it is "Ashdale was sued by
Corrance". Figures: "2.4 million, 59 percent" is not "59 million, 2.4 percent".
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.learned.tables import frequencies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.evaluation.learned.words import Sentence

_SAME_WORDS = 0.6  # share of the item's other words that the sentence must have
_MOST_WORDS = 0.7  # the same, where a name or figure is merely missing
_PREPOSITIONS = frozenset("by from to for against of with in at on than over under".split())
_PASSIVE = "by"
_YEARS = frozenset("in since by until from before after during".split())
_MARGIN = 0.34  # by which exchanged roles must fit better
_COMMON_NAME = 2.5  # nats; a rarer stem tells a name from others
_MANY = 12  # names compared with each other


class Entity(NamedTuple):
    """Neighbouring names: one person, firm or place.

    Attributes:
        stems: Their stems.
        start: Place of the first word.
        end: Place after the last word.
    """

    stems: frozenset[str]
    start: int
    end: int


@lru_cache(maxsize=16_384)
def entities(sentence: Sentence) -> tuple[Entity, ...]:
    """Return the names of a sentence, neighbours joined, in order."""
    found: list[Entity] = []
    place = 0
    while place < len(sentence.words):
        start = place
        while place < len(sentence.words) and sentence.named[place]:
            place += 1
        stems = frozenset(sentence.stems[start:place]) - {""}
        if stems:
            found.append(Entity(stems, start, place))
        place += place == start
    return tuple(found[:_MANY])


def other_figure(item: Sentence, sentence: Sentence) -> str:
    """Return which figure of an item the sentence replaces by another, or nothing."""
    wanted, given = item.numbers, sentence.numbers
    if not wanted or not given or _rest_shared(item, sentence) < _SAME_WORDS:
        return ""
    ours, theirs = _units(item), _units(sentence)
    for unit, figures in ours.items():
        others = theirs.get(unit, frozenset())
        if others and not others & figures:
            return f"it gives {min(others)} {unit} instead of {min(figures)}"
    if not wanted & given and _rest_shared(item, sentence) >= _MOST_WORDS:
        return f"it gives {min(given)} instead of {min(wanted)}"
    return ""


def other_names(item: Sentence, sentence: Sentence) -> str:
    """Return which names of an item changed roles or were replaced, or nothing."""
    ours, theirs = entities(item), entities(sentence)
    if not ours or not theirs:
        return ""
    rest = _rest_shared(item, sentence)
    if rest >= _SAME_WORDS:
        pairs = [
            (place, found)
            for place in ours
            if (found := next((other for other in theirs if _same(place, other)), None))
        ]
        for i, (first, first_found) in enumerate(pairs):
            for second, second_found in pairs[i + 1 :]:
                if first_found != second_found and _exchanged(
                    item, sentence, (first, second), (first_found, second_found)
                ):
                    return "the names have changed places"
    if rest >= _MOST_WORDS:
        missing = [place for place in ours if not place.stems & sentence.content]
        foreign = [other for other in theirs if not other.stems & item.content]
        if foreign and missing and 2 * len(missing) >= len(ours):
            return "it is said of somebody else"
    return ""


def _exchanged(
    item: Sentence,
    sentence: Sentence,
    ours: tuple[Entity, Entity],
    theirs: tuple[Entity, Entity],
) -> bool:
    """Tell whether two names stand in each other's place among the words both sentences share.

    A shared word votes by the side of each name it is on, a preposition before a name by whom it
    introduces. In the passive the sides mean the opposite.
    """
    shared = (item.content & sentence.content) - ours[0].stems - ours[1].stems
    votes = [
        (_side(item, stem, name), _side(sentence, stem, found), _side(sentence, stem, other))
        for stem in sorted(shared)
        for name, found, other in zip(ours, theirs, theirs[::-1], strict=True)
    ]
    as_is = sum(wanted == found for wanted, found, _ in votes)
    changed = sum(wanted == other for wanted, _, other in votes)
    if _is_passive(item, ours) != _is_passive(sentence, theirs):
        as_is, changed = changed, as_is
    count = len(votes)
    for name, found, other in zip(ours, theirs, theirs[::-1], strict=True):
        before = _preposition(item, name)
        if before and before != "of":
            as_is += before == _preposition(sentence, found)
            changed += before == _preposition(sentence, other)
            count += 1
    return count > 0 and changed - as_is > _MARGIN * count


def _side(sentence: Sentence, stem: str, name: Entity) -> bool:
    """Tell whether the first place of a stem is after a name."""
    return sentence.stems.index(stem) >= name.end


def _is_passive(sentence: Sentence, names: Iterable[Entity]) -> bool:
    return any(_preposition(sentence, name) == _PASSIVE for name in names)


def _preposition(sentence: Sentence, name: Entity) -> str:
    """Return the preposition at most two words before a name."""
    before = sentence.words[max(0, name.start - 2) : name.start]
    return next((word for word in reversed(before) if word in _PREPOSITIONS), "")


def _same(left: Entity, right: Entity) -> bool:
    """Tell whether two names share a word that few others have."""
    weigh = frequencies().weight
    return left.stems == right.stems or any(
        weigh(stem) >= _COMMON_NAME for stem in left.stems & right.stems
    )


def _rest_shared(item: Sentence, sentence: Sentence) -> float:
    """Return the weighted share of the item's stems, but for names and figures, in the sentence."""
    weigh = frequencies().weight
    rest = {
        stem
        for stem, named, figure in zip(item.stems, item.named, item.figures, strict=True)
        if stem and not named and not figure
    }
    total = sum(weigh(stem) for stem in rest)
    return sum(weigh(stem) for stem in rest & sentence.content) / total if total else 0.0


@lru_cache(maxsize=16_384)
def _units(sentence: Sentence) -> dict[str, frozenset[str]]:
    """Return the figures that stand before each unit: the next word with content, or a year's "in"."""
    found: dict[str, set[str]] = {}
    for place, figure in enumerate(sentence.figures):
        if not figure:
            continue
        after = range(place + 1, min(place + 3, len(sentence.words)))
        if sentence.words[place].endswith("%"):
            unit = "percen"
        else:
            unit = next(
                (sentence.stems[i] for i in after if sentence.stems[i] and not sentence.figures[i]),
                "",
            )
        if unit:
            found.setdefault(unit, set()).add(figure)
        elif place and sentence.words[place - 1] in _YEARS:
            found.setdefault(sentence.words[place - 1], set()).add(figure)
    return {unit: frozenset(figures) for unit, figures in found.items()}
