"""Pool questions of several groups: in turns, the same number from each.

For each topic the groups are put in random order, and take turns. At its turn a group gives the
next question of its run of the highest priority that nothing is wrong with and that nobody has
asked yet; when that run is used up, its next run goes on. What a group that has no more is lacking,
the others make up for in further turns.

Source: TREC 2024 Lateral Reading track overview, section 2.2.2.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sidelight.schemas.run import QuestionRun

    Group = Sequence[QuestionRun]
    """Runs of one group, that of the highest priority first."""


class PoolChecker(Protocol):
    """Decides whether a question may enter the pool."""

    async def __call__(self, topic_id: str, question: str, pooled: Sequence[str]) -> str | None:
        """Return why a question may not enter, or None where it may.

        Args:
            topic_id: The topic.
            question: The question, on one line.
            pooled: The topic's questions that are in the pool already.
        """
        ...


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

    Args:
        groups: By name.
        check: Decides which questions may enter.
        per_group: How many questions of each group, for each topic, as long as each has enough.
        seed: Of the order of groups, which is drawn for each topic by itself: adding or leaving out
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
    """Yield run tag, rank and text of a group's questions in the order in which they are given."""
    for run in runs:
        for rank, text in enumerate(run.results().get(topic_id, ()), start=1):
            yield run.run_tag, rank, one_line(text)


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
