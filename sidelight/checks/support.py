"""Check of how far the cited sources support a sentence, by a learned model or a language model.

The three labels are those of the support evaluation of TREC RAG 2025 (section 3.3).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from sidelight.learned.models import ItemPrediction, SupportModel
from sidelight.llm.prompted import PromptedModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Label, LabelScale, OneOf
from sidelight.text import figures, names, one_line, stems, tokens

SUPPORT_PROMPT = load_prompt(Path(__file__).with_name("support.prompt.md"))


SUPPORT_SCALE = LabelScale(
    name="support",
    labels=(
        Label(name="full", credit=1),
        Label(name="partial", credit=0.5),
        Label(name="none"),
    ),
)
"""How much of a sentence its sources say."""

_NONE = SUPPORT_SCALE.names[-1]
_FULL = 2  # the highest level of a verdict
# Of the pairs that the model learned from, people called full .67 of what it calls full, and .86 of
# what it finds so likely.
_CERTAIN = 0.8
_QUOTED = 4  # fewer words in a row may stand in a text for another reason
_TYING = frozenset({"also", "but", "however", "therefore"})


class Support(Value):
    """How much of a sentence its sources say, the reason first."""

    reason: str
    label: Annotated[str, OneOf(SUPPORT_SCALE.names)]


SupportCheck: TypeAlias = Callable[[str, Sequence[str]], Awaitable[Support]]
"""Tells of a sentence how much of it its sources, the texts it cites, say."""

_UNCITED = Support(reason="it has no source", label=_NONE)
_EMPTY = Support(reason="it says nothing", label=_NONE)


class LearnedSupportCheck:
    """Goes by a small model that learned from people's labels; see `SupportModel`.

    A sentence is held against each source by itself, and the best label counts.

    Args:
        strict: Whether to call full only what is almost certain: likely enough, and with every
            name and figure of the sentence in the source; what is less is partial. Any capitalised
            word counts as a name then, an ordinary first one, too.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._model = SupportModel()
        self._strict = strict

    def check(
        self, cases: Sequence[tuple[str, Sequence[str]]], *, asked: str = ""
    ) -> list[Support]:
        """Return for each sentence how much of it its sources say; many at once are quicker.

        The sentences answer the query or narrative that was asked, where there is one.
        """
        return [best_support(supports) for supports in self.by_source(cases, asked=asked)]

    def by_source(
        self, cases: Sequence[tuple[str, Sequence[str]]], *, asked: str = ""
    ) -> list[list[Support]]:
        """Return for each sentence how much of it each of its sources says; see `check`."""
        pairs = [(sentence, source) for sentence, sources in cases for source in sources]
        found = dict(zip(pairs, self._model.judge(pairs, context=asked), strict=True))
        return [
            [self._support(sentence, source, found[sentence, source]) for source in sources]
            for sentence, sources in cases
        ]

    def _support(self, sentence: str, source: str, verdict: ItemPrediction) -> Support:
        if not tokens(one_line(sentence)):
            return _EMPTY
        level, lacking = verdict.level, ""
        is_told = level > 0 and _is_quoted(sentence, source)
        if self._strict and (is_told or _is_sentence_of(sentence, source)):
            level = _FULL
        elif self._strict and level == _FULL:
            lacking = _lacking(sentence, source)
            level -= bool(lacking) or verdict.probabilities[_FULL] < _CERTAIN
        reason = f"the source lacks {lacking}" if lacking else _reason(verdict, level)
        return Support(reason=reason, label=SUPPORT_SCALE.names[-1 - level])


def best_support(supports: Sequence[Support]) -> Support:
    """Return the support by the best of a sentence's sources, the first of equals."""
    places = SUPPORT_SCALE.names
    return min(supports, key=lambda support: places.index(support.label), default=_UNCITED)


class PromptedSupportCheck:
    """Asks a model, which sees all sources of a sentence at once; a ReplyError is passed on."""

    def __init__(self, model: PromptedModel) -> None:
        self._model = model

    async def __call__(self, sentence: str, sources: Sequence[str]) -> Support:
        """Return how much of a sentence its sources, the texts it cites, say."""
        if not sources:
            return _UNCITED
        return await self._model.answer(
            SUPPORT_PROMPT, Support, sources=list(sources), sentence=sentence
        )


def _is_quoted(sentence: str, source: str) -> bool:
    """Tell whether each part of a sentence, tying words aside, is in the source word by word."""
    words = f" {' '.join(_words(source))} "
    parts = [_words(part) for part in sentence.split("; ")]
    return all(len(part) >= _QUOTED and f" {' '.join(part)} " in words for part in parts)


def _is_sentence_of(sentence: str, source: str) -> bool:
    """Tell whether a sentence is one of the source, letter by letter."""
    begins = r"(?:^|(?<=\n)|(?<=[.!?] )|(?<=[.!?][”\"] ))"
    whole = rf"{begins}{re.escape(sentence)}(?![^\s”\"])"  # "It was 9." is none of "It was 9.5."
    return bool(sentence) and re.search(whole, source) is not None


def _words(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in _TYING]


def _lacking(sentence: str, source: str) -> str:
    """Return the figures and names of a sentence that the source does not hold."""
    known = stems(source)
    unnamed = {name for name in names(sentence) if not stems(name) <= known}
    return ", ".join(sorted(figures(sentence) - figures(source) | unnamed))


def _reason(verdict: ItemPrediction, level: int) -> str:
    if verdict.opposed:
        return f"{verdict.reason}: {verdict.opposed_sentence}"
    if not verdict.sentence:
        return verdict.reason
    says = ("comes no nearer than", "says a part of it", "says")[level]
    return f"the source {says}: {verdict.sentence}"
