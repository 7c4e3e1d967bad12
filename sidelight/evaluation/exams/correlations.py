"""Graders side by side: how near the leaderboard by each one's labels is to the official one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import InputError
from sidelight.evaluation.agreement.coefficients.kendall import kendall
from sidelight.evaluation.agreement.coefficients.spearman import spearman
from sidelight.evaluation.agreement.ranks import MIN_RUNS
from sidelight.evaluation.exams.leaderboard import judged_runs, leaderboard, wins

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.exams.grades import Qrels
    from sidelight.evaluation.exams.leaderboard import Places

_DIGITS = 12  # scores that differ later differ by rounding, and are ties


@dataclass(frozen=True, slots=True)
class GraderCorrelations:
    """One grader at one level.

    Attributes:
        grader: Whose labels.
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

    Args:
        places: The runs.
        graders: Name -> labels.
        judged: The official labels.
        measures: Names of ir_measures.
        levels: Lowest relevant grades to try; one that a grader never gives is left out.
        official_level: The lowest relevant official label.

    Raises:
        InputError: Assessors saw fewer than three runs, or no grader has labels.
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
                    np.array([side[run][measure.name] for run in sorted(seen)]).round(_DIGITS)
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
