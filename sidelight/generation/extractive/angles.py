"""The fixed angles of an investigation without a model, filled with what an article names.

They follow what assessors look at: publisher, author, claims and statistics, the people and
organisations an article leans on, wider context, and other viewpoints.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sidelight.generation.extractive.searches import with_context
from sidelight.generation.extractive.write_report.answering import tells_of_ties
from sidelight.generation.reading.names import (
    find_names,
    looks_like_place,
    mentions,
    name_forms,
)
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile

_CLAIMS = 5
_SOURCES = 3
_STUDIES = 2
_LINKS_PER_ROUND = 2
_MIN_LINK_SEGMENTS = 2


def first_angles(profile: ArticleProfile) -> Iterator[Angle]:
    """Yield the angles with which every investigation opens, as far as the article names them."""
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
    yield Angle(
        angle_id="headline",
        aspect=Aspect.CLAIM,
        question=f'What evidence bears on the headline "{profile.title}"?',
        query=with_context(profile.title, profile),
        weight=4.0,
    )
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
            query=with_context(claim.text, profile),
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


def linked_angles(
    profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
) -> Iterator[Angle]:
    """Yield angles on names that evidence ties to the outlet or the author and the article hides.

    A name counts where one sentence on who pays, owns or employs whom holds both, and only when at
    least two segments have such a sentence; what the article, the outlet or an earlier angle
    already names is known.
    """
    principals = tuple(filter(None, (profile.publisher, *profile.authors)))
    known = [profile.body, *principals, *(angle.question for angle in angles)]
    seen: Counter[str] = Counter()
    for item in evidence.items:
        tied = " ".join(
            sentence
            for sentence in sentences(item.segment.text)
            if any(mentions(sentence, name_forms(principal)) for principal in principals)
            and tells_of_ties(sentence)
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
    """Tell whether a name may stand for a tie: two words, one name, no place, no namesake."""
    own = {word for principal in principals for word in principal.split()}
    return (
        " " in name
        and " and " not in name
        and not looks_like_place(name)
        and own.isdisjoint(name.split())
    )
