"""Ask a model for more questions than are wanted, mend the faulty ones, and take the best."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, create_model

from sidelight.checks.compound import COMPOUND_PROMPT
from sidelight.checks.compound_rules import compound_reason
from sidelight.checks.general import general_reason
from sidelight.errors import ReplyError
from sidelight.generation.extractive.write_questions.questions import reserve_questions
from sidelight.generation.prompted.importance import Importance, weight_of
from sidelight.generation.prompted.write_questions.question_text import clean_question
from sidelight.generation.reading.neutrality import passes_verdict
from sidelight.llm.asked import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Aspect
from sidelight.schemas.investigation.question import DraftQuestions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.checks.compound import CompoundCheck
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import Encode

PROMPT = load_prompt(Path(__file__).with_name("questions.prompt.md"))
SPLIT_PROMPT = load_prompt(Path(__file__).with_name("split_question.prompt.md"))

# Candidates asked for, as a multiple of what is wanted: faulty and repeated ones fall away.
_LEAST, _MOST = 1.6, 2
_LISTED_ANGLES = 24
_PARTS = 3
# A judgement call, from a dozen pairs of the public runs: above it most ask the same (one
# asks for "qualifications" twice, .841), though some are only related; around .80 many are.
_SAME_QUESTION = 0.84
_REPEATED_ASPECT = 0.7

_Question = Annotated[str, Field(max_length=600)]


class QuestionCandidate(Value):
    """A question as a model proposes it.

    Attributes:
        why: What its answer tells a reader.
        aspect: Which side of trustworthiness it belongs to.
        importance: The model's label, as on the rubrics of assessors.
        angle_ids: Angles that it serves.
        question: The question.
    """

    why: str = Field(max_length=400)
    aspect: Aspect
    importance: Importance
    angle_ids: tuple[Annotated[str, Field(max_length=60)], ...] = Field(max_length=_LISTED_ANGLES)
    question: _Question


class QuestionCandidates(Value):
    """Candidates, most important first."""

    questions: tuple[QuestionCandidate, ...]


@cache
def _at_most(count: int) -> type[QuestionCandidates]:
    """Return the type of an answer with so many candidates at most."""
    return create_model(
        QuestionCandidates.__name__,
        __base__=QuestionCandidates,
        __doc__=QuestionCandidates.__doc__,
        questions=(tuple[QuestionCandidate, ...], Field(max_length=count)),
    )


class SplitQuestion(Value):
    """What a faulty question becomes."""

    questions: tuple[_Question, ...] = Field(max_length=_PARTS)


class PromptedQuestionWriter:
    """The role `write_questions` with a model.

    Args:
        writer: Writes and mends.
        encode: Tells when two questions ask the same.
        is_compound: Tells when one asks two things. Where it has no usable answer, rules decide.
        questions_per_topic: How many the track wants.
        max_question_characters: The track's limit per question, in code points of the NFC text.
    """

    asks = (
        Asked(PROMPT, calls=1, characters=1_360, written=1_005),
        Asked(COMPOUND_PROMPT, calls=41.3, characters=24, written=23, model="checker"),
        Asked(SPLIT_PROMPT, calls=11, characters=350, written=49),
    )

    def __init__(
        self,
        writer: PromptedModel,
        encode: Encode,
        is_compound: CompoundCheck,
        questions_per_topic: int,
        max_question_characters: int,
    ) -> None:
        self._model = writer
        self._encode = encode
        self._is_compound = is_compound
        self._count = questions_per_topic
        self._max_characters = max_question_characters

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return exactly as many questions as are wanted, most important first.

        Raises:
            ReplyError: The model gave no usable candidates.
        """
        heaviest = sorted(angles, key=lambda angle: -angle.weight)
        most = _MOST * self._count
        answer = await self._model.answer(
            PROMPT,
            _at_most(most),
            profile=profile,
            angles=_listed(heaviest[:_LISTED_ANGLES], evidence),
            least=round(_LEAST * self._count),
            most=most,
            max_characters=self._max_characters,
        )
        good = await self._sound(profile, answer.questions)
        weights = {angle.angle_id: angle.weight for angle in angles}
        chosen = [one.question for one in _ranked(good, weights)[: self._count]]
        if len(chosen) < self._count:
            own = [clean_question(angle.question) for angle in heaviest]
            chosen = await self._different([*chosen, *await self._faultless(own)])
        if len(chosen) < self._count:
            reserve = reserve_questions(profile, self._max_characters)
            # Better a template with a fault than nine questions: those come last.
            reserve = [*await self._faultless(reserve), *reserve]
            chosen = list({one.casefold(): one for one in [*chosen, *reserve]}.values())
        return DraftQuestions(questions=tuple(chosen[: self._count]))

    async def _sound(
        self, profile: ArticleProfile, candidates: Sequence[QuestionCandidate]
    ) -> list[QuestionCandidate]:
        """Return the candidates without a fault, and what the others become when written anew."""
        first = await self._unlike(candidates)
        faults = await self._faults(one.question for one in first)
        mended = await asyncio.gather(
            *(
                self._split(profile, one, fault)
                for one, fault in zip(first, faults, strict=True)
                if fault is not None
            )
        )
        good = [one for one, fault in zip(first, faults, strict=True) if fault is None]
        mended_too = [*good, *(part for group in mended for part in group)]
        parts = (await self._unlike(mended_too))[len(good) :]
        again = await self._faults(part.question for part in parts)
        return good + [part for part, fault in zip(parts, again, strict=True) if fault is None]

    async def _split(
        self, profile: ArticleProfile, one: QuestionCandidate, fault: str
    ) -> list[QuestionCandidate]:
        try:
            answer = await self._model.answer(
                SPLIT_PROMPT,
                SplitQuestion,
                profile=profile,
                question=one.question,
                fault=fault,
                most=_PARTS,
                max_characters=self._max_characters,
            )
        except ReplyError:  # the record of calls shows it; one candidate of many is lost
            return []
        return [one.model_copy(update={"question": part}) for part in answer.questions]

    async def _unlike(self, candidates: Sequence[QuestionCandidate]) -> list[QuestionCandidate]:
        """Return candidates with cleaned questions, the first of those that ask the same."""
        by_question: dict[str, QuestionCandidate] = {}
        for one in candidates:
            question = clean_question(one.question)
            if question:
                cleaned = one.model_copy(update={"question": question})
                by_question.setdefault(question, cleaned)
        return [by_question[question] for question in await self._different(list(by_question))]

    async def _different(self, questions: Sequence[str]) -> list[str]:
        """Return the questions without those that ask what an earlier one asks."""
        if not questions:
            return []
        vectors = await asyncio.to_thread(self._encode, questions)
        alike = (vectors @ vectors.T).round(4) >= _SAME_QUESTION
        kept: list[int] = []
        for row in range(len(questions)):
            if not any(alike[row, other] for other in kept):
                kept.append(row)
        return [questions[row] for row in kept]

    async def _faultless(self, questions: Sequence[str]) -> list[str]:
        faults = await self._faults(questions)
        return [one for one, fault in zip(questions, faults, strict=True) if fault is None]

    async def _faults(self, questions: Iterable[str]) -> list[str | None]:
        return await asyncio.gather(*map(self._fault, questions))

    async def _fault(self, question: str) -> str | None:
        """Return why a question cannot stay as it is; what rules can tell costs no call."""
        if not question.endswith("?"):
            return "It does not end with a question mark."
        if len(question) > self._max_characters:
            return f"It has more than {self._max_characters} characters."
        if passes_verdict(question):
            return "It asks for a verdict."
        if reason := general_reason(question):
            return reason
        try:
            return await self._is_compound(question)
        except ReplyError:
            return compound_reason(question)


def _listed(angles: Iterable[Angle], evidence: EvidenceSet) -> list[dict[str, object]]:
    """Return what the prompt shows of the angles."""
    angles = list(angles)
    covered = evidence.covers(angle.angle_id for angle in angles)
    return [
        {
            **angle.model_dump(mode="json", include={"angle_id", "aspect", "weight", "question"}),
            "found": "evidence found" if angle.angle_id in covered else "nothing found",
        }
        for angle in angles
    ]


def _ranked(
    candidates: Sequence[QuestionCandidate], weights: dict[str, float]
) -> list[QuestionCandidate]:
    """Return candidates by what each adds to those before it.

    That is its importance plus the weight of the heaviest angle that only it serves so far, less
    the more often its aspect was asked about. The heaviest alone, not the sum: a question that
    claims to serve every angle is a vague one.
    """
    waiting = list(candidates)
    ranked: list[QuestionCandidate] = []
    served: set[str] = set()

    def worth(one: QuestionCandidate) -> float:
        fresh = (weights.get(angle_id, 0.0) for angle_id in set(one.angle_ids) - served)
        repeats = sum(one.aspect == other.aspect for other in ranked)
        return (weight_of(one.importance) + max(fresh, default=0.0)) * _REPEATED_ASPECT**repeats

    while waiting:
        best = max(waiting, key=worth)  # the first of equals: the model's own order
        waiting.remove(best)
        ranked.append(best)
        served.update(best.angle_ids)
    return ranked
