"""The sentences of a report beside the segments they cite."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sidelight.schemas.article import host_of
from sidelight.schemas.segment import Segment
from sidelight.text import clean, content_words, sentence_spans
from sidelight.view.cited import Citation, Sentence, Source
from sidelight.view.digest.origin import Origins
from sidelight.view.support import Verdict
from sidelight.view.web_page import WebPage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.run import CitedSentence

_UNCHECKED = Verdict("unjudged", "The run's own check left no label.")
_UNCITED = Verdict("uncited", "It cites nothing.")


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
    support: Mapping[str, Verdict],
    host: str = "",
) -> tuple[tuple[Sentence, ...], tuple[Source, ...]]:
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
            Sentence(number, clean(sentence.text), citations, verdict.label, verdict.reason)
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
