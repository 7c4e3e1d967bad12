"""The statements of the evidence that could go into a report on one article."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.generation.extractive.select import window_of
from sidelight.generation.extractive.write_report.answering import (
    cues_of_answer,
    is_private,
    tells_of_ties,
)
from sidelight.generation.extractive.write_report.voices import (
    attributed,
    is_talk,
    publishers,
    role_of,
    speaks_for_itself,
)
from sidelight.generation.statements.naming import with_first_names
from sidelight.generation.statements.statements import statements
from sidelight.schemas.segment import document_id_of
from sidelight.text import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.generation.extractive.write_report.knowledge import Reader
    from sidelight.generation.statements.statements import Statement
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import TextVectors

# The cosine of all-MiniLM-L6-v2 with a sentence of the article from which it is the same statement.
_SAME_STATEMENT = 0.85
_NOTHING_NEW = 0.60  # the same of one with no name and no figure that the article lacks
_MUCH_NEWS = 2


class Quote(NamedTuple):
    """A statement of a segment that could go into a report.

    Attributes:
        text: One sentence.
        segment_id: Where it stands.
        host: The host of its page.
        first: Number of its first sentence in the segment.
        last: Number of its last one.
        window: The segment with the title of its page.
    """

    text: str
    segment_id: str
    host: str
    first: int
    last: int
    window: str


def find_quotes(
    profile: ArticleProfile, evidence: EvidenceSet, reader: Reader, vectors: TextVectors
) -> list[Quote]:
    """Return what the evidence says that a reader of the article can place and has not read."""
    quotes: dict[str, Quote] = {}
    segments = [item.segment for item in evidence.items]
    names = publishers(segments)
    own = {
        document_id_of(segment.segment_id)
        for segment in segments
        if speaks_for_itself(segment.text)
    }
    told = [profile.body, *(segment.text for segment in segments)]
    speaking = {one.host for one in segments if document_id_of(one.segment_id) in own}
    roles = {host: role_of(names[host], told) for host in sorted(speaking)}
    for segment in segments:
        window, is_own = window_of(segment), document_id_of(segment.segment_id) in own
        said = () if is_talk(segment) else statements(segment.text, segment.title)
        for one in map(reader.in_full, said):
            if not _may_be_quoted(one, window, reader):
                continue
            if is_own and not _tells_something(one.text, window, reader):
                continue
            text = with_first_names(one.text, window, reader.has_word)
            if is_own:
                text = attributed(text, names[segment.host], roles[segment.host])
            if text:
                quote = Quote(text, segment.segment_id, segment.host, one.first, one.last, window)
                quotes.setdefault(text, quote)
    return _without_restatements(list(quotes.values()), profile, reader, vectors)


def _tells_something(text: str, window: str, reader: Reader) -> bool:
    """Tell whether what a page says in its own voice is more than praise and opinion."""
    answers = reader.is_about(window) and not reader.is_about(text) and cues_of_answer(text) > 0
    return bool(reader.news(text)[0]) or tells_of_ties(text) or answers


def _may_be_quoted(statement: Statement, window: str, reader: Reader) -> bool:
    """Tell whether a reader can place a statement, and it does not only tell of the article.

    A page that names the outlet or the author may speak of it, if it answers or adds something.
    """
    if not reader.can_place(statement, window) or reader.has_read(statement.text):
        return False
    if reader.means_another(statement.text, window) or reader.retells(statement.text):
        return False
    if is_private(statement.text) and reader.is_about(statement.text):
        return False
    if not reader.speaks_of_article(statement.text):
        return True
    adds = sum(map(len, reader.news(statement.text))) >= _MUCH_NEWS
    return reader.is_about(window) and (adds or cues_of_answer(statement.text) > 0)


def _without_restatements(
    quotes: Sequence[Quote], profile: ArticleProfile, reader: Reader, vectors: TextVectors
) -> list[Quote]:
    """Leave out what the article says itself: repeating it is no context."""
    texts = [quote.text for quote in quotes]
    nearest = vectors.similarity(texts, sentences(profile.body)).max(axis=1, initial=0.0)
    kept = []
    for quote, likeness in zip(quotes, nearest.tolist(), strict=True):
        news, cues = sum(map(len, reader.news(quote.text))), cues_of_answer(quote.text)
        is_bare = not news and not cues and likeness >= _NOTHING_NEW
        adds = likeness < _SAME_STATEMENT or news >= _MUCH_NEWS or (news and cues)
        if adds and not is_bare:
            kept.append(quote)
    return kept
