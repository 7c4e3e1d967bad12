"""Report values of a page: sentences, citations, web pages, and the support of sentences.

Support is shown as the run's own check and as a judge labelled it.

Kind, date and publisher of a source, as far as its page tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from sidelight.generation.extractive.write_report.voices import is_talk, publishers
from sidelight.generation.reading.names import host_label
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.topic import host_of
from sidelight.text import clean, content_words, count_words, one_line, sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight.schemas.investigation.trace import Trace
    from sidelight.schemas.run import CitedSentence

    Verdicts = Mapping[str, "ShownSupport"]

    """By the number of a sentence."""

_HEAD_CHARACTERS = 400
_LINE_WORDS = 15  # of a dateline or byline at most
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?\s+{_YEAR}|{_MONTH}\s+\d{{1,2}},?\s+{_YEAR}"
    rf"|{_YEAR}-\d\d-\d\d|{_MONTH}\s+{_YEAR})\b"
)
_PATH_DATE = re.compile(rf"/(?P<year>{_YEAR})/(?P<month>0[1-9]|1[0-2])(?:/(?P<day>[0-3]\d))?/")
_MONTHS = """
    January February March April May June July August September October November December
""".split()


def _rule(kind: str, *, address: str = r"(?!)", head: str = r"(?!)") -> _Rule:
    return _Rule(kind, re.compile(address, re.IGNORECASE), re.compile(head, re.IGNORECASE))


class _Rule(NamedTuple):
    """A kind of page, what is in the address of such pages, and what stands at their top."""

    kind: str
    address: re.Pattern[str]
    head: re.Pattern[str]


# The first one that holds counts: what a page is comes before who publishes it.
_RULES = (
    _rule(
        "press release",
        address=r"/press[-_]?releases?/",
        head=r"\bfor immediate release\b|\bpress release\b",
    ),
    _rule("corrections", address=r"/(?:corrections|clarifications)\b"),
    _rule(
        "media rating",
        address=r"//[^/]*(?:mediabiasfactcheck|allsides|newsguard|adfontes)|/(?:outlets|media-bias)/",
        head=r"\b(?:slant|bias) (?:and|rating)\b|\bfactual (?:record|reporting)\b",
    ),
    _rule(
        "fact check",
        address=r"//[^/]*(?:fact-?check|snopes|politifact|fullfact)|/fact-?checks?/|/checks/",
        head=r"\bfact[- ]check\b",
    ),
    _rule("encyclopedia", address=r"//[^/]*(?:wiki|pedia|britannica)|/wiki/", head=r"\bencyclop"),
    _rule("forum", address=r"//[^/]*(?:forum|reddit|quora|stackexchange)|/(?:forums?|threads?)/"),
    _rule("opinion", address=r"/(?:opinion|commentary|editorials?|op-?ed|columns?)/"),
    _rule(
        "public body",
        address=r"//[^/]*\.(?:gov|mil|int)(?:[./:]|$)|//[^/]*(?:europa\.eu|parliament|council)",
        head=r"\b(?:ministry|department|bureau) of\b|\b(?:city|town|county|standards) council\b"
        r"|\b(?:civic|national) regist(?:er|ry)\b",
    ),
    _rule(
        "research",
        address=r"//[^/]*\.(?:edu|ac)(?:[./:]|$)|//[^/]*(?:univers|journal|pubmed|doi\.org|arxiv)"
        r"|//[^/]*(?:ncbi\.nlm|sciencedirect|springer|plos)",
        head=r"\bpublished in\b[^.]{0,60}\bjournal\b|\buniversity of\b",
    ),
    _rule("shop", address=r"/(?:shop|store|product|basket)/", head=r"\badd to (?:basket|cart)\b"),
    _rule(
        "blog",
        address=r"//[^/]*(?:blog|medium\.com|substack|wordpress|tumblr)|/blogs?/",
        head=r"\bblog\b",
    ),
    _rule(
        "news",
        address=r"//[^/]*(?:news|times|herald|courier|gazette|tribune|guardian|reuters|wire)"
        rf"|/news/|/{_YEAR}/[01]\d/",
    ),
)
_OWN = "the article's own site"


class Origin(NamedTuple):
    """Origin of a page, as far as the page tells.

    Attributes:
        name: Of who publishes it, or the host; empty where there is neither.
        kind: Of page; empty where it does not show.
        date: As the page has it; empty where it bears none.
    """

    name: str
    kind: str
    date: str


class Origins:
    """Knows where segments come from; windows of one page tell of each other.

    Args:
        segments: All that is known of.
        host: Of the article, whose own pages are called so.
    """

    def __init__(self, segments: Iterable[Segment], host: str = "") -> None:
        known = sorted(segments, key=lambda one: (one.start_char, one.segment_id))
        self._host = host
        self._names: Mapping[str, str] = publishers(known)
        self._tops: dict[str, Segment] = {}
        for segment in known:
            self._tops.setdefault(document_id_of(segment.segment_id), segment)

    def of(self, segment: Segment) -> Origin:
        """Return where a segment comes from."""
        top = self._tops.get(document_id_of(segment.segment_id), segment)
        is_own = bool(self._host) and segment.host == self._host
        return Origin(
            self._name(segment.host),
            _OWN if is_own else source_kind(segment.url, top),
            page_date(segment.url, "" if top.start_char else top.text),
        )

    def _name(self, host: str) -> str:
        """Return what the pages of a host call it; a part of a larger site is not the whole."""
        is_part = host_label(host) != host.partition(".")[0]
        return host if is_part else self._names.get(host, host)


def source_kind(url: str, top: Segment) -> str:
    """Return the kind of a page by its address and its top; empty where neither shows it."""
    if is_talk(top):
        return "forum"
    begin = "" if top.start_char else top.text[:_HEAD_CHARACTERS]
    head = one_line(f"{top.title} {begin}")
    for rule in _RULES:
        if rule.address.search(url) or rule.head.search(head):
            return rule.kind
    return ""


def page_date(url: str, top: str) -> str:
    """Return the first date at the top of a page as it stands there, or the one in its address."""
    for line in top[:_HEAD_CHARACTERS].split("\n"):
        # Prose speaks of other dates.
        if count_words(line) <= _LINE_WORDS and (found := _DATE.search(one_line(line))):
            return found.group()
    if in_path := _PATH_DATE.search(url):
        month = _MONTHS[int(in_path["month"]) - 1]
        day = f"{int(in_path['day'])} " if in_path["day"] else ""
        return f"{day}{month} {in_path['year']}"
    return ""


_IN_FULL = "full"


class ShownSupport(NamedTuple):
    """Support of a sentence, as shown.

    Attributes:
        label: How far.
        reason: Why.
        said_by: The segments that support it so far, each by itself; empty for all it cites.
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
    """Return the check's labels with the judge's over them, except its full support.

    Args:
        checked: By the run's own check, which learned from people.
        judged: By a judge.
    """
    heeded = {
        number: verdict
        for number, verdict in judged.items()
        if verdict.label != _IN_FULL or number not in checked
    }
    return {**checked, **heeded}


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page of the web.

    Attributes:
        host: Its host name; the address where there is none.
        title: Its title; may be empty.
        url: Its address if a browser may follow it (http or https), else empty.
    """

    host: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Source:
    """A cited segment.

    Attributes:
        number: 1-based, in the order of first citation.
        segment_id: Its id.
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


@dataclass(frozen=True, slots=True)
class Citation:
    """A source as one sentence uses it; its text is `before + nearest + after`.

    Attributes:
        source: What is cited.
        before: Its text up to the nearest sentence.
        nearest: The sentence of the source that shares most words with the citing one.
        after: The rest.
        supports: Whether it is among those that support the sentence as far as its label says.
    """

    source: Source
    before: str
    nearest: str
    after: str
    supports: bool


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence of the report.

    Attributes:
        number: 1-based.
        text: The sentence.
        citations: What it rests on.
        support: How far that supports it: `full`, `partial`, `none`, `unjudged` or `uncited`.
        reason: Who says so, and why.
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
    support: Mapping[str, ShownSupport],
    host: str = "",
) -> tuple[tuple[ShownSentence, ...], tuple[Source, ...]]:
    """Return the sentences of a report, and its sources in the order of first citation.

    Args:
        report: The report.
        segments: What is known, by segment id; one that is not is shown without its text.
        support: By sentence number, where someone judged.
        host: Of the article that the report is on.
    """
    cited_by: dict[str, list[int]] = {}
    for number, sentence in enumerate(report, start=1):
        for segment_id in sentence.citations:
            cited_by.setdefault(segment_id, []).append(number)
    origins = Origins(segments.values(), host)
    sources = {}
    for number, (segment_id, numbers) in enumerate(cited_by.items(), start=1):
        segment = segments.get(segment_id, Segment(segment_id=segment_id, url=segment_id, text=""))
        sources[segment_id] = source_of(
            segment, origins, number, [(one, report[one - 1].text) for one in numbers]
        )
    sentences = []
    for number, sentence in enumerate(report, start=1):
        verdict = support.get(str(number), _UNCHECKED if sentence.citations else _UNCITED)
        citations = tuple(
            _citation(sentence.text, sources[one], not verdict.said_by or one in verdict.said_by)
            for one in sentence.citations
        )
        sentences.append(
            ShownSentence(number, clean(sentence.text), citations, verdict.label, verdict.reason)
        )
    return tuple(sentences), tuple(sources.values())


def source_of(
    segment: Segment, origins: Origins, number: int, cited_by: Sequence[tuple[int, str]]
) -> Source:
    """Return a segment as a source, the passages marked that sentences rest on.

    Args:
        segment: The segment.
        origins: Knows where segments come from.
        number: Its number.
        cited_by: The sentences that cite it, each with its number.
    """
    text, origin = clean(segment.text), origins.of(segment)
    return Source(
        number=number,
        segment_id=segment.segment_id,
        page=web_page(segment.url, segment.title),
        name=clean(origin.name),
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
    """Return where the sentence of a text is that shares most words with another one."""
    said = set(content_words(sentence))
    return max(
        sentence_spans(text),
        key=lambda span: len(said.intersection(content_words(text[slice(*span)]))),
        default=(0, 0),
    )


def _citation(sentence: str, source: Source, supports: bool) -> Citation:  # noqa: FBT001 - a finding, no option
    text = source.text
    start, end = _nearest(sentence, text)
    return Citation(source, text[:start], text[start:end], text[end:], supports)
