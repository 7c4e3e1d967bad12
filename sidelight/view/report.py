"""The sentences of a report beside the segments they cite."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sidelight.schemas.article import host_of
from sidelight.schemas.segment import Segment
from sidelight.text import clean, content_words, sentence_spans
from sidelight.view.model import Citation, Sentence, Source
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
) -> tuple[tuple[Sentence, ...], tuple[Source, ...]]:
    """Return the sentences of a report, and its sources in the order of first citation.

    Args:
        report: The report.
        segments: What it cites, by segment id; one that is not known is shown without its text.
        support: By sentence number, where someone judged.
    """
    cited_by: dict[str, list[int]] = {}
    for number, sentence in enumerate(report, start=1):
        for segment_id in sentence.citations:
            cited_by.setdefault(segment_id, []).append(number)
    sources = {}
    for number, (segment_id, numbers) in enumerate(cited_by.items(), start=1):
        segment = segments.get(segment_id, Segment(segment_id=segment_id, url=segment_id, text=""))
        sources[segment_id] = Source(
            number=number,
            segment_id=segment_id,
            page=web_page(segment.url, segment.title),
            text=clean(segment.text),
            cited_by=tuple(numbers),
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


def _citation(sentence: str, source: Source, supports: bool) -> Citation:  # noqa: FBT001 - a finding, no option
    said = set(content_words(sentence))
    start, end = max(
        sentence_spans(source.text),
        key=lambda span: len(said.intersection(content_words(source.text[slice(*span)]))),
        default=(0, 0),
    )
    before, nearest, after = source.text[:start], source.text[start:end], source.text[end:]
    return Citation(source, before, nearest, after, supports)
