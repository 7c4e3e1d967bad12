"""Reports and questions, as drafts and after the track's limits have been checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from sidelight.errors import InputError
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import document_id_of
from sidelight.schemas.task import CitedTextTask
from sidelight.text import budget_words, normalized, one_line


class DraftSentence(Value):
    """A sentence and what its writer rests it on.

    Attributes:
        segment_ids: What it cites, the best support first.
        covers: Probability, in (0, 1], that it covers each angle it speaks to.
    """

    text: str
    segment_ids: tuple[str, ...] = ()
    covers: dict[str, float] = Field(default_factory=dict)


Unused = Literal[
    "forum",
    "retold",
    "shouting",
    "elsewhere",
    "unread",
    "no statement",
    "little",
    "outdone",
    "removed",
]
"""Why evidence is not cited: by what its page is, what it says, or what became of a sentence."""


class DraftReport(Value):
    """A report as a writer proposes it.

    Attributes:
        sentences: In reading order.
        reserve: Sentences that could take the place of others, best first.
        invented_keys: Evidence keys its writer named that stand for nothing.
        notes: What its writer left out or had to do without, for the trace.
        rivals: Other drafts of the same report, written apart; a check chooses.
        unused: By segment id, why its writer rests nothing on some evidence.
    """

    sentences: tuple[DraftSentence, ...]
    reserve: tuple[DraftSentence, ...] = ()
    invented_keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rivals: tuple[DraftReport, ...] = ()
    unused: dict[str, Unused] = Field(default_factory=dict)


class Removal(Value):
    """A sentence a check took out.

    Attributes:
        label: How far what it cites supports it; `unfit` when that was not the fault.
    """

    sentence: DraftSentence
    label: str
    reason: str


class SentenceSupport(Value):
    """Support label of a sentence that a check kept.

    Attributes:
        segment_ids: What it was held against.
        said_by: Those of them that support it as far as the label says, each by itself.
        label: How far, by what learned from people's labels, whoever kept it.
        before: What it was before the check mended it; empty where it stands as it was drafted.
    """

    text: str
    segment_ids: tuple[str, ...]
    said_by: tuple[str, ...]
    label: str
    reason: str
    before: str = ""


class DroppedCitation(Value):
    """A cited key that did not become a citation, and why."""

    segment_id: str
    reason: str


class CheckedReport(Value):
    """A draft whose sentences all stand on what they cite, and what does not stand.

    `stood` says how far sentences of the draft are supported; a sentence not in it was not judged.
    """

    draft: DraftReport
    removed: tuple[Removal, ...] = ()
    stood: tuple[SentenceSupport, ...] = ()


class Revision(Value):
    """A draft that makes up for what a check took out; `evidence` is what was added for it."""

    draft: DraftReport
    evidence: EvidenceSet = EvidenceSet()


@dataclass(frozen=True, slots=True)
class Report:
    """A report that keeps the track's limits and cites only what was found; constructing checks.

    `evidence_ids` are the segments that were found for the topic. InputError is raised if a limit
    is broken, or a sentence cites any other segment, or one of the topic's own document.
    """

    topic_id: str
    sentences: tuple[CitedSentence, ...]
    evidence_ids: frozenset[str]
    task: CitedTextTask

    def __post_init__(self) -> None:
        words = sum(budget_words(sentence.text) for sentence in self.sentences)
        if words > self.task.max_words:
            raise InputError(f"{self.topic_id}: {words} words, over {self.task.max_words}")
        uncited = sum(not sentence.citations for sentence in self.sentences)
        if self.task.max_uncited is not None and uncited > self.task.max_uncited:
            raise InputError(f"{self.topic_id}: {uncited} sentences cite nothing")
        for sentence in self.sentences:
            if not sentence.text or sentence.text != one_line(sentence.text):
                raise InputError(f"{self.topic_id}: not a clean single line: {sentence.text!r}")
            cited = sentence.citations
            if len(cited) > self.task.citations_written or len(set(cited)) != len(cited):
                raise InputError(f"{self.topic_id}: too many or repeated citations: {cited}")
            for segment_id in cited:
                if segment_id not in self.evidence_ids:
                    raise InputError(
                        f"{self.topic_id}: cites {segment_id}, which was not retrieved"
                    )
                if document_id_of(segment_id) == self.topic_id:
                    raise InputError(f"{self.topic_id}: cites itself: {segment_id}")

    @property
    def content(self) -> tuple[CitedSentence, ...]:
        """Content as a run file holds it."""
        return self.sentences


class DraftQuestions(Value):
    """Questions as a writer proposes them: any number, most important first."""

    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Exactly the questions a track asks for, rank 1 first; constructing one checks it.

    InputError is raised if their number is wrong, or a question is empty, repeated, longer than
    `max_characters` code points in NFC, or not a clean single line.
    """

    topic_id: str
    questions: tuple[str, ...]
    count: int
    max_characters: int

    def __post_init__(self) -> None:
        if len(self.questions) != self.count:
            raise InputError(
                f"{self.topic_id}: expected {self.count} questions, found {len(self.questions)}"
            )
        if len({question.casefold() for question in self.questions}) != self.count:
            raise InputError(f"{self.topic_id}: a question occurs twice")
        for question in self.questions:
            if not question or question != one_line(question) or question.startswith('"'):
                raise InputError(f"{self.topic_id}: not a clean single line: {question!r}")
            if len(normalized("NFC", question)) > self.max_characters:
                raise InputError(
                    f"{self.topic_id}: over {self.max_characters} characters: {question!r}"
                )

    @property
    def content(self) -> tuple[str, ...]:
        """Content as a run file holds it."""
        return self.questions
