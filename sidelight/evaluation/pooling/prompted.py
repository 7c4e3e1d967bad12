"""Whether a question may enter a pool, by a model's reading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sidelight.errors import ReplyError
from sidelight.evaluation.pooling.embedded import rule_reason
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.llm.prompted import PromptedModel

POOL_PROMPT = load_prompt(Path(__file__).with_name("pool_question.prompt.md"))

_ARTICLE_WORDS = 800


class PoolVerdict(Value):
    """Whether a question may enter."""

    reason: str
    verdict: Literal["enters", "unfit", "repeats"]


class PromptedChecker:
    """Asks a model about every question that keeps the rules of form.

    Args:
        model: Who is asked.
        articles: By topic id, title and text; a topic without one is judged by its questions alone.
        max_characters: The task's limit per question.
    """

    def __init__(
        self, model: PromptedModel, articles: Mapping[str, str], max_characters: int
    ) -> None:
        self._model = model
        self._articles = articles
        self._max_characters = max_characters

    async def __call__(self, topic_id: str, question: str, pooled: Sequence[str]) -> str | None:
        """Return why a question may not enter, or None where it may."""
        if reason := rule_reason(question, self._max_characters):
            return reason
        words = self._articles.get(topic_id, "").split(maxsplit=_ARTICLE_WORDS)
        try:
            answer = await self._model.answer(
                POOL_PROMPT,
                PoolVerdict,
                article=" ".join(words[:_ARTICLE_WORDS]),
                question=question,
                pooled=list(pooled),
                max_characters=self._max_characters,
            )
        except ReplyError as error:
            return f"nobody could say: {error.message}"
        return None if answer.verdict == "enters" else f"{answer.verdict}: {answer.reason}"
