"""Who published an article, and who wrote it, from the address and the lines above the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.reading.names import find_names, host_label, strip_title
from sidelight.text import clean, tokens

if TYPE_CHECKING:
    from sidelight.schemas.article import Article

_HEAD_LINES = 60
_MAX_BYLINE_WORDS = 25
_MIN_PREFIX = 8  # letters of a host that a longer name may continue
_PERSON = (
    r"(?:(?:Dr|Prof)\.?\s+)?[^\W\d_a-z][\w'’.-]+"
    r"(?:\s+(?:[A-Z]\.|de|van|von|del|la|al))*(?:\s+[^\W\d_a-z][\w'’-]+){1,2}"
)
_PEOPLE = rf"{_PERSON}(?:(?:,\s+and\s+|,\s*|\s+and\s+|\s*&\s*){_PERSON})*"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_BYLINES = (
    re.compile(
        rf"(?:^|[|•/—–-]\s*)(?i:(?:(?:written|reported|posted|words|text|story)\s+)?by|author:?)\s+"
        rf"(?P<names>{_PEOPLE})"
    ),
    re.compile(rf"^(?:{_MONTHS})\s+\d{{1,2}},\s+\d{{4}}\s+(?P<names>{_PEOPLE})$"),
    re.compile(rf"^(?P<names>{_PEOPLE})\s+\d{{1,2}}\s+(?:{_MONTHS})\s+\d{{4}}$"),
)
# Words that follow a name in a byline, or stand where a name would.
_NOT_A_NAME = frozenset(
    f"""
    {_MONTHS.replace("|", " ")} staff published updated posted read share photo photographs
    photography full bio follow senior chief editor editors editorial director columnist
    correspondent reporter writer contributor analyst fellow founder professor special health
    science technology news the associated press reuters
    """.casefold().split()
)
_GENERIC_LABELS = frozenset({"blog", "blogs", "news"})  # `news.com.au` is its own name
_SPLIT = re.compile(r",\s+and\s+|,\s*|(?<!\s)\s+and\s+|(?:(?<!\s)\s+)?&\s*")


def find_authors(article: Article) -> tuple[str, ...]:
    """Return the names in the byline; empty when the page shows none.

    Only short lines near the top count: prose that says "by" is not a byline.
    """
    lines = [line for line in clean(article.body).split("\n") if line][:_HEAD_LINES]
    for line in lines:
        if len(line.split()) > _MAX_BYLINE_WORDS:
            continue
        for match in (match for pattern in _BYLINES for match in pattern.finditer(line)):
            found = [_cut_at_noise(name) for name in _SPLIT.split(match["names"])]
            authors = tuple(dict.fromkeys(name for name in found if name))
            if authors:
                return authors
    return ()


def find_publisher(article: Article) -> str:
    """Return the outlet's name: as the page writes it, else the host name; empty without either.

    A capitalised name whose letters are those of the host's main label (or begin with them) is
    the outlet; so is a suffix of the page title that shares a word with the label.
    """
    label = host_label(article.host)
    if not label or label in _GENERIC_LABELS:
        return article.host
    suffixes = _title_suffixes(article.title)
    names = [
        *suffixes,
        *sorted(find_names(clean(article.body)), key=lambda name: (len(name), name)),
    ]
    exact = (name for name in names if _squash(name) == label)
    longer = (
        name for name in names if len(label) >= _MIN_PREFIX and _squash(name).startswith(label)
    )
    if (name := next(exact, None) or next(longer, None)) is not None:
        return name
    for suffix in suffixes:
        if any(len(word) > 2 and word in label for word in tokens(suffix)):
            return suffix
    word = re.search(rf"\b(?=[A-Z])(?i:{re.escape(label)})\b", article.body)
    return word.group() if word else article.host


def _title_suffixes(title: str) -> list[str]:
    parts = re.split(r"\s+[-–—|:]\s+", clean(title))
    return [part.strip() for part in reversed(parts[1:]) if len(part.split()) <= 5]


def _squash(name: str) -> str:
    return "".join(word for word in tokens(name) if word not in {"the", "www"})


def _cut_at_noise(name: str) -> str:
    words: list[str] = []
    for word in name.split():
        if word.strip(".,").casefold() in _NOT_A_NAME:
            break
        words.append(word.strip(","))
    plain = " ".join(words)
    return plain if len(strip_title(plain).split()) >= 2 else ""
