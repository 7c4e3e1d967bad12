"""Question quality model: its features, its weights, and what repeats earlier questions of a list.

One weighted sum predicts the grade people would give, a flawed question counting as 0; the other
how likely they would call it flawed. Cut-offs on both give labels as frequent as among people.
Features are a question's words, with names and numbers masked so that none of them earns anything,
and counts: its length, its names, what it asks for and about whom. Earlier questions of the same
list correct the prediction.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson
from pydantic import Field

from sidelight.schemas.base import Value
from sidelight.text import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    Cosines = npt.NDArray[np.floating]

MAX_RUN = 3
_MAX_WORDS = 80  # of a question that are looked at

_PIECE = re.compile(r"[\w'’-]{1,60}|[?,;:\"“”]")


@lru_cache(maxsize=10_000)
def masked(question: str) -> tuple[str, ...]:
    """Return the words and marks of a question in order, small; neighbouring names are one."""
    words: list[str] = []
    for place, piece in enumerate(_PIECE.findall(question)[:_MAX_WORDS]):
        if place and piece[0].isupper():
            if words[-1] != "NAME":
                words.append("NAME")
        else:
            words.append("NUMBER" if piece[0].isdigit() else piece.casefold())
    return tuple(words)


def runs(question: str) -> frozenset[str]:
    """Return the runs of one to three masked words of a question; `^` marks the beginning."""
    words = ("^", *masked(question))
    return frozenset(
        " ".join(words[start : start + size])
        for size in range(1, MAX_RUN + 1)
        for start in range(len(words) - size + 1)
    )


_MAX_CHARACTERS = 1_000
_LIMIT = 120  # characters that those who graded were told a question may have

_WORD = re.compile(r"[\w'’-]+")
_NAME_PHRASE = re.compile(r"(?<=\s)[A-Z][\w'’-]*(?:\s+(?:(?:of|the|for|and)\s)?[A-Z][\w'’-]*)*")
# What is asked for, by words that say so.
_ABOUT = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "credibility": r"\b(?:credib|reliab|trustworth|reput|authorit)",
        "background": r"\b(?:background|experience|track record|history of)",
        "expertise": r"\b(?:expert|qualif|credential)",
        "interests": r"\b(?:bias|political|leaning|affiliat|conflict|fund|owner|owned|interest)",
        "evidence": r"\b(?:evidence|support|stud(?:y|ies)|research|data|statistic|methodolog|peer)",
        "others": r"\b(?:other|independent|corrobor|additional|alternative|differing|multiple)",
        "views": r"\b(?:perspective|viewpoint|views|opinion|consensus|sources)\b",
        "claims": r"\b(?:claim|statement|quote|reported|mention|cited)",
        "accuracy": r"\b(?:accura|verif|confirm|fact|true|correct|valid)",
        "effects": r"\b(?:impact|effect|implication|affect|consequence|potential)",
        "context": r"\b(?:context|histor|previous|current|recent)",
        "press": r"\b(?:journalis|reporter|news|publi[sc]|outlet|media|magazine|website)",
        "article": r"\b(?:article|author|piece|text|writer|passage)s?\b",
        "pronouns": r"\b(?:he|she|his|her|they|their|them|it|its)\b",
        "pointing": r"\b(?:this|these|those|such|said)\b",
    }.items()
}
_SHAPES = {
    "the thing": re.compile(r"\bthe [a-z][\w-]+(?! of [A-Z])"),
    "the thing of a name": re.compile(r"\bthe [a-z][\w-]+ of [A-Z]"),
    "possessive": re.compile(r"[A-Z][\w-]{0,60}['’]s? "),
    "role": re.compile(
        r", (?:the|an?|former|author|professor|director|president|senior|chief|\w+ of)\b"
    ),
    "commas": re.compile(","),
    "quotation marks": re.compile(r"[\"“”]"),
    "brackets": re.compile(r"\("),
}
_SMALL_WORDS = ("and", "or", "of", "in", "the", "by", "for", "on")


def form(question: str) -> dict[str, float]:
    """Return named counts of a question."""
    text = question[:_MAX_CHARACTERS]
    words = _WORD.findall(text)
    small = [word.casefold() for word in words]
    names = _NAME_PHRASE.findall(text)
    capitals = sum(word[0].isupper() for word in words[1:])
    # How names are spelt earns nothing; how many there are, and of how many words, may.
    lengths = [len(words[0])] if words else [0]
    lengths += [len(word) for word in words[1:] if not word[0].isupper()]
    return {
        "characters": sum(lengths) / 100,
        "over the limit": float(len(text) > _LIMIT),
        "words": len(words) / 10,
        "content words": sum(word not in STOPWORDS for word in small) / 10,
        "mean word": sum(lengths) / len(lengths) / 10,
        "longest word": max(lengths) / 10,
        "names": float(min(len(names), 4)),
        "long names": float(sum(" " in name for name in names)),
        "words of the longest name": float(max((len(name.split()) for name in names), default=0)),
        "capitals": capitals / max(1, len(words)),
        "acronyms": float(sum(len(word) > 1 and word.isupper() for word in words)),
        "first name late": float("NAME" not in masked(text)[:8]),
        "digits": float(any(letter.isdigit() for letter in text)),
        "ends as a question": float(text.rstrip().endswith("?")),
        "begins small": float(text[:1].islower()),
        **{f"word {word}": float(small.count(word)) for word in _SMALL_WORDS},
        **{f"asks {name}": float(len(found.findall(text))) for name, found in _ABOUT.items()},
        **{f"shape {name}": float(len(found.findall(text))) for name, found in _SHAPES.items()},
    }


WEIGHTS = Path(__file__).parent / "weights" / "questions.json"
FLAWED = -1


class Outlook(NamedTuple):
    """Predicted grade of a question.

    `worth` is the grade, from about 0 (useless) to 4, `flawed` the chance of a flaw, from about 0
    to 1; both may lie a little outside.
    """

    worth: float
    flawed: float


class Cuts(Value):
    """Cut-offs between the labels of a question.

    Attributes:
        flawed: Above it, a question is flawed.
        grades: From which worth on it gets grade 1, 2, 3 and 4.
        redundant: From which cosine with an earlier question of its list on it is redundant.
    """

    flawed: float = 1.0
    grades: tuple[float, float, float, float] = (0.5, 1.5, 2.5, 3.5)
    redundant: float = 1.0


class QuestionModel(Value):
    """Predicts what people would say of a question, by its own words.

    Attributes:
        intercepts: Worth and flaw of a question without any feature.
        weights: By feature, what one of it adds to the worth and to the flaw.
    """

    about: dict[str, str | int | float | dict[str, float]] = Field(default_factory=dict)
    intercepts: tuple[float, float]
    cuts: Cuts = Cuts()
    weights: dict[str, tuple[float, float]]

    def __call__(self, question: str) -> Outlook:
        """Return what is expected of a question."""
        worth, flawed = self.intercepts
        for name, value in features(question):
            if found := self.weights.get(name):
                worth += found[0] * value
                flawed += found[1] * value
        return Outlook(worth, flawed)

    def label(self, outlook: Outlook) -> int:
        """Return the grade, from -1 (flawed) to 4."""
        if outlook.flawed > self.cuts.flawed:
            return FLAWED
        return sum(outlook.worth >= cut for cut in self.cuts.grades)


def features(question: str) -> Iterator[tuple[str, float]]:
    """Yield the features of a question: counts, then runs of words, each in quotation marks."""
    yield from form(question).items()
    for run in sorted(runs(question)):
        yield f'"{run}"', 1.0


@cache
def question_model() -> QuestionModel:
    """Return the model as it is distributed."""
    return QuestionModel.model_validate(orjson.loads(WEIGHTS.read_bytes()))


_SAME_PATTERN = 0.5  # share of runs of masked words that questions of one pattern have in common
_OF_ONE_PATTERN = 2  # questions that may earn something; people's favourites come in threes at most


def repeated_patterns(questions: Sequence[str]) -> list[bool]:
    """Tell for each question whether earlier ones used up its pattern; names are masked in it."""
    seen = [runs(question) for question in questions]
    return [
        sum(len(one & earlier) / len(one | earlier) >= _SAME_PATTERN for earlier in seen[:place])
        >= _OF_ONE_PATTERN
        for place, one in enumerate(seen)
    ]


def closest_earlier(cosines: Cosines) -> list[float]:
    """Return for each question of a list its cosine with the earlier one nearest to it."""
    return [float(max(row[:place], default=0.0)) for place, row in enumerate(cosines.tolist())]
