"""What a reader of an article knows, and what a page is to it.

A page may copy or retell the article, be on it, or be on somebody or something else of the same
name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sidelight.english.names import host_label, mentions, name_forms, strip_title
from sidelight.english.parser import parse
from sidelight.generation.pages import CORRECTION_PAGE, OWN, Origin, Origins, headline
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.words import stem
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import Unused
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.text import (
    content_words,
    count_words,
    numbers,
    one_line,
    sentences,
    shingles,
    tokens,
)
from sidelight.text_vectors import TextVectors

MIN_WORDS = 5  # of a sentence that says something
TOP = 8  # sentences of a page that say where it is about

# A sentence of a page is a copy of one of the article by its shingles or its vector; a page is
# one where so many of its sentences are.
_COPIED_SHINGLES, _COPIED_COSINE, _RETOLD_COSINE = 0.4, 0.85, 0.50
_COPIED_SHARE, _RETOLD_SHARE = 0.35, 0.42
_FEW = 4  # sentences, of which a share says little
_FEWEST_RETELLING = 12  # sentences of a page; the retellings of 18 development webs have 12 or more
_ANSWERING = frozenset({CORRECTION_PAGE, "fact check", "media rating"})
_SHARED_KEYWORDS, _SOME_KEYWORDS, _FEW_KEYWORDS = 5, 3, 2
_RELATED, _ELSEWHERE = 0.55, 0.65  # cosines of the nearest sentence
_SAME_HEADLINE = 0.6  # cosine of headlines
# Nats. Of the pages of 18 development webs, 84% have so many on their own article, and .1% on
# another; of 2,200 real passages on other matters none has.
_TELLING = 12.0
_DATELINE = re.compile(r"^[A-Z]{2,}(?:[ .,'’/-][A-Z][A-Za-z.,]*){0,5} [-–—]+ (?=[A-Z])")
_OF_PEOPLE, _SEVERAL = ("he", "she", "his", "her", "him"), 3
_WHOLE_WORD = re.compile(r"(?<![\w'’-])[A-Za-z]+(?![\w'’-])")
_LABEL = re.compile(r"^[A-Z ]+: ")  # "PRESS RELEASE: ", "OPINION: "
_SHOUTED = 3  # letters
# How a page says that it has its news from an outlet.
_CREDITS = (
    r"^\W*(?i:sources?|via|h/t)\b\W*{0}|{0},? reports?\b|[Aa]ccording to (?:\w+ ){{0,4}}{0}|"
    r"\btold {0}"
)
_NOTE_MARK = re.compile(r"\[(?:\d{1,3}|[a-z]|citation needed|note \d{1,2})\]")


@dataclass(eq=False)
class Page:
    """A page, as far as its segments are evidence; its origin is publisher, kind and date."""

    document_id: str
    segments: tuple[Segment, ...]
    origin: Origin

    @cached_property
    def lines(self) -> dict[str, list[str]]:
        """Its sentences in order, each with the ids of the segments that hold it."""
        held: dict[str, list[str]] = {}
        for segment in self.segments:
            for text in sentences(_NOTE_MARK.sub("", segment.text)):
                held.setdefault(_DATELINE.sub("", text), []).append(segment.segment_id)
        return held

    @property
    def title(self) -> str:
        """Title of the page."""
        return self.segments[0].title

    @cached_property
    def text(self) -> str:
        """All that is known of its text."""
        return "\n".join([self.title, *self.lines])

    @property
    def site(self) -> str:
        """Host of the page, or the page itself where it has no address."""
        return self.segments[0].site

    @property
    def year(self) -> int | None:
        """Year of its date."""
        found = re.search(r"\d{4}", self.origin.date)
        return int(found.group()) if found else None

    @property
    def month(self) -> str:
        """Month and year of its date, as "October 2023"; the year alone where it has no month."""
        months = re.findall(r"[A-Z][a-z]{2,}", self.origin.date)
        return " ".join([*months[:1], str(self.year)]) if self.year else ""

    def holding(self, one: str, other: str) -> list[str]:
        """Return the segments that hold both of two lines."""
        return [held for held in self.lines[one] if held in self.lines[other]]


class Shared(NamedTuple):
    """What a page has in common with the article.

    `near` are the cosines of its sentences with the nearest of the article. `places` counts places
    of the article that it mentions, `foreign` other places that its beginning names.
    """

    near: Sequence[float]
    names: tuple[str, ...]
    places: int
    foreign: int
    keywords: frozenset[str]

    @property
    def nearest(self) -> float:
        """Cosine of the sentence that comes nearest to the article."""
        return max(self.near, default=0.0)


class Known:
    """What a reader of an article (or of a narrative) knows, and what only repeats it."""

    def __init__(self, profile: ArticleProfile, vectors: TextVectors) -> None:
        self.profile = profile
        self.sentences = sentences(profile.body)
        self.words = set(content_words(f"{profile.title} {profile.asked} {profile.body}"))
        self.numbers = numbers(profile.body) | numbers(profile.title)
        self._shingles = shingles(profile.body)
        self._vectors = vectors
        self._shared: dict[Page, Shared] = {}
        self._forms = {name: name_forms(name) for name in profile.named}
        parsed = parse(self.sentences)
        self._places = {place for one in parsed for place in one.named("GPE", "LOC", "FAC")}
        self._last_names = {name.split()[-1] for name in (*profile.people, *profile.authors)}
        self._first_names = {
            name.split()[0]: name for name in (*profile.people, *profile.authors) if " " in name
        }
        own = re.escape(profile.publisher.removeprefix("The "))
        self._credits = own and re.compile(_CREDITS.format(f"(?:[Tt]he )?{own}"), re.MULTILINE)
        years = [int(year) for date in profile.dates for year in re.findall(r"\d{4}", date)]
        self.year = max(years, default=None)
        self.entities = {
            word.casefold() for one in parsed for e in one.entities for word in e.text.split()
        }

    def near(self, texts: Sequence[str]) -> list[float]:
        """Return for each text the cosine with the nearest sentence of the article."""
        if not self.sentences:
            return [0.0] * len(texts)
        return [float(x) for x in self._vectors.similarity(texts, self.sentences).max(axis=1)]

    def copies(self, text: str, near: float) -> bool:
        """Tell whether a sentence says what one of the article says."""
        own = shingles(text)
        shared = len(own & self._shingles) / max(1, len(own))
        return shared >= _COPIED_SHINGLES or (near >= _COPIED_COSINE and not self.news(text))

    def news(self, text: str) -> set[str]:
        """Return the figures of a text that the article lacks."""
        return numbers(text) - self.numbers

    def shared(self, page: Page) -> Shared:
        """Return what a page has in common with the article."""
        known = self._shared.get(page)
        if known is None:
            text, lines = page.text, list(page.lines)
            foreign = {place for one in parse(lines[:TOP]) for place in one.named("GPE")}
            known = self._shared[page] = Shared(
                near=self.near(lines),
                names=tuple(name for name, forms in self._forms.items() if mentions(text, forms)),
                places=sum(mentions(text, [place]) for place in self._places),
                foreign=len(foreign - self._places),
                keywords=frozenset(content_words(text)).intersection(self.profile.keywords),
            )
        return known

    def tells_of_it(self, page: Page) -> bool:
        """Tell whether a page has rare words enough of the article's names and keywords."""
        shared = self.shared(page)
        named = set(content_words(" ".join(shared.names))).intersection(content_words(page.text))
        weight = frequencies().weight
        return sum(weight(stem(word)) for word in sorted(shared.keywords | named)) >= _TELLING

    def why_unused(self, page: Page) -> Unused | None:
        """Return why nothing of a page is told, whatever it says; None where it may be."""
        if page.origin.kind == "forum":
            return "forum"
        if self.is_retold(page) or self._has_it_from_outlet(page):
            return "retold"
        if self.sentences and _shouts(page):
            return "shouting"
        return None if self.is_on_topic(page) else "elsewhere"

    def is_retold(self, page: Page) -> bool:
        """Tell whether a page is a copy of the article, or the article in other words.

        A retelling is about as long as an article: a few sentences near it rather answer it, as a
        correction or a notice does, and so do pages that check or rate.
        """
        full = [
            (text, near)
            for text, near in zip(page.lines, self.shared(page).near, strict=True)
            if count_words(text) >= MIN_WORDS
        ]
        if len(full) < _FEW:
            return False
        copied = sum(self.copies(text, near) for text, near in full) / len(full)
        retold = sum(near >= _RETOLD_COSINE for _, near in full) / len(full)
        answers = len(full) < _FEWEST_RETELLING or page.origin.kind in _ANSWERING
        return copied >= _COPIED_SHARE or (retold >= _RETOLD_SHARE and not answers)

    def _has_it_from_outlet(self, page: Page) -> bool:
        """Tell whether a page credits the article's outlet, and so tells its news once more.

        Of the pages found for 21 development webs 14 do, often with other figures; of 25 findings
        of two of them 21 were marked misleading and none useful.
        """
        if not self._credits or page.origin.kind in {*_ANSWERING, OWN, "opinion"}:
            return False
        return self._credits.search(page.text) is not None

    def is_checked(self, page: Page) -> bool:
        """Tell whether a page checks the article: it names the outlet, or has much its headline.

        On five webs that it was not written from, all five checks of their articles do, and 2 of 95
        checks of other articles.
        """
        if mentions(page.text, [form for name in self.profile.outlet for form in name_forms(name)]):
            return True
        checked, own = headline(page.title), self.profile.title
        if not checked or not own:
            return False
        return bool(self._vectors.similarity([checked], [own])[0, 0] >= _SAME_HEADLINE)

    def is_on_topic(self, page: Page) -> bool:
        """Tell whether a page is on somebody or something of the article.

        One that mentions a name may mean another of that name.
        """
        if not self.sentences:
            return True
        if self._is_on_namesake(page):
            return False
        shared = self.shared(page)
        here = page.origin.kind == OWN or shared.nearest >= _ELSEWHERE or shared.places
        if not here and len(shared.names) <= 1 and shared.foreign:  # of that name in another place
            return False
        if shared.names:
            return any(self._means(page, shared, name) for name in shared.names)
        return len(shared.keywords) >= _SHARED_KEYWORDS or shared.nearest >= _RELATED

    def _is_on_namesake(self, page: Page) -> bool:
        """Tell whether a page on a person of the article's name names nobody else of the article.

        A page is on whom its title begins with, if it says "he" or "she" of somebody several times.
        Places and surnames are shared by chance.
        """
        people = (*self.profile.authors, *self.profile.people)
        on = next((one for one in people if strip_title(page.title).startswith(one)), "")
        words = Counter(tokens(page.text))
        if not on or page.origin.kind == OWN or sum(words[one] for one in _OF_PEOPLE) < _SEVERAL:
            return False
        own = set(on.casefold().split())
        bodies = {*self.profile.organisations, *self.profile.studies} - self._places
        others = [
            form
            for name in {self.profile.publisher, *people, *bodies} - {""}
            if own.isdisjoint(name.casefold().split())
            for form in name_forms(name.removeprefix("The "))
            if " " in form or form.isupper() or form == name.removeprefix("The ")
        ]
        return bool(others) and not mentions(page.text, others)

    def _means(self, page: Page, shared: Shared, name: str) -> bool:
        """Tell whether a page that mentions a name means the one of the article.

        It does if it names something else of the article, too, or has several of its keywords; or
        if it rates or describes outlets, or is on the host of the outlet itself.
        """
        kinds = {OWN, CORRECTION_PAGE, "media rating", "encyclopedia"}
        if shared.nearest >= _RELATED or page.origin.kind in kinds:
            return True
        own = set(name.casefold().split())
        if any(own.isdisjoint(other.casefold().split()) for other in shared.names):
            return True
        keywords = len(shared.keywords - own)
        return keywords >= _SOME_KEYWORDS or (shared.places > 0 and keywords >= _FEW_KEYWORDS)

    def in_full(self, name: str) -> str:
        """Return the full name of somebody of the article who is called by the first name alone."""
        return "" if name in self._last_names else self._first_names.get(name, "")


def _shouts(page: Page) -> bool:
    """Tell whether a headline has common words in capitals: "Council ADMITS lorries will triple".

    Of 44 findings of such pages of the development webs that were marked, none was useful and 36
    were misleading. A name in capitals stands so in the text, too; a headline may be all capitals.
    """
    told = _LABEL.sub("", headline(page.title))
    words = _WHOLE_WORD.findall(told)
    loud = [word for word in words if word.isupper() and len(word) >= _SHOUTED]
    if page.origin.kind in _ANSWERING or 2 * len(loud) > len(words):
        return False
    said = page.text.replace(told, "")
    return any(
        not frequencies().is_rare(stem(word.lower())) and not re.search(rf"\b{word}\b", said)
        for word in loud
    )


def read_pages(evidence: EvidenceSet, profile: ArticleProfile) -> list[Page]:
    """Return the pages of some evidence, in the order of their ids."""
    by_document: dict[str, list[Segment]] = {}
    for item in evidence.items:
        by_document.setdefault(document_id_of(item.segment.segment_id), []).append(item.segment)
    found = (item.segment for item in evidence.items)
    origins = Origins(found, profile.host, profile.publisher)
    pages = []
    for document_id, segments in sorted(by_document.items()):
        segments.sort(key=lambda one: (one.start_char, one.segment_id))
        pages.append(Page(document_id, tuple(segments), origins.of(segments[0])))
    return pages


def outlet_name(profile: ArticleProfile, evidence: EvidenceSet) -> str:
    """Return the outlet's name as pages write it, or its host if nothing calls it otherwise."""
    outlet, label = profile.publisher, host_label(profile.publisher)
    if "." not in outlet or " " in outlet or len(label) < len("example"):
        return outlet
    letters = r"\s?".join(map(re.escape, label))
    pattern = re.compile(rf"(?<![\w.@/]){letters}(?![\w.])", re.IGNORECASE)
    found = [
        one_line(form)
        for text in (profile.body, *(item.segment.text for item in evidence.items))
        for form in pattern.findall(text)
        if form[0].isupper()
    ]
    return max(dict.fromkeys(found), key=lambda form: (found.count(form), form), default=outlet)
