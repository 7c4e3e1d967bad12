"""Pairwise battles between answers, judged by a model in both orders, and ratings of runs.

P(i beats j) = 1 / (1 + 10 ^ ((r_j - r_i) / 400)), a tie counting as half a win for each.

r: the rating of a run, on the scale of chess, 1,000 on average; 400 points more are odds of ten to
one. Ratings maximise the likelihood of all battles together with half a tie of each run against one
of average strength, without which a run that never lost had no finite rating. They are found by
minorisation and maximisation. Intervals are 95% percentiles over bootstrap samples of the topics,
whose battles stay together.

Source: Bradley and Terry, Rank Analysis of Incomplete Block Designs, Biometrika 39 (1952); Hunter,
MM Algorithms for Generalized Bradley-Terry Models, Annals of Statistics 32 (2004). Edge cases: a
battle that nobody could decide counts for nothing and is counted; with one topic there is no
interval.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.errors import InputError, ReplyError
from sidelight.evaluation.scoring.table import MIN_TOPICS, Interval
from sidelight.llm.prompted import PromptedModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.run import ReportRun
from sidelight.text import one_line

Matrix = npt.NDArray[np.float64]


_MEAN, _POINTS = 1000.0, 400.0
_PRIOR = 0.5  # ties against a run of average strength
_ROUNDS, _CLOSE = 10_000, 1e-10
_TAIL = 2.5  # percent


class Battle(NamedTuple):
    """Two answers to one topic; `won` is what the first won, in [0, 1]; None if undecided."""

    topic_id: str
    first: str
    second: str
    won: float | None
    reason: str = ""


class Rating(NamedTuple):
    """Rating of a run, 1,000 on average, with its interval.

    Attributes:
        interval: Of the rating; None with too few topics.
        won: Battles won, those undecided left out.
    """

    run_tag: str
    rating: float
    interval: Interval | None
    won: int
    tied: int
    lost: int


def rate(battles: Sequence[Battle], *, samples: int, seed: int) -> list[Rating]:
    """Return a rating for each run, the strongest first, ties by run tag."""
    decided = [battle for battle in battles if battle.won is not None]
    if not decided:
        raise InputError(
            "no battle is decided", remedy="Give runs that answer the same topics, two or more."
        )
    tags = sorted({tag for battle in decided for tag in (battle.first, battle.second)})
    topics = sorted({battle.topic_id for battle in decided})
    place = {tag: number for number, tag in enumerate(tags)}
    row = {topic: number for number, topic in enumerate(topics)}
    won = np.zeros((len(topics), len(tags), len(tags)))
    for battle in decided:
        first, second = place[battle.first], place[battle.second]
        won[row[battle.topic_id], first, second] += battle.won or 0.0
        won[row[battle.topic_id], second, first] += 1.0 - (battle.won or 0.0)
    ratings = _ratings(won.sum(axis=0))
    intervals: list[Interval | None] = [None] * len(tags)
    if len(topics) >= MIN_TOPICS:
        generator = np.random.default_rng(seed)
        counts = generator.multinomial(len(topics), np.full(len(topics), 1 / len(topics)), samples)
        drawn = _ratings(np.einsum("st,tij->sij", counts, won))
        ends = np.percentile(drawn, (_TAIL, 100 - _TAIL), axis=0)
        intervals = [Interval(float(low), float(high)) for low, high in ends.T]
    found = [
        Rating(tag, float(ratings[number]), intervals[number], *_record(decided, tag))
        for tag, number in place.items()
    ]
    return sorted(found, key=lambda one: (-one.rating, one.run_tag))


def _record(battles: Sequence[Battle], tag: str) -> tuple[int, int, int]:
    """Return how many battles a run won, tied and lost."""
    shares = [
        (battle.won or 0.0) if battle.first == tag else 1.0 - (battle.won or 0.0)
        for battle in battles
        if tag in (battle.first, battle.second)
    ]
    half = 0.5
    return (
        sum(share > half for share in shares),
        sum(share == half for share in shares),
        sum(share < half for share in shares),
    )


def _ratings(won: Matrix) -> npt.NDArray[np.float64]:
    """Return ratings of runs from what each won against each, `(..., n_runs, n_runs)`."""
    games = won + won.swapaxes(-1, -2)
    wins = won.sum(axis=-1) + _PRIOR / 2
    strengths = np.ones(wins.shape)
    settled = np.zeros((*wins.shape[:-1], 1), dtype=np.bool_)
    for _ in range(_ROUNDS):
        # The run of average strength has the strength 1.
        met = games / (strengths[..., :, None] + strengths[..., None, :])
        updated = wins / (met.sum(axis=-1) + _PRIOR / (strengths + 1.0))
        change = np.abs(np.log(updated / strengths)).max(axis=-1, keepdims=True)
        strengths = np.where(settled, strengths, updated)
        settled |= change < _CLOSE
        if settled.all():
            break
    logs = np.log10(strengths)
    ratings: npt.NDArray[np.float64] = _MEAN + _POINTS * (logs - logs.mean(axis=-1, keepdims=True))
    return ratings


BATTLE_PROMPT = load_prompt(Path(__file__).with_name("battle.prompt.md"))
_WON = {"first": 1.0, "tie": 0.5, "second": 0.0}


class BattleVerdict(Value):
    """Which of two answers is better, the reason first."""

    reason: str
    better: Literal["first", "second", "tie"]


async def hold_battle(
    model: PromptedModel, query: str, first: str, second: str
) -> tuple[float | None, str]:
    """Return what the first of two answers won, in [0, 1], and why; None where nobody can say.

    The model is not told whose they are. Each stands first once, and what it won is the mean of
    both: a judge that goes by the place of an answer calls a tie. An empty answer loses to one that
    is not, without anybody asked.
    """
    empty = [not one_line(text) for text in (first, second)]
    if any(empty):
        return (0.5 if all(empty) else float(empty[1])), "an answer is empty"
    try:
        one, other = await asyncio.gather(
            *(
                model.answer(BATTLE_PROMPT, BattleVerdict, query=query, first=left, second=right)
                for left, right in ((first, second), (second, first))
            )
        )
    except ReplyError as error:
        return None, one_line(error.message)
    won = (_WON[one.better] + 1 - _WON[other.better]) / 2
    return won, one_line(f"{one.reason} / {other.reason}")


async def hold_battles(
    runs: Sequence[ReportRun],
    queries: Mapping[str, str],
    model: PromptedModel,
    on_battle: Callable[[], object] = lambda: None,
) -> list[Battle]:
    """Return the battles of all pairs of runs on all topics that either of them answers.

    Runs have different tags; only the topics of `queries` count. A missing answer is empty.
    """
    answers = {
        run.run_tag: {report.metadata.topic_id: report.text for report in run.reports}
        for run in runs
    }

    async def one(topic_id: str, first: str, second: str) -> Battle:
        texts = (answers[name].get(topic_id, "") for name in (first, second))
        won, reason = await hold_battle(model, queries[topic_id], *texts)
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
