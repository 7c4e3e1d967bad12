"""Rubric drafting and query planning by a model.

A rubric is one list of questions without duplicates, as angles to search for. Later rounds follow
the leads that the evidence opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from sidelight.checks.questions import unfit_reason
from sidelight.english.names import mentions, name_forms
from sidelight.errors import ReplyError
from sidelight.generation.prompted.findings import Findings, Importance, told_once, weight_of
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.llm.structured import IdOf
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import (
    Angle,
    ArticleProfile,
    Aspect,
    Coverage,
    Plan,
    PlannedQuery,
)
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.text import one_line, tokens

_MAX_QUERY_WORDS = 10


# The description of a type of answers is part of its schema, which the model is sent.
class DraftedQuestion(Value):
    """A question as a model drafts it.

    Attributes:
        why: What its answer tells a reader.
        aspect: Which side of trustworthiness it belongs to.
        importance: As on the rubrics of assessors.
        question: The question.
        query: What to type into a search engine to answer it.
    """

    why: str = Field(max_length=400)
    aspect: Aspect
    importance: Importance
    question: str = Field(min_length=8, max_length=300)
    query: str = Field(min_length=3, max_length=160)


def as_angle(
    drafted: DraftedQuestion, angle_id: str, profile: ArticleProfile, told: tuple[str, ...] = ()
) -> Angle:
    """Return the angle that a drafted question opens; claims `told` before answer it."""
    question = one_line(drafted.question)
    return Angle(
        angle_id=angle_id,
        aspect=drafted.aspect,
        question=question,
        query=short_query(drafted.query) or question,
        must_mention=_principals(drafted.aspect, question, profile),
        weight=weight_of(drafted.importance),
        told=told,
    )


Drafted = TypeVar("Drafted", bound=DraftedQuestion)


def sound_questions(drafted: Iterable[Drafted]) -> tuple[tuple[Drafted, ...], list[str]]:
    """Return the drafted questions that can be asked, and what is wrong with the others."""
    sound: dict[str, Drafted] = {}
    faults: list[str] = []
    for one in drafted:
        question = one_line(one.question)
        if not question.endswith("?"):
            faults.append(f"this does not end with a question mark: {question}")
        elif question.casefold() in sound:
            faults.append(f"this is asked twice: {question}")
        elif fault := unfit_reason(question):
            faults.append(f"{fault}: {question}")
        else:
            sound[question.casefold()] = one
    return tuple(sound.values()), faults


def short_query(query: str) -> str:
    """Return the first ten words to search for, as they were drafted.

    Operators and quotation marks go, because they mean nothing to the retrievers.
    """
    words = [word.strip('"“”()+') for word in one_line(query).split() if tokens(word)]
    return " ".join(words[:_MAX_QUERY_WORDS])


def _principals(aspect: Aspect, question: str, profile: ArticleProfile) -> tuple[str, ...]:
    """Return the forms of the outlet's or author's name if the question is about them by name."""
    principals = {
        Aspect.PUBLISHER: profile.outlet,
        Aspect.AUTHOR: profile.authors,
    }.get(aspect, ())
    forms = [form for name in principals if name for form in name_forms(name)]
    return tuple(dict.fromkeys(forms)) if mentions(question, forms) else ()


RUBRIC_PROMPT = load_prompt(Path(__file__).with_name("rubric.prompt.md"))

_FEWEST, _MOST = 8, 20


class RubricDraft(Value):
    """The questions of a rubric, most important first."""

    questions: tuple[DraftedQuestion, ...] = Field(min_length=_FEWEST, max_length=_MOST)


class PromptedRubricDrafter:
    """The role `draft_rubric` with a model, which is asked once.

    Assessors who draft apart ask much the same, and which of their questions are one would be a
    guess; how important each is can only be said beside the others.
    """

    asks = (Asked(RUBRIC_PROMPT, calls=1, characters=0, written=1_300),)

    def __init__(self, writer: PromptedModel) -> None:
        self._model = writer

    async def __call__(self, profile: ArticleProfile) -> tuple[Angle, ...]:
        """Return an angle for each sound question, in the model's order."""
        sound: tuple[DraftedQuestion, ...] = ()

        def check(draft: RubricDraft) -> None:
            nonlocal sound
            sound, faults = sound_questions(draft.questions)
            if faults:
                raise ValueError(told_once(faults))

        ask = self._model.answer
        try:
            await ask(RUBRIC_PROMPT, RubricDraft, check=check, profile=profile, most=_MOST)
        except ReplyError:
            if len(sound) < _FEWEST:
                raise
        return tuple(
            as_angle(one, f"rubric-{number}", profile) for number, one in enumerate(sound, start=1)
        )


PLAN_PROMPT = load_prompt(Path(__file__).with_name("plan.prompt.md"))

LEAD = "lead-"
"""Begins the ids of angles that other pages led to."""

_MAX_SEARCHES, _MAX_NEW, _MAX_KNOWN = 8, 4, 6


class Search(Value):
    """What to search for to follow a lead on a question that is asked already."""

    angle_id: Annotated[str, IdOf("angles")]
    query: str = Field(min_length=3, max_length=160)


class LeadQuestion(DraftedQuestion):
    """A question that a lead raises.

    Attributes:
        claims: What was found before it was asked and answers it, the closest first.
    """

    claims: tuple[Annotated[str, IdOf("claims")], ...] = Field(max_length=_MAX_KNOWN)


class Leads(Value):
    """What a model would search for after it has seen what was found."""

    searches: tuple[Search, ...] = Field(max_length=_MAX_SEARCHES)
    angles: tuple[LeadQuestion, ...] = Field(max_length=_MAX_NEW)


class PromptedPlanner:
    """The role `plan_queries` with a model.

    Round one searches for every angle by the query it was drafted with, and asks nobody; where no
    rubric was drafted, it drafts one. Later rounds follow leads: the model sees all that was found
    and what was searched for, and names what is worth another search, or nothing. The lightest
    angles go without a search where `queries_per_round` do not suffice.
    """

    asks = (Asked(PLAN_PROMPT, calls=0, more=1, characters=21_500, written=265),)

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
        """Return the new angles of a round and its searches."""
        if round_number == 1:
            new = () if angles else await PromptedRubricDrafter(self._model)(profile)
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
        findings = Findings.of(angles, evidence)
        sound: tuple[LeadQuestion, ...] = ()

        def check(leads: Leads) -> None:
            nonlocal sound
            sound, faults = sound_questions(leads.angles)
            if leads.searches and not any(one.angle_id in known for one in leads.searches):
                faults.append(
                    f"searches are for {', '.join(known)}, and these are for none of them"
                )
            if faults:
                raise ValueError(told_once(faults))

        leads = await self._model.answer(
            PLAN_PROMPT,
            Leads,
            check=check,
            ids={"angles": known, "claims": findings.by_key},
            profile=profile,
            findings=findings.shown(),
            searches=[query.text for query in queries],
            max_searches=_MAX_SEARCHES,
            max_new=_MAX_NEW,
            max_known=_MAX_KNOWN,
        )
        asked = {angle.question.casefold() for angle in angles}
        new = tuple(
            as_angle(one, f"{LEAD}{round_number}-{number}", profile, findings.texts(one.claims))
            for number, one in enumerate(sound, start=1)
            if one_line(one.question).casefold() not in asked
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
