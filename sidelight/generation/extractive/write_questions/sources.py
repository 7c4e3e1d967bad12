"""Questions about whom an article leans on: people with a role, organisations, names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.extractive.write_questions.evidence import AUTHORITY
from sidelight.generation.extractive.write_questions.forms import Question, definite, plain
from sidelight.generation.extractive.write_questions.wordings import worded
from sidelight.generation.reading.names import find_names, looks_like_place, looks_personal
from sidelight.generation.reading.roles_of_people import role_of
from sidelight.schemas.investigation.angle import Aspect
from sidelight.text import content_words, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.schemas.investigation.profile import ArticleProfile

_PEOPLE, _ORGANISATIONS, _NAMED = 2, 2, 3
_MIN_MENTIONS = 2
_BARE_ROLE = 2  # words: "a professor" tells nobody who is meant
_LEADS = re.compile(r"\b(?:founder|chief executive|president|owner|director|chair|head)\b")


def about_sources(profile: ArticleProfile, subject: str, outlet: str) -> Iterator[Question]:
    """Yield who the people are that an article names, and its organisations."""
    roles = {name: role_of(name, profile.body) for name in profile.people}
    known = [
        name
        for name, role in roles.items()
        if len(role.split()) > _BARE_ROLE and looks_personal(name)
    ]
    known.sort(key=lambda name: _LEADS.search(roles[name]) is None)
    for place, name in enumerate(known[:_PEOPLE]):
        texts = worded("person", name=name, role=roles[name], subject=subject)
        yield Question(texts, Aspect.SOURCE, 2.4 - 0.4 * place)
    asked = [*known, *profile.studies, *profile.authors, outlet, profile.publisher, subject]
    others = [name for name in _matter(profile) if not _is_part_of_any(name, asked)]
    bodies = [
        name
        for name in others
        if name in profile.organisations and not (name.isupper() or AUTHORITY.search(name))
    ]
    for place, name in enumerate(bodies[:_ORGANISATIONS]):
        texts = worded("organisation", the=definite(name, profile.body), subject=subject)
        yield Question(texts, Aspect.SOURCE, 2.2 - 0.4 * place)
    named = [name for name in others if name in profile.people]
    for place, name in enumerate(named[:_NAMED]):
        texts = worded("named", name=name, subject=subject)
        yield Question(texts, Aspect.SOURCE, 1.9 - 0.3 * place)


def _matter(profile: ArticleProfile) -> list[str]:
    """Return the names that matter to an article: used again, and beside words of its title.

    A site's list of other stories names a great deal that does not.
    """
    title, subject = set(content_words(profile.title)), set(content_words(profile.subject))
    beside = " ".join(
        sentence
        for sentence in sentences(profile.body)
        if subject.issubset(words := content_words(sentence)) or len(title.intersection(words)) > 1
    )
    return [
        name
        for name, count in find_names(profile.body).most_common()
        if count >= _MIN_MENTIONS
        and name in beside
        and " and " not in name
        and not looks_like_place(name)
    ]


def _is_part_of_any(name: str, others: Sequence[str]) -> bool:
    words = set(plain(name).split())
    return any(
        words <= set(plain(other).split()) or (other and plain(other) in plain(name))
        for other in others
    )
