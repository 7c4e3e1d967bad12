"""Leaderboards of runs by the grades of their passages, compared with the official leaderboard.

EXAM(run, q) = |items that some of the first k passages answers| / |items of q|
n-EXAM(run, q) = the same / |items that any graded passage answers|

A passage answers an item when it is rated at least so high. Source: Sander and Dietz, EXAM, DESIRES
2021; with self-ratings: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 5.2. Edge cases: on a
query that no passage answers n-EXAM is undefined, and on one without items EXAM, too; both count as
0 in means. A run without passages for a query has 0 there.

Several graders are compared by the rank correlation of each one's leaderboard with the official.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.coefficients import kendall, spearman
from sidelight.evaluation.agreement.ranks import (
    MIN_RUNS,
    TIE_DIGITS,
    ScoreComparison,
    compare_scores,
)
from sidelight.evaluation.exams.grades import Exam, Qrels, Rankings
from sidelight.evaluation.scoring.retrieval import (
    is_undefined,
    parse_measures,
    score_results,
    untied,
)
from sidelight.evaluation.scoring.table import ScoreTable, TopicScore, ranked_table
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.schemas.grading.judgment import Measure

EXAM = Measure(name="exam", title="share of the items that the first passages answer")
N_EXAM = Measure(name="n_exam", title="the same of the items that any passage answers")


@dataclass(frozen=True, slots=True)
class Cover:
    """Coverage of the items by runs.

    Attributes:
        everything: Share of the items that any graded passage answers, by query id.
        missing: Run -> places among its first that hold no graded passage of the file.
    """

    table: ScoreTable
    everything: dict[str, float]
    missing: dict[str, int]


def exam_cover(
    exam: Exam,
    rankings: Rankings,
    *,
    min_rating: int,
    depth: int,
    items: Mapping[str, Iterable[str]] | None = None,
) -> Cover:
    """Return how far each run covers the items of each query.

    A rating of at least `min_rating` answers an item, and `depth` passages of a run count. `items`
    are those of the bank by query id; without them, those by which any passage was graded count.
    """
    query_ids = sorted(exam.cells)
    answered = {
        query_id: {
            passage_id: {item for item, rating in cells.items() if rating >= min_rating}
            for passage_id, cells in exam.cells[query_id].items()
        }
        for query_id in query_ids
    }
    asked = {
        query_id: set(items[query_id]) if items and query_id in items else exam.items(query_id)
        for query_id in query_ids
    }
    answerable = {
        query_id: set[str]().union(*answered[query_id].values()) & asked[query_id]
        for query_id in query_ids
    }
    topics, missing = [], {}
    for run, places in sorted(rankings.places.items()):
        missing[run] = 0
        for query_id in query_ids:
            first = [one for one, at in places.get(query_id, {}).items() if at <= depth]
            graded = [answered[query_id][one] for one in first if one in answered[query_id]]
            missing[run] += depth - len(graded)
            covered = len(set[str]().union(*graded) & asked[query_id])
            values = {
                EXAM.name: _share(covered, len(asked[query_id])),
                N_EXAM.name: _share(covered, len(answerable[query_id])),
            }
            undefined = (
                *([] if asked[query_id] else [EXAM.name]),
                *([] if answerable[query_id] else [N_EXAM.name]),
            )
            topics.append(TopicScore(run, query_id, values, frozenset(undefined)))
    table = ranked_table((EXAM, N_EXAM), topics)
    everything = {
        query_id: _share(len(answerable[query_id]), len(asked[query_id])) for query_id in query_ids
    }
    return Cover(table, everything, missing)


def _share(count: int, of: int) -> float:
    return count / of if of else 0.0


Places = dict[str, dict[str, dict[str, int]]]
"""Run -> query id -> passage id -> place, from 1."""

WITHIN = 0.05
"""How much below the best still counts as equally good, where no test of significance applies."""

_TOP_PASSAGES = 10  # of a run, for the share that assessors judged
_DEEPEST_HOLE = 1000  # as deep as runs go that are handed in


@dataclass(frozen=True, slots=True)
class Standing:
    """One run on a leaderboard.

    Attributes:
        rank: By the grades; tied runs share the mean of their ranks.
        official: By assessors; None where they judged too little of the run.
        judged: Share of its first passages that assessors judged.
    """

    run_tag: str
    rank: float
    official: float | None
    judged: float


def places_of(path: Path) -> dict[str, dict[str, int]]:
    """Read a run file: query id -> passage id -> place, in the order of trec_eval."""
    found = {}
    for query_id, hits in read_trec_run(path).items():
        scores = untied(hits)
        found[query_id] = {one: len(scores) - int(score) for one, score in scores.items()}
    return found


def leaderboard(places: Places, qrels: Qrels, measures: str, level: int) -> ScoreTable:
    """Score every run by some grades.

    A place for which the file has no passage stays a place, with a passage that is not relevant:
    without it, those below would move up. Only queries of `qrels` count. `measures` are names of
    ir_measures, e.g. `nDCG@10 AP RR`; `level` is the lowest relevant grade, for measures that know
    only relevant or not.
    """
    plain = parse_measures(measures)
    names = [str(one) for one in plain]
    if len(set(names)) < len(names):
        raise UsageError("--measures: two are the same")
    levelled = {
        # Some tell relevant from not relevant, at a level that a name may state itself.
        name: one(rel=level) if "rel" in {*one.SUPPORTED_PARAMS} - {*one.params} else one
        for name, one in zip(names, plain, strict=True)
    }
    topics = []
    for run, queries in sorted(places.items()):
        results = {query_id: _scored(found) for query_id, found in queries.items()}
        _, per_query = score_results(qrels, results, [*levelled.values()])
        for query_id, values in per_query.items():
            by_name = {name: values.get(str(one), 0.0) for name, one in levelled.items()}
            grades = qrels[query_id]
            undefined = (name for name, one in levelled.items() if is_undefined(one, grades))
            topics.append(TopicScore(run, query_id, by_name, frozenset(undefined)))
    return ranked_table(tuple(Measure(name=name, title=name) for name in names), topics)


def compare_leaderboards(
    official: ScoreTable, ours: ScoreTable, runs: Container[str], *, samples: int, seed: int
) -> dict[str, ScoreComparison]:
    """Compare two leaderboards, measure by measure.

    `official` is the reference. `runs` are those that count, at least three that are on both.
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
    from scipy.stats import rankdata

    ranks = rankdata([-value for value in values.values()])
    return dict(zip(values, ranks.tolist(), strict=True))


def wins(table: Mapping[str, Sequence[float | None]]) -> dict[str, int]:
    """Return in how many columns each row is the best, or as good.

    `table` has a value of each row in each column, or None. A value at most `WITHIN` below the best
    is as good.
    """
    columns = list(zip(*table.values(), strict=True))
    best = [max((one for one in column if one is not None), default=None) for column in columns]
    return {
        name: sum(
            # Printed values are decimals, whose difference may be a hair more.
            value is not None and top is not None and top - value <= WITHIN + 1e-9
            for value, top in zip(row, best, strict=True)
        )
        for name, row in table.items()
    }


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
        if place <= _TOP_PASSAGES
    ]
    return sum(first) / len(first) if first else 0.0


@dataclass(frozen=True, slots=True)
class GraderCorrelations:
    """One grader at one level.

    Attributes:
        level: The lowest grade that is relevant.
        values: Measure and coefficient -> correlation; None where one is undefined.
        wins: In how many of these it is the best, or as good.
    """

    grader: str
    level: int
    values: dict[str, float | None]
    wins: int


def correlate_graders(
    places: Places,
    graders: Mapping[str, Qrels],
    judged: Qrels,
    measures: str,
    *,
    levels: Sequence[int],
    official_level: int,
) -> list[GraderCorrelations]:
    """Correlate leaderboards, over the runs that assessors saw and the queries of each grader.

    `levels` are lowest relevant grades to try; one that a grader never gives is left out.
    `official_level` is the lowest relevant official label.
    """
    seen = judged_runs(places, judged)
    if len(seen) < MIN_RUNS:
        raise InputError(
            f"a rank correlation needs at least {MIN_RUNS} runs with judged passages; there are "
            f"{len(seen)}",
            remedy="Take a file with the rankings of more runs, or judgments of these.",
        )
    official = leaderboard(seen, judged, measures, official_level)
    theirs = {run.run_tag: run.values for run in official.runs}
    found: dict[tuple[str, int], dict[str, float | None]] = {}
    for name, qrels in graders.items():
        given = {grade for grades in qrels.values() for grade in grades.values()}
        for level in levels:
            if max(given, default=0) < level:
                continue
            ours = {
                run.run_tag: run.values for run in leaderboard(seen, qrels, measures, level).runs
            }
            values: dict[str, float | None] = {}
            for measure in official.measures:
                one, other = (
                    np.array([side[run][measure.name] for run in sorted(seen)]).round(TIE_DIGITS)
                    for side in (theirs, ours)
                )
                values[f"{measure.name} S"] = spearman(one, other)
                values[f"{measure.name} K"] = kendall(one, other)
            found[name, level] = values
    if not found:
        raise InputError("no grader gives a grade that is relevant", remedy="Lower --min-grade.")
    won = wins({f"{name} {level}": [*row.values()] for (name, level), row in found.items()})
    return [
        GraderCorrelations(name, level, row, won[f"{name} {level}"])
        for (name, level), row in found.items()
    ]
