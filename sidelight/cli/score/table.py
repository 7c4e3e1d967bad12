"""Results of commands that score runs: the table, its intervals, and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.cli.console import (
    Files,
    PlainTable,
    Result,
    few_warnings,
    undefined_warnings,
    warning,
)
from sidelight.cli.options.judges import interval_cell
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sidelight.cli.options.judges import Sampling
    from sidelight.evaluation.scoring.table import Interval, ScoreTable


class ScoreOrigin(NamedTuple):
    """What a reader must know about scores.

    Attributes:
        labels: Who labelled, `human` or `auto`.
        judge: The judge, as its manifest names it.
        sampling: How intervals are drawn; None for no intervals.
        n_topics: The topics that count.
        notes: What else the scores depend on.
    """

    labels: str
    judge: str | None
    sampling: Sampling | None
    n_topics: int
    notes: Sequence[str] = ()


def scores_result(  # long: files, table and JSON of one result
    origin: ScoreOrigin, table: ScoreTable, prefix: str, output: Path | None
) -> Result:
    """Return a table of scores with what a reader must know about it, and its files.

    Args:
        origin: What a reader must know.
        table: At least one run.
        prefix: How the names of the files begin.
        output: Folder for them; None for no files.
    """
    from sidelight.evaluation.scoring.table import MIN_TOPICS, run_intervals, write_score_files
    from sidelight.formats.table import write_latex_table

    sampling, n_topics = origin.sampling, origin.n_topics
    intervals = run_intervals(table, **sampling._asdict()) if sampling else None
    header, rows = _run_table(table, intervals, n_topics)

    def write() -> Iterator[Path]:
        if output is not None:
            latex = output / f"{prefix}_per_run_results.tex"
            yield from write_score_files(table, output, prefix, intervals)
            write_latex_table(latex, header, rows)
            yield latex

    judge = f" ({origin.judge})" if origin.judge else ""
    notes = list(origin.notes)
    warnings = undefined_warnings(table.undefined, n_topics, "topic")
    if sampling and n_topics >= MIN_TOPICS:
        notes = [f"intervals: bootstrap over {counted(n_topics, 'topic')}, {sampling}", *notes]
        warnings += few_warnings(n_topics, "topic")
    elif sampling:
        notes = [f"no intervals: fewer than {MIN_TOPICS} topics ({n_topics})", *notes]
    return Result(
        {
            "labels": origin.labels,
            "judge": origin.judge,
            "notes": list(origin.notes),
            "n_rubric_topics": n_topics,
            "bootstrap": sampling._asdict() if sampling else None,
            "runs": [
                {"run_tag": run.run_tag, **run.row} | _interval_json(run.run_tag, intervals)
                for run in table.runs
            ],
            "topics": [
                {"run_tag": topic.run_tag, "topic_id": topic.topic_id, **topic.row}
                for topic in table.topics
            ],
            "omitted": table.omitted,
            "undefined": table.undefined,
        },
        [
            PlainTable(header, rows),
            f"labels: {origin.labels}{judge}",
            *(f"note: {note}" for note in notes),
            *(
                warning(
                    f"{run_tag}: no judgment for {counted(len(topics), 'topic')} (counted as 0): "
                    f"{', '.join(topics)}"
                )
                for run_tag, topics in table.omitted.items()
            ),
            *warnings,
            Files(write, "files"),
        ],
    )


def _interval_json(
    run_tag: str, intervals: dict[str, Interval | None] | None
) -> dict[str, dict[str, float] | None]:
    if intervals is None:
        return {}
    interval = intervals[run_tag]
    return {"interval": interval._asdict() if interval else None}


def _run_table(
    table: ScoreTable, intervals: dict[str, Interval | None] | None, n_topics: int
) -> tuple[list[str], list[list[str]]]:
    """Return a header and a row for each run: its main measure, its interval, other measures."""
    main, *others = table.measures
    counted = table.runs[0].n_topics is not None
    rows = []
    for run in table.runs:
        shown = run.row
        cells = [main.shown(shown[main.name])]
        if intervals:
            cells.append(interval_cell(intervals[run.run_tag]))
        cells += [one.shown(shown[one.name]) for one in others]
        cells += [f"{run.n_topics}/{n_topics}"] if counted else []
        rows.append([run.run_tag, *cells])
    names = [main.name, *(["95% interval"] if intervals else []), *(one.name for one in others)]
    names += ["n_topics"] if counted else []
    return ["run", *(name.replace("_", " ") for name in names)], rows
