"""Candidate statements of a report, and whether each answers or repeats the article.

An answer says something else on the same matter: another figure, a correction, a measurement, a
source of money, an omission. It is recognised by cue words and figures; no side is taken on who is
right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sidelight.generation.extractive.select import window_of
from sidelight.generation.extractive.write_report.voices import (
    attributed,
    is_talk,
    publishers,
    role_of,
    speaks_for_itself,
)
from sidelight.generation.reading.verbs import figure_phrases
from sidelight.generation.statements.naming import with_first_names
from sidelight.generation.statements.statements import statements
from sidelight.schemas.segment import document_id_of
from sidelight.text import figures, sentences, stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.generation.extractive.write_report.knowledge import Reader
    from sidelight.generation.statements.statements import Statement
    from sidelight.schemas.investigation.angle import ArticleProfile
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.text_vectors import TextVectors

_ANSWERS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|cannot|neither|without|only|just|fewer than|less than"
    r"|rather than|instead of|in place of|compared with|against the|contrary|however|but|although"
    r"|though|whereas|yet|despite|corrected|correction|corrections|clarif\w+|retract\w*|withdr\w+"
    r"|amended|revised|removed|now (?:says|reads|gives|states)|overstat\w+|understat\w+"
    r"|exaggerat\w+|inflat\w+|mislead\w*"
    r"|misquot\w+|misattribut\w+|inaccura\w+|incorrect\w*|wrong\w*|error|mistake|flaw\w*"
    r"|disput\w+|den(?:y|ied|ies)|reject\w*|dismiss\w*|contradict\w*|refut\w+|rebut\w*|criti\w+"
    r"|question(?:ed|s)|doubt\w*|uncertain\w*|unverified|unsupported|unproven|unfounded|limited"
    r"|insufficient|inconclusive|small sample|of which|on average|in fact|actually|upheld|ruled"
    r"|ruling|complain\w+|fined|penalty|lawsuit|sued|settled|disclos\w+|undisclosed|omit\w+"
    r"|commissioned|funded|financed|sponsored|paid for|paid by|owned by|owns|controls|belongs to"
    r"|shares (?:in|of)|stake|adviser|advisory|consultan\w+|conflict\w? of interest|rates?"
    r"|rated|rating|bias\w*|slant|leaning|failed|independent\w*|measured|tested|replicat\w+"
    r"|corroborat\w+|well[- ]\w+ed|borne out|plausible|undercut\w*|undermin\w+|supported by"
    r"|consistent with|match(?:es|ed)|accura\w+|missing context"
    r"|outdated|confirm\w+|verif\w+|insolven\w+|bankrupt\w*)\b|n['’]t\b",
    re.IGNORECASE,
)


def cues_of_answer(text: str) -> int:
    """Count the different cues that a statement answers rather than repeats."""
    return len({match.group().casefold() for match in _ANSWERS.finditer(text)})


_TIES = re.compile(
    r"\b(?:paid|pays|fellow\w*|board|owns?|owned|controls?|controlled|fund\w*|financ\w+|invoice\w*"
    r"|employed|advis\w+|director|shares?|shareholder|grants?|donat\w+|donors?|sponsor\w*|belongs?"
    r"|commission(?:ed)?|consult\w+|stake|options|parent|subsidiary|fees?|income|revenue|bonus"
    r"|received)\b",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"\b(?:married|children|divorced|amateur|hobby|hobbies|keen|lives (?:in|with|near)|grew up"
    r"|schoolboy|childhood|collects|enjoys|nickname\w*)\b",
    re.IGNORECASE,
)
_SHARED_WORDS = 3


def tells_of_ties(text: str) -> bool:
    """Tell whether a statement says who pays, owns, employs or advises whom."""
    return _TIES.search(text) is not None


def is_private(text: str) -> bool:
    """Tell whether a statement is about somebody's life rather than their work."""
    return _PRIVATE.search(text) is not None


class Quantities:
    """The figures of an article with what they count.

    Args:
        profile: The article.
    """

    def __init__(self, profile: ArticleProfile) -> None:
        self._figures = figures(profile.body)
        self._counted = [
            (stems(" ".join(phrases)), stems(sentence))
            for sentence in sentences(profile.body)
            if (phrases := figure_phrases(sentence))
        ]

    def has_another_figure(self, text: str) -> bool:
        """Tell whether a text gives another figure for a quantity that the article gives."""
        phrases = [phrase for phrase in figure_phrases(text) if figures(phrase) - self._figures]
        if not phrases:
            return False
        counted, words = stems(" ".join(phrases)), stems(text)
        return any(
            (counted & nouns - _UNIT_STEMS) or len(words & said) >= _SHARED_WORDS
            for nouns, said in self._counted
        )


_UNIT_STEMS = stems("percent per cent million billion thousand people total")


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
    """Return statements of the evidence that are clear and new to readers of the article."""
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
    """Tell whether readers understand a statement, and it is not only about the article.

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
    """Return the quotes that do not restate the article: repetition is no context."""
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
