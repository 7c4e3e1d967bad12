"""Query planning by a model: drafted questions first, then leads that the evidence opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.generation.prompted.draft_rubric import (
    DraftedQuestion,
    as_angle,
    check_questions,
    draft_angles,
    short_query,
)
from sidelight.generation.prompted.findings import Findings
from sidelight.llm.prompted import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Plan, PlannedQuery
from sidelight.text import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Coverage
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.text_vectors import Encode

PLAN_PROMPT = load_prompt(Path(__file__).with_name("plan.prompt.md"))

LEAD = "lead-"
"""Begins the ids of angles that other pages led to."""

_MAX_SEARCHES, _MAX_NEW = 8, 4


class Search(Value):
    """What to search for to follow a lead on a question that is asked already."""

    angle_id: str
    query: str = Field(min_length=3, max_length=160)


class Leads(Value):
    """What a model would search for after it has seen what was found."""

    searches: tuple[Search, ...] = Field(max_length=_MAX_SEARCHES)
    angles: tuple[DraftedQuestion, ...] = Field(max_length=_MAX_NEW)


class PromptedPlanner:
    """The role `plan_queries` with a model.

    Round one searches for every angle by the query it was drafted with, and asks nobody; where no
    rubric was drafted, it drafts one. Later rounds follow leads: the model sees all that was found
    and what was searched for, and names what is worth another search, or nothing.

    Args:
        writer: Who plans.
        encode: Tells which findings are the same.
        queries_per_round: Searches a round may make; the lightest angles go without.
    """

    asks = (Asked(PLAN_PROMPT, calls=0, more=1, characters=7_800, written=333),)

    def __init__(self, writer: PromptedModel, encode: Encode, queries_per_round: int) -> None:
        self._model = writer
        self._encode = encode
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
        """Return the new angles of a round and its searches.

        Raises:
            ReplyError: The model gave no usable answer.
        """
        if round_number == 1:
            new = () if angles else await draft_angles(self._model, profile)
            heaviest = sorted((*angles, *new), key=lambda angle: -angle.weight)
            wanted = [(angle, angle.query) for angle in heaviest]
        else:
            new, wanted = await self._leads(profile, angles, queries, evidence, round_number)
        fresh = _fresh(wanted[: self._max_queries], queries, round_number)
        return Plan(angles=new, queries=tuple(fresh))

    async def _leads(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        queries: Sequence[PlannedQuery],
        evidence: EvidenceSet,
        round_number: int,
    ) -> tuple[tuple[Angle, ...], list[tuple[Angle, str]]]:
        known = {angle.angle_id: angle for angle in angles}
        leads = await self._model.answer(
            PLAN_PROMPT,
            Leads,
            check=lambda leads: check_questions(leads.angles),
            profile=profile,
            findings=(await Findings.of(angles, evidence, self._encode)).shown(),
            searches=[query.text for query in queries],
            max_searches=_MAX_SEARCHES,
            max_new=_MAX_NEW,
        )
        asked = {angle.question.casefold() for angle in angles}
        new = tuple(
            angle
            for number, one in enumerate(leads.angles, start=1)
            if (
                angle := as_angle(one, f"{LEAD}{round_number}-{number}", profile)
            ).question.casefold()
            not in asked
        )
        searches = {one.angle_id: short_query(one.query) for one in leads.searches}
        followed = [
            (known[angle_id], text)
            for angle_id, text in searches.items()
            if text and angle_id in known
        ]
        return new, [*followed, *((angle, angle.query) for angle in new)]


def _fresh(
    searches: Iterable[tuple[Angle, str]], queries: Sequence[PlannedQuery], round_number: int
) -> Iterator[PlannedQuery]:
    """Yield the searches that nobody made before, whatever the order of their words."""
    made = {frozenset(tokens(query.text)) for query in queries}
    for angle, text in searches:
        words = frozenset(tokens(text))
        if words not in made:
            made.add(words)
            yield PlannedQuery.of(angle, round_number, text)
