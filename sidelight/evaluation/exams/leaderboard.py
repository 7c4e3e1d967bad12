"""Leaderboards of runs by grades of their passages, and how near they come to the official one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sidelight.errors import UsageError
from sidelight.evaluation.agreement.ranks import ScoreComparison, compare_scores
from sidelight.evaluation.exams.cover import score_table
from sidelight.evaluation.scoring.retrieval import (
    is_undefined,
    parse_measures,
    score_results,
    untied,
)
from sidelight.evaluation.scoring.table import TopicScore
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.exams.grades import Qrels
    from sidelight.evaluation.scoring.table import ScoreTable

Places = dict[str, dict[str, dict[str, int]]]
"""Run -> query id -> passage id -> place, from 1."""

WITHIN = 0.05
"""How much below the best still counts as equally good, where no test of significance applies."""

_LOOKED_AT = 10
_DEEPEST_HOLE = 1000  # as deep as runs go that are handed in


@dataclass(frozen=True, slots=True)
class Standing:
    """One run on a leaderboard.

    Attributes:
        run_tag: The run.
        rank: By the grades; tied runs share the mean of their ranks.
        official: By assessors; None where they judged too little of the run.
        judged: Share of its first passages that assessors judged.
    """

    run_tag: str
    rank: float
    official: float | None
    judged: float


def places_of(path: Path) -> dict[str, dict[str, int]]:
    """Read a run file: query id -> passage id -> place, in the order of trec_eval.

    Raises:
        InputError: The file cannot be read.
    """
    found = {}
    for query_id, hits in read_trec_run(path).items():
        scores = untied(hits)
        found[query_id] = {one: len(scores) - int(score) for one, score in scores.items()}
    return found


def leaderboard(places: Places, qrels: Qrels, measures: str, level: int) -> ScoreTable:
    """Score every run by some grades.

    A place for which the file has no passage stays a place, with a passage that is not relevant:
    without it, those below would move up.

    Args:
        places: The runs.
        qrels: The grades; their queries are those that count.
        measures: Names of ir_measures, e.g. `nDCG@10 AP RR`.
        level: The lowest grade that is relevant, for measures that know only relevant or not.

    Raises:
        UsageError: A measure is unknown, or two have one name.
    """
    plain = parse_measures(measures)
    names = [str(one) for one in plain]
    if len(set(names)) < len(names):
        raise UsageError("--measures: two are the same")
    levelled = [_at_level(one, level) for one in plain]
    topics = []
    for run, queries in sorted(places.items()):
        results = {query_id: _scored(found) for query_id, found in queries.items()}
        _, per_query = score_results(qrels, results, levelled)
        for query_id, values in per_query.items():
            by_name = {
                name: values.get(str(one), 0.0) for name, one in zip(names, levelled, strict=True)
            }
            undefined = (
                name
                for name, one in zip(names, levelled, strict=True)
                if is_undefined(one, qrels[query_id])
            )
            topics.append(TopicScore(run, query_id, by_name, frozenset(undefined)))
    return score_table(tuple(Measure(name=name, title=name) for name in names), topics)


def compare_leaderboards(
    official: ScoreTable, ours: ScoreTable, runs: Container[str], *, samples: int, seed: int
) -> dict[str, ScoreComparison]:
    """Compare two leaderboards, measure by measure.

    Args:
        official: The reference.
        ours: Of the same measures.
        runs: Those that count, at least three on both.
        samples: Bootstrap samples of runs.
        seed: Of these.
    """
    theirs, own = (
        [topic for topic in table.topics if topic.run_tag in runs] for table in (official, ours)
    )
    return {
        measure.name: compare_scores(theirs, own, measure.name, n_samples=samples, seed=seed)
        for measure in ours.measures
    }


def standings(
    ours: ScoreTable, official: ScoreTable | None, places: Places, judged: Qrels
) -> list[Standing]:
    """Return the runs in the order of our leaderboard, with their official ranks.

    A run none of whose first passages was judged has no official rank, and does not count in the
    ranks of others: assessors never saw it, such as one that generates its texts.
    """
    shares = {run.run_tag: _judged(places[run.run_tag], judged) for run in ours.runs}
    ranks = average_ranks({run.run_tag: run.values[ours.main.name] for run in ours.runs})
    theirs: dict[str, float] = {}
    if official is not None:
        theirs = average_ranks(
            {
                run.run_tag: run.values[official.main.name]
                for run in official.runs
                if shares[run.run_tag]
            }
        )
    return [
        Standing(run.run_tag, ranks[run.run_tag], theirs.get(run.run_tag), shares[run.run_tag])
        for run in ours.runs
    ]


def judged_runs(places: Places, judged: Qrels) -> Places:
    """Return the runs that assessors saw anything of."""
    return {run: queries for run, queries in places.items() if _judged(queries, judged)}


def average_ranks(values: Mapping[str, float]) -> dict[str, float]:
    """Return ranks from 1 for the highest; tied ones share the mean of their ranks."""
    ordered = sorted(values.values(), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(ordered, start=1)))}
    count: dict[float, int] = {}
    for value in ordered:
        count[value] = count.get(value, 0) + 1
    return {name: first[value] + (count[value] - 1) / 2 for name, value in values.items()}


def wins(table: Mapping[str, Sequence[float | None]], within: float = WITHIN) -> dict[str, int]:
    """Return in how many columns each row is the best, or as good.

    Args:
        table: Name -> a value in each column; None where there is none.
        within: How far below the best a value may be.
    """
    columns = list(zip(*table.values(), strict=True))
    best = [max((one for one in column if one is not None), default=None) for column in columns]
    return {
        name: sum(
            # Printed values are decimals, whose difference may be a hair more.
            value is not None and top is not None and top - value <= within + 1e-9
            for value, top in zip(row, best, strict=True)
        )
        for name, row in table.items()
    }


def _at_level(measure: Any, level: int) -> Any:
    """Return a measure that tells relevant from not relevant at a level, if it does."""
    if "rel" not in measure.SUPPORTED_PARAMS or "rel" in measure.params:
        return measure
    return measure(rel=level)


def _scored(places: Mapping[str, int]) -> dict[str, float]:
    """Return falling scores for the passages and, up to a depth, for places that hold none."""
    held = set(places.values())
    deepest = min(max(held), _DEEPEST_HOLE)
    empty = {f"(place {one})": -float(one) for one in range(1, deepest) if one not in held}
    return untied([*((name, -float(place)) for name, place in places.items()), *empty.items()])


def _judged(queries: Mapping[str, Mapping[str, int]], judged: Qrels) -> float:
    first = [
        passage_id in judged.get(query_id, {})
        for query_id, places in queries.items()
        for passage_id, place in places.items()
        if place <= _LOOKED_AT
    ]
    return sum(first) / len(first) if first else 0.0
