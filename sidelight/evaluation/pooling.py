"""Pooling of questions from several groups, and selection of question pairs to assess.

For each topic the groups are put in random order and take turns. At its turn a group contributes
the next acceptable question of its run of the highest priority that nobody has asked yet; when that
run is used up, its next run goes on. What a group cannot contribute, the others make up for in
further turns. Source: TREC 2024 Lateral Reading track overview, section 2.2.2. A question is
accepted by rules and its similarity to the pool, or by a model.

Pairs of rubric question and submitted question are selected for assessors: of each run, for each
question of the rubric, only those that a model ranks nearest, the best by each of some models, such
as an embedder and a reranker. Where they agree there is one pair to judge. A run's other questions
count as very different. Source: DRAGUN resources paper, section 3.2.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sidelight.checks.questions import compound_reason, general_reason
from sidelight.errors import ReplyError
from sidelight.formats.runs.question_list import unquoted
from sidelight.llm.prompted import PromptedModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import QuestionRun
from sidelight.schemas.task import QuestionListTask
from sidelight.text import normalized, one_line, pointing_at_article
from sidelight.text_vectors import TextVectors

Group = Sequence[QuestionRun]
"""Runs of one group, that of the highest priority first."""


PoolChecker = Callable[[str, str, Sequence[str]], Awaitable[str | None]]
"""Returns why a question may not enter the pool, or None where it may. It is given the topic, the
question on one line, and the topic's questions that are in the pool already."""


class Refused(NamedTuple):
    """A question that did not enter the pool, and why."""

    topic_id: str
    run_tag: str
    rank: int
    question: str
    reason: str


class Pool(NamedTuple):
    """Pooled questions.

    Attributes:
        questions: By topic, in the order in which they entered.
        refused: Those whose turn it was and that did not enter, in that order.
        short: Topic id -> how many questions are lacking, because groups had no more.
    """

    questions: dict[str, tuple[str, ...]]
    refused: tuple[Refused, ...]
    short: dict[str, int]


async def pool_questions(
    groups: Mapping[str, Group], check: PoolChecker, *, per_group: int, seed: int
) -> Pool:
    """Return the pool of all topics that any run has questions for.

    Every group gives `per_group` questions for each topic, as long as each has enough. `seed` is
    that of the order of groups, which is drawn for each topic by itself: adding or leaving out
    topics changes nothing for the others.
    """
    topic_ids = sorted(
        {topic for runs in groups.values() for run in runs for topic in run.results()}
    )
    wanted = per_group * len(groups)
    questions: dict[str, tuple[str, ...]] = {}
    refused: list[Refused] = []
    for topic_id in topic_ids:
        order = sorted(groups)
        random.Random(f"{seed}/{topic_id}").shuffle(order)  # noqa: S311 - no secret
        waiting = {name: _in_turn(groups[name], topic_id) for name in order}
        pooled: list[str] = []
        while waiting and len(pooled) < wanted:
            for name in [name for name in order if name in waiting]:
                taken = await _next(topic_id, waiting[name], pooled, check, refused)
                if taken is None:
                    del waiting[name]
                elif len(pooled) < wanted:
                    pooled.append(taken)
        questions[topic_id] = tuple(pooled)
    short = {
        topic: wanted - len(found) for topic, found in questions.items() if len(found) < wanted
    }
    return Pool(questions, tuple(refused), short)


def _in_turn(runs: Group, topic_id: str) -> Iterator[tuple[str, int, str]]:
    """Yield run tag, rank and text of a group's questions in the order in which they are given.

    CSV quotes around a question, of which `validate` only warns, are no part of it.
    """
    for run in runs:
        for rank, text in enumerate(run.results().get(topic_id, ()), start=1):
            yield run.run_tag, rank, one_line(unquoted(text))


async def _next(
    topic_id: str,
    waiting: Iterator[tuple[str, int, str]],
    pooled: Sequence[str],
    check: PoolChecker,
    refused: list[Refused],
) -> str | None:
    """Return the next question that may enter; None where a group has no more."""
    for run_tag, rank, text in waiting:
        reason = await check(topic_id, text, pooled)
        if reason is None:
            return text
        refused.append(Refused(topic_id, run_tag, rank, text, reason))
    return None


# Above it most pairs of questions ask the same; see `generation/prompted/write_questions`.
_SAME_QUESTION = 0.84


async def check_by_rules(
    vectors: TextVectors,
    task: QuestionListTask,
    _topic_id: str,
    question: str,
    pooled: Sequence[str],
) -> str | None:
    """Return why a question may not enter, by the rules of the task and what is pooled already.

    `vectors` are by the default encoder.
    """
    if reason := rule_reason(question, task):
        return reason
    if not pooled:
        return None
    (cosines,) = vectors.similarity([question], pooled)
    nearest = int(cosines.argmax())
    if cosines[nearest] < _SAME_QUESTION:
        return None
    return f"the pool has it already: {pooled[nearest]}"


def rule_reason(question: str, task: QuestionListTask) -> str | None:
    """Return which rule of the task a question breaks by its form, or None."""
    if not one_line(question).endswith("?"):
        return "it does not end with a question mark"
    if len(normalized("NFC", question)) > task.max_characters:
        return f"it has more than {task.max_characters} characters"
    if task.standalone and (points := pointing_at_article(question)):
        return f"it does not stand by itself: it says {points!r}"
    # Each pooled question is searched for by itself, and the track pooled next to no follow-ups.
    return compound_reason(question, follow_ups=False) or general_reason(question)


Score = Callable[[str, Sequence[str]], Sequence[float]]
"""A question and some others to how near each of them is, higher for nearer."""


class PooledPair(NamedTuple):
    """A pair to judge; the models of `chosen_by` find this submitted question the nearest."""

    topic_id: str
    rubric_question_rank: int
    run_tag: str
    run_question_rank: int
    chosen_by: tuple[str, ...]


class PairPool(NamedTuple):
    """The pairs to judge, and how many there would be without pooling.

    Attributes:
        pairs: By topic, rank in the rubric, and run.
        cells: Rubric questions times runs: each gives one pair, or more where models differ.
        all_pairs: Rubric questions times submitted questions.
    """

    pairs: tuple[PooledPair, ...]
    cells: int
    all_pairs: int


def pool_pairs(
    rubrics: Mapping[str, Rubric], runs: Iterable[QuestionRun], models: Mapping[str, Score]
) -> PairPool:
    """Return the pairs that some models choose, on topics of `rubrics`.

    Of two submitted questions that a model finds equally near, the one of better rank is chosen.
    """
    pairs: list[PooledPair] = []
    cells = all_pairs = 0
    for run in sorted(runs, key=lambda one: one.run_tag):
        asked: dict[str, dict[int, str]] = {}
        for question in sorted(run.questions, key=lambda one: one.rank):
            asked.setdefault(question.topic_id, {})[question.rank] = question.text
        for topic_id in sorted(rubrics.keys() & asked.keys()):
            ranks, texts = list(asked[topic_id]), list(asked[topic_id].values())
            for wanted in rubrics[topic_id].questions:
                cells += 1
                all_pairs += len(texts)
                chosen: dict[int, list[str]] = {}
                for name, score in models.items():
                    scores = list(score(wanted.text, texts))
                    best = max(range(len(texts)), key=scores.__getitem__)
                    chosen.setdefault(ranks[best], []).append(name)
                pairs += [
                    PooledPair(topic_id, wanted.rank, run.run_tag, rank, tuple(names))
                    for rank, names in sorted(chosen.items())
                ]
    return PairPool(tuple(sorted(pairs)), cells, all_pairs)


POOL_PROMPT = load_prompt(Path(__file__).with_name("pool_question.prompt.md"))

_ARTICLE_WORDS = 800


class PoolVerdict(Value):
    """Whether a question may enter."""

    reason: str
    verdict: Literal["enters", "unfit", "repeats"]


async def check_by_model(
    model: PromptedModel,
    articles: Mapping[str, str],
    task: QuestionListTask,
    topic_id: str,
    question: str,
    pooled: Sequence[str],
) -> str | None:
    """Return why a question may not enter, by the rules of form and by a model.

    `articles` are titles and texts by topic id; a topic without one is judged by its questions
    alone.
    """
    if reason := rule_reason(question, task):
        return reason
    words = articles.get(topic_id, "").split(maxsplit=_ARTICLE_WORDS)
    try:
        answer = await model.answer(
            POOL_PROMPT,
            PoolVerdict,
            article=" ".join(words[:_ARTICLE_WORDS]),
            question=question,
            pooled=list(pooled),
            max_characters=task.max_characters,
        )
    except ReplyError as error:
        return f"nobody could say: {error.message}"
    return None if answer.verdict == "enters" else f"{answer.verdict}: {answer.reason}"
