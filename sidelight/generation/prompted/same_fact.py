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
        self._index = SentenceIndex(encode)
        self._index.remember(texts)

    def __call__(self, first: Candidate, second: Candidate) -> bool:
        """Tell whether two sentences state one fact."""
        return (
            figures(first.text) == figures(second.text)
            and is_negated(first.text) == is_negated(second.text)
            and float(self._index.similarity([first.text], [second.text])[0, 0]) >= _SAME
        )
