"""Questions a model drafts, made into angles that can be searched for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.generation.reading.names import mentions, name_forms
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.text import one_line, tokens

if TYPE_CHECKING:
    from sidelight.schemas.investigation.profile import ArticleProfile

_MAX_QUERY_WORDS, _MAX_ANCHOR_WORDS = 8, 4


class DraftedQuestion(Value):
    """A question as a model drafts it.

    Attributes:
        why: What its answer tells a reader.
        aspect: Which side of trustworthiness it belongs to.
        question: The question.
        query: What to type into a search engine to answer it.
    """

    why: str = Field(max_length=400)
    aspect: Aspect
    question: str = Field(min_length=8, max_length=300)
    query: str = Field(min_length=3, max_length=160)


def as_angle(
    drafted: DraftedQuestion, angle_id: str, weight: float, profile: ArticleProfile
) -> Angle:
    """Return the angle that a drafted question opens."""
    question = one_line(drafted.question)
    return Angle(
        angle_id=angle_id,
        aspect=drafted.aspect,
        question=question,
        query=short_query(drafted.query, question, profile),
        must_mention=_principals(drafted.aspect, question, profile),
        weight=weight,
    )


def short_query(query: str, question: str, profile: ArticleProfile) -> str:
    """Return at most eight words to search for, with a name of the article among them.

    Read apart from the article, "the 100-page report" finds nothing. So a query that names nobody
    and nothing of the article gets whom its question names, else the first name the article does.
    """
    # Operators and quotation marks mean nothing to the retrievers.
    words = [word.strip('"“”()+') for word in one_line(query).split() if tokens(word)]
    words = words[:_MAX_QUERY_WORDS]
    if not _named(" ".join(words), profile):
        named = _named(question, profile) or _names(profile)
        anchor = named[0].split()[:_MAX_ANCHOR_WORDS]
        words = [*words[: _MAX_QUERY_WORDS - len(anchor)], *anchor]
    return " ".join(words)


def _names(profile: ArticleProfile) -> list[str]:
    """Return what an article names, the most telling first."""
    names = (
        *profile.people,
        *profile.organisations,
        *profile.studies,
        profile.subject,
        *profile.authors,
        profile.publisher,
    )
    return [name for name in names if name]


def _named(text: str, profile: ArticleProfile) -> list[str]:
    return [name for name in _names(profile) if mentions(text, name_forms(name))]


def _principals(aspect: Aspect, question: str, profile: ArticleProfile) -> tuple[str, ...]:
    """Return the forms of the outlet's or author's name if the question is about them by name."""
    principals = {
        Aspect.PUBLISHER: (profile.publisher, profile.host),
        Aspect.AUTHOR: profile.authors,
    }.get(aspect, ())
    forms = [form for name in principals if name for form in name_forms(name)]
    return tuple(dict.fromkeys(forms)) if mentions(question, forms) else ()
