"""Creation of nuggets from relevant documents by models, and assignment of nuggets to answers.

Each model goes through the documents ten at a time and improves its list; the lists of several are
merged by one of them. Then each nugget is called vital or okay, ten at a time beside each other.
Where a narrative has sub-narratives, a model says which of them each nugget belongs to.
Source: TREC 2025 RAG track overview, section 3.2.

In assignment, too, a model labels ten nuggets at a time. A reply must give each nugget of its
window one label. Where neither it nor the one repair turn does, nuggets that it labels exactly once
count and the rest is unjudged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import Field

from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.formats.labels.assessments import ANSWER_LEVELS
from sidelight.learned.models import AnswerModel
from sidelight.llm.prompted import PromptedModel
from sidelight.llm.structured import check_each_once
from sidelight.prompting import Prompt, load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import LabelScale, OneOf
from sidelight.schemas.grading.rubric import Nugget, NuggetAssignment, NuggetBank, Rubric
from sidelight.schemas.run import ReportRun
from sidelight.text import budget_words, one_line

CREATE_PROMPT = load_prompt(Path(__file__).with_name("nugget_create.prompt.md"))
MERGE_PROMPT = load_prompt(Path(__file__).with_name("nugget_merge.prompt.md"))
IMPORTANCE_PROMPT = load_prompt(Path(__file__).with_name("nugget_importance.prompt.md"))
PART_PROMPT = load_prompt(Path(__file__).with_name("nugget_part.prompt.md"))

Item = TypeVar("Item")

MOST = 30
MOST_WORDS = 12
WINDOW = 10
_LEAST_GRADE = 1


class NuggetList(Value):
    """Facts, the most important first."""

    nuggets: tuple[str, ...] = Field(max_length=MOST)


class Weighed(Value):
    """How important one fact is."""

    number: int
    label: Literal["vital", "okay"]


class WeighedList(Value):
    """How important each of some facts is."""

    labels: tuple[Weighed, ...]


def documents_to_read(grades: Mapping[str, int]) -> list[str]:
    """Return the ids of the documents that nuggets are made from, the most relevant first.

    `grades` are by document id; from grade 1 on a document is related to the question, and is read.
    """
    related = [name for name, grade in grades.items() if grade >= _LEAST_GRADE]
    return sorted(related, key=lambda name: (-grades[name], name))


async def create_nuggets(
    topic_id: str,
    query: str,
    documents: Sequence[str],
    models: Sequence[PromptedModel],
    importance: LabelScale,
) -> NuggetBank | None:
    """Return the nuggets of a topic; None where the documents hold no fact that bears on it.

    Documents are texts, the most relevant first. Each model drafts a list; the first merges them
    and says how important each nugget is, `vital` or `okay`.

    Raises:
        ReplyError: A model gave no usable answer.
    """
    lists = await asyncio.gather(*(_listed(query, documents, model) for model in models))
    texts = lists[0]
    if len(lists) > 1:
        texts = await _facts(models[0], MERGE_PROMPT, query=query, lists=[*map(list, lists)])
    if not texts:
        return None
    labels = await weigh(query, texts, models[0])
    nuggets = (
        Nugget(text=text, importance=importance.label(label))
        for text, label in zip(texts, labels, strict=True)
    )
    return NuggetBank(topic_id=topic_id, nuggets=tuple(nuggets))


async def weigh(query: str, nuggets: Sequence[str], model: PromptedModel) -> list[str]:
    """Return how important each nugget is, in their order.

    Raises:
        ReplyError: The model gave no usable answer.
    """
    labels: list[str] = []
    for window in _windows(nuggets):
        answer = await model.answer(
            IMPORTANCE_PROMPT,
            WeighedList,
            check=partial(_check_numbers, len(window)),
            query=query,
            nuggets=list(window),
        )
        labels += [one.label for one in sorted(answer.labels, key=lambda one: one.number)]
    return labels


def nuggets_of(rubric: Rubric, scale: LabelScale, importance: LabelScale) -> NuggetBank:
    """Return each answer of a rubric as a nugget.

    It is vital where `scale`, that of the rubric, has nothing above the importance of its question,
    and okay elsewhere: the first and the last label of `importance`.
    """
    nuggets = (
        Nugget(
            text=one_line(answer.text),
            importance=importance.labels[0 if question.importance.name == scale.highest else -1],
        )
        for question in rubric.questions
        for answer in question.answers
    )
    return NuggetBank(topic_id=rubric.topic_id, nuggets=tuple(nuggets))


def _windows(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + WINDOW] for start in range(0, len(items), WINDOW))


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


def _check_numbers(count: int, answer: WeighedList | SortedList) -> None:
    check_each_once(_numbers(count), [str(one.number) for one in answer.labels])


class Sorted(Value):
    """Which part of a narrative one fact belongs to; 0 is none."""

    number: int
    part: int = Field(ge=0)


class SortedList(Value):
    """Which part of a narrative each of some facts belongs to."""

    labels: tuple[Sorted, ...]


async def sort_nuggets(
    bank: NuggetBank, query: str, parts: Sequence[str], model: PromptedModel
) -> NuggetBank:
    """Return the nuggets of a topic, each with the sub-narrative that it belongs to, if any.

    Raises:
        ReplyError: The model gave no usable answer.
    """
    found: list[Nugget] = []

    def check(count: int, answer: SortedList) -> None:
        _check_numbers(count, answer)
        if any(one.part > len(parts) for one in answer.labels):
            raise ValueError(f"expected parts from 0 to {len(parts)}")

    for window in _windows(bank.nuggets):
        answer = await model.answer(
            PART_PROMPT,
            SortedList,
            check=partial(check, len(window)),
            query=query,
            parts=list(parts),
            nuggets=[nugget.text for nugget in window],
        )
        names = {one.number: ("", *parts)[one.part] for one in answer.labels}
        found += (
            nugget.model_copy(update={"sub_narrative": names[number]})
            for number, nugget in enumerate(window, start=1)
        )
    return bank.model_copy(update={"nuggets": tuple(found)})


async def _listed(query: str, documents: Sequence[str], model: PromptedModel) -> tuple[str, ...]:
    known: tuple[str, ...] = ()
    for window in _windows(documents):
        known = await _facts(
            model, CREATE_PROMPT, query=query, documents=list(window), nuggets=list(known)
        )
    return known


async def _facts(model: PromptedModel, prompt: Prompt, **shown: object) -> tuple[str, ...]:
    answer = await model.answer(
        prompt, NuggetList, check=_check, ids=None, **shown, most=MOST, most_words=MOST_WORDS
    )
    return tuple(map(one_line, answer.nuggets))


def _check(answer: NuggetList) -> None:
    """Raise a ValueError where a nugget is empty, too long, or there twice."""
    seen: set[str] = set()
    for number, nugget in enumerate(answer.nuggets, start=1):
        words, text = budget_words(nugget), one_line(nugget).casefold()
        if not 1 <= words <= MOST_WORDS:
            raise ValueError(f"nugget {number} has {words} words; expected 1 to {MOST_WORDS}")
        if text in seen:
            raise ValueError(f"nugget {number} says what an earlier one does")
        seen.add(text)


ASSIGN_PROMPT = load_prompt(Path(__file__).with_name("nugget_assign.prompt.md"))


class Assigned(Value):
    """What the answer says of one nugget."""

    number: int
    reason: str
    label: Annotated[str, OneOf(ANSWER_LEVELS)]


class AssignedList(Value):
    """What the answer says of each nugget of a window."""

    labels: tuple[Assigned, ...]


async def assign_prompted(
    assessor: Assessor, bank: NuggetBank, query: str, answer: str
) -> list[Judgment]:
    """Return a model's judgment on each nugget, in their order."""
    if not one_line(answer):
        return [Judgment(ANSWER_LEVELS[0], "the answer is empty")] * len(bank.nuggets)
    found: list[Judgment] = []
    for window in _windows(bank.nuggets):
        found += await assessor.judgments(
            (bank.topic_id, answer),
            ASSIGN_PROMPT,
            AssignedList,
            _numbers(len(window)),
            lambda reply: (
                (str(one.number), Judgment(one.label, one.reason)) for one in reply.labels
            ),
            query=query,
            answer=answer,
            nuggets=[nugget.text for nugget in window],
        )
    return found


async def assign_learned(
    model: AnswerModel, bank: NuggetBank, query: str, answer: str
) -> list[Judgment]:
    """Return one judgment for each nugget, in their order, as the model of answers judges."""
    items = [nugget.text for nugget in bank.nuggets]
    verdicts = model.judge(items, answer, max_words=None, context=query)
    return [Judgment(ANSWER_LEVELS[one.level], one.reason or one.sentence) for one in verdicts]


Assigner: TypeAlias = Callable[[NuggetBank, str, str], Awaitable[list[Judgment]]]
"""Says what an answer tells of each nugget of its topic, of which the query is given, too."""


async def assign_runs(
    runs: Sequence[ReportRun],
    banks: Mapping[str, NuggetBank],
    queries: Mapping[str, str],
    assigner: Assigner,
) -> list[NuggetAssignment]:
    """Return the labels of all answers to topics that have nuggets, run by run.

    `queries` by topic id come before those that the nuggets have.
    """
    found = []
    for run in runs:
        for report in run.reports:
            topic_id = report.metadata.topic_id
            if topic_id not in banks:
                continue
            bank = banks[topic_id]
            query = queries.get(topic_id) or bank.query
            judgments = await assigner(bank, query, report.text)
            found.append(
                NuggetAssignment(
                    run_tag=run.run_tag,
                    bank=bank,
                    labels=tuple(one.label for one in judgments),
                    query=query,
                    answer=report.text,
                )
            )
    return found
