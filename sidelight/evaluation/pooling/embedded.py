"""Whether a question may enter a pool, by rules and by how near it comes to those there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.compound_rules import compound_reason
from sidelight.checks.general import general_reason
from sidelight.text import normalized, one_line
from sidelight.text_vectors import TextVectors
from sidelight.wording import pointing_at_article

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.text_vectors import Encode

# Above it most pairs of questions ask the same; see `generation/prompted/write_questions`.
_SAME_QUESTION = 0.84


class RuleChecker:
    """Goes by the rules of the task, as far as form shows them.

    Args:
        encode: Texts to vectors, by the default encoder.
        max_characters: The task's limit per question.
    """

    def __init__(self, encode: Encode, max_characters: int) -> None:
        self._vectors = TextVectors(encode)
        self._max_characters = max_characters

    async def __call__(self, topic_id: str, question: str, pooled: Sequence[str]) -> str | None:
        """Return why a question may not enter, or None where it may."""
        del topic_id
        return rule_reason(question, self._max_characters) or self._repeats(question, pooled)

    def _repeats(self, question: str, pooled: Sequence[str]) -> str | None:
        if not pooled:
            return None
        (cosines,) = self._vectors.similarity([question], pooled)
        nearest = int(cosines.argmax())
        if cosines[nearest] < _SAME_QUESTION:
            return None
        return f"the pool has it already: {pooled[nearest]}"


def rule_reason(question: str, max_characters: int) -> str | None:
    """Return which rule of the task a question breaks by its form, or None."""
    if not one_line(question).endswith("?"):
        return "it does not end with a question mark"
    if len(normalized("NFC", question)) > max_characters:
        return f"it has more than {max_characters} characters"
    if points := pointing_at_article(question):
        return f"it does not stand by itself: it says {points!r}"
    return compound_reason(question) or general_reason(question)
