"""Adversarial texts: they use the words of an honest text and do not say what it says.

Plain functions from text to text, for training, tests and audits. Each changes every sentence it
can; those that draw at random are seeded by the text, so equal texts are changed alike.
"""

from __future__ import annotations

import random
import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sidelight.learned.reading.words import entities, read
from sidelight.text import STOPWORDS, clean, sentences

if TYPE_CHECKING:
    from collections.abc import Callable

DENIALS = (
    "It is false that",
    "There is no evidence that",
    "A spokesman denied that",
    "It is not true that",
    "Nobody has shown that",
    "It is a myth that",
)
REFUTATIONS = (
    "but critics dispute, and records refute, this",
    "which is untrue",
    "a claim that has since been debunked",
)
_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*$")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should|may|might|must)\b"
)


class TextAttack(NamedTuple):
    """One way to seem to say something.

    Attributes:
        name: One or two words for tables.
        change: From an honest text to one that should earn nothing.
    """

    name: str
    change: Callable[[str], str]


def deny(text: str, phrase: str = DENIALS[0]) -> str:
    """Put words such as "It is false that" before every sentence."""
    return _each(text, lambda sentence: f"{phrase} {_inside(sentence)}")


def refute(text: str, phrase: str = REFUTATIONS[0]) -> str:
    """Put words such as "which is untrue" after every sentence."""
    return _each(text, lambda sentence: f"{_END.sub('', sentence)}, {phrase}.")


def refute_after(text: str) -> str:
    """Put a sentence that takes it back after every sentence."""
    return _each(text, lambda sentence: f"{sentence} This claim is false.")


def negate(text: str) -> str:
    """Put "not" after the first auxiliary verb of every sentence that has one, else deny it."""

    def change(sentence: str) -> str:
        if match := _AUXILIARY.search(sentence):
            return f"{sentence[: match.end()]} not{sentence[match.end() :]}"
        return f"It is not the case that {_inside(sentence)}"

    return _each(text, change)


def shuffle(text: str) -> str:
    """Shuffle the words of every sentence."""

    def change(sentence: str) -> str:
        words = _END.sub("", sentence).split()
        random.Random(sentence).shuffle(words)  # noqa: S311 - the same lots each time are wanted
        return f"{' '.join(words)}."

    return _each(text, change)


def ask(text: str) -> str:
    """Make every sentence a question."""
    return _each(text, lambda sentence: f"Is it true that {_END.sub('', _inside(sentence))}?")


def ask_plainly(text: str) -> str:
    """Put a question mark after every sentence."""
    return _each(text, lambda sentence: f"{_END.sub('', sentence)}?")


def keywords(text: str) -> str:
    """Keep the words that carry meaning, in order, without marks."""

    def change(sentence: str) -> str:
        words = (word.strip(".,;:!?\"“”()'’") for word in sentence.split())
        return " ".join(word for word in words if word and word.casefold() not in STOPWORDS)

    return _each(text, change)


def keyword_list(text: str) -> str:
    """The same with commas between the words."""
    return _each(text, lambda sentence: f"{', '.join(keywords(sentence).split())}.")


def swap_names(text: str) -> str:
    """Exchange the first two names of every sentence; a sentence with fewer stays as it is."""

    def change(sentence: str) -> str:
        words = sentence.split()
        spans = _name_spans(words)
        if len(spans) < 2:
            return sentence
        (a, b), (c, d) = spans[:2]
        first, second = " ".join(words[a:b]), " ".join(words[c:d])
        bare_first, end_first = _bare(first)
        bare_second, end_second = _bare(second)
        return " ".join(
            [*words[:a], bare_second + end_first, *words[b:c], bare_first + end_second, *words[d:]]
        )

    return _each(text, change)


def rotate_names(text: str) -> str:
    """Put in the place of every name the next other name of the text."""
    parts = [part.split() for part in sentences(clean(text))]
    spans = [_name_spans(words) for words in parts]
    names = list(
        dict.fromkeys(
            _bare(" ".join(words[a:b]))[0]
            for words, found in zip(parts, spans, strict=True)
            for a, b in found
        )
    )
    following = dict(zip(names, names[1:] + names[:1], strict=True))
    changed = []
    for words, found in zip(parts, spans, strict=True):
        for a, b in reversed(found):
            bare, end = _bare(" ".join(words[a:b]))
            words[a:b] = [following[bare] + end]
        changed.append(" ".join(words))
    return " ".join(changed)


def swap_figures(text: str) -> str:
    """Rotate the figures of every sentence by one; a single figure is changed."""

    def change(sentence: str) -> str:
        figures = _FIGURE.findall(sentence)
        if not figures:
            return sentence
        turned = figures[1:] + figures[:1]
        if len(set(figures)) == 1:
            turned = [_other_figure(figure) for figure in figures]
        following = iter(turned)
        return _FIGURE.sub(lambda _: next(following), sentence)

    return _each(text, change)


TEXT_ATTACKS = (
    *(TextAttack(f"denied: {phrase}", partial(deny, phrase=phrase)) for phrase in DENIALS),
    *(TextAttack(f"refuted: {phrase}", partial(refute, phrase=phrase)) for phrase in REFUTATIONS),
    TextAttack("refuted after", refute_after),
    TextAttack("negated", negate),
    TextAttack("shuffled", shuffle),
    TextAttack("questions", ask),
    TextAttack("question marks", ask_plainly),
    TextAttack("keywords", keywords),
    TextAttack("keyword list", keyword_list),
    TextAttack("names swapped", swap_names),
    TextAttack("names rotated", rotate_names),
    TextAttack("figures swapped", swap_figures),
)
"""Every attack that changes sentence by sentence; pasting pages needs pages."""


def _each(text: str, change: Callable[[str], str]) -> str:
    return " ".join(change(sentence) for sentence in sentences(clean(text)))


def _inside(sentence: str) -> str:
    """Return a sentence as it stands after "that"."""
    first, _, rest = sentence.partition(" ")
    keep = first.casefold() not in STOPWORDS
    return sentence if keep else f"{first.casefold()} {rest}"


def _name_spans(words: list[str]) -> list[tuple[int, int]]:
    """Return the start and end of each name among white-space separated words."""
    spans: list[tuple[int, int]] = []
    named = {word for found in entities(read(" ".join(words))) for word in found.stems}
    for place, word in enumerate(words):
        capital = word[:1].isupper() and bool(read(word).content & named)
        joined = spans and spans[-1][1] == place and words[place - 1][-1:].isalnum()
        if capital and joined:
            spans[-1] = (spans[-1][0], place + 1)
        elif capital:
            spans.append((place, place + 1))
    return spans


def _bare(name: str) -> tuple[str, str]:
    """Return a name without the marks and the possessive after it, and these."""
    match = re.search(r"(?:['’]s)?[^\w]*$", name)
    end = match.group() if match else ""
    return name[: len(name) - len(end)], end


def _other_figure(figure: str) -> str:
    """Return a figure with another first digit."""
    return f"{int(figure[0]) % 9 + 1}{figure[1:]}"
