"""Planner of queries without a model.

Every query carries a keyword of the article that its question lacks, because a bare question ("the
100-page report") finds nothing. No rubric is drafted: the planner's fixed angles set the weights.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sidelight.english.names import find_names, mentions, name_forms, search_words
from sidelight.english.parser import parse
from sidelight.english.vocabulary import TIES
from sidelight.generation.extractive import asked
from sidelight.schemas.investigation.angle import (
    Angle,
    ArticleProfile,
    Aspect,
    Coverage,
    Plan,
    PlannedQuery,
)
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.text import content_words, sentences

_AUTHORS, _SOURCES = 2, 3
_LINKS_PER_ROUND = 2
_MIN_LINK_SEGMENTS = 2
_QUERY_WORDS, _KEYWORDS = 12, 2


class ExtractivePlanner:
    """The role `plan_queries` without a model.

    Round one opens every angle. Later rounds search again, in other words, for angles without
    evidence, and follow names that evidence on the outlet or the author brings up.

    Args:
        queries_per_round: Searches a round may make; the lightest angles go without.
    """

    def __init__(self, queries_per_round: int) -> None:
        self._max_queries = queries_per_round

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
            else tuple(_linked_angles(profile, angles, evidence))
        )
        covered = evidence.covers(angle.angle_id for angle in angles)
        searches = [(angle, angle.query) for angle in new]
        searches += [
            (angle, angle.query if round_number == 1 else _reworded(angle, profile, round_number))
            for angle in angles
            if angle.angle_id not in covered
        ]
        if len(searches) > self._max_queries:
            searches = sorted(searches, key=lambda search: -search[0].weight)[: self._max_queries]
        planned = tuple(
            PlannedQuery.of(angle, round_number, _anchored(text, angle.question, profile))
            for angle, text in searches
        )
        return Plan(angles=new, queries=planned)


def _reworded(angle: Angle, profile: ArticleProfile, round_number: int) -> str:
    """Return the search for an angle that is still open: its question, then its bare keywords."""
    if round_number % 2 == 0:
        return _with_context(re.sub(r"[\"“”]", "", angle.question), profile)
    return " ".join([*angle.must_mention[:1], profile.subject, *profile.keywords[:4]])


def _anchored(query: str, question: str, profile: ArticleProfile) -> str:
    """Return a query with a keyword of the article that its question lacks."""
    telling = [word for word in profile.keywords if word not in content_words(question)]
    if set(telling).intersection(content_words(query)):
        return query
    return " ".join([query, *telling[:1]])


def _with_context(text: str, profile: ArticleProfile) -> str:
    """Return the telling words of a text, with the article's subject or keywords it lacks."""
    held = set(content_words(text))
    subject = search_words(profile.subject, _QUERY_WORDS)
    lacking = [word for word in subject if word.casefold() not in held]
    keywords = [word for word in profile.keywords if word not in held][:_KEYWORDS]
    return " ".join([*search_words(text, _QUERY_WORDS), *(lacking or keywords)])


def _first_angles(profile: ArticleProfile) -> Iterator[Angle]:
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
    forms = tuple(dict.fromkeys(form for name in profile.outlet for form in name_forms(name)))
    for template in (
        asked.PUBLISHER_RATING,
        asked.PUBLISHER_FUNDING,
        asked.PUBLISHER_OUTLET,
        asked.PUBLISHER_RECORD,
    ):
        angle = template.angle(profile, must_mention=forms, outlet=outlet)
        if template is asked.PUBLISHER_FUNDING and profile.companies:
            query = " ".join([angle.query, *profile.companies])
            angle = angle.model_copy(update={"query": query})
        yield angle


def _author_angles(profile: ArticleProfile) -> Iterator[Angle]:
    for number, author in enumerate(profile.authors[:_AUTHORS], start=1):
        for template in (
            asked.AUTHOR_BACKGROUND,
            asked.AUTHOR_INTERESTS,
            asked.AUTHOR_EARLIER_WORK,
        ):
            yield template._replace(weight=template.weight / number).angle(
                profile, number=number, must_mention=name_forms(author), author=author
            )


def _claim_angles(profile: ArticleProfile) -> Iterator[Angle]:
    if title := profile.title:
        yield asked.HEADLINE.angle(profile, title=title, words=_with_context(title, profile))
    for number, claim in enumerate(profile.claims[: asked.CLAIMS], start=1):
        template = asked.CLAIM_WITH_FIGURES if claim.figures else asked.CLAIM
        weight = max(2.0, template.weight - 0.4 * (number - 1))
        words = _with_context(claim.text, profile)
        yield template._replace(weight=weight).angle(
            profile, number=number, claim=claim.text, words=words
        )


def _study_angles(profile: ArticleProfile) -> Iterator[Angle]:
    for number, name in enumerate(profile.studies[: asked.STUDIES], start=1):
        for template in (asked.STUDY_FINDINGS, asked.STUDY_FUNDING):
            yield template._replace(weight=template.weight / number).angle(
                profile, number=number, must_mention=name_forms(name)[:1], name=name
            )


def _source_angles(profile: ArticleProfile) -> Iterator[Angle]:
    studies = profile.studies[: asked.STUDIES]
    # Whom the article is about is nobody it quotes on that.
    people = (one for one in profile.people if one.casefold() != profile.subject.casefold())
    named = [(asked.SOURCE_PERSON, name) for name in people]
    bodies = (name for name in profile.organisations if name not in studies)
    named += [(asked.SOURCE_ORGANISATION, name) for name in bodies]
    for number, (template, name) in enumerate(named[:_SOURCES], start=1):
        yield template.angle(profile, number=number, must_mention=name_forms(name)[:1], name=name)


def _subject_angles(profile: ArticleProfile) -> Iterator[Angle]:
    subject = profile.subject
    keywords = " ".join(word for word in profile.keywords[:5] if word not in subject.casefold())
    for template in (
        asked.SUBJECT_RESEARCH,
        asked.SUBJECT_STATISTICS,
        asked.SUBJECT_HISTORY,
        asked.SUBJECT_CRITICS,
        asked.SUBJECT_SUPPORTERS,
    ):
        yield template.angle(profile, keywords=keywords)


def _linked_angles(
    profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
) -> Iterator[Angle]:
    """Yield angles on names that the evidence, but not the article, links to outlet or author.

    A name counts where one sentence on who pays, owns or employs whom holds both, and only when at
    least two segments have such a sentence; what the article, the outlet or an earlier angle
    already names is known.
    """
    principals = tuple(filter(None, (profile.publisher, *profile.authors)))
    own = {word for principal in principals for word in principal.split()}
    known = [profile.body, *principals, *(angle.question for angle in angles)]
    forms = [form for principal in principals for form in name_forms(principal)]
    seen: Counter[str] = Counter()
    for item in evidence.items:
        telling = [text for text in sentences(item.segment.text) if mentions(text, forms)]
        seen.update(
            {
                name
                for one in parse(telling)
                if any(token.lemma_.casefold() in TIES for token in one.doc)
                for name in find_names(one.text).keys() - set(one.named("GPE", "LOC"))
                # A hidden link has two words, is one name, and no namesake.
                if " " in name and " and " not in name and own.isdisjoint(name.split())
            }
        )
    fresh = [
        name
        for name, count in sorted(seen.items(), key=lambda entry: (-entry[1], entry[0]))
        if count >= _MIN_LINK_SEGMENTS
        and not any(name.casefold() in text.casefold() for text in known)
    ]
    principal = profile.authors[0] if profile.authors else profile.publisher
    taken = sum(map(asked.LINK.made, angles))
    link = asked.LINK if profile.authors else asked.LINK._replace(aspect=Aspect.PUBLISHER)
    for number, name in enumerate(fresh[:_LINKS_PER_ROUND], start=taken + 1):
        yield link.angle(
            profile,
            number=number,
            must_mention=name_forms(name)[:1],
            principal=principal,
            name=name,
        )


class ExtractiveRubricDrafter:
    """The role `draft_rubric` without a model."""

    async def __call__(self, profile: ArticleProfile) -> tuple[Angle, ...]:
        """Return no angle."""
        return ()
