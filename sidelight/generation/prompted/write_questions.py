"""Question writing by a model, after the evidence was read, and the one-call baseline of 2024.

Candidates are made fit for one line of a run; the best valid ones are taken. The baseline writes
questions as the organizers' of 2024 did: one call, order kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sidelight.checks.questions import compound_reason, unfit_reason
from sidelight.english.names import definite, host_label
from sidelight.english.neutrality import passes_verdict
from sidelight.errors import ReplyError
from sidelight.generation.extractive.asked import LINK
from sidelight.generation.extractive.write_questions import SAME_QUESTION, reserve_questions
from sidelight.generation.prompted.findings import Findings, told_once
from sidelight.generation.prompted.plan_queries import LEAD
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import DraftQuestions
from sidelight.text import names, one_line, stems
from sidelight.text_vectors import Encode

_QUOTATION_MARKS = "\"'“”‘’"


def clean_question(text: str) -> str:
    """Return a question on one clean line, without the quotation marks some models put around it.

    A tab would break the run's columns, and readers of quoted tables stumble over a double
    quotation mark; both go.
    """
    line = one_line(text)
    if len(line) > 1 and line[0] in _QUOTATION_MARKS and line[-1] in _QUOTATION_MARKS:
        line = line[1:-1]
    return one_line(line.replace('"', "'"))


QUESTIONS_PROMPT = load_prompt(Path(__file__).with_name("questions.prompt.md"))

# Candidates asked for, as a multiple of what is wanted: faulty and repeated ones fall away.
_MOST = 1.6
_MOST_CANDIDATES = 40
_LEAST_SOUND = 0.5  # of what is wanted; a list with fewer sound ones is no use


class QuestionCandidate(Value):
    """A question as a model proposes it, and what its answer tells a reader."""

    why: str = Field(max_length=400)
    question: str = Field(max_length=600)


class QuestionCandidates(Value):
    """Candidates, most important first."""

    questions: tuple[QuestionCandidate, ...] = Field(max_length=_MOST_CANDIDATES)


@dataclass(frozen=True)
class PromptedQuestionWriter:
    """The role `write_questions` with a model, which sees what was found and is asked once.

    The model's order stays. What asks two things, is too long, passes a verdict or names what
    neither the article nor its rubric does is left out: a question for readers of the article
    speaks of what the article speaks of, and no other page chooses its words. What is missing
    then comes from the rubric, the heaviest first. Characters are code points of the NFC text.
    """

    asks = (Asked(QUESTIONS_PROMPT, calls=1, characters=25_000, written=565),)

    writer: PromptedModel
    encode: Encode
    questions_per_topic: int
    max_question_characters: int
    instead: Callable[[ReplyError], object]

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return exactly as many questions as are wanted, most important first."""
        findings = Findings.of(angles, evidence)
        most = round(_MOST * self.questions_per_topic)
        # The planner without a model, which steps in for one, calls its leads links.
        drafted = [
            angle for angle in angles if not (angle.angle_id.startswith(LEAD) or LINK.made(angle))
        ]
        known = _named(profile, drafted)
        heaviest = sorted(drafted, key=lambda angle: -angle.weight)
        candidates: list[str] = []

        def check(answer: QuestionCandidates) -> None:
            said = dict.fromkeys(clean_question(one.question) for one in answer.questions)
            faults = {question: self._fault(question, known) for question in said}
            candidates[:] = [question for question, fault in faults.items() if not fault]
            if len(candidates) < _LEAST_SOUND * self.questions_per_topic:
                wrong = [f"{fault}: {question}" for question, fault in faults.items() if fault]
                raise ValueError(told_once(wrong) or f"these are {len(said)} questions")

        try:
            await self.writer.answer(
                QUESTIONS_PROMPT,
                QuestionCandidates,
                check=check,
                profile=profile,
                findings=findings.shown(),
                most=most,
                max_characters=self.max_question_characters,
            )
        except ReplyError as error:
            if not candidates:
                raise
            self.instead(error)
        chosen = await self._different(candidates)
        if len(chosen) < self.questions_per_topic:
            asked = (clean_question(angle.question) for angle in heaviest)
            sound = (question for question in asked if not self._fault(question, known))
            chosen = await self._different([*candidates, *sound])
        if len(chosen) < self.questions_per_topic:
            reserve = reserve_questions(
                definite(profile.subject, profile.body), self.max_question_characters
            )
            # Better a template with a fault than nine questions: those come last.
            reserve = [*(one for one in reserve if not self._fault(one, known)), *reserve]
            chosen = list({one.casefold(): one for one in [*chosen, *reserve]}.values())
        return DraftQuestions(questions=tuple(chosen[: self.questions_per_topic]))

    def _fault(self, question: str, known: frozenset[str]) -> str | None:
        """Return why a question cannot stay as it is."""
        if not question.endswith("?"):
            return "it does not end with a question mark"
        if len(question) > self.max_question_characters:
            return f"it has more than {self.max_question_characters} characters"
        if passes_verdict(question):
            return "it asks for a verdict"
        if not _speaks_of(known, question):
            return "it names somebody or something that the article does not name"
        return unfit_reason(question) or compound_reason(question)

    async def _different(self, questions: Sequence[str]) -> list[str]:
        """Return the questions without those that ask what an earlier one asks."""
        if not questions:
            return []
        vectors = await asyncio.to_thread(self.encode, questions)
        alike = (vectors @ vectors.T).round(4) >= SAME_QUESTION
        kept: list[int] = []
        for row in range(len(questions)):
            if not any(alike[row, other] for other in kept):
                kept.append(row)
        return [questions[row] for row in kept]


def _speaks_of(known: frozenset[str], question: str) -> bool:
    """Tell whether all named entities of a question are known; its first word is none."""
    _, _, rest = question.partition(" ")
    return all(stems(name) <= known for name in names(rest))


def _named(profile: ArticleProfile, drafted: Sequence[Angle]) -> frozenset[str]:
    """Return the stems of the named entities of an article, its address and its rubric."""
    return stems(
        "\n".join(
            (
                *(profile.title, profile.publisher, profile.host, host_label(profile.host)),
                *(profile.byline, *profile.authors, *profile.people, *profile.organisations),
                *(*profile.studies, profile.subject, profile.body),
                *(angle.question for angle in drafted),
            )
        )
    )


ORGANIZERS_PROMPT = load_prompt(Path(__file__).with_name("organizers_2024.prompt.md"))


class ListedQuestions(Value):
    """Questions, most important first."""

    questions: tuple[Annotated[str, Field(max_length=600)], ...] = Field(max_length=20)


@dataclass(frozen=True)
class OrganizersQuestionWriter:
    """The role `write_questions` from the instructions to assessors alone, without evidence.

    Source: TREC 2024 Lateral Reading track overview, section 2.3.1.
    """

    example = False
    """Whether the prompt shows a worked example."""

    asks = (Asked(ORGANIZERS_PROMPT, calls=1, characters=0, written=154),)

    writer: PromptedModel
    questions_per_topic: int
    max_question_characters: int

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return the model's questions in its order; angles and evidence are not looked at.

        ReplyError is raised if the model twice gave too few or too many, or any that is repeated,
        too long or no question.
        """
        listed = await self.writer.answer(
            ORGANIZERS_PROMPT,
            ListedQuestions,
            check=self._check,
            profile=profile,
            count=self.questions_per_topic,
            max_characters=self.max_question_characters,
            example=self.example,
        )
        return DraftQuestions(questions=tuple(map(clean_question, listed.questions)))

    def _check(self, listed: ListedQuestions) -> None:
        questions = [clean_question(question) for question in listed.questions]
        if len(questions) != self.questions_per_topic:
            raise ValueError(
                f"expected {self.questions_per_topic} questions, found {len(questions)}"
            )
        if len({question.casefold() for question in questions}) != self.questions_per_topic:
            raise ValueError("a question is asked twice")
        for question in questions:
            if not question.endswith("?"):
                raise ValueError(f"this does not end with a question mark: {question}")
            if len(question) > self.max_question_characters:
                raise ValueError(
                    f"this has over {self.max_question_characters} characters: {question}"
                )


class ExampleQuestionWriter(OrganizersQuestionWriter):
    """The same, shown a worked example."""

    example = True
