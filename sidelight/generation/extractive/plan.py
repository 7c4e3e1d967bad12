"""Plan the searches of an investigation without a model.

Every query carries a keyword of the article that its question lacks, because a bare question ("the
100-page report") finds nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.extractive.angles import first_angles, linked_angles
from sidelight.generation.extractive.searches import with_context
from sidelight.schemas.investigation.angle import Plan, PlannedQuery
from sidelight.text import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.investigation.angle import Angle, Coverage
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile


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
            tuple(first_angles(profile))
            if round_number == 1
            else tuple(linked_angles(profile, angles, evidence))
        )
        covered = evidence.covers(angle.angle_id for angle in angles)
        searches = [(angle, angle.query) for angle in new]
        searches += [
            (angle, angle.query if round_number == 1 else _reworded(angle, profile, round_number))
            for angle in angles
            if angle.angle_id not in covered
        ]
        planned = tuple(
            PlannedQuery.of(angle, round_number, _anchored(text, angle.question, profile))
            for angle, text in self._heaviest(searches)
        )
        return Plan(angles=new, queries=planned)

    def _heaviest(self, searches: list[tuple[Angle, str]]) -> list[tuple[Angle, str]]:
        if len(searches) <= self._max_queries:
            return searches
        return sorted(searches, key=lambda search: -search[0].weight)[: self._max_queries]


def _reworded(angle: Angle, profile: ArticleProfile, round_number: int) -> str:
    """Return the search for an angle that is still open: its question, then its bare keywords."""
    if round_number % 2 == 0:
        return with_context(re.sub(r"[\"“”]", "", angle.question), profile)
    return " ".join([*angle.must_mention[:1], profile.subject, *profile.keywords[:4]])


def _anchored(query: str, question: str, profile: ArticleProfile) -> str:
    """Return a search that holds a keyword of the article which its question lacks."""
    telling = [word for word in profile.keywords if word not in content_words(question)]
    if set(telling).intersection(content_words(query)):
        return query
    return " ".join([query, *telling[:1]])
