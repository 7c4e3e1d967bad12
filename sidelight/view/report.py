"""Values of a page on an article and its report: sentences, citations, web pages, and support.

Support of sentences is shown as the run's own check and as a judge labelled it. The article
describes itself, from the run's profile or read anew from the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import urlsplit

from sidelight.english.cleaning import (
    clean_article,
    find_authors,
    find_companies,
    find_masthead,
    find_publisher,
    headline,
)
from sidelight.english.names import host_label
from sidelight.generation import pages
from sidelight.generation.pages import Origins, page_date, publishers, without_source
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article, host_of
from sidelight.text import INSERTED, clean, content_words, sentence_spans, sentences, tokens

Verdicts = Mapping[str, "ShownSupport"]
"""By the number of a sentence."""


_IN_FULL = "full"
_ABOVE_ARTICLE = 1_000  # characters of an article that may hold its date


class ShownSupport(NamedTuple):
    """How far a sentence is supported, and why.

    `said_by` are the segments that support it to this degree, each by itself; empty means all that
    it cites.
    """

    label: str
    reason: str
    said_by: tuple[str, ...] = ()


def checked_support(report: Sequence[CitedSentence], trace: Trace) -> Verdicts:
    """Return what the run's own check says of each sentence that it labelled.

    It says nothing of a sentence that lost a citation after the check.
    """
    labels = {
        (one.text, frozenset(one.segment_ids)): ShownSupport(one.label, one.reason, one.said_by)
        for stood in trace.stood.values()
        for one in stood
    }
    return {
        str(number): found
        for number, sentence in enumerate(report, start=1)
        if (found := labels.get((sentence.text, frozenset(sentence.citations))))
    }


def agreed(checked: Verdicts, judged: Verdicts) -> Verdicts:
    """Return the labels of the run's own check, replaced by a judge's where there are any.

    The judge's full support does not replace a label of the check, which learned from people.
    """
    heeded = {
        number: verdict
        for number, verdict in judged.items()
        if verdict.label != _IN_FULL or number not in checked
    }
    return {**checked, **heeded}


class WebPage(NamedTuple):
    """A page of the web; `title` may be empty.

    `host` is its host name, or its address where it has none. `url` is its address if a browser may
    follow it (http or https), else empty.
    """

    host: str
    title: str
    url: str


class Source(NamedTuple):
    """A cited segment.

    Attributes:
        number: 1-based, in the order of first citation.
        page: Where it stands.
        name: Who publishes it.
        kind: Of page; empty where it does not show.
        date: As the page has it; empty where it bears none.
        passages: The segment as it is, piece by piece, and whether a sentence of the report rests
            on the piece.
        cited_by: Numbers of the sentences that cite it.
    """

    number: int
    segment_id: str
    page: WebPage
    name: str
    kind: str
    date: str
    passages: tuple[tuple[str, bool], ...]
    cited_by: tuple[int, ...]

    @property
    def text(self) -> str:
        """The segment as it is."""
        return "".join(text for text, _ in self.passages)


class Citation(NamedTuple):
    """A source as one sentence uses it; its text is `before + nearest + after`.

    `nearest` is the sentence of the source that shares most words with the citing one; `supports`
    tells whether the source is among those that support it as far as its label says.
    """

    source: Source
    before: str
    nearest: str
    after: str
    supports: bool


class ShownSentence(NamedTuple):
    """A sentence of the report, numbered from 1.

    `support` says how far its citations support it: `full`, `partial`, `none`, `unjudged` or
    `uncited`; `reason` says who says so, and why.
    """

    number: int
    text: str
    citations: tuple[Citation, ...]
    support: str
    reason: str


_UNCHECKED = ShownSupport("unjudged", "The run's own check left no label.")
_UNCITED = ShownSupport("uncited", "It cites nothing.")


def web_page(url: str, title: str) -> WebPage:
    """Return a page whose address can be followed only if it is one of the web."""
    url = clean(url)
    try:
        followed = urlsplit(url).scheme in {"http", "https"} and bool(host_of(url))
    except ValueError:
        followed = False
    return WebPage(
        host=host_of(url) or url, title=" ".join(clean(title).split()), url=url if followed else ""
    )


def cite(
    report: Sequence[CitedSentence],
    segments: Mapping[str, Segment],
    support: Verdicts,
    origins: Origins | None = None,
) -> tuple[tuple[ShownSentence, ...], tuple[Source, ...]]:
    """Return the sentences of a report, and its sources in the order of first citation.

    A segment that is not in `segments` is shown without its text. Without `origins`, the segments
    alone tell where they come from.
    """
    cited_by: dict[str, list[int]] = {}
    said = [without_source(sentence.text) for sentence in report]
    for number, sentence in enumerate(report, start=1):
        for segment_id in sentence.citations:
            cited_by.setdefault(segment_id, []).append(number)
    origins = origins or Origins(segments.values())
    sources = {}
    for number, (segment_id, numbers) in enumerate(cited_by.items(), start=1):
        segment = segments.get(segment_id, Segment(segment_id=segment_id, url=segment_id, text=""))
        sources[segment_id] = source_of(
            segment, origins, number, [(one, said[one - 1]) for one in numbers]
        )
    sentences = []
    for number, sentence in enumerate(report, start=1):
        verdict = support.get(str(number), _UNCHECKED if sentence.citations else _UNCITED)
        citations = tuple(
            _citation(said[number - 1], sources[one], not verdict.said_by or one in verdict.said_by)
            for one in sentence.citations
        )
        sentences.append(
            ShownSentence(number, clean(sentence.text), citations, verdict.label, verdict.reason)
        )
    return tuple(sentences), tuple(sources.values())


def source_of(
    segment: Segment, origins: Origins, number: int, cited_by: Sequence[tuple[int, str]]
) -> Source:
    """Return a segment as a source, in which the passages that sentences rest on are marked.

    `cited_by` has the sentences that cite it, each with its number.
    """
    text, origin = clean(segment.text), origins.of(segment)
    return Source(
        number=number,
        segment_id=segment.segment_id,
        page=web_page(segment.url, segment.title),
        name=clean(origin.name or pages.headline(segment.title)),
        kind=origin.kind,
        date=clean(origin.date),
        passages=_passages(text, {_nearest(sentence, text) for _, sentence in cited_by}),
        cited_by=tuple(number for number, _ in cited_by),
    )


def _passages(text: str, spans: set[tuple[int, int]]) -> tuple[tuple[str, bool], ...]:
    """Return a text in pieces; spans are those of sentences, so that no two overlap."""
    pieces, place = [], 0
    for start, end in sorted(spans):
        pieces += [(text[place:start], False), (text[start:end], True)]
        place = end
    pieces.append((text[place:], False))
    return tuple((piece, marked) for piece, marked in pieces if piece)


def _nearest(sentence: str, text: str) -> tuple[int, int]:
    """Return where the sentence of a text is that shares most words with another one.

    What was put in, in square brackets, stands for a word of the source, and counts only if nothing
    else is said.
    """
    said = set(content_words(INSERTED.sub(" ", sentence)) or content_words(sentence))
    return max(
        sentence_spans(text),
        key=lambda span: len(said.intersection(content_words(text[slice(*span)]))),
        default=(0, 0),
    )


def _citation(sentence: str, source: Source, supports: bool) -> Citation:  # noqa: FBT001 - a finding, no option
    text = source.text
    start, end = _nearest(sentence, text)
    return Citation(source, text[:start], text[start:end], text[end:], supports)


_MIN_NAME = 3
_MIN_SITE = 6  # shorter names of sites are words that any text may hold
_WORD = re.compile(r"[^\W_]+")


_COMMONEST = frozenset("the of and to that for with by from is".split())
_LEAST_COMMON = 0.06  # of English articles 13% and more
_FEW_WORDS = 40
_NOT_ENGLISH = (
    "The text does not look English, and without a language model questions and reports are made "
    "for English alone. Give an English article, or a translation."
)
_NOTHING_NAMED = (
    "No names and few statements that can be looked up were found in the text; it may be no news. "
    "If it is, give all of its text, with the headline."
)


class Told(NamedTuple):
    """An article, taken apart.

    Attributes:
        publisher: Empty where nobody knows.
        site: What its host is called, in letters and digits alone.
        authors: Empty where nobody is named.
        date: As the page has it; empty where it bears none.
        paragraphs: Its prose.
        n_left_out: Words of menus, links and comments that are not in it.
        names_nothing: Whether the run found nothing in it to look up; see `ArticleFacts`.
        prompts: Its sentences that state nothing, as the run's profile has them.
    """

    title: str
    publisher: str
    companies: tuple[str, ...]
    site: str
    authors: tuple[str, ...]
    date: str
    paragraphs: tuple[str, ...]
    n_left_out: int
    names_nothing: bool = False
    prompts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, article: Article, trace: Trace, known: Iterable[Segment] = ()) -> Told:
        """Return the facts of an article; the run's profile takes precedence over rules.

        `known` are segments, of which some may be from the same site and name it.
        """
        prose, cuts = clean_article(article.body)
        profile = trace.profile
        publisher = (profile and profile.publisher) or find_publisher(article)
        if publisher == article.host:
            publisher = publishers(known).get(article.host, publisher)
        return cls(
            title=(profile and profile.title)
            or headline(article.title, publisher)
            or find_masthead(article.body).headline
            or f"{article.topic_id} (no headline found)",
            publisher=publisher,
            companies=find_companies(article, publisher),
            site="".join(tokens(host_label(article.host))),
            authors=(profile and profile.authors) or find_authors(article),
            date=page_date(article.url, article.body, _ABOVE_ARTICLE),
            paragraphs=tuple(line for line in prose.split("\n") if line),
            n_left_out=sum(cut.words for cut in cuts),
            names_nothing=profile is not None and profile.names_nothing,
            prompts=frozenset(profile.prompts if profile else ()),
        )

    @property
    def notice(self) -> str:
        """Why nothing sensible can be asked about it without a model, and what to do; else empty.

        The prose of English has the commonest words often; of few words nobody can tell.
        """
        words = tokens(" ".join(self.paragraphs))
        common = sum(word in _COMMONEST for word in words)
        if len(words) >= _FEW_WORDS and common < _LEAST_COMMON * len(words):
            return _NOT_ENGLISH
        return _NOTHING_NAMED if self.names_nothing else ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the prose."""
        return tuple(one for paragraph in self.paragraphs for one in sentences(paragraph))

    @property
    def surnames(self) -> list[str]:
        """The last words of the authors' names."""
        return [name.split()[-1] for name in self.authors if name.split()]

    def names_publisher(self, text: str) -> int | None:
        """Return where a text names the publisher or its site, if it does."""
        place = _found(text, [self.publisher, *self.companies])
        if place is None and len(self.site) >= _MIN_SITE:
            words = list(_WORD.finditer(text))
            letters = "".join(match.group().casefold() for match in words)
            before = accumulate((len(one.group()) for one in words), initial=0)
            begins = dict(zip(before, words, strict=False))
            match = begins.get(letters.find(self.site))
            place = match.start() if match else None
        return place

    def names_author(self, text: str) -> int | None:
        """Return where a text names an author, if it does; the last word of a name is enough."""
        return _found(text, self.surnames)

    def names_maker(self, text: str) -> bool:
        """Tell whether a text names the publisher or an author."""
        return self.names_publisher(text) is not None or self.names_author(text) is not None


def _found(text: str, names: list[str]) -> int | None:
    places = [
        match.start()
        for name in names
        if len(name) >= _MIN_NAME and (match := re.search(rf"\b{re.escape(name)}\b", text))
    ]
    return min(places, default=None)
