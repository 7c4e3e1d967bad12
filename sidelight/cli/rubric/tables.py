"""Tables of the commands about graded passages: leaderboards, agreement, coverage, wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.cli.agree.tables import category_tables, decimal, ends
from sidelight.cli.console import Files, Note, Result, ResultTable, write_results
from sidelight.cli.options.judges import interval_cell
from sidelight.evaluation.agreement.coefficients import kappa_of_cell
from sidelight.evaluation.exams.leaderboard import EXAM, N_EXAM, WITHIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.agreement.qrels import QrelsComparison
    from sidelight.evaluation.agreement.ranks import ScoreComparison
    from sidelight.evaluation.exams.leaderboard import Cover, GraderCorrelations, Standing
    from sidelight.evaluation.scoring.table import Interval, ScoreTable

_CORRELATIONS = ("spearman", "tau_b", "tau_ap", "tau_ap_b")


def tables_result(
    tables: Sequence[ResultTable],
    output: Path | None,
    about: Mapping[str, object],
    notes: Sequence[str | Note] = (),
) -> Result:
    """Return tables that are printed and written, and after them notes.

    Args:
        tables: The tables.
        output: Folder for them; None for no files.
        about: What else a reader must know, for JSON.
        notes: The same for people.
    """
    rows = {table.name: list(table.records) for table in tables}
    files = Files(lambda: write_results(output, tables), "written")
    return Result({**about, "tables": rows}, [*tables, files, *notes])


def standings_table(
    ours: ScoreTable, standings: Sequence[Standing], intervals: Mapping[str, Interval | None]
) -> ResultTable:
    """Return a row for each run, the best first."""
    main, *others = ours.measures
    values = {run.run_tag: run.row for run in ours.runs}
    names = [one.name for one in others]
    header = ["run", main.name, "95% interval", *names, "rank", "official rank", "judged"]
    rows, records = [], []
    for one in standings:
        scores, interval = values[one.run_tag], intervals[one.run_tag]
        rows.append(
            [
                one.run_tag,
                main.shown(scores[main.name]),
                interval_cell(interval),
                *(measure.shown(scores[measure.name]) for measure in others),
                f"{one.rank:g}",
                "-" if one.official is None else f"{one.official:g}",
                f"{one.judged:.0%}",
            ]
        )
        records.append(
            {
                "run_tag": one.run_tag,
                **scores,
                "interval_low": interval and interval.low,
                "interval_high": interval and interval.high,
                "rank": one.rank,
                "official_rank": one.official,
                "judged": one.judged,
            }
        )
    return ResultTable("leaderboard", header, rows, records)


def agreement_table(compared: Mapping[str, ScoreComparison]) -> ResultTable:
    """Return a row for each measure; none where nothing was compared."""
    rows, records = [], []
    for measure, found in compared.items():
        cells = [measure, str(len(found.run_tags))]
        record: dict[str, object] = {"measure": measure, "n_runs": len(found.run_tags)}
        for name in _CORRELATIONS:
            value, interval = found.runs[name], found.intervals[name]
            bounds = "" if interval.low is None else f" ({ends(interval)})"
            cells.append(f"{decimal(value)}{bounds}")
            record |= {name: value, f"{name}_low": interval.low, f"{name}_high": interval.high}
        rows.append(cells)
        records.append(record)
    header = ["against judgments", "runs", *(name.replace("_", "-") for name in _CORRELATIONS)]
    return ResultTable("agreement_with_judgments", header, rows, records)


def cover_table(cover: Cover, intervals: Mapping[str, Interval | None]) -> ResultTable:
    """Return a row for each run, the best first."""
    rows, records = [], []
    for run in cover.table.runs:
        interval, missing = intervals[run.run_tag], cover.missing[run.run_tag]
        rows.append(
            [
                run.run_tag,
                EXAM.shown(run.row[EXAM.name]),
                interval_cell(interval),
                N_EXAM.shown(run.row[N_EXAM.name]),
                str(missing),
            ]
        )
        records.append(
            {
                "run_tag": run.run_tag,
                **run.row,
                "interval_low": interval and interval.low,
                "interval_high": interval and interval.high,
                "places_without_grades": missing,
            }
        )
    header = ["run", "EXAM", "95% interval", "n-EXAM", "places without grades"]
    return ResultTable("exam_cover", header, rows, records)


def judgment_tables(found: QrelsComparison, levels: tuple[int, int]) -> list[ResultTable]:
    """Return grades against judgments: the counts, kappa of each cell, and relevant or not.

    Args:
        found: The comparison.
        levels: The lowest relevant grade and judgment.
    """
    grades, judgments = (sorted(used, reverse=True) for used in found.used)
    place = {name: at for at, name in enumerate(found.grades.categories)}
    counts = found.grades.table
    kappas = {
        (grade, judgment): kappa_of_cell(counts, place[str(grade)], place[str(judgment)])
        for grade in grades
        for judgment in judgments
    }
    header = ["grades (rows), judgments", *map(str, judgments)]
    rows, records = [], []
    for grade in grades:
        row = [int(counts[place[str(grade)], place[str(one)]]) for one in judgments]
        rows.append([str(grade), *map(str, row), str(sum(row))])
        named = dict(zip(map(str, judgments), row, strict=True))
        records.append({"grade": grade, **named, "total": sum(row)})
    cells = [[str(grade), *(decimal(kappas[grade, one]) for one in judgments)] for grade in grades]
    named_cells = [
        {"grade": grade, **{str(one): kappas[grade, one] for one in judgments}} for grade in grades
    ]
    tables = [
        ResultTable("grades_by_judgments", [*header, "total"], rows, records),
        ResultTable(
            "kappa_of_cells", ["kappa, each against the rest", *header[1:]], cells, named_cells
        ),
    ]
    if found.relevance:
        sides = (f"grades from {levels[0]}", f"judgments from {levels[1]}")
        tables += category_tables(found.relevance, {}, sides, "relevance")[:2]
    return tables


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
