"""Whether an answer speaks of exactly what was asked about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def check_each_once(asked: Collection[str], answered: Sequence[str]) -> None:
    """Hold the ids of an answer against those asked about.

    Raises:
        ValueError: One is missing, invented or there twice; the message names all that are.
    """
    counts = Counter(answered)
    faults = {
        "missing": sorted(set(asked) - set(counts)),
        "not asked for": sorted(set(counts) - set(asked)),
        "more than once": sorted(one for one, count in counts.items() if count > 1),
    }
    if any(faults.values()):
        raise ValueError(
            "give each id once, and no other; "
            + "; ".join(f"{fault}: {', '.join(ids)}" for fault, ids in faults.items() if ids)
        )
