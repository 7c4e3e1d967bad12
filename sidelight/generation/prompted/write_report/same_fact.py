"""Whether two sentences of a report say the same."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sidelight.text_vectors import TextVectors
from sidelight.wording import figures, is_negated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.generation.compose import Candidate
    from sidelight.text_vectors import Encode

_SAME = 0.85


class SameFact:
    """Goes by closeness in meaning; other figures, or a "not" in one of them, tell facts apart.

    Args:
        encode: Encodes sentences.
        texts: All that will be compared; encoded at once, as far as that can tell any two apart.
    """

    def __init__(self, encode: Encode, texts: Sequence[str]) -> None:
        self._facts = {text: (frozenset(figures(text)), is_negated(text)) for text in texts}
        shared = Counter(self._facts.values())
        # What nothing else can be the same as need not be encoded.
        compared = [text for text, fact in self._facts.items() if shared[fact] > 1]
        self._row_of = {text: row for row, text in enumerate(compared)}
        self._cosines = TextVectors(encode).similarity(compared, compared)

    def __call__(self, first: Candidate, second: Candidate) -> bool:
        """Tell whether two sentences, which must be among the texts, state one fact."""
        if self._facts[first.text] != self._facts[second.text]:
            return False
        return first.text == second.text or self._alike(first.text, second.text)

    def _alike(self, first: str, second: str) -> bool:
        return float(self._cosines[self._row_of[first], self._row_of[second]]) >= _SAME
