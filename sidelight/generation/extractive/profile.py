"""Profiler of an article without a model: outlet, author, names, figures, dates, claims."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.generation.reading.cleaning import clean_article, find_authors, find_publisher
from sidelight.generation.reading.names import (
    cited_studies,
    find_names,
    looks_like_place,
    people_and_organisations,
)
from sidelight.schemas.investigation.angle import ArticleProfile, Claim
from sidelight.text import (
    STOPWORDS,
    clean,
    content_words,
    count_words,
    numbers,
    one_line,
    sentences,
    tokens,
)

if TYPE_CHECKING:
    from sidelight.schemas.topic import Article

_MAX_CLAIMS = 8
_MIN_CLAIM_WORDS, _MAX_CLAIM_WORDS = 8, 34
_MAX_PROFILE_NAMES = 6
_MAX_KEYWORDS = 25
_SAME_CLAIM = 0.5
_MIN_SLUG_DASHES = 2
_MIN_SINGLE, _DOMINANT = 3, 1.5

_UNIT_WORDS = frozenset(
    {"percent", "cent", "million", "billion", "thousand", "year", "years", "day"}
)

_MONTH_WORD = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_DATE_MENTION = re.compile(
    rf"\b(?:\d{{1,2}}\s+{_MONTH_WORD}\s+\d{{4}}|{_MONTH_WORD}\s+\d{{1,2}},?\s+\d{{4}}|(?:19|20)\d{{2}})\b"
)
_ASSERTS = re.compile(
    r"\b(?:cause[sd]?|causing|link(?:ed|s)|because|study|studies|research|report(?:ed|s)?|found"
    r"|finds|shows?|showed|proves?|proved|evidence|data|according|percent|per cent|million|billion"
    r"|increase[sd]?|reduce[sd]?|risk|never|always|only|first|most|will|could|cost)\b|%",
    re.IGNORECASE,
)
_AUTHOR_OR_READER = re.compile(r"^(?:I|We|You|My|Our)\b|\b(?:I|I'm|I’m|we|you|your)\b")
_DANGLING = re.compile(
    r"^(?:[\"“'‘]?)(?:He|She|It|They|This|That|These|Those|But|And|So|Or|Such|Here|There|His|Her|"
    r"Their|Its|However|Instead|Meanwhile|Still|Then|Yet|Also|In fact|For example|Not)\b"
)


class ExtractiveProfiler:
    """The role `profile_article` without a model."""

    async def __call__(self, article: Article) -> ArticleProfile:
        """Return what the page itself tells; see `ArticleProfile`.

        Raises:
            InputError: The article has neither title nor text, so there is nothing to ask about.
        """
        body, cuts = clean_article(article.body)
        if not body and not one_line(article.title):
            raise InputError(f"{article.topic_id}: the article has neither title nor text")
        people, organisations = people_and_organisations(body)
        publisher, authors = find_publisher(article), find_authors(article)
        own = {publisher.casefold(), *(author.casefold() for author in authors)}
        title = _headline(article.title, publisher) or next(iter(sentences(body)), "")
        keywords = _keywords(title, body)
        return ArticleProfile(
            title=one_line(title),
            publisher=publisher,
            host=article.host,
            authors=authors,
            people=tuple(name for name in people if name.casefold() not in own)[
                :_MAX_PROFILE_NAMES
            ],
            organisations=tuple(name for name in organisations if name.casefold() not in own)[
                :_MAX_PROFILE_NAMES
            ],
            studies=tuple(name for name in cited_studies(body) if name.casefold() not in own)[
                :_MAX_PROFILE_NAMES
            ],
            dates=tuple(dict.fromkeys(_DATE_MENTION.findall(clean(article.body)))),
            subject=_subject(title, _slug(article.url), body),
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
    counts = Counter(word for word in content_words(body) if not word[0].isdigit())
    for word in counts.keys() & set(content_words(title)):
        counts[word] *= 3
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ordered[:_MAX_KEYWORDS]]


def _slug(url: str) -> str:
    """Return the words of the last part of an address that has some: `bog-bill-4000-jobs`."""
    path = url.partition("?")[0].partition("#")[0]
    parts = [part for part in path.split("/") if part.count("-") >= _MIN_SLUG_DASHES]
    return re.sub(r"\.\w+$|[-_]+", " ", parts[-1]).strip() if parts else ""


def _subject(title: str, slug: str, body: str) -> str:
    """Return the phrase that says what the article is about, as the article writes it.

    A pair of words that title and address share; or else the first of these that there is. A name
    that title or address hold and the body uses more than twice as often is put before it, such as
    that of a product.

    The pair of words from the title that the body uses most; else a pair with one word from the
    title that it uses at least three times; else the pair of the title whose words it uses most
    one by one; else the title's most used word; else the title. A page without a title is known by
    its first sentence.
    """
    frequency = Counter(_phrases(body))
    title_phrases = list(dict.fromkeys(_phrases(title)))
    in_title = {word for phrase in title_phrases for word in phrase}

    def worth(phrase: tuple[str, ...]) -> tuple[int, int, tuple[str, ...]]:
        return len(in_title.intersection(phrase)), frequency[phrase], phrase

    def spread(phrase: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
        return min(frequency[(word,)] for word in phrase), phrase

    used = [
        phrase
        for phrase, count in frequency.items()
        if len(phrase) == 2 and (n := len(in_title.intersection(phrase))) and count + n > 3
    ]
    pairs = [phrase for phrase in title_phrases if len(phrase) == 2 and spread(phrase)[0] > 1]
    words = [phrase for phrase in title_phrases if len(phrase) == 1 and frequency[phrase] > 1]
    best = max(used, key=worth, default=()) or max(pairs or words, key=spread, default=())
    in_slug = [phrase for phrase in _phrases(slug) if len(phrase) == 2 and phrase in title_phrases]
    if len(best) < 2:
        best = max(in_slug, key=spread, default=best)
    single = max(
        (word for word in tokens(f"{title} {slug}") if not _is_filler(word)),
        key=lambda word: (_is_capitalised(word, body), frequency[(word,)], word),
        default="",
    )
    dominates = frequency[(single,)] >= max(_MIN_SINGLE, _DOMINANT * frequency[best])
    if not used and len(best) > 1 and single not in best and dominates:
        whole = f"{body}\n{title}"
        return f"{_as_written(single, whole)} and {_as_written(' '.join(best), whole)}"
    return _as_written(" ".join(best), f"{body}\n{title}") if best else one_line(title)


def _is_capitalised(word: str, body: str) -> bool:
    """Tell whether the body mostly writes a word with a capital inside sentences."""
    found = re.findall(rf"(?<=[\w,;] ){re.escape(word)}(?!\w)", body, re.IGNORECASE)
    return 2 * sum(bool(form[0].isupper()) for form in found) > len(found)


def _phrases(text: str) -> list[tuple[str, ...]]:
    """Return the single words, and the pairs that no punctuation parts, without fillers."""
    clauses = [tokens(clause) for clause in re.split(r"[^\w\s'’-]+|\n", text)]
    runs = (
        tuple(words[start : start + size])
        for words in clauses
        for size in (1, 2)
        for start in range(len(words) - size + 1)
    )
    return [run for run in runs if not any(_is_filler(word) for word in run)]


def _is_filler(word: str) -> bool:
    return (
        word in STOPWORDS
        or word in _UNIT_WORDS
        or len(word) <= 2
        or word[0].isdigit()
        or looks_like_place(word)
    )


def _as_written(phrase: str, text: str) -> str:
    """Return a lower-cased phrase with the capitals it most often has in a text."""
    pattern = r"[\s-]+".join(re.escape(word) for word in phrase.split())
    numbers_after = Counter(
        re.findall(rf"{pattern}(\s\d{{1,3}}(?![\w,.%]*\d))?", text, re.IGNORECASE)
    )
    number, count = next(iter(numbers_after.most_common(1)), ("", 0))
    if 2 * count > numbers_after.total():
        pattern += re.escape(number)  # "Area 51"
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
        and not _AUTHOR_OR_READER.search(sentence)
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
