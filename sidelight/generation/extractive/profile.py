"""Take an article apart without a model: outlet, author, names, figures, dates, claims."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sidelight.generation.cleaning import clean_article
from sidelight.generation.extractive.byline import find_authors, find_publisher
from sidelight.generation.extractive.names import find_names, people_and_organisations
from sidelight.schemas.profile import ArticleProfile, Claim
from sidelight.text import STOPWORDS, clean, content_words, count_words, numbers, sentences, tokens

if TYPE_CHECKING:
    from sidelight.schemas.article import Article

_MAX_CLAIMS = 8
_MIN_CLAIM_WORDS, _MAX_CLAIM_WORDS = 8, 34
_MAX_NAMES = 6
_MAX_KEYWORDS = 25
_SAME_CLAIM = 0.5

_WIDENED = 2
_UNITS = frozenset({"percent", "cent", "million", "billion", "thousand", "year", "years", "day"})

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}\s+{_MONTH}\s+\d{{4}}|{_MONTH}\s+\d{{1,2}},?\s+\d{{4}}|(?:19|20)\d{{2}})\b"
)
_ASSERTS = re.compile(
    r"\b(?:cause[sd]?|causing|link(?:ed|s)|because|study|studies|research|report(?:ed|s)?|found"
    r"|finds|shows?|showed|proves?|proved|evidence|data|according|percent|per cent|million|billion"
    r"|increase[sd]?|reduce[sd]?|risk|never|always|only|first|most|will|could|cost)\b|%",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"^(?:I|We|You|My|Our)\b|\b(?:I|I'm|I’m|we|you|your)\b")
_DANGLING = re.compile(
    r"^(?:[\"“'‘]?)(?:He|She|It|They|This|That|These|Those|But|And|So|Or|Such|Here|There|His|Her|"
    r"Their|Its|However|Instead|Meanwhile|Still|Then|Yet|Also|In fact|For example|Not)\b"
)


class ExtractiveProfiler:
    """The role `profile_article` without a model."""

    async def __call__(self, article: Article) -> ArticleProfile:
        """Return what the page itself tells; see `ArticleProfile`."""
        body, cuts = clean_article(article.body)
        people, organisations = people_and_organisations(body)
        publisher, authors = find_publisher(article), find_authors(article)
        own = {publisher.casefold(), *(author.casefold() for author in authors)}
        title = _headline(article.title, publisher)
        keywords = _keywords(title, body)
        return ArticleProfile(
            publisher=publisher,
            host=article.host,
            authors=authors,
            people=tuple(name for name in people if name.casefold() not in own)[:_MAX_NAMES],
            organisations=tuple(name for name in organisations if name.casefold() not in own)[
                :_MAX_NAMES
            ],
            dates=tuple(dict.fromkeys(_DATE.findall(clean(article.body)))),
            subject=_subject(title, body),
            keywords=tuple(keywords),
            claims=tuple(_claims(title, body, set(keywords))),
            body=body,
            cuts=cuts,
        )


def _headline(title: str, publisher: str) -> str:
    """Return the page title without the outlet's name behind a dash or bar."""
    parts = re.split(r"\s+[-–—|]\s+", clean(title))
    outlet = set(tokens(publisher))
    kept = [part for part in parts[1:] if not outlet.intersection(tokens(part))]
    return " - ".join([parts[0], *(part for part in kept if count_words(part) > 3)])


def _keywords(title: str, body: str) -> list[str]:
    """Return content words by frequency, words of the title counted thrice, ties alphabetical."""
    counts = Counter(content_words(body))
    for word in set(content_words(title)):
        counts[word] *= 3
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ordered[:_MAX_KEYWORDS]]


def _subject(title: str, body: str) -> str:
    """Return the phrase of one to three words that title and body share most.

    The score is frequency in the body times length to the power 1.5, because longer phrases are
    rarer. A single word is widened to the phrase the body most often uses it in. Without a shared
    phrase the title is the subject.
    """
    frequency = Counter(_phrases(tokens(body)))
    shared = [phrase for phrase in dict.fromkeys(_phrases(tokens(title))) if frequency[phrase] > 1]
    if not shared:
        return clean(title)
    best = max(shared, key=lambda phrase: frequency[phrase] * len(phrase) ** 1.5)
    if len(best) == 1:
        wider = [
            (count, phrase)
            for phrase, count in frequency.items()
            if len(phrase) == _WIDENED and best[0] in phrase and count * 4 > frequency[best]
        ]
        best = max(wider, default=(0, best))[1]
    return _as_written(" ".join(best), f"{title}\n{body}")


def _phrases(words: list[str]) -> list[tuple[str, ...]]:
    """Return all runs of one to three words without stop words, figures or units."""
    runs = (
        tuple(words[start : start + size])
        for size in (3, 2, 1)
        for start in range(len(words) - size + 1)
    )
    return [run for run in runs if not any(_is_filler(word) for word in run)]


def _is_filler(word: str) -> bool:
    return word in STOPWORDS or word in _UNITS or len(word) <= 2 or word[0].isdigit()


def _as_written(phrase: str, text: str) -> str:
    """Return a lower-cased phrase with the capitals it most often has in a text."""
    pattern = r"\W+".join(re.escape(word) for word in phrase.split())
    forms = Counter(" ".join(found.split()) for found in re.findall(pattern, text, re.IGNORECASE))
    plain = [form for form, _ in forms.most_common() if not form.isupper()]
    return plain[0] if plain else phrase


def _claims(title: str, body: str, keywords: set[str]) -> list[Claim]:
    """Return the most central checkable sentences, no two of them much alike."""
    prose = sentences(body)
    title_words = set(content_words(title))
    scored = sorted(
        (
            (-_claim_score(sentence, place / len(prose), title_words, keywords), place, sentence)
            for place, sentence in enumerate(prose)
            if _can_be_claim(sentence)
        ),
    )
    claims: list[Claim] = []
    for _, _, sentence in scored:
        words = set(content_words(sentence))
        others = (set(content_words(claim.text)) for claim in claims)
        if any(len(words & other) / len(words | other) > _SAME_CLAIM for other in others):
            continue
        claims.append(
            Claim(
                text=sentence,
                figures=tuple(sorted(numbers(sentence))),
                names=tuple(sorted(find_names(sentence))),
            )
        )
        if len(claims) == _MAX_CLAIMS:
            break
    return claims


def _can_be_claim(sentence: str) -> bool:
    return (
        _MIN_CLAIM_WORDS <= count_words(sentence) <= _MAX_CLAIM_WORDS
        and sentence.endswith(".")
        and not _PERSONAL.search(sentence)
        and not _DANGLING.match(sentence)
        and '"' not in sentence
    )


def _claim_score(sentence: str, place: float, title: set[str], keywords: set[str]) -> float:
    words = set(content_words(sentence))
    return (
        1.5 * len(words & title) / max(1, len(title))
        + 1.0 * len(words & keywords) / max(1, len(words))
        + 0.5 * bool(numbers(sentence))
        + 0.3 * min(2, len(_ASSERTS.findall(sentence)))
        + 0.4 * (1.0 - place)
    )
