"""Whether the sources of a sentence say what it says: as people judged, or by a model's reading.

The three labels are those of the support evaluation of TREC RAG 2025 (section 3.3).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

from sidelight.learned.models import SupportModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import Label, LabelScale, OneOf
from sidelight.text import one_line, tokens
from sidelight.wording import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.learned.models import Verdict
    from sidelight.llm.prompted import PromptedModel
    from sidelight.text_vectors import Encode

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
# Of the pairs that the model learned from, people called full .67 of what it calls full, and .87 of
# what it finds so likely.
_CERTAIN = 0.8


class Support(Value):
    """How much of a sentence its sources say, the reason first."""

    reason: str
    label: Annotated[str, OneOf(SUPPORT_SCALE.names)]


class SupportCheck(Protocol):
    """Holds a sentence against its sources."""

    async def __call__(self, sentence: str, sources: Sequence[str]) -> Support:
        """Return how much of a sentence its sources, the texts it cites, say."""
        ...


_UNCITED = Support(reason="it has no source", label=_NONE)
_EMPTY = Support(reason="it says nothing", label=_NONE)


class LearnedSupportCheck:
    """Goes by a small model that learned from people's labels; see `SupportModel`.

    A sentence is held against each source by itself, and the best label counts.

    Args:
        encode: Texts to vectors by the default encoder; None goes by words only.
        strict: Whether to call full only what is almost certain: likely enough, and with every
            figure of the sentence in the source. What is less is partial.
    """

    def __init__(self, encode: Encode | None, *, strict: bool = False) -> None:
        self._model = SupportModel.load(encode)
        self._strict = strict

    async def __call__(self, sentence: str, sources: Sequence[str]) -> Support:
        """Return how much of a sentence its sources, the texts it cites, say."""
        (support,) = self.check([(sentence, sources)])
        return support

    def check(self, cases: Sequence[tuple[str, Sequence[str]]]) -> list[Support]:
        """Return the same for each sentence and its sources; many at once are quicker."""
        pairs = [
            (sentence, source)
            for sentence, sources in cases
            if tokens(one_line(sentence))
            for source in sources
        ]
        found = dict(zip(pairs, self._model.judge(pairs), strict=True))
        return [
            self._best(sentence, [(found[sentence, source], source) for source in sources])
            if tokens(one_line(sentence))
            else _EMPTY
            for sentence, sources in cases
        ]

    def _best(self, sentence: str, verdicts: Sequence[tuple[Verdict, str]]) -> Support:
        """Return the support by the best of a sentence's sources, the first of equals."""
        if not verdicts:
            return _UNCITED
        levels = [self._level(sentence, source, verdict) for verdict, source in verdicts]
        place = max(range(len(levels)), key=lambda one: levels[one])
        level, _ = levels[place]
        reason = _reason(verdicts[place][0], level)
        return Support(reason=reason, label=SUPPORT_SCALE.names[-1 - level])

    def _level(self, sentence: str, source: str, verdict: Verdict) -> tuple[int, float]:
        """Return the level, and what decides between sources of the same."""
        level, likely = verdict.level, verdict.probabilities[_FULL]
        if self._strict and level == _FULL:
            level -= likely < _CERTAIN or not figures(sentence) <= figures(source)
        return level, likely


class PromptedSupportCheck:
    """Asks a model; it sees all sources of the sentence at once.

    Args:
        model: Who is asked.
    """

    def __init__(self, model: PromptedModel) -> None:
        self._model = model

    async def __call__(self, sentence: str, sources: Sequence[str]) -> Support:
        """Return how much of a sentence its sources, the texts it cites, say.

        Raises:
            ReplyError: The model gave no usable answer.
        """
        if not sources:
            return _UNCITED
        return await self._model.answer(
            SUPPORT_PROMPT, Support, sources=list(sources), sentence=sentence
        )


def _reason(verdict: Verdict, level: int) -> str:
    if verdict.opposed:
        return f"{verdict.reason}: {verdict.opposed_sentence}"
    if not verdict.sentence:
        return verdict.reason
    says = ("comes no nearer than", "says a part of it", "says")[level]
    return f"the source {says}: {verdict.sentence}"
