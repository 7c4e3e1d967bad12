"""Assessment of cases by a judge: every pair or answer exactly once, in a fixed order."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from sidelight.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.evaluation.labelling.protocol import A, AssessmentProtocol, RubricCase
    from sidelight.evaluation.labelling.run_kinds import TaskRuns

# Topics of runs judged at once. A judge that asks a model may make eighty calls for each, which all
# take memory while they wait.
_CASES_AT_ONCE = 256

L = TypeVar("L")
S = TypeVar("S")
OnLabels: TypeAlias = "Callable[[int], None]"


def ignore(_: int) -> None:
    """Do nothing, for those who need not know how far it is."""


async def assess(
    judge: Judge,
    protocol: AssessmentProtocol[S, A],
    cases: Iterable[tuple[str, RubricCase[S]]],
    on_labels: OnLabels = ignore,
) -> list[A]:
    """Label cases.

    The judge is given one after the other, so what it reads about a topic may be reused by the next
    run if the cases come topic by topic.

    Args:
        judge: Who judges.
        protocol: What is labelled.
        cases: Run tag and case.
        on_labels: Told how many labels have been added, whenever some have.

    Returns:
        The assessments in the protocol's order.

    Raises:
        UsageError: The judge does not label such things.
    """

    async def assessed(run_tag: str, case: RubricCase[S]) -> list[A]:
        return protocol.record(run_tag, case, await judge.label(protocol, case))

    work = (partial(assessed, run_tag, case) for run_tag, case in cases)
    return sorted(await gather_labels(work, on_labels), key=protocol.order)


async def gather_labels(
    work: Iterable[Callable[[], Awaitable[list[L]]]], on_labels: OnLabels
) -> list[L]:
    """Do pieces of judging, as many at once as memory allows, and return their labels in order."""
    slots = asyncio.Semaphore(_CASES_AT_ONCE)

    async def counted(part: Callable[[], Awaitable[list[L]]]) -> list[L]:
        async with slots:
            labels = await part()
        on_labels(len(labels))
        return labels

    return list(chain.from_iterable(await asyncio.gather(*map(counted, work))))


def check_unseen(judge: Judge, given: TaskRuns) -> None:
    """Raise UsageError when a run is one of the judge's examples."""
    seen = sorted({run.run_tag for run in given.runs} & judge.example_run_tags)
    if seen:
        raise UsageError(
            f"the judge has seen labels of {', '.join(seen)} and cannot judge them",
            remedy="Leave these runs out, or take other runs as examples with --example-run.",
        )
