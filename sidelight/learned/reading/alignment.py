"""Two sentences laid side by side, their names and figures being places that anything may fill.

Where nearly all other words agree in order, what fills the places must agree too: that finds
exchanged names and changed figures in a sentence that otherwise copies the item.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sidelight.learned.reading.words import entities

if TYPE_CHECKING:
    from sidelight.learned.reading.words import Sentence

_ALIKE = 0.85  # least share of the item's words, places counted, that must be side by side
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
    """Return a sentence with its names and figures as places."""
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
    """Return which kind of place is filled otherwise in a sentence that copies an item.

    Returns:
        `names`, `figures`, or nothing: where no place differs or the sentences are not alike.
    """
    ours, theirs = slots(item), slots(sentence)
    if not any(slot.filling for slot in ours):
        return ""
    pairs = _side_by_side(ours, theirs)
    if len(pairs) < _ALIKE * len(ours):
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
