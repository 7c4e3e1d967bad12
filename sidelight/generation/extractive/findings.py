"""Findings: what pages tell beyond an article, in one or two sentences that stand alone.

A page is first held against the article: a copy or a rewrite of it tells nothing, and a page on
somebody else of the same name is left out. Its sentences are then read by the parser. What is
shown stands as it is written, but for three marks of an editor: words that only tie a sentence to
the one before ("But", "However") go; a pronoun or "the company" is replaced by the name it stands
for, in square brackets; and what a page says in its own cause is attributed to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sidelight.english.names import definite, looks_personal, mentions, name_forms, strip_title
from sidelight.english.neutrality import passes_verdict
from sidelight.english.parser import parse
from sidelight.english.vocabulary import BODIES, GENERAL, RATES, UNIQUE
from sidelight.generation.pages import Origins
from sidelight.schemas.segment import document_id_of
from sidelight.text import content_words, count_words, numbers, sentences, shingles

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from sidelight.english.parser import Sentence
    from sidelight.generation.pages import Origin
    from sidelight.schemas.investigation.angle import ArticleProfile
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.segment import Segment
    from sidelight.text_vectors import TextVectors

MIN_WORDS, MAX_WORDS = 5, 45
_MAX_PAIR_WORDS, _MAX_LISTED = 60, 20
_LOOK_BACK = 3
_TOP = 8  # sentences of a page that say where it is about

# A sentence of a page is a copy of one of the article by its shingles or its vector; a page is
# one where so many of its sentences are.
_SHINGLE, _COPIED_SHINGLES, _COPIED_COSINE, _RETOLD_COSINE = 5, 0.4, 0.85, 0.50
_COPIED_SHARE, _RETOLD_SHARE = 0.35, 0.42
_FEW = 4  # sentences, of which a share says little
_SHARED_KEYWORDS, _SOME_KEYWORDS, _FEW_KEYWORDS = 5, 3, 2
_RELATED, _ELSEWHERE = 0.55, 0.65  # cosines of the nearest sentence

# Openings that tie a sentence to the one before; without them it says the same.
_TIES = re.compile(
    r"^(?:(?:But|And|So|Yet|Or|Also|Still|However|Moreover|Furthermore|Meanwhile|Nevertheless"
    r"|Nonetheless|Instead|Indeed|Besides|Then|Now|In fact|In addition|By contrast|In contrast"
    r"|Even so|That said|At the same time|As a result|Of course|Additionally|Similarly"
    r"|Consequently|Therefore|Thus|Overall|Finally|In total|In all)(?:,\s+|\s+(?=[a-z])))+"
)
# What opens a sentence that corrects or qualifies the one before it.
_QUALIFIES = re.compile(
    r"^(?:But|However|Yet|Nevertheless|Nonetheless|In fact|By contrast|In contrast|Even so"
    r"|That said|Instead|Later|It later|That (?:figure|number|claim|estimate|statement))\b"
)
# What opens a sentence whose time or object is that of the one before.
_CONTINUES = re.compile(
    r"^(?:The (?:rest|other|others|year before|day before|same)|Others|Another)\b"
)
_REMAINDERS = frozenset({"rest", "other", "remainder"})
_MOST_QUOTED, _MOST_UNATTRIBUTED = 0.8, 0.4  # share of a sentence between quotation marks
_DATELINE = re.compile(r"^[A-Z]{2,}(?:[ .,'’/-][A-Z][A-Za-z.,]*){0,5} [-–—]+ (?=[A-Z])")
_HATNOTE = re.compile(r"\bconfused with\b|\bredirects here\b")
_NOTE_MARK = re.compile(r"\[(?:\d{1,3}|[a-z]|citation needed|note \d{1,2})\]")
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})
_SECOND = frozenset({"you", "your", "yours", "yourself"})
_JOINS = frozenset({"of", "and", "for", "the", "&", "de", "on", "in"})
# A check of the article's claim, or a correction of it, repeats much of it.
_ANSWERS_IT = frozenset({"fact check", "corrections"})
_OWN_CAUSE = frozenset({"press release", "shop", "opinion", "blog"})


class Unit(NamedTuple):
    """A sentence of a page, as it can be shown.

    Attributes:
        text: As shown.
        sentence: The parse of what the page says.
        number: Its place on the page.
    """

    text: str
    sentence: Sentence
    number: int


@dataclass(frozen=True, eq=False)
class Finding:
    """One or two sentences of a page that stand alone.

    Attributes:
        texts: The sentences as they are shown, in order.
        units: What they were made of.
        segment_id: A segment that holds all of them.
        page: The page.
    """

    texts: tuple[str, ...]
    units: tuple[Unit, ...]
    segment_id: str
    page: Page

    @property
    def text(self) -> str:
        """All of it on one line."""
        return " ".join(self.texts)


@dataclass(eq=False)
class Page:
    """A page, as far as its segments are evidence.

    Attributes:
        document_id: Of the page.
        segments: In the order of the page.
        origin: Who publishes it, its kind and its date.
    """

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
    def host(self) -> str:
        """Host of the page."""
        return self.segments[0].host

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

    Attributes:
        near: For each of its sentences the cosine with the nearest of the article.
        names: Names of the article that it mentions.
        places: Places of the article that it mentions.
        foreign: Other places that its beginning names.
        keywords: The article's keywords that it has.
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
    """What a reader of the article knows, and which pages and sentences only repeat it.

    Args:
        profile: The article; one without a body stands for a narrative.
        vectors: Encodes sentences.
    """

    def __init__(self, profile: ArticleProfile, vectors: TextVectors) -> None:
        self.profile = profile
        self.sentences = sentences(profile.body)
        self.words = set(content_words(f"{profile.title} {profile.asked} {profile.body}"))
        self.numbers = numbers(profile.body) | numbers(profile.title)
        self._shingles = shingles(profile.body, _SHINGLE)
        self._vectors = vectors
        self._shared: dict[Page, Shared] = {}
        names = [
            name
            for name in (
                profile.publisher,
                *profile.authors,
                *profile.people,
                *profile.organisations,
                *profile.studies,
            )
            if name
        ]
        self._forms = {name: name_forms(name) for name in names}
        parsed = parse(self.sentences)
        self._places = {place for one in parsed for place in one.named("GPE", "LOC", "FAC")}
        self._last_names = {name.split()[-1] for name in (*profile.people, *profile.authors)}
        self._first_names = {
            name.split()[0]: name for name in (*profile.people, *profile.authors) if " " in name
        }
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
        own = shingles(text, _SHINGLE)
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
            foreign = {place for one in parse(lines[:_TOP]) for place in one.named("GPE")}
            known = self._shared[page] = Shared(
                near=self.near(lines),
                names=tuple(name for name, forms in self._forms.items() if mentions(text, forms)),
                places=sum(mentions(text, [place]) for place in self._places),
                foreign=len(foreign - self._places),
                keywords=frozenset(content_words(text)).intersection(self.profile.keywords),
            )
        return known

    def is_retold(self, page: Page) -> bool:
        """Tell whether a page is a copy of the article, or the article in other words."""
        full = [
            (text, near)
            for text, near in zip(page.lines, self.shared(page).near, strict=True)
            if count_words(text) >= MIN_WORDS
        ]
        if len(full) < _FEW or page.origin.kind in _ANSWERS_IT:
            return False
        copied = sum(self.copies(text, near) for text, near in full) / len(full)
        retold = sum(near >= _RETOLD_COSINE for _, near in full) / len(full)
        return copied >= _COPIED_SHARE or retold >= _RETOLD_SHARE

    def is_on_topic(self, page: Page) -> bool:
        """Tell whether a page is on somebody or something of the article.

        One that mentions a name may mean another of that name.
        """
        if not self.sentences:
            return True
        shared = self.shared(page)
        if self._is_elsewhere(page, shared):
            return False
        if shared.names:
            return any(self._means(page, shared, name) for name in shared.names)
        return len(shared.keywords) >= _SHARED_KEYWORDS or shared.nearest >= _RELATED

    def _is_elsewhere(self, page: Page, shared: Shared) -> bool:
        """Tell whether a page is on somebody or something of the same name in another place.

        Its beginning names places, none of them the article's, and it shares one name at most.
        """
        if page.host == self.profile.host or shared.nearest >= _ELSEWHERE:
            return False
        return len(shared.names) <= 1 and not shared.places and shared.foreign > 0

    def _means(self, page: Page, shared: Shared, name: str) -> bool:
        """Tell whether a page that mentions a name means the one of the article.

        It does if it names something else of the article, too, or has several of its keywords; or
        if it rates or describes outlets, or is on the host of the outlet itself.
        """
        if self.profile.host and page.host == self.profile.host:
            return True
        if shared.nearest >= _RELATED or page.origin.kind in {"media rating", "encyclopedia"}:
            return True
        own = set(name.casefold().split())
        if any(own.isdisjoint(other.casefold().split()) for other in shared.names):
            return True
        keywords = len(shared.keywords - own)
        return keywords >= _SOME_KEYWORDS or (shared.places > 0 and keywords >= _FEW_KEYWORDS)

    def in_full(self, name: str) -> str:
        """Return the full name of somebody of the article who is called by the first name alone."""
        return "" if name in self._last_names else self._first_names.get(name, "")


def read_pages(evidence: EvidenceSet, host: str) -> list[Page]:
    """Return the pages of some evidence, in the order of their ids."""
    by_document: dict[str, list[Segment]] = {}
    for item in evidence.items:
        by_document.setdefault(document_id_of(item.segment.segment_id), []).append(item.segment)
    origins = Origins([item.segment for item in evidence.items], host)
    pages = []
    for document_id, segments in sorted(by_document.items()):
        segments.sort(key=lambda one: (one.start_char, one.segment_id))
        origin = origins.of(segments[0])
        if origin.name.isupper() and " " in origin.name:
            origin = origin._replace(name=origin.name.title())
        pages.append(Page(document_id, tuple(segments), origin))
    return pages


def find_findings(page: Page, known: Known, wanted: Container[str]) -> Iterator[Finding]:
    """Yield what a page tells beyond the article.

    A sentence that the next one corrects is only told with it; one that points back is told behind
    the one before, where that stands alone and says what is meant.

    Args:
        page: The page.
        known: What a reader of the article knows.
        wanted: The sentences of pages that are worth reading; those around them are read with them.
    """
    if page.origin.kind == "forum" or known.is_retold(page) or not known.is_on_topic(page):
        return
    yield from _listed(page, known)
    lines = list(page.lines)
    near = known.shared(page).near
    reader = _Reader(page, known, {number for number, line in enumerate(lines) if line in wanted})
    units = [reader.unit(number) for number in range(len(lines))]
    for number, unit in enumerate(units):
        before = units[number - 1] if number else None
        if before is not None and page.holding(lines[number - 1], lines[number]):
            qualifies = _QUALIFIES.match(lines[number])
            after = reader.unit(number, after=before) if qualifies or unit is None else None
            if after is not None and _words(before, after) <= _MAX_PAIR_WORDS:
                yield _finding(page, before, after)
        if unit is None or known.copies(unit.text, near[number]):
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if not (_QUALIFIES.match(following) and page.holding(lines[number], following)):
            yield _finding(page, unit)


def _listed(page: Page, known: Known) -> Iterator[Finding]:
    """Yield the lines of a rating of the outlet, and those of a biography, as what the page lists.

    They are no sentences: scores ("Reliability: 54/100") and posts ("Editor, the Courier · 2019").
    """
    title, label = _title_entity(page, parse(list(page.lines)[:_TOP]))
    whose = (
        title if label == "PERSON" and title in known.profile.authors + known.profile.people else ""
    )
    rates = page.origin.kind == "media rating" and mentions(page.text, known.profile.outlet)
    if not whose and not rates:
        return
    lines = list(page.lines)
    for number, one in enumerate(parse(lines)):
        text = one.text.rstrip(" .;")
        if one.is_finite or not 3 <= count_words(text) <= _MAX_LISTED or '"' in text:
            continue
        if whose and one.years and one.named("ORG", "PERSON", "GPE", "FAC"):
            shown = f"A profile of {whose} lists “{text}”."
        elif rates and one.label and any(t.lemma_.casefold() in RATES for t in one.doc):
            shown = f"{page.origin.name} says of {known.profile.publisher}: “{text}”."
        else:
            continue
        yield Finding((shown,), (Unit(shown, one, number),), page.lines[lines[number]][0], page)


def _words(*units: Unit) -> int:
    return sum(count_words(unit.text) for unit in units)


def _finding(page: Page, *units: Unit) -> Finding:
    lines = [unit.sentence.text for unit in units]
    held = page.holding(lines[0], lines[-1])
    return Finding(tuple(unit.text for unit in units), units, held[0], page)


class _Reader:
    """Reads the sentences of a page one by one.

    Args:
        page: The page.
        known: What a reader of the article knows.
        wanted: The numbers of the sentences that are worth reading.
    """

    def __init__(self, page: Page, known: Known, wanted: set[int]) -> None:
        self._page = page
        self._known = known
        self._lines = list(page.lines)
        self._wanted = {near for number in wanted for near in (number - 1, number, number + 1)}
        read = sorted({n - back for n in self._wanted for back in range(_LOOK_BACK + 1)})
        read = [number for number in read if 0 <= number < len(self._lines)]
        parsed = parse([self._lines[number] for number in read])
        self._parsed = dict(zip(read, parsed, strict=True))
        addressing = sum(one.addresses_somebody for one in parsed if one.is_finite)
        finite = sum(one.is_finite for one in parsed)
        is_own = page.origin.kind in _OWN_CAUSE or page.host == known.profile.host
        self._own_voice = is_own or addressing * 4 > finite
        self._full_names = _full_names(parsed)
        self._title_entity = _title_entity(page, parsed)

    def unit(self, number: int, after: Unit | None = None) -> Unit | None:
        """Return a sentence as it can be shown, or None where it cannot.

        Args:
            number: Of the sentence on the page.
            after: The sentence that it is shown behind, which it may point at.
        """
        one = self._parsed.get(number) if number in self._wanted else None
        if one is None or not _is_statement(one):
            return None
        text = _TIES.sub("", one.text) if after is None else one.text
        cut = len(one.text) - len(text)
        edits = self._for_first_person(one)
        named = self._in_full(number, after.sentence if after else None)
        if edits is None or named is None:
            return None
        for start, end, name in sorted([*edits, *named, *self._dated(one)], reverse=True):
            if start >= cut:
                space = " " if start == end else ""
                text = f"{text[: start - cut]}{space}[{name}]{text[end - cut :]}"
        start = text.startswith("[")
        text = f"{text[:start]}{text[start].upper()}{text[start + 1 :]}"
        return Unit(self._attributed(text), one, number)

    def _for_first_person(self, one: Sentence) -> list[tuple[int, int, str]] | None:
        """Return the replacements of "we" by who publishes a page, of "I" by whom it is about.

        None where it is not known who that is, or "you" is addressed.
        """
        edits: list[tuple[int, int, str]] = []
        for token in one.doc:
            word = token.lower_
            if one.quoted[token.i] or token.pos_ != "PRON" or word not in _FIRST_PERSON | _SECOND:
                continue
            title, kind = self._title_entity
            name = self._page.origin.name if word in {"we", "our"} else ""
            if word in {"i", "my"} and kind == "PERSON":
                name = title
            if not name or "." in name:
                return None
            if word == "i" and token.head.tag_ not in {"VBD", "VB", "VBN"}:
                return None  # "I look after" would become "Jane Roe look after"
            is_contracted = not token.whitespace_  # as in "we've"
            if word in {"me", "us", "mine", "ours"} or edits or is_contracted:
                return None
            owns = "'s" if word in {"my", "our"} else ""
            edits.append((token.idx, token.idx + len(token), f"{name}{owns}"))
        return edits

    def _in_full(self, number: int, after: Sentence | None) -> list[tuple[int, int, str]] | None:
        """Return the replacements that make a sentence be understood; None where none would.

        Args:
            number: Of the sentence on the page.
            after: The sentence that is told before it, if any.
        """
        one = self._parsed[number]
        edits: list[tuple[int, int, str]] = []
        pointer = one.pointer
        if pointer is not None and not (after and _is_meant(pointer, after)):
            name = self._antecedent(number, pointer.lower_)
            if one.text[pointer.idx + len(pointer) :][:1] in {"'", "’"}:  # "he's"
                return None
            is_opening = pointer.i <= 2 and pointer.dep_ in {"nsubj", "nsubjpass", "poss"}
            title = self._title_entity[0]
            if not name or not (is_opening or (title and name.endswith(title))):
                return None
            owns = "'s" if pointer.dep_ == "poss" else ""
            edits.append((pointer.idx, pointer.idx + len(pointer), f"{name}{owns}"))
        told = {token.lemma_.casefold() for token in after.doc} if after else set()
        topic = set(one.subject.subtree)  # other nouns are mostly understood from it
        for noun in one.bare_definites:
            lemma = noun.lemma_.casefold()
            stands_for = lemma in BODIES and lemma not in told and noun in topic
            name = self._body(number, noun) if stands_for else ""
            if name:
                edits.append((noun.left_edge.idx, noun.idx + len(noun), name))
            elif lemma in _REMAINDERS or (
                noun in topic and lemma not in self._known.words | UNIQUE | told
            ):
                return None
        for entity in one.entities:
            if entity.label == "PERSON" and " " not in strip_title(entity.text):
                last = strip_title(entity.text).casefold()
                acts = one.doc[entity.end - 1].dep_ in {"nsubj", "nsubjpass", "poss", "agent"}
                name = self._known.in_full(strip_title(entity.text)) or self._person(entity.text)
                if name and not (after and name in after.text):
                    end = one.doc[entity.end - 1]
                    edits.append((one.doc[entity.start].idx, end.idx + len(end), name))
                elif not name and last not in self._known.entities and acts:
                    return None
        return edits

    def _dated(self, one: Sentence) -> list[tuple[int, int, str]]:
        """Return the month of the page behind the first date that only its readers understood."""
        if not self._page.month or not one.relative_dates or one.years:
            return []
        entity = one.relative_dates[0]
        last = one.doc[entity.end - 1]
        end = last.idx + len(last)
        return [(end, end, self._page.month)]

    def _antecedent(self, number: int, pronoun: str) -> str:
        """Return the name that a pronoun at the beginning stands for; empty where it is open."""
        if pronoun in {"he", "she", "his", "her"}:
            found = {
                full
                for before in self._before(number)
                for name in before.named("PERSON")
                if (full := self._person(name))
            }
            if not found and self._title_entity[1] == "PERSON" and self._only_pronouns(number):
                return self._title_entity[0]
            return found.pop() if len(found) == 1 else ""
        return self._body(number) if pronoun in {"it", "its"} else ""

    def _only_pronouns(self, number: int) -> bool:
        """Tell whether the subjects before a sentence are pronouns or the page's own name."""
        name = self._title_entity[0]
        subjects = [one.subject for one in self._before(number) if one.subject is not None]
        return all(one.pos_ == "PRON" or one.text in name for one in subjects)

    def _before(self, number: int) -> Sequence[Sentence]:
        return [
            self._parsed[place]
            for place in range(max(0, number - _LOOK_BACK), number)
            if self._page.holding(self._lines[place], self._lines[number])
        ]

    def _person(self, name: str) -> str:
        full = self._full_names.get(strip_title(name).split()[-1], set())
        return next(iter(full)) if len(full) == 1 else ""

    def _body(self, number: int, noun: Any = None) -> str:
        """Return the full name of the organisation that a word stands for; empty where unclear.

        Args:
            number: Of the sentence that points back.
            noun: The word that points, where it is a noun.
        """
        name = self._named_body(number, noun)
        return "" if name.casefold() in BODIES else definite(name, self._page.text)

    def _named_body(self, number: int, noun: Any) -> str:
        """Return the organisation that the last subject was; else the one that a page is about.

        Args:
            number: Of the sentence that points back.
            noun: The word that points, where it is a noun: a name that ends in it is meant.
        """
        ending = f" {noun.lower_}" if noun is not None else None
        if ending:
            ends = {
                entity.text
                for one in self._parsed.values()
                for entity in one.entities
                if entity.label == "ORG" and entity.text.casefold().endswith(ending)
            }
            if len(ends) == 1:
                return ends.pop()
            if noun.pos_ == "PROPN":
                return ""
        for before in reversed(self._before(number)):
            subject = before.subject
            if subject is None or subject.pos_ == "PRON":
                continue
            for entity in before.entities:
                if entity.start <= subject.i < entity.end:
                    return entity.text if entity.label in {"ORG", "PRODUCT", "FAC"} else ""
            if subject.lemma_.casefold() not in BODIES:
                return ""
        name, label = self._title_entity
        return name if label == "ORG" else ""

    def _attributed(self, text: str) -> str:
        """Return a sentence with who says it, where a page speaks in its own cause."""
        speaker = self._page.origin.name
        if not self._own_voice or not speaker or "according to" in text.casefold():
            return text
        if mentions(text, name_forms(speaker)):
            return f"{text.removesuffix('.')}, by its own account."
        return f"{text.removesuffix('.')}, according to {speaker}."


def _is_statement(one: Sentence) -> bool:
    """Tell whether a sentence says something that a report could hold.

    It is neither scrap, label, order nor condition, has no verdict, and is not mostly a quotation,
    unless somebody is named who says it.
    """
    return (
        MIN_WORDS <= count_words(one.text) <= MAX_WORDS
        and one.text[0].isalnum()
        and one.text.rstrip("\"”’'").endswith(".")
        and one.is_finite
        and not one.label
        and not one.is_conditional
        and not _CONTINUES.match(one.text)
        and not _HATNOTE.search(one.text)
        and not (one.doc[-1].is_punct and len(one.doc) > 1 and one.doc[-2].pos_ == "AUX")
        and one.quoted_share <= (_MOST_QUOTED if one.speaker else _MOST_UNATTRIBUTED)
        and not passes_verdict(one.text)
    )


def _is_meant(pointer: Any, told: Sentence) -> bool:
    """Tell whether the sentence told before says what a word stands for."""
    word, subject = pointer.lower_, told.subject
    people = told.named("PERSON")
    named = any(e.label != "PERSON" and e.start <= subject.i < e.end for e in told.entities)
    plural = "Plur" in subject.morph.get("Number")
    if word in {"he", "she", "him", "her", "his", "hers"}:
        meant = len(people) == 1
    elif word in {"it", "its"}:
        meant = named or (pointer.dep_ in {"nsubj", "nsubjpass"} and not plural and not people)
    elif word in {"they", "them", "their", "theirs"}:
        meant = plural or named
    elif pointer.dep_ == "det":
        noun = pointer.head.lemma_.casefold()
        meant = noun in GENERAL or any(token.lemma_.casefold() == noun for token in told.doc)
    else:
        meant = word in {"this", "that"}
    return meant


def _full_names(parsed: Iterable[Sentence]) -> dict[str, set[str]]:
    """Return by last name the full names of the people on a page."""
    found: dict[str, set[str]] = {}
    for one in parsed:
        for name in one.named("PERSON"):
            plain = strip_title(name)
            if 2 <= len(plain.split()) <= 4 and plain[0].isupper():
                found.setdefault(plain.split()[-1], set()).add(plain)
    return found


def _title_entity(page: Page, parsed: Sequence[Sentence]) -> tuple[str, str]:
    """Return the name that the title of a page is, and whether it is of a `PERSON` or an `ORG`.

    Both are empty where the title is no name, or the text does not mention it.
    """
    title = re.split(r"(?<!\s)\s+[-–—|:]\s|:\s|(?<!\s)\s+\(", page.title, maxsplit=1)[0].strip()
    words = title.removeprefix("The ").split()
    if not 1 <= len(words) <= 6 or not all(word[0].isupper() or word in _JOINS for word in words):
        return "", ""
    if not any(mentions(one.text, [" ".join(words)]) for one in parsed):
        return "", ""
    return title, "PERSON" if looks_personal(title) else "ORG"
