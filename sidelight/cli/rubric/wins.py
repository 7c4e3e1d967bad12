"""Correlations of graders as a table: what is best, or as good, is marked and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.cli.agree.tables import decimal
from sidelight.cli.result_table import ResultTable
from sidelight.evaluation.exams.leaderboard import WITHIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.exams.correlations import GraderCorrelations


def wins_table(found: Sequence[GraderCorrelations]) -> ResultTable:
    """Return a row for each grader and level; `*` marks the best and what is as good."""
    columns = list(found[0].values)
    best = {
        column: max((row.values[column] or 0.0 for row in found), default=0.0) for column in columns
    }
    rows = [
        [
            row.grader,
            str(row.level),
            *(_cell(row.values[column], best[column]) for column in columns),
            str(row.wins),
        ]
        for row in found
    ]
    records = [
        {"grader": row.grader, "level": row.level, **row.values, "wins": row.wins} for row in found
    ]
    return ResultTable("correlations", ["grader", "relevant from", *columns, "wins"], rows, records)


def _cell(value: float | None, best: float) -> str:
    good = value is not None and best - value <= WITHIN + 1e-9
    return f"{decimal(value)}{'*' if good else ' '}"
