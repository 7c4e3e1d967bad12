"""Tables of results that are printed and written: agreement, graded passages, and ablations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sidelight.cli.console import (
    Files,
    Note,
    Result,
    ResultTable,
    few_warnings,
    undefined_warnings,
    write_results,
)
from sidelight.cli.options import interval_cell
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sidelight.ablation.effects import MeasureEffects
    from sidelight.ablation.grid import Arm
    from sidelight.ablation.measures import ArmCost
    from sidelight.evaluation.agreement.labels import CategoryAgreement
    from sidelight.evaluation.agreement.qrels import QrelsComparison
    from sidelight.evaluation.agreement.ranks import Bootstrap, ScoreComparison
    from sidelight.evaluation.exams.leaderboard import Cover, GraderCorrelations, Standing
    from sidelight.evaluation.scoring.table import Interval, ScoreTable


def grade_tables(
    found: CategoryAgreement, sides: tuple[str, str], prefix: str
) -> list[ResultTable]:
    """Return the tables of grades, from the lowest up, and which way the second side leans."""
    values = leaning(found)
    table = ResultTable(
        f"{prefix}_lean",
        [f"{sides[1]} against {sides[0]}", "higher", "lower", "mean difference"],
        [
            [
                str(values["direction"]),
                str(values["higher"]),
                str(values["lower"]),
                f"{values['mean']:+.3f}",
            ]
        ],
        [values],
    )
    return [*category_tables(found, {}, sides, prefix), table]


def leaning(found: CategoryAgreement) -> dict[str, object]:
    """Return which way the second side leans, by name."""
    from sidelight.evaluation.agreement.labels import lean

    leans = lean(found)
    return leans._asdict() | {"direction": leans.words}


def category_tables(  # long: three tables side by side
    found: CategoryAgreement,
    parts: Mapping[str, CategoryAgreement],
    sides: tuple[str, str],
    prefix: str,
) -> list[ResultTable]:
    """Return the coefficients, the confusion matrix and the label shares.

    Args:
        found: Agreement on everything.
        parts: On parts of it, by name; they get rows in the table of coefficients.
        sides: What to call the first and the second side.
        prefix: How the names of the files begin.
    """
    from sidelight.evaluation.figures import draw_confusion, draw_label_shares

    one, other = sides
    rows = {"agreement": found, **parts}
    bounded = ["kappa, 95%", "AC1, 95%"] if found.intervals else []
    return [
        ResultTable(
            f"{prefix}_agreement",
            [f"{len(found.categories)} categories", "n", "raw", "kappa", "AC1", *bounded],
            [
                [
                    title,
                    str(part.n),
                    *(decimal(part.coefficients[name]) for name in ("raw", "kappa", "ac1")),
                    *(_bounds(part.intervals[name]) for name in ("kappa", "ac1") if part.intervals),
                ]
                for title, part in rows.items()
            ],
            [
                {"part": title, "n": part.n} | part.coefficients | _ends(part.intervals)
                for title, part in rows.items()
            ],
        ),
        ResultTable(
            f"{prefix}_confusion",
            [f"{one} (rows), {other}", *found.categories],
            [
                [category, *map(str, counts)]
                for category, counts in zip(found.categories, found.table.tolist(), strict=True)
            ],
            [
                {"first": category} | dict(zip(found.categories, counts, strict=True))
                for category, counts in zip(found.categories, found.table.tolist(), strict=True)
            ],
            partial(draw_confusion, found, sides),
        ),
        ResultTable(
            f"{prefix}_shares",
            ["share of labels", one, other, "difference", "ratio"],
            [
                [
                    category,
                    f"{left:.1%}",
                    f"{right:.1%}",
                    f"{right - left:+.1%}",
                    _ratio(found.share_ratios[category]),
                ]
                for category, (left, right) in found.shares.items()
            ],
            [
                {
                    "label": category,
                    "first": left,
                    "second": right,
                    "difference": right - left,
                    "ratio": found.share_ratios[category],
                }
                for category, (left, right) in found.shares.items()
            ],
            partial(draw_label_shares, found, sides),
        ),
    ]


def correlation_table(found: ScoreComparison) -> ResultTable:
    """Return the correlations, a row for each."""
    rows, records = [], []
    for name, value in found.runs.items():
        interval, topics, pairs = found.intervals[name], found.topics[name], found.pairs[name]
        rows.append(
            [
                name.replace("_", "-"),
                decimal(value),
                ends(interval),
                decimal(topics.mean),
                f"{decimal(topics.low)} to {decimal(topics.high)}",
                decimal(pairs),
            ]
        )
        records.append(
            {
                "correlation": name,
                "runs": value,
                "interval_low": interval.low,
                "interval_high": interval.high,
                "topics_mean": topics.mean,
                "topics_low": topics.low,
                "topics_high": topics.high,
                "pairs": pairs,
            }
        )
    header = ["correlation", "runs", "interval", "mean of topics", "topics", "all pairs"]
    return ResultTable(f"{found.measure}_correlations", header, rows, records)


def run_means_table(found: ScoreComparison, sides: tuple[str, str]) -> ResultTable:
    """Return the mean of each run on both sides, which the scatter shows."""
    from sidelight.evaluation.figures import draw_run_means

    means = list(zip(found.run_tags, *found.means, strict=True))
    return ResultTable(
        f"{found.measure}_run_means",
        ["run", *sides],
        [[run_tag, f"{first:.4f}", f"{second:.4f}"] for run_tag, first, second in means],
        [
            {"run_tag": run_tag, "first": first, "second": second}
            for run_tag, first, second in means
        ],
        partial(draw_run_means, found, sides),
    )


def score_tables(found: ScoreComparison, sides: tuple[str, str]) -> list[ResultTable]:
    """Return the runs' means on both sides, and the scores by topic behind them."""
    return [run_means_table(found, sides), _topic_cloud_table(found, sides)]


def _topic_cloud_table(found: ScoreComparison, sides: tuple[str, str]) -> ResultTable:
    """Return each run's score on each topic on both sides, which the cloud shows."""
    from sidelight.evaluation.figures import draw_topic_cloud

    cells = [
        (run_tag, *cell)
        for run_tag, *by_topic in zip(found.run_tags, *found.scores, strict=True)
        for cell in zip(found.topic_ids, *by_topic, strict=True)
    ]
    return ResultTable(
        f"{found.measure}_topic_scores",
        ["run", "topic", *sides],
        [[run_tag, topic, f"{one:.4f}", f"{other:.4f}"] for run_tag, topic, one, other in cells],
        [
            {"run_tag": run_tag, "topic_id": topic, "first": one, "second": other}
            for run_tag, topic, one, other in cells
        ],
        partial(draw_topic_cloud, found, sides),
    )


def ends(interval: Bootstrap) -> str:
    """Return the interval of a correlation as tables show it."""
    if interval.low is None or interval.high is None:
        return "-"
    return f"{interval.low:.3f} to {interval.high:.3f}"


def decimal(value: float | None) -> str:
    """Return a coefficient as tables show it."""
    return "undefined" if value is None else f"{value:.3f}"


def _bounds(interval: Interval | None) -> str:
    return "undefined" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"


def _ends(intervals: Mapping[str, Interval | None]) -> dict[str, float | None]:
    """Return both ends of each interval, by the names of their columns."""
    ends: dict[str, float | None] = {}
    for name, interval in intervals.items():
        ends[f"{name}_low"] = interval and interval.low
        ends[f"{name}_high"] = interval and interval.high
    return ends


def _ratio(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


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
    from sidelight.evaluation.exams.leaderboard import EXAM, N_EXAM

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
    from sidelight.evaluation.agreement.coefficients import kappa_of_cell

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
    from sidelight.evaluation.exams.leaderboard import WITHIN

    good = value is not None and best - value <= WITHIN + 1e-9
    return f"{decimal(value)}{'*' if good else ' '}"


def means_table(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> ResultTable:
    """Return every arm's means by every measure, with what it asked of models."""
    names = [arm.name for arm in arms]
    return ResultTable(
        "means",
        [
            "arm",
            *(found.measure.name for found in effects),
            *(["calls", "tokens"] if costs else []),
        ],
        [
            [
                name,
                *(found.measure.shown(found.means[name].mean) for found in effects),
                *([str(costs[name].calls), str(costs[name].tokens)] if costs else []),
            ]
            for name in names
        ],
        [
            {
                "arm": name,
                "measure": found.measure.name,
                "mean": found.means[name].mean,
                **_interval_ends(found.means[name].interval),
            }
            for name in names
            for found in effects
        ],
    )


def effects_table(found: MeasureEffects, base: str) -> ResultTable:
    """Return what each arm does by one measure."""
    from sidelight.ablation.effects import draw_effects

    return ResultTable(
        f"effects_{_file_name(found.measure.name)}",
        [
            *(f"{found.measure.name}: arm", "mean", "95%", "less base", "95%"),
            *("p", "p (Holm)", "won", "lost", "tied"),
        ],
        [
            [
                name,
                found.measure.shown(found.means[name].mean),
                interval_cell(found.means[name].interval),
                f"{effect.difference:+.4f}",
                interval_cell(effect.interval),
                f"{effect.p_value:.4f}",
                f"{effect.p_holm:.4f}",
                *map(str, (effect.won, effect.lost, effect.tied)),
            ]
            for name, effect in found.effects.items()
        ],
        [
            {"arm": name, "difference": effect.difference, **_interval_ends(effect.interval)}
            | {key: getattr(effect, key) for key in ("p_value", "p_holm", "won", "lost", "tied")}
            for name, effect in found.effects.items()
        ],
        partial(draw_effects, found, base),
    )


def topics_table(found: MeasureEffects, base: str) -> ResultTable:
    """Return every arm's value on every topic by one measure."""
    from sidelight.ablation.effects import draw_slopes

    values = found.values
    records: list[dict[str, Any]] = [
        {
            "topic_id": topic_id,
            **{
                name: None if topic_id in values.undefined else row[place]
                for name, row in values.values.items()
            },
        }
        for place, topic_id in enumerate(values.topic_ids)
    ]
    return ResultTable(
        f"topics_{_file_name(found.measure.name)}",
        ["topic", *values.values],
        [
            [record["topic_id"], *(found.measure.shown(record[name]) for name in values.values)]
            for record in records
        ],
        records,
        partial(draw_slopes, found, base),
    )


def notes(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> list[str | Note]:
    """Return how to read the tables, and which arms changed nothing or made invalid files."""
    topic_ids = effects[0].values.topic_ids
    undefined = {
        found.measure.name: found.values.undefined for found in effects if found.values.undefined
    }
    lines: list[str | Note] = [
        (
            f"note: base {arms[0].name}; {counted(len(topic_ids), 'topic')}; p: paired "
            "randomisation test, two-sided; Holm: corrected for the number of arms"
        ),
        *undefined_warnings(undefined, len(topic_ids), "topic"),
        *few_warnings(len(topic_ids), "topic"),
    ]
    first_with: dict[str, str] = {}
    for arm in arms:
        if arm.same_as:
            lines.append(f"{arm.name} has the settings of {arm.same_as}.")
        elif costs and (same := first_with.setdefault(costs[arm.name].files, arm.name)) != arm.name:
            lines.append(f"{arm.name} made the same files as {same}, byte for byte.")
        if costs and costs[arm.name].errors:
            errors = counted(costs[arm.name].errors, "error")
            lines.append(Note(f"{arm.name}: {errors} in its files.", "red", on_stderr=True))
    return lines


def experiment_json(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> dict[str, Any]:
    """Return all figures."""
    return {
        "base": arms[0].name,
        "arms": [
            {
                "name": arm.name,
                "changes": arm.changes,
                "same_as": arm.same_as,
                "cost": costs[arm.name]._asdict() if costs else None,
            }
            for arm in arms
        ],
        "measures": [
            {
                "measure": found.measure.name,
                "n_topics": len(found.values.topic_ids),
                "undefined": list(found.values.undefined),
                "means": {
                    name: {"mean": one.mean, "interval": one.interval and one.interval._asdict()}
                    for name, one in found.means.items()
                },
                "effects": {
                    name: effect._asdict()
                    | {"interval": effect.interval and effect.interval._asdict()}
                    for name, effect in found.effects.items()
                },
            }
            for found in effects
        ],
    }


def _interval_ends(interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {"interval_low": low, "interval_high": high}


def _file_name(measure: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in measure)
