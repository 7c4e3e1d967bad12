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
    from collections.abc import Callable, Iterable, Mapping, Sequence

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


def chances_missed(
    angle_ids: Iterable[str], covering: Iterable[Mapping[str, float]]
) -> dict[str, float]:
    """Return for each angle the chance that nothing covers it, `prod(1 - p)`.

    Args:
        angle_ids: The angles; others are passed over.
        covering: For each thing that covers angles, with what probability.
    """
    missed = dict.fromkeys(angle_ids, 1.0)
    for covers in covering:
        for angle_id, chance in covers.items():
            if angle_id in missed:
                missed[angle_id] *= 1.0 - chance
    return missed


def compose(
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    max_words: int,
    are_redundant: Callable[[Candidate, Candidate], bool],
    *,
    standing: Sequence[Candidate] = (),
) -> list[Candidate]:
    """Return the chosen candidates in the order they were chosen, never over `max_words`.

    Args:
        candidates: Ties in gain go to the earlier one.
        weights: Expected importance per angle.
        max_words: Budget, counted by `text.budget_words`.
        are_redundant: Tells whether two candidates say the same; the later one is left out.
        standing: What the report holds already. It uses up words and covers angles like what is
            chosen, and stays whatever else there is.
    """
    words = {id(candidate): budget_words(candidate.text) for candidate in candidates}
    left = max_words - sum(budget_words(candidate.text) for candidate in standing)
    hosts = {candidate.host for candidate in standing}
    chosen: list[Candidate] = []

    def gain(candidate: Candidate, missed: Mapping[str, float]) -> float:
        raw = sum(
            weights[angle] * missed[angle] * chance
            for angle, chance in candidate.covers.items()
            if angle in weights
        )
        return raw * (_REPEATED_HOST if candidate.host in hosts else 1.0)

    def remaining(items: Iterable[Candidate], over: Sequence[Candidate]) -> list[Candidate]:
        return [
            item
            for item in items
            if words[id(item)] <= left and not any(are_redundant(known, item) for known in over)
        ]

    open_candidates = remaining(candidates, standing)
    while open_candidates:
        missed = chances_missed(weights, (item.covers for item in (*standing, *chosen)))
        gains = {id(item): gain(item, missed) for item in open_candidates}
        best = max(open_candidates, key=lambda item: gains[id(item)] / words[id(item)])
        if gains[id(best)] <= 0:
            break
        chosen.append(best)
        hosts.add(best.host)
        left -= words[id(best)]
        open_candidates = remaining((item for item in open_candidates if item is not best), [best])
    return chosen
