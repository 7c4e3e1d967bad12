"""Plan an investigation without a model: fixed angles, filled with what the article names.

The angles follow what assessors look at: publisher, author, claims and statistics, the people and
organisations an article leans on, wider context, and other viewpoints. Every query carries a
keyword of the article that its question lacks, because a bare question ("the 100-page report")
finds nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sidelight.generation.reading.names import (
    find_names,
    looks_like_place,
    mentions,
    name_forms,
)
from sidelight.generation.reading.search_words import search_words
from sidelight.schemas.angle import Angle, Aspect, Plan, PlannedQuery
from sidelight.text import content_words, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.schemas.angle import Coverage
    from sidelight.schemas.evidence import EvidenceSet
    from sidelight.schemas.profile import ArticleProfile

_CLAIMS = 5
_SOURCES = 3
_STUDIES = 2
_LINKS_PER_ROUND = 2
_MIN_LINK_SEGMENTS = 2
_QUERY_WORDS = 12


_TIE = re.compile(
    r"\b(?:paid|pays|fellow\w*|member|board|owns?|owned|controls?|controlled|fund\w*|financ\w+"
    r"|employ\w*|advis\w+|director|shares?|grants?|donat\w+|sponsor\w*|founded|launched"
    r"|publish\w*|belongs?|client|agency|commission\w*|invoice\w*|consult\w+|worked|copywriter"
    r"|partner\w*|stake|options|parent|subsidiary)\b",
    re.IGNORECASE,
)


class ExtractivePlanner:
    """The role `plan_queries` without a model.

    Round one opens every angle. Later rounds search again, in other words, for angles without
    evidence, and follow names that evidence on the outlet or the author brings up.

    Args:
        max_queries: Searches a round may make; the lightest angles go without.
    """

    def __init__(self, max_queries: int) -> None:
        self._max_queries = max_queries

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        queries: Sequence[PlannedQuery],
        evidence: EvidenceSet,
        coverage: Coverage | None,
        round_number: int,
    ) -> Plan:
        """Return the new angles of a round and its searches."""
        new = (
            tuple(_first_angles(profile))
            if round_number == 1
            else tuple(_links(profile, angles, evidence))
        )
        covered = evidence.covers(angle.angle_id for angle in angles)
        searches = [(angle, angle.query) for angle in new]
        searches += [
            (angle, angle.query if round_number == 1 else _reworded(angle, profile, round_number))
            for angle in angles
            if angle.angle_id not in covered
        ]
        planned = tuple(
            PlannedQuery(
                query_id=f"{round_number}.{angle.angle_id}",
                angle_id=angle.angle_id,
                text=_anchored(text, angle.question, profile),
            )
            for angle, text in self._heaviest(searches)
        )
        return Plan(angles=new, queries=planned)

    def _heaviest(self, searches: list[tuple[Angle, str]]) -> list[tuple[Angle, str]]:
        if len(searches) <= self._max_queries:
            return searches
        return sorted(searches, key=lambda search: -search[0].weight)[: self._max_queries]


def _first_angles(profile: ArticleProfile) -> Iterator[Angle]:
    yield from _publisher_angles(profile)
    yield from _author_angles(profile)
    yield from _claim_angles(profile)
    yield from _study_angles(profile)
    yield from _source_angles(profile)
    yield from _subject_angles(profile)


def _publisher_angles(profile: ArticleProfile) -> Iterator[Angle]:
    outlet = profile.publisher
    if not outlet:
        return
    forms = tuple(dict.fromkeys((*name_forms(outlet), *name_forms(profile.host))))
    for name, weight, question, words in (
        (
            "rating",
            4.0,
            f"How do media watchdogs rate {outlet} for bias?",
            "media bias rating factual reporting slant",
        ),
        (
            "funding",
            3.75,
            f"Who owns or funds {outlet}?",
            "owner publisher funding revenue sponsors advertisers",
        ),
        (
            "outlet",
            2.5,
            f"What kind of outlet is {outlet}?",
            "news outlet website founded editorial audience",
        ),
        (
            "record",
            2.0,
            f"What corrections followed {outlet}'s article on {profile.subject}?",
            f"correction complaint press council {profile.subject}",
        ),
    ):
        yield Angle(
            angle_id=f"publisher-{name}",
            aspect=Aspect.PUBLISHER,
            question=question,
            query=f"{outlet} {words}",
            must_mention=forms,
            weight=weight,
        )


def _author_angles(profile: ArticleProfile) -> Iterator[Angle]:
    for number, author in enumerate(profile.authors[:2], start=1):
        share = 1.0 if number == 1 else 0.5
        for name, weight, question, words in (
            (
                "background",
                4.0,
                f"What is {author}'s professional background?",
                "biography career education expertise",
            ),
            (
                "interests",
                3.75,
                (
                    f"What affiliations or financial interests does {author} have "
                    f"in connection with {profile.subject}?"
                ),
                f"paid adviser fellow board funding ties {profile.subject}",
            ),
            (
                "earlier-work",
                1.5,
                f"How has {author}'s earlier work been received?",
                "earlier articles predictions criticism record",
            ),
        ):
            yield Angle(
                angle_id=f"author{number}-{name}",
                aspect=Aspect.AUTHOR,
                question=question,
                query=f"{author} {words}",
                must_mention=name_forms(author),
                weight=weight * share,
            )


def _claim_angles(profile: ArticleProfile) -> Iterator[Angle]:
    for number, claim in enumerate(profile.claims[:_CLAIMS], start=1):
        has_figures = bool(claim.figures)
        question = (
            f'What do independent figures say about the statement that "{claim.text}"?'
            if has_figures
            else f'What evidence bears on the statement that "{claim.text}"?'
        )
        yield Angle(
            angle_id=f"claim-{number}",
            aspect=Aspect.FIGURE if has_figures else Aspect.CLAIM,
            question=question,
            query=_with_context(claim.text, profile),
            weight=max(2.0, 3.5 - 0.4 * (number - 1)),
        )


def _study_angles(profile: ArticleProfile) -> Iterator[Angle]:
    for number, name in enumerate(profile.studies[:_STUDIES], start=1):
        for kind, weight, question, words in (
            (
                "findings",
                3.5,
                f"What did the {name} study cited in the article measure?",
                "study findings method sample measured limits",
            ),
            (
                "funding",
                3.0,
                f"Who paid for the {name} study cited in the article?",
                "study commissioned funded paid sponsor grant",
            ),
        ):
            yield Angle(
                angle_id=f"study{number}-{kind}",
                aspect=Aspect.CLAIM,
                question=question,
                query=f"{name} {words} {profile.subject}",
                must_mention=name_forms(name)[:1],
                weight=weight / number,
            )


def _source_angles(profile: ArticleProfile) -> Iterator[Angle]:
    named = [
        *(
            (
                name,
                f"What qualifies {name}, quoted in the article, to speak about {profile.subject}?",
                "expert background affiliation",
            )
            for name in profile.people
        ),
        *(
            (
                name,
                f"What interests does {name}, named in the article, represent?",
                "organisation funding members purpose",
            )
            for name in profile.organisations
            if name not in profile.studies[:_STUDIES]
        ),
    ]
    for number, (name, question, words) in enumerate(named[:_SOURCES], start=1):
        yield Angle(
            angle_id=f"source-{number}",
            aspect=Aspect.SOURCE,
            question=question,
            query=f"{name} {words} {profile.subject}",
            must_mention=name_forms(name)[:1],
            weight=2.0,
        )


def _subject_angles(profile: ArticleProfile) -> Iterator[Angle]:
    subject = profile.subject
    keywords = " ".join(word for word in profile.keywords[:5] if word not in subject.casefold())
    for name, aspect, weight, question, words in (
        (
            "research",
            Aspect.CONTEXT,
            3.0,
            f"What does independent research say about {subject}?",
            "study research findings evidence scientists",
        ),
        (
            "statistics",
            Aspect.CONTEXT,
            2.0,
            f"What do official statistics show about {subject}?",
            "official statistics bureau figures report",
        ),
        (
            "history",
            Aspect.CONTEXT,
            1.5,
            f"What is the background to {subject}?",
            "history background origin",
        ),
        (
            "critics",
            Aspect.VIEWPOINT,
            2.5,
            f"What do critics say about {subject}?",
            "critics dispute concerns opposed",
        ),
        (
            "supporters",
            Aspect.VIEWPOINT,
            1.5,
            f"What do supporters say about {subject}?",
            "supporters welcome defend benefits",
        ),
    ):
        yield Angle(
            angle_id=f"subject-{name}",
            aspect=aspect,
            question=question,
            query=f"{subject} {keywords} {words}",
            weight=weight,
        )


def _links(
    profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
) -> Iterator[Angle]:
    """Yield angles on names that evidence ties to the outlet or the author and the article hides.

    A name counts where one sentence holds both, and only when at least two segments have such a
    sentence; what the article, the outlet or an earlier angle already names is known.
    """
    principals = tuple(filter(None, (profile.publisher, *profile.authors)))
    known = [profile.body, *principals, *(angle.question for angle in angles)]
    seen: Counter[str] = Counter()
    for item in evidence.items:
        tied = " ".join(
            sentence
            for sentence in sentences(item.segment.text)
            if any(mentions(sentence, name_forms(principal)) for principal in principals)
            and _TIE.search(sentence)
        )
        seen.update(name for name in find_names(tied) if _could_be_hidden(name, principals))
    fresh = [
        name
        for name, count in sorted(seen.items(), key=lambda entry: (-entry[1], entry[0]))
        if count >= _MIN_LINK_SEGMENTS
        and not any(name.casefold() in text.casefold() for text in known)
    ]
    principal = profile.authors[0] if profile.authors else profile.publisher
    taken = sum(angle.angle_id.startswith("link-") for angle in angles)
    for number, name in enumerate(fresh[:_LINKS_PER_ROUND], start=taken + 1):
        yield Angle(
            angle_id=f"link-{number}",
            aspect=Aspect.AUTHOR if profile.authors else Aspect.PUBLISHER,
            question=f"What connects {principal} with {name}?",
            query=f"{name} {principal} {profile.subject}",
            must_mention=name_forms(name)[:1],
            weight=3.0,
        )


def _could_be_hidden(name: str, principals: Sequence[str]) -> bool:
    """Tell whether a name may stand for a tie: two words, no place, no namesake."""
    own = {word for principal in principals for word in principal.split()}
    return (
        " " in name
        and " and " not in name
        and not looks_like_place(name)
        and own.isdisjoint(name.split())
        and "." not in name
    )


def _reworded(angle: Angle, profile: ArticleProfile, round_number: int) -> str:
    """Return the search for an angle that is still open: its question, then its bare keywords."""
    if round_number % 2 == 0:
        return _with_context(re.sub(r"[\"“”]", "", angle.question), profile)
    return " ".join([*angle.must_mention[:1], profile.subject, *profile.keywords[:4]])


def _anchored(query: str, question: str, profile: ArticleProfile) -> str:
    """Return a search that holds a keyword of the article which its question lacks."""
    telling = [word for word in profile.keywords if word not in content_words(question)]
    if set(telling).intersection(content_words(query)):
        return query
    return " ".join([query, *telling[:1]])


def _with_context(text: str, profile: ArticleProfile) -> str:
    """Return the content words of a text and a name or keywords of the article it lacks."""
    words = search_words(text, _QUERY_WORDS)
    names = [name for name in (*profile.people, *profile.organisations) if name not in text]
    held = content_words(" ".join(words))
    extra = names[:1] or [word for word in profile.keywords if word not in held][:2]
    return " ".join([*words, *extra])
