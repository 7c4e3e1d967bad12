"""The strict rules for one sentence of a report and its citations."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.runs.active_text import check_active
from sidelight.formats.runs.citation_marks import has_citation_marks
from sidelight.formats.runs.submission import check_characters
from sidelight.schemas.segment import document_id_of, overlapping
from sidelight.text import sentences, tokens

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from sidelight.schemas.task import CitedTextTask, RankingTask

# Several words that count as one: joined by a character without width, or by two dashes or more.
# Looked for where a word begins alone, or a long one would be read from each of its letters on.
_HIDDEN_WORDS = re.compile(
    r"\w[\u00ad\u200b-\u200d\u2060\ufeff]+\w"
    r"|(?<![^\s–—])[^\s–—]++[–—][^\s–—]++[–—][^\s–—]+"
)


def check_text(line: int, text: str, findings: Findings, *, one_sentence: bool = True) -> None:
    """Check that a text is plain, as a rule one sentence, and that its words can be counted."""
    check_characters(text, line, findings)
    check_active(text, line, findings)
    if not tokens(text):
        findings.error(
            "sentence-empty",
            line,
            expected="a sentence",
            found=quoted(text),
            remedy="Remove the response.",
        )
    count = len(sentences(text))
    if count > 1 and one_sentence:
        findings.error(
            "sentence-count",
            line,
            expected="one sentence in each text",
            found=f"{count} in {quoted(text)}",
            remedy="Give each sentence a response and citations of its own.",
        )
    if has_citation_marks(text):
        findings.error(
            "citation-mark",
            line,
            expected="plain text",
            found=f"【...】 in {quoted(text)}",
            remedy="Move the marked ids into citations.",
        )
    hidden = _HIDDEN_WORDS.search(text)
    if hidden:
        findings.warning(
            "hidden-words",
            line,
            expected="words parted by spaces",
            found=quoted(hidden.group()),
            remedy="Put spaces between the words: the limit is meant to count them.",
        )


def check_citations(
    line: int, citations: Sequence[str], task: CitedTextTask, findings: Findings
) -> None:
    """Check that one sentence has no more citations than the track allows, and each once."""
    if len(citations) > task.max_citations:
        findings.error(
            "citation-count",
            line,
            expected=f"at most {task.max_citations} citations",
            found=f"{len(citations)}",
            remedy="Keep the best.",
        )
    for citation, count in Counter(citations).items():
        if count > 1:
            findings.error(
                "citation-duplicate",
                line,
                expected="each citation once",
                found=f"{quoted(citation)} {count} times",
                remedy="Remove the repetition.",
            )


def check_pattern(
    line: int, segment_ids: Iterable[str], task: CitedTextTask | RankingTask, findings: Findings
) -> None:
    """Check that segment ids look like those of the track's collection."""
    for segment_id in dict.fromkeys(segment_ids):
        if not re.fullmatch(task.segment_id_pattern, segment_id):
            findings.error(
                "citation-pattern",
                line,
                expected=f"a segment id that matches {task.segment_id_pattern}",
                found=quoted(segment_id),
                remedy="Cite segments of the collection, not documents or URLs.",
            )


def check_sources(line: int, citations: Sequence[str], topic_id: str, findings: Findings) -> None:
    """Check that the citations of one sentence are different sources outside the article."""
    different = list(dict.fromkeys(citations))
    for number, first in enumerate(different, start=1):
        for second in overlapping(first, different[number:]):
            findings.error(
                "citation-adjacent",
                line,
                expected="citations that do not overlap",
                found=f"{quoted(first)} and {quoted(second)}, of which half is the same text",
                remedy="Keep the better of the two.",
            )
    for citation in different:
        if document_id_of(citation) == topic_id:
            findings.error(
                "citation-own-article",
                line,
                expected="sources other than the article itself",
                found=quoted(citation),
                remedy="Cite another document.",
            )


def check_known(
    line: int,
    segment_ids: Iterable[str],
    known_segments: Container[str] | None,
    findings: Findings,
) -> None:
    """Check that segments exist, if it is known which do."""
    for segment_id in dict.fromkeys(segment_ids):
        if known_segments is not None and segment_id not in known_segments:
            findings.error(
                "citation-unknown",
                line,
                expected="segments that exist in the index",
                found=quoted(segment_id),
                remedy="Remove the citation.",
            )
