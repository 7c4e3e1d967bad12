"""Tables of results that are printed and written: agreement, graded passages, and ablations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight.cli.console import Column, Files, Note, Result, ResultTable, table_of, write_results
from sidelight.cli.options import interval_cell

if TYPE_CHECKING:
    from sidelight.evaluation.agreement.labels import CategoryAgreement
    from sidelight.evaluation.agreement.qrels import QrelsComparison
    from sidelight.evaluation.agreement.ranks import Bootstrap, ScoreComparison, TopicMean
    from sidelight.evaluation.exams.leaderboard import Cover, GraderCorrelations, Standing
    from sidelight.evaluation.scoring.table import Interval, ScoreTable
    from sidelight.formats.labels.assessments import AssessmentKind
    from sidelight.schemas.grading.rubric import Rubric


def grade_tables(
    found: CategoryAgreement, sides: tuple[str, str], prefix: str
) -> list[ResultTable]:
    """Return the tables of grades, from the lowest up, and which way the second side leans."""
    columns = [
        Column(f"{sides[1]} against {sides[0]}", "", itemgetter("direction")),
        *(Column(name, name, itemgetter(name)) for name in ("higher", "lower")),
        Column("mean difference", "mean", itemgetter("mean"), "{:+.3f}".format),
        Column("", "direction", itemgetter("direction")),
    ]
    table = table_of(f"{prefix}_lean", [leaning(found)], columns)
    return [*category_tables(found, {}, sides, prefix), table]


def leaning(found: CategoryAgreement) -> dict[str, object]:
    """Return which way the second side leans, by name."""
    from sidelight.evaluation.agreement.labels import lean

    leans = lean(found)
    return leans._asdict() | {"direction": leans.words}


_MOST_PARTS = 5


def difference_tables(
    judged: Sequence[tuple[Any, Any]], kind: AssessmentKind[Any], rubrics: Mapping[str, Rubric]
) -> list[ResultTable]:
    """Return how often two sides differ by topic and by run, most often first, and on what.

    The tables of topics and runs show the first five, and their files all. The table of what the
    sides differ on, which is too long to be shown, is only there where they do.
    """
    tables = []
    differing = [(one, other) for one, other in judged if one.label != other.label]
    for noun, field in (("topic", "topic_id"), ("run", "run_tag")):
        counts = Counter(getattr(one, field) for one, _ in judged)
        apart = Counter(getattr(one, field) for one, _ in differing)
        shares = {name: apart[name] / n for name, n in counts.items()}
        columns = [
            Column(f"{noun} (most differing of {len(counts)})", field, str),
            Column("n", "n", counts.__getitem__),
            Column("differing", "differing", apart.__getitem__),
            Column("share", "share", shares.__getitem__, "{:.1%}".format),
        ]
        names = sorted(counts, key=lambda name: (-shares[name], name))
        table = table_of(f"{kind.name}_by_{noun}", names, columns)
        shown = table.rows[:_MOST_PARTS]
        tables.append(table._replace(rows=shown, latex=(table.header, table.rows)))
    if differing:
        names = [*kind.key, "first", "second"]
        rows = [(*kind.key_of(one), one.label, other.label) for one, other in differing]
        columns = [Column(name, name, itemgetter(place)) for place, name in enumerate(names)]
        if rubrics:  # what was asked for, to read beside the labels; too long for LaTeX
            texts = (_wanted(one, rubrics) for one, _ in differing)
            rows = [(*row, text) for row, text in zip(rows, texts, strict=True)]
            columns.append(Column("", "wanted", itemgetter(-1)))
        tables.append(table_of(f"{kind.name}_differing", rows, columns))
    return tables


def _wanted(one: Any, rubrics: Mapping[str, Rubric]) -> str:
    """Return the question or the answer of a rubric that an assessment is on."""
    place = getattr(one, "answer_id", None) or getattr(one, "rubric_question_rank", None)
    rubric = rubrics.get(one.topic_id)
    return rubric.texts.get(place, "") if rubric and place else ""


def category_tables(  # long: three tables side by side
    found: CategoryAgreement,
    parts: Mapping[str, CategoryAgreement],
    sides: tuple[str, str],
    prefix: str,
) -> list[ResultTable]:
    """Return the coefficients, the confusion matrix and the label shares of two sides.

    `sides` are the names of the two sides. `parts`, by name, get rows in the table of coefficients.
    The names of the files begin with `prefix`.
    """
    from sidelight.evaluation.figures import draw_confusion, draw_label_shares

    one, other = sides
    names = {key: key.replace("_", " ") for key in found.coefficients} | {"ac1": "AC1"}
    coefficients = [
        Column(f"{len(found.categories)} categories", "part", itemgetter(0)),
        Column("n", "n", lambda row: row[1].n),
        *(
            Column(names[key], key, _entry(lambda row: row[1].coefficients, key), decimal)
            for key in found.coefficients
        ),
        *(
            Column(
                f"{names[key]}, 95%",
                (f"{key}_low", f"{key}_high"),
                partial(lambda key, row: row[1].intervals.get(key), key),
                partial(_spread, lacking="undefined"),
            )
            for key in found.intervals
        ),
    ]
    confusion = [
        Column(f"{one} (rows), {other}", "first", itemgetter(0)),
        *(
            Column(category, category, _entry(itemgetter(1), place))
            for place, category in enumerate(found.categories)
        ),
    ]
    shares = [
        Column("share of labels", "label", itemgetter(0)),
        *(
            Column(side, name, _entry(itemgetter(1), place), "{:.1%}".format)
            for place, (side, name) in enumerate(zip(sides, ("first", "second"), strict=True))
        ),
        Column("difference", "difference", lambda row: row[1][1] - row[1][0], "{:+.1%}".format),
        Column(
            "ratio", "ratio", lambda row: found.share_ratios[row[0]], partial(decimal, spec=".2f")
        ),
    ]
    counts = zip(found.categories, found.table.tolist(), strict=True)
    return [
        table_of(f"{prefix}_agreement", {"agreement": found, **parts}.items(), coefficients),
        table_of(f"{prefix}_confusion", counts, confusion, partial(draw_confusion, found, sides)),
        table_of(
            f"{prefix}_shares",
            found.shares.items(),
            shares,
            partial(draw_label_shares, found, sides),
        ),
    ]


def _entry(part: Callable[[Any], Any], key: object) -> Callable[[Any], Any]:
    """Return what reads an entry of a part of an item."""
    return lambda item: part(item)[key]


def correlation_table(found: ScoreComparison) -> ResultTable:
    """Return the correlations, a row for each."""
    columns = [
        Column("correlation", "", itemgetter(0), lambda name: name.replace("_", "-")),
        Column("", "correlation", itemgetter(0)),
        Column("runs", "runs", itemgetter(1), decimal),
        Column(
            "interval",
            ("interval_low", "interval_high"),
            lambda row: _pair(found.intervals[row[0]]),
            _spread,
        ),
        Column("mean of topics", "topics_mean", lambda row: found.topics[row[0]].mean, decimal),
        Column(
            "topics",
            ("topics_low", "topics_high"),
            lambda row: _pair(found.topics[row[0]]),
            lambda ends: f"{decimal(ends[0])} to {decimal(ends[1])}",
        ),
        Column("all pairs", "pairs", lambda row: found.pairs[row[0]], decimal),
    ]
    return table_of(f"{found.measure}_correlations", found.runs.items(), columns)


def run_means_table(found: ScoreComparison, sides: tuple[str, str]) -> ResultTable:
    """Return the mean of each run on both sides, which the scatter shows."""
    from sidelight.evaluation.figures import draw_run_means

    return table_of(
        f"{found.measure}_run_means",
        zip(found.run_tags, *found.means, strict=True),
        [Column("run", "run_tag", itemgetter(0)), *_sides(sides, 1)],
        partial(draw_run_means, found, sides),
    )


def _sides(sides: tuple[str, str], place: int) -> list[Column]:
    """Return the columns of both sides' scores, which stand from a place on in a row."""
    first, second = sides
    return [
        Column(first, "first", itemgetter(place), "{:.4f}".format),
        Column(second, "second", itemgetter(place + 1), "{:.4f}".format),
    ]


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
    columns = [
        Column("run", "run_tag", itemgetter(0)),
        Column("topic", "topic_id", itemgetter(1)),
        *_sides(sides, 2),
    ]
    draw = partial(draw_topic_cloud, found, sides)
    return table_of(f"{found.measure}_topic_scores", cells, columns, draw)


def _pair(interval: Bootstrap | TopicMean) -> tuple[float | None, float | None]:
    return interval.low, interval.high


def _spread(ends: tuple[float | None, float | None] | None, lacking: str = "-") -> str:
    """Return the interval of a coefficient as tables show it."""
    low, high = ends or (None, None)
    return lacking if low is None or high is None else f"{low:.3f} to {high:.3f}"


def judge_in_caption(told: str) -> str:
    """Return who judged without the hashes of weights, which stand in the files beside a table."""
    return re.sub(r", weights [0-9a-f+]+", "", told)


def decimal(value: float | None, spec: str = ".3f", lacking: str = "undefined") -> str:
    """Return a figure as tables show it, with three digits unless told otherwise."""
    return lacking if value is None else format(value, spec)


_CORRELATIONS = ("spearman", "tau_b", "tau_ap", "tau_ap_b")


def tables_result(
    tables: Sequence[ResultTable],
    output: Path | None,
    about: Mapping[str, object],
    notes: Sequence[str | Note] = (),
) -> Result:
    """Return tables that are printed and written, and after them notes.

    `about` is what else a reader must know, for JSON, and `notes` the same for people. No files are
    written if `output` is None.
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
    columns = [
        Column("run", "run_tag", attrgetter("run_tag")),
        Column(main.name, main.name, lambda one: values[one.run_tag][main.name], main.shown),
        Column("95% interval", "", lambda one: intervals[one.run_tag], interval_cell),
        *(
            Column(one.name, one.name, _entry(lambda run: values[run.run_tag], one.name), one.shown)
            for one in others
        ),
        Column("", ("interval_low", "interval_high"), lambda one: intervals[one.run_tag]),
        Column("rank", "rank", attrgetter("rank"), "{:g}".format),
        Column(
            "official rank",
            "official_rank",
            attrgetter("official"),
            partial(decimal, spec="g", lacking="-"),
        ),
        Column("judged", "judged", attrgetter("judged"), "{:.0%}".format),
    ]
    return table_of("leaderboard", standings, columns)


def agreement_table(compared: Mapping[str, ScoreComparison]) -> ResultTable:
    """Return a row for each measure; none where nothing was compared."""
    columns = [
        Column("against judgments", "measure", itemgetter(0)),
        Column("runs", "n_runs", lambda row: len(row[1].run_tags)),
        *(
            Column(
                name.replace("_", "-"),
                (name, f"{name}_low", f"{name}_high"),
                partial(_correlation, name),
                _with_interval,
            )
            for name in _CORRELATIONS
        ),
    ]
    return table_of("agreement_with_judgments", compared.items(), columns)


def _correlation(
    name: str, row: tuple[str, ScoreComparison]
) -> tuple[float | None, float | None, float | None]:
    _, found = row
    return found.runs[name], *_pair(found.intervals[name])


def _with_interval(found: tuple[float | None, float | None, float | None]) -> str:
    value, low, high = found
    return decimal(value) + ("" if low is None else f" ({_spread((low, high))})")


def cover_table(cover: Cover, intervals: Mapping[str, Interval | None]) -> ResultTable:
    """Return a row for each run, the best first."""
    from sidelight.evaluation.exams.leaderboard import EXAM, N_EXAM

    columns = [
        Column("run", "run_tag", attrgetter("run_tag")),
        *(Column("", name, _entry(attrgetter("row"), name)) for name in cover.table.runs[0].row),
        Column("EXAM", "", lambda run: run.row[EXAM.name], EXAM.shown),
        Column(
            "95% interval",
            ("interval_low", "interval_high"),
            lambda run: intervals[run.run_tag],
            interval_cell,
        ),
        Column("n-EXAM", "", lambda run: run.row[N_EXAM.name], N_EXAM.shown),
        Column(
            "places without grades", "places_without_grades", lambda run: cover.missing[run.run_tag]
        ),
    ]
    return table_of("exam_cover", cover.table.runs, columns)


def judgment_tables(found: QrelsComparison, levels: tuple[int, int]) -> list[ResultTable]:
    """Return grades against judgments: the counts, kappa of each cell, and relevant or not.

    `levels` are the lowest relevant grade and the lowest relevant judgment.
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
    table = [
        Column("grader", "grader", attrgetter("grader")),
        Column("relevant from", "level", attrgetter("level")),
        *(
            Column(name, name, _entry(attrgetter("values"), name), partial(_cell, best[name]))
            for name in columns
        ),
        Column("wins", "wins", attrgetter("wins")),
    ]
    return table_of("correlations", found, table)


def _cell(best: float, value: float | None) -> str:
    from sidelight.evaluation.exams.leaderboard import WITHIN

    good = value is not None and best - value <= WITHIN + 1e-9
    return f"{decimal(value)}{'*' if good else ' '}"
