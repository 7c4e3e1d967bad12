"""What a question looks like, in counts: its length, its names, what it asks for and of whom."""

from __future__ import annotations

import re

from sidelight.learned.questions.words import masked
from sidelight.text import STOPWORDS

_MAX_CHARACTERS = 1_000
_LIMIT = 120  # characters that those who graded were told a question may have

_WORD = re.compile(r"[\w'’-]+")
_NAME = re.compile(r"(?<=\s)[A-Z][\w'’-]*(?:\s+(?:(?:of|the|for|and)\s)?[A-Z][\w'’-]*)*")
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
    names = _NAME.findall(text)
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
