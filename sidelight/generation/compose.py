"""Choose sentences under a word budget so that they cover as much expected weight as they can.

Each candidate covers an angle with some probability; an angle's coverage is the chance that at
least one chosen sentence covers it, `1 - prod(1 - p)`. The weighted sum over angles is monotone
and submodular, for which choosing greedily by gain per word is the standard approximation under a
budget (Khuller, Moss and Naor, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.text import budget_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_REPEATED_HOST = 0.75


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that could go into a report.

    Attributes:
        text: The sentence.
        covers: Probability, in [0, 1], that it covers each angle it speaks to.
        host: Where it comes from; another sentence from there is worth less.
        segment_ids: What it would cite.
    """

    text: str
    covers: Mapping[str, float]
    host: str
    segment_ids: tuple[str, ...]


def compose(
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    max_words: int,
    are_redundant: Callable[[Candidate, Candidate], bool],
) -> list[Candidate]:
    """Return the chosen candidates in the order they were chosen, never over `max_words`.

    Args:
        candidates: Ties in gain go to the earlier one.
        weights: Expected importance per angle.
        max_words: Budget, counted by `text.budget_words`.
        are_redundant: Tells whether two candidates say the same; the later one is left out.
    """
    words = {id(candidate): budget_words(candidate.text) for candidate in candidates}
    open_candidates = [candidate for candidate in candidates if words[id(candidate)] <= max_words]
    missed = dict.fromkeys(weights, 1.0)
    chosen: list[Candidate] = []
    hosts: set[str] = set()
    left = max_words

    def gain(candidate: Candidate) -> float:
        raw = sum(
            weights[angle] * missed[angle] * chance
            for angle, chance in candidate.covers.items()
            if angle in weights
        )
        return raw * (_REPEATED_HOST if candidate.host in hosts else 1.0)

    while open_candidates:
        best = max(open_candidates, key=lambda item: gain(item) / words[id(item)])
        if gain(best) <= 0:
            break
        chosen.append(best)
        hosts.add(best.host)
        left -= words[id(best)]
        for angle, chance in best.covers.items():
            if angle in missed:
                missed[angle] *= 1.0 - chance
        open_candidates = [
            item
            for item in open_candidates
            if item is not best and words[id(item)] <= left and not are_redundant(best, item)
        ]
    return chosen
