"""Which of two answers is better, by a model's reading, each of them first once."""

from __future__ import annotations

import asyncio
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sidelight.errors import ReplyError
from sidelight.evaluation.battles.ratings import Battle
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.run import ReportRun

BATTLE_PROMPT = load_prompt(Path(__file__).with_name("battle.prompt.md"))
_WON = {"first": 1.0, "tie": 0.5, "second": 0.0}


class BattleVerdict(Value):
    """Which of two answers is better, the reason first."""

    reason: str
    better: Literal["first", "second", "tie"]


class PromptedBattles:
    """Compares answers by asking a model, which is not told whose they are.

    Args:
        model: Who is asked.
    """

    def __init__(self, model: PromptedModel) -> None:
        self._model = model

    async def __call__(self, query: str, first: str, second: str) -> tuple[float | None, str]:
        """Return what the first of two answers won, in [0, 1], and why; None where nobody can say.

        Each stands first once, and what it won is the mean of both: a judge that goes by the place
        of an answer calls a tie. An empty answer loses to one that is not, without anybody asked.
        """
        empty = [not one_line(text) for text in (first, second)]
        if any(empty):
            return (0.5 if all(empty) else float(empty[1])), "an answer is empty"
        try:
            one, other = await asyncio.gather(
                self._model.answer(
                    BATTLE_PROMPT, BattleVerdict, query=query, first=first, second=second
                ),
                self._model.answer(
                    BATTLE_PROMPT, BattleVerdict, query=query, first=second, second=first
                ),
            )
        except ReplyError as error:
            return None, one_line(error.message)
        won = (_WON[one.better] + 1 - _WON[other.better]) / 2
        return won, one_line(f"{one.reason} / {other.reason}")


async def hold_battles(
    runs: Sequence[ReportRun],
    queries: Mapping[str, str],
    judge: PromptedBattles,
    on_battle: Callable[[], object] = lambda: None,
) -> list[Battle]:
    """Return the battles of all pairs of runs on all topics that either of them answers.

    Args:
        runs: Of different tags.
        queries: Topic id -> what was asked; the topics that count. A missing answer is empty.
        judge: Who decides.
        on_battle: Told of each that has ended.
    """
    answers = {
        run.run_tag: {report.metadata.topic_id: report.text for report in run.reports}
        for run in runs
    }

    async def one(topic_id: str, first: str, second: str) -> Battle:
        texts = (answers[name].get(topic_id, "") for name in (first, second))
        won, reason = await judge(queries[topic_id], *texts)
        on_battle()
        return Battle(topic_id, first, second, won, reason)

    return list(
        await asyncio.gather(
            *(
                one(topic_id, first, second)
                for topic_id in sorted(queries)
                for first, second in combinations(sorted(answers), 2)
                if topic_id in answers[first] or topic_id in answers[second]
            )
        )
    )
