"""Whether two sentences of a report say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.wording import figures, is_negated
from sidelight.generation.extractive.sentence_index import SentenceIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.generation.compose import Candidate
    from sidelight.generation.roles import Encode

_SAME = 0.85


class SameFact:
    """Goes by closeness in meaning; other figures, or a "not" in one of them, tell facts apart.

    Args:
        encode: Encodes sentences.
        texts: All that will be compared, encoded at once.
    """

    def __init__(self, encode: Encode, texts: Sequence[str]) -> None:
        texts = list(dict.fromkeys(texts))
        self._row_of = {text: row for row, text in enumerate(texts)}
        self._cosines = SentenceIndex(encode).similarity(texts, texts)
        self._facts = [(figures(text), is_negated(text)) for text in texts]

    def __call__(self, first: Candidate, second: Candidate) -> bool:
        """Tell whether two sentences, which must be among the texts, state one fact."""
        left, right = self._row_of[first.text], self._row_of[second.text]
        return (
            self._facts[left] == self._facts[right] and float(self._cosines[left, right]) >= _SAME
        )
