"""Query expansion for a question on an article, without a model.

A question omits what its reader knows. "The 100-page report from Moab City" finds nothing without
the people whom the article is about, so every query carries a name of the article which the
question lacks; names that the article mentions together with what is asked about come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sidelight.english.names import find_names, mentions, name_forms, search_words
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.text import content_words, sentences, stems

_QUERY_WORDS = 12
_MOST_NAMES = 60
_KEYWORDS = 3


class ExtractiveExpander:
    """Searches made of the question's words and of names and keywords of the article."""

    def __init__(self, queries_per_question: int) -> None:
        self._count = queries_per_question

    async def __call__(self, profile: ArticleProfile, question: str) -> tuple[str, ...]:
        """Return different searches, at least one."""
        lacking = lacking_entities(profile, question)
        asked = search_words(question, _QUERY_WORDS) or question.split()[:_QUERY_WORDS]
        named = [word for word in asked if not word.islower()] or asked
        keywords = [word for word in profile.keywords if word not in content_words(question)]
        subject = search_words(profile.subject, _QUERY_WORDS)
        first = lacking[:1]
        worded = [
            [*asked, *first],
            [*asked, *lacking[:2]],
            [*asked, *first, *subject],
            *([*asked, one] for one in lacking[1:4]),
            [*asked, *first, *keywords[:_KEYWORDS]],
            [*named, *lacking[:2], *keywords[:1]],
            *([*named, one, *subject] for one in lacking[:3]),
            *([*asked, *lacking[:1], one] for one in keywords[: self._count]),
            *([*asked, one] for one in lacking[4:]),
        ]
        return carrying((_joined(words) for words in worded), lacking, self._count)


def lacking_entities(profile: ArticleProfile, question: str) -> list[str]:
    """Return names in an article that a question lacks, the most telling for it first.

    Those come first that stand in sentences with the question's words, then the most mentioned. An
    article that names nobody else has its keywords instead.
    """
    counts = find_names(f"{profile.title}\n{profile.body}")
    together: Counter[str] = Counter()
    asked = stems(question)
    for sentence in sentences(profile.body):
        if shared := len(stems(sentence) & asked):
            for name in find_names(sentence):
                together[name] += shared
    known = [*profile.people, *profile.organisations]
    by_weight = sorted(
        {*known, *(name for name, _ in counts.most_common(_MOST_NAMES))},
        key=lambda name: (-together[name], -counts[name], name),
    )
    # A name that is all capitals is a code, slogan or heading, and no person.
    by_weight.sort(key=lambda name: name.isupper() and name not in known)
    lacking = [name for name in by_weight if not mentions(question, name_forms(name))]
    own = set(content_words(question))
    return lacking or [word for word in profile.keywords if word not in own]


def carrying(queries: Iterable[str], lacking: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the first so many different queries, each with a name that the question lacks.

    One without gets the most telling; where nothing is lacking, queries stay as they are.
    """
    found: dict[str, str] = {}
    for query in queries:
        if lacking and not any(mentions(query, [name]) for name in lacking):
            query = f"{query} {lacking[0]}"  # noqa: PLW2901 - the same search, completed
        found.setdefault(" ".join(sorted(query.casefold().split())), query)
        if len(found) == most:
            break
    return tuple(found.values())


def _joined(words: Iterable[str]) -> str:
    """Return words in order, each once; a name's words are looked at together."""
    kept: list[str] = []
    seen: set[str] = set()
    for part in words:
        fresh = [word for word in part.split() if word.casefold() not in seen]
        if fresh:
            kept.append(part)
            seen.update(word.casefold() for word in part.split())
    return " ".join(kept)


class QuestionAsAsked:
    """One search: the question as it stands."""

    async def __call__(self, profile: ArticleProfile, question: str) -> tuple[str, ...]:
        """Return the question; the article is not looked at."""
        del profile
        return (question,)
