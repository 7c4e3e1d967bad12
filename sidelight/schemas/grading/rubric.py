"""Rubrics, banks and nuggets: the questions, answers and key facts that a topic is graded by.

A rubric has questions with answers; an exam bank has test questions or key facts, by which any
passage can be graded; a nugget bank has nuggets, which assignments label for an answer. Styles say
how a bank is drafted: what its items are, and with which prompt a model is asked for them.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import HIGHEST_CREDIT, Label, Unjudged

Weight = Annotated[
    float, Field(strict=True, ge=-HIGHEST_CREDIT, le=HIGHEST_CREDIT, allow_inf_nan=False)
]
"""What an item counts; below 0 where a submission should not say it."""


class BankItem(Value):
    """One thing that a submission should ask or tell, in the words of whoever wrote the bank.

    `importance` is a label of a scale of importance; the label's credit is the weight.
    """

    text: str
    importance: Label

    @property
    def weight(self) -> float:
        """Return what the item counts, w in formulas."""
        return self.importance.credit


class Bank(Value):
    """Items that one topic is graded by; each kind of bank says what its items are called."""

    topic_id: str

    @property
    @abstractmethod
    def items(self) -> Sequence[BankItem]:
        """Return the items, in the order of the file."""

    @property
    def total_weight(self) -> float:
        """Return the sum of the weights of all items, W in formulas."""
        return sum(item.weight for item in self.items)


class Nugget(BankItem):
    """One fact that an answer should tell, or, of negative weight, should not.

    Attributes:
        sub_narrative: The part of the narrative that it belongs to; empty where nobody said.
        own_weight: What it weighs where the bank says so itself, whatever its importance.
    """

    sub_narrative: str = ""
    own_weight: Weight | None = None

    @property
    def weight(self) -> float:
        """Return the nugget's own weight, or that of its importance."""
        return super().weight if self.own_weight is None else self.own_weight


class NuggetBank(Bank):
    """Facts that an answer should tell; `query` is what was asked, where its file says so."""

    nuggets: tuple[Nugget, ...] = Field(min_length=1)
    query: str = ""

    @property
    def items(self) -> tuple[Nugget, ...]:
        """Return the nuggets."""
        return self.nuggets


class RubricAnswer(Value):
    """An expected short answer: one factual sentence.

    `answer_id` is unique within the topic, e.g. `na-3`; each URL in `references` supports the
    answer on its own.
    """

    answer_id: str
    text: str
    references: tuple[str, ...] = ()


class RubricQuestion(BankItem):
    """A question a careful reader should have answered; its id ends in `-<rank>`.

    `rank` is counted from 1; assessments name a question by it.
    """

    question_id: str
    rank: int
    answers: tuple[RubricAnswer, ...]


class Rubric(Bank):
    """All questions of one topic."""

    questions: tuple[RubricQuestion, ...]

    @property
    def items(self) -> tuple[RubricQuestion, ...]:
        """Return the questions."""
        return self.questions

    @property
    def answers(self) -> tuple[RubricAnswer, ...]:
        """Return the answers that are expected of a report, question by question."""
        return tuple(answer for question in self.questions for answer in question.answers)

    @property
    def texts(self) -> dict[int | str, str]:
        """Return the texts of the questions by rank, and of the answers by id."""
        texts: dict[int | str, str] = {one.rank: one.text for one in self.questions}
        return texts | {one.answer_id: one.text for one in self.answers}

    def fingerprint(self) -> str:
        """Return the SHA-256 of the whole rubric, by which labels name it."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @model_validator(mode="after")
    def _unique(self) -> Self:
        names = [f"question rank {question.rank}" for question in self.questions]
        names += [f"answer id {answer.answer_id}" for answer in self.answers]
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise ValueError(f"topic {self.topic_id}: {repeated[0]} occurs twice")
        if not self.questions or any(not question.answers for question in self.questions):
            raise ValueError(f"topic {self.topic_id}: every rubric and question needs an answer")
        return self


ExamKind = Literal["question", "nugget"]
"""What the items of a bank are: questions to be answered, or facts to be covered."""

EVEN = Label(name="even", credit=1)
"""The importance of an item where nobody said that one matters more than another."""

_VERSION_DIGITS = 12


class ExamItem(BankItem):
    """One question, or one fact.

    Attributes:
        item_id: `query/md5 of the text`, or `query/subtopic/md5`; see `exam_item_id`.
        source: The object it was read from, whose other keys are written back; empty for a new one.
    """

    item_id: str = Field(min_length=1)
    importance: Label = EVEN
    source: dict[str, Any] = Field(default_factory=dict, repr=False)


class ExamBank(Bank):
    """Items that answers to one query, or to one subtopic of it, are graded by.

    Attributes:
        subtopic_id: The part of the query that is meant; empty where it is all of it.
        source: The object it was read from, whose other keys are written back; empty for a new one.
    """

    subtopic_id: str = ""
    query_text: str
    kind: ExamKind
    tests: tuple[ExamItem, ...]
    source: dict[str, Any] = Field(default_factory=dict, repr=False)

    @property
    def items(self) -> tuple[ExamItem, ...]:
        """Return the questions or facts."""
        return self.tests

    @property
    def key(self) -> tuple[str, str]:
        """Return what it is for: the query and the subtopic."""
        return self.topic_id, self.subtopic_id

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        seen: set[str] = set()
        for item in self.tests:
            if item.item_id in seen:
                raise ValueError(f"query {self.topic_id}: item {item.item_id} occurs twice")
            seen.add(item.item_id)
        return self


def exam_item_id(topic_id: str, text: str, subtopic_id: str = "") -> str:
    """Return the id of an item: the same words for the same query always have the same."""
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return "/".join(part for part in (topic_id, subtopic_id, digest) if part)


def new_item(topic_id: str, text: str, subtopic_id: str = "") -> ExamItem:
    """Return an item that did not exist before."""
    text = text.strip()
    return ExamItem(item_id=exam_item_id(topic_id, text, subtopic_id), text=text)


def item_ids(banks: Iterable[ExamBank]) -> dict[str, list[str]]:
    """Return the ids of the items by query, of all its subtopics."""
    ids: dict[str, list[str]] = {}
    for bank in banks:
        ids.setdefault(bank.topic_id, []).extend(item.item_id for item in bank.items)
    return ids


def bank_version(banks: Iterable[ExamBank]) -> str:
    """Return what changes when an item is added, dropped, reworded or weighed anew.

    Neither the order of banks and items nor what else a file says of them counts.
    """
    rows = sorted(
        "\x1f".join((*bank.key, bank.kind, item.item_id, item.text, repr(item.weight)))
        for bank in banks
        for item in bank.items
    )
    return hashlib.sha256("\x1e".join(rows).encode()).hexdigest()[:_VERSION_DIGITS]


class NuggetAssignment(Value):
    """One answer of a run, with a label for each nugget, in the order of the nuggets."""

    run_tag: str
    bank: NuggetBank
    labels: tuple[str | Unjudged, ...]
    query: str = ""
    answer: str = ""

    @property
    def topic_id(self) -> str:
        """Return the topic of the answer."""
        return self.bank.topic_id

    @model_validator(mode="after")
    def _one_label_a_nugget(self) -> Self:
        if len(self.labels) != len(self.bank.nuggets):
            raise ValueError(
                f"run {self.run_tag}, topic {self.topic_id}: {len(self.labels)} labels for "
                f"{len(self.bank.nuggets)} nuggets"
            )
        return self


class Style(StrEnum):
    """The styles of the paper, by the collections they were made for, and nuggets.

    Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, sections 4.1 and 5.1.
    """

    DL = "dl"
    CAR = "car"
    NUGGETS = "nuggets"

    @property
    def kind(self) -> ExamKind:
        """Kind of the items."""
        return "nugget" if self is Style.NUGGETS else "question"
