"""Plan searches with a model: for open questions, and for what nobody asks yet."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from sidelight.generation.prompted.angles import DraftedQuestion, as_angle, short_query
from sidelight.generation.prompted.importance import Importance, weight_of
from sidelight.llm.asked import Asked
from sidelight.llm.exact_ids import check_each_once
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Plan, PlannedQuery
from sidelight.text import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle, Coverage
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile

PROMPT = load_prompt(Path(__file__).with_name("plan.prompt.md"))

# From here on an angle counts as answered: halfway between `partial` and `full`.
_ANSWERED = 0.75
_MAX_NEW = 12
_NEW_SHARE = 4  # one in so many searches of the first round is left to new angles
_SEARCHES_SHOWN = 3


class NewAngle(DraftedQuestion):
    """A question that nobody asks yet, and how important it is."""

    importance: Importance


class Search(Value):
    """What to search for to answer an open question."""

    angle_id: str
    query: str = Field(min_length=3, max_length=160)


class DraftedPlan(Value):
    """What a model would search for in a round."""

    searches: tuple[Search, ...]
    angles: tuple[NewAngle, ...]


class OpenAngle(NamedTuple):
    """An open question as the prompt shows it.

    Attributes:
        angle_id: Its id.
        aspect: Which side of trustworthiness it belongs to.
        question: The question.
        searches: The last searches made for it, oldest first.
        found: What they brought, in words.
    """

    angle_id: str
    aspect: str
    question: str
    searches: tuple[str, ...]
    found: str


class PromptedPlanner:
    """The role `plan_queries` with a model.

    Round one searches for every angle drafted and opens new ones for aspects these miss. Later
    rounds search, in other words, for angles that are not answered yet. The model sees the open
    questions and the last searches for each, never all that went before.

    Args:
        writer: Who plans.
        queries_per_round: Searches a round may make; the lightest angles go without.
    """

    asks = (Asked(PROMPT, calls=1, more=1, characters=470, written=263),)

    def __init__(self, writer: PromptedModel, queries_per_round: int) -> None:
        self._model = writer
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
        first = round_number == 1
        kept_free = self._max_queries // _NEW_SHARE if first else 0
        wanted = _open(angles, coverage)[: self._max_queries - kept_free]
        max_new = min(_MAX_NEW, self._max_queries - len(wanted)) if first else 0
        if not wanted and not max_new:
            return Plan(angles=(), queries=())
        drafted = await self._model.answer(
            PROMPT,
            DraftedPlan,
            check=lambda plan: _check(plan, wanted, max_new),
            profile=profile,
            open_angles=[_shown(angle, queries, coverage) for angle in wanted],
            max_new=max_new,
        )
        known = {angle.question.casefold() for angle in angles}
        added = {one.question.casefold(): one for one in drafted.angles}
        new = tuple(
            as_angle(one, f"new-{number}", weight_of(one.importance), profile)
            for number, (question, one) in enumerate(added.items(), start=1)
            if question not in known
        )
        by_id = {one.angle_id: one.query for one in drafted.searches}
        searches = chain(
            ((one, short_query(by_id[one.angle_id], one.question, profile)) for one in wanted),
            ((one, one.query) for one in new),
        )
        return Plan(angles=new, queries=tuple(_fresh(searches, queries, round_number)))


def _check(plan: DraftedPlan, wanted: Sequence[Angle], max_new: int) -> None:
    check_each_once([angle.angle_id for angle in wanted], [one.angle_id for one in plan.searches])
    if len(plan.angles) > max_new:
        raise ValueError(f"{len(plan.angles)} new angles; at most {max_new} are asked for")
    if not wanted and not plan.angles:
        raise ValueError("nothing is asked yet, so at least one new angle is needed")


def _open(angles: Sequence[Angle], coverage: Coverage | None) -> list[Angle]:
    """Return the angles without an answer, those with most weight first."""
    answered = coverage.by_angle if coverage else {}
    left = [angle for angle in angles if answered.get(angle.angle_id, 0.0) < _ANSWERED]
    return sorted(left, key=lambda angle: -angle.weight)


def _shown(angle: Angle, queries: Sequence[PlannedQuery], coverage: Coverage | None) -> OpenAngle:
    searches = [query.text for query in queries if query.angle_id == angle.angle_id]
    found = coverage is not None and coverage.by_angle.get(angle.angle_id, 0.0) > 0
    return OpenAngle(
        angle_id=angle.angle_id,
        aspect=angle.aspect,
        question=angle.question,
        searches=tuple(searches[-_SEARCHES_SHOWN:]),
        found="a part of the answer" if found else "nothing that answers it",
    )


def _fresh(
    searches: Iterator[tuple[Angle, str]], queries: Sequence[PlannedQuery], round_number: int
) -> Iterator[PlannedQuery]:
    """Yield the searches that nobody made before, whatever the order of their words."""
    made = {frozenset(tokens(query.text)) for query in queries}
    for angle, text in searches:
        words = frozenset(tokens(text))
        if words not in made:
            made.add(words)
            yield PlannedQuery.of(angle, round_number, text)
