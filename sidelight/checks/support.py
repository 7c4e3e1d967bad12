"""Whether the sources of a sentence say what it says: by its words, or by a model's reading.

The three labels are those of the support evaluation of TREC RAG 2025 (section 3.3).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

from sidelight.checks.wording import figures, is_negated, names, stems
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import Label, LabelScale, OneOf
from sidelight.text import clean, one_line, sentences, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.llm.prompted import PromptedModel

SUPPORT_PROMPT = load_prompt(Path(__file__).with_name("support.prompt.md"))

_FULL_SHARE = 0.8  # least share of the sentence's content words in the source
_PARTIAL_SHARE = 0.5


SUPPORT_SCALE = LabelScale(
    name="support",
    labels=(
        Label(name="full", credit=1),
        Label(name="partial", credit=0.5),
        Label(name="none"),
    ),
)
"""How much of a sentence its sources say."""

_NONE, _PARTIAL, _FULL = SUPPORT_SCALE.levels


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


class LexicalSupportCheck:
    """Goes by words; it understands nothing, so it is strict.

    A sentence is held against each source by itself, and the best label counts:

    - full when its words stand in the source in one piece, or when all its names and figures and
      at least 80% of its content words are there;
    - none when the source lacks a figure or a name, or more than half of the content words, or
      when one of the sentence and its nearest in the source is negated and the other is not;
    - partial otherwise.

    Names are capitalised words, so an ordinary first word counts as one.
    """

    async def __call__(self, sentence: str, sources: Sequence[str]) -> Support:
        """Return how much of a sentence its sources, the texts it cites, say."""
        found = (_compared(sentence, source) for source in sources)
        return min(
            found, key=lambda support: SUPPORT_SCALE.names.index(support.label), default=_UNCITED
        )


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


def _compared(sentence: str, source: str) -> Support:
    words = tokens(one_line(sentence))
    if not words:
        return Support(reason="it says nothing", label=_NONE)
    if f" {' '.join(words)} " in f" {' '.join(tokens(one_line(source)))} ":
        return Support(reason="it stands in the source word for word", label=_FULL)
    known = stems(source)
    unnamed = {name for name in names(sentence) if not stems(name) <= known}
    if lacking := sorted(figures(sentence) - figures(source) | unnamed):
        return Support(reason=f"the source lacks {', '.join(lacking)}", label=_NONE)
    wanted = {stem for stem in stems(sentence) if not stem.isdigit()}
    share = len(wanted & known) / len(wanted) if wanted else 0.0
    if share < _PARTIAL_SHARE:
        return _shares(share, _NONE)
    nearest = max(sentences(clean(source)), key=lambda other: len(wanted & stems(other)))
    if is_negated(nearest) != is_negated(sentence):
        return Support(reason=f"one is negated, the other is not: {nearest}", label=_NONE)
    return _shares(share, _FULL if share >= _FULL_SHARE else _PARTIAL)


def _shares(share: float, label: str) -> Support:
    return Support(reason=f"{share:.0%} of its words stand in the source", label=label)
