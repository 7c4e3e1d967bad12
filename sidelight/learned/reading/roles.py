"""Alignment of two sentences: exchanged names and changed figures in otherwise equal wording.

Names: "Corrance sued Ashdale" is not "Ashdale sued Corrance", but it is "Ashdale was sued by
Corrance". Figures: "2.4 million, 59 percent" is not "59 million, 2.4 percent".

Names and figures are slots. Where nearly all other words of two sentences agree in order, the
fillers of the slots must agree too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.words import entities

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.learned.reading.words import Entity, Sentence

_ALIGNED_SHARE = 0.85  # least share of the item's words, places counted, that must be side by side
_FILLED_OTHERWISE = 0.6  # of a word: places filled by the same thing are sought first


class Slot(NamedTuple):
    """A word, or a place for a name or figure.

    Attributes:
        key: The word; `N` for a name, `#` for a figure.
        filling: The stems of the name, or the figure.
    """

    key: str
    filling: frozenset[str]


def same_name(left: frozenset[str], right: frozenset[str]) -> bool:
    """Tell whether one name is the other or a part of it."""
    return left <= right or right <= left


@lru_cache(maxsize=16_384)
def slots(sentence: Sentence) -> tuple[Slot, ...]:
    """Return a sentence with its names and figures as slots."""
    found: list[Slot] = []
    names = {name.start: name for name in entities(sentence)}
    place = 0
    while place < len(sentence.words):
        if place in names:
            found.append(Slot("N", names[place].stems))
            place = names[place].end
            continue
        figure = sentence.figures[place]
        word = sentence.stems[place] or sentence.words[place]
        found.append(Slot("#", frozenset({figure})) if figure else Slot(word, frozenset()))
        place += 1
    return tuple(found)


def filled_otherwise(item: Sentence, sentence: Sentence) -> str:
    """Return which kind of slot has another filler in a sentence that copies an item.

    Returns:
        `names`, `figures`, or nothing: where no place differs or the sentences are not alike.
    """
    ours, theirs = slots(item), slots(sentence)
    if not any(slot.filling for slot in ours):
        return ""
    pairs = _side_by_side(ours, theirs)
    if len(pairs) < _ALIGNED_SHARE * len(ours):
        return ""
    known = frozenset().union(*(slot.filling for slot in theirs))
    for left, right in pairs:
        if left.key == "N" and not same_name(left.filling, right.filling):
            return "names"
        if left.key == "#" and left.filling != right.filling:
            return "figures"
    wanted = [slot for slot in ours if slot.key == "#"]
    lacking = [slot for slot in wanted if not slot.filling & known]
    replaced = any(slot.key == "#" for slot in theirs) and 2 * len(lacking) > len(wanted)
    return "figures" if replaced else ""


def _side_by_side(ours: tuple[Slot, ...], theirs: tuple[Slot, ...]) -> list[tuple[Slot, Slot]]:
    """Return the pairs of the best alignment that keeps the order of both."""
    best = [[0.0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in range(len(ours) - 1, -1, -1):
        for j in range(len(theirs) - 1, -1, -1):
            best[i][j] = max(
                best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + _match(ours[i], theirs[j])
            )
    pairs: list[tuple[Slot, Slot]] = []
    i = j = 0
    while i < len(ours) and j < len(theirs):
        match = _match(ours[i], theirs[j])
        if match and best[i][j] == best[i + 1][j + 1] + match:
            pairs.append((ours[i], theirs[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _match(left: Slot, right: Slot) -> float:
    if left.key != right.key:
        return 0.0
    if left.filling == right.filling or (
        left.key == "N" and same_name(left.filling, right.filling)
    ):
        return 1.0
    return _FILLED_OTHERWISE


_SAME_WORDS = 0.6  # share of the item's other words that the sentence must have
_MOST_WORDS = 0.7  # the same, where a figure is merely missing
_SAME_WORDS_LESS_A_NAME = 0.85  # the same, where a name is
_PREPOSITIONS = frozenset("by from to for against of with in at on than over under".split())
_PASSIVE = "by"
_CONVERSE = "belong"  # turns "owns" round as "is owned by" does
_YEARS = frozenset("in since by until from before after during".split())
_PRONOUNS = frozenset("he she it they him her them his its their".split())
_SHARE_AS_IS = 0.34  # of the votes for the names as they stand, below which they are exchanged
_VOTES = 2
_TWO = 2


def other_figure(item: Sentence, sentence: Sentence) -> str:
    """Return which figure of an item the sentence replaces by another, or nothing."""
    wanted, given = item.numbers, sentence.numbers
    if not wanted or not given or _rest_shared(item, sentence) < _SAME_WORDS:
        return ""
    if filled_otherwise(item, sentence) == "figures":
        return "it gives another figure"
    ours, theirs = _units(item), _units(sentence)
    for unit, figures in ours.items():
        others = theirs.get(unit, frozenset())
        lacking = figures - given
        # Exchanged figures are all there, each with the unit of another.
        exchanged = bool(others) and not others & figures and others <= wanted
        if (lacking and others - wanted) or exchanged:
            figure, other = min(lacking or figures), min(others - wanted or others)
            return f"it gives {other} instead of {figure}"
    counts_alike = not ours or not theirs or not ours.keys().isdisjoint(theirs)
    if counts_alike and not wanted & given and _rest_shared(item, sentence) >= _MOST_WORDS:
        return f"it gives {min(given)} instead of {min(wanted)}"
    return ""


def other_names(item: Sentence, sentence: Sentence) -> str:
    """Return which names of an item changed roles or were replaced, or nothing."""
    if f" {' '.join(item.words)} " in f" {' '.join(sentence.words)} ":
        return ""
    item, sentence = _first_named(item, sentence), _first_named(sentence, item)
    ours, theirs = entities(item), entities(sentence)
    if not ours or not theirs:
        return ""
    rest = _rest_shared(item, sentence)
    if rest >= _SAME_WORDS:
        both = item.content & sentence.content
        same_voice = _is_passive(item, ours, both) == _is_passive(sentence, theirs, both)
        if same_voice and filled_otherwise(item, sentence) == "names":
            return "it is said of others"
        pairs = [
            (place, found)
            for place in ours
            if (
                found := next(
                    (other for other in theirs if same_name(place.stems, other.stems)), None
                )
            )
        ]
        # In one voice here and another there, three names may stand in any order.
        mixed = len({_doers(item, ours), _doers(sentence, theirs)}) > 1
        told = [] if mixed and max(len(ours), len(theirs)) > _TWO else pairs
        for i, (first, first_found) in enumerate(told):
            for second, second_found in told[i + 1 :]:
                if first_found != second_found and _exchanged(
                    item, sentence, (first, second), (first_found, second_found)
                ):
                    return "the names have changed places"
    if rest >= _SAME_WORDS_LESS_A_NAME and not _PRONOUNS & set(sentence.words):
        missing = [place for place in ours if not place.stems & sentence.content]
        foreign = [other for other in theirs if not other.stems & item.content]
        if foreign and missing and 2 * len(missing) >= len(ours):
            return "it is said of somebody else"
    return ""


def _first_named(sentence: Sentence, other: Sentence) -> Sentence:
    """Return a sentence whose first word is a name, if the other uses it as one further on."""
    if not sentence.words or sentence.named[0] or sentence.stems[0] not in other.names:
        return sentence
    capital = next((letter for letter in sentence.text if letter.isalnum()), "").isupper()
    return sentence._replace(named=(capital, *sentence.named[1:]))


def _exchanged(
    item: Sentence,
    sentence: Sentence,
    ours: tuple[Entity, Entity],
    theirs: tuple[Entity, Entity],
) -> bool:
    """Tell whether two names stand in each other's place among the words both sentences share.

    A shared word votes by the side of each name it is on and by the name it is nearer to, a
    preposition before a name by whom it introduces. In the passive the sides mean the opposite.
    """
    common = (item.content & sentence.content) - ours[0].stems - ours[1].stems
    if _is_done_by_one(sentence, theirs, item) or _is_done_by_one(item, ours, sentence):
        return False
    shared = sorted(common)
    sides = [
        (_side(item, stem, name), _side(sentence, stem, found), _side(sentence, stem, other))
        for stem in shared
        for name, found, other in zip(ours, theirs, theirs[::-1], strict=True)
    ]
    turned = _is_passive(item, ours, common) != _is_passive(sentence, theirs, common)
    votes = [(found == wanted) != turned for wanted, found, other in sides if found != other]
    if not turned:
        votes += [
            near == found
            for stem in shared
            if (near := _nearer(item, stem, ours)) and (found := _nearer(sentence, stem, theirs))
        ]
    before = [_preposition(sentence, name) for name in theirs]
    for place, name in enumerate(ours):
        word = _preposition(item, name)
        if word and word != "of" and before[0] != before[1] and word in before:
            votes.append(before[place] == word)
    return len(votes) >= _VOTES and sum(votes) < _SHARE_AS_IS * len(votes)


def _nearer(sentence: Sentence, stem: str, names: tuple[Entity, Entity]) -> int:
    """Return which name the first place of a stem is nearer to, 1 or 2; 0 for neither."""
    place = sentence.stems.index(stem)
    far = [max(name.start - place, place - name.end + 1) for name in names]
    return 0 if far[0] == far[1] else 1 + (far[1] < far[0])


def _side(sentence: Sentence, stem: str, name: Entity) -> bool:
    """Tell whether the first place of a stem is after a name."""
    return sentence.stems.index(stem) >= name.end


def _is_passive(sentence: Sentence, names: Iterable[Entity], shared: frozenset[str]) -> bool:
    """Tell whether a word that both sentences share is done by one of the names, or belongs."""
    if _CONVERSE in sentence.stems:
        return True
    for name in names:
        before = range(max(0, name.start - 2), name.start)
        by = next((place for place in before if sentence.words[place] == _PASSIVE), 0)
        if by and sentence.stems[by - 1] in shared:
            return True
    return False


def _doers(sentence: Sentence, names: Iterable[Entity]) -> int:
    """Return how many names follow "by"."""
    return sum(_preposition(sentence, name) == _PASSIVE for name in names)


def _is_done_by_one(sentence: Sentence, names: Iterable[Entity], other: Sentence) -> bool:
    """Tell whether one of the names does something that the other sentence has no word for.

    "Curio Atlas is published by Wayfold, which also owns Curio Journeys" need not turn round
    "Wayfold owns Curio Atlas": who does what the words alone do not tell.
    """
    return any(
        word == _PASSIVE and place and sentence.stems[place - 1] not in other.content
        for name in names
        for place in range(max(0, name.start - 2), name.start)
        for word in [sentence.words[place]]
    )


def _preposition(sentence: Sentence, name: Entity) -> str:
    """Return the preposition at most two words before a name."""
    before = sentence.words[max(0, name.start - 2) : name.start]
    return next((word for word in reversed(before) if word in _PREPOSITIONS), "")


def _rest_shared(item: Sentence, sentence: Sentence) -> float:
    """Return the weighted share of the item's stems, but for names and figures, in the sentence."""
    weigh = frequencies().weight
    rest = {
        stem
        for stem, named, figure in zip(item.stems, item.named, item.figures, strict=True)
        if stem and not named and not figure
    }
    total = sum(weigh(stem) for stem in sorted(rest))
    found = sum(weigh(stem) for stem in sorted(rest & sentence.content))
    return found / total if total else 0.0


@lru_cache(maxsize=16_384)
def _units(sentence: Sentence) -> dict[str, frozenset[str]]:
    """Return the figures before each unit: the next word with content, or a year's "in"."""
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
