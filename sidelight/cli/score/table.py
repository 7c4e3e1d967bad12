"""A table of scores as commands deliver it: files, the terminal, JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.cli.console import (
    err,
    list_files,
    out,
    print_json,
    print_table,
    warn_of_few,
    warn_of_undefined,
)
from sidelight.cli.options.judges import interval_cell
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sidelight.cli.options.judges import Sampling
    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.evaluation.scoring.uncertainty import Interval


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


def deliver(  # long: files, table and JSON of one result
    origin: ScoreOrigin, table: ScoreTable, prefix: str, output: Path | None, *, as_json: bool
) -> None:
    """Write the result files, and print the table with what a reader must know about it.

    Args:
        origin: What a reader must know.
        table: At least one run.
        prefix: How the names of the files begin.
        output: Folder for them; None for no files.
        as_json: Print one JSON document.
    """
    from sidelight.evaluation.scoring.files import write_score_files
    from sidelight.evaluation.scoring.uncertainty import MIN_TOPICS, run_intervals
    from sidelight.formats.table import write_latex_table

    sampling, n_topics = origin.sampling, origin.n_topics
    intervals = run_intervals(table, **sampling._asdict()) if sampling else None
    header, rows = _run_table(table, intervals, n_topics)
    written: tuple[Path, ...] = ()
    if output is not None:
        latex = output / f"{prefix}_per_run_results.tex"
        written = (*write_score_files(table, output, prefix, intervals), latex)
        write_latex_table(latex, header, rows)
    if as_json:
        print_json(
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
                "files": [str(path) for path in written],
            }
        )
        return
    print_table(header, rows)
    judge = f" ({origin.judge})" if origin.judge else ""
    out.print(f"labels: {origin.labels}{judge}", markup=False)
    notes = list(origin.notes)
    if sampling and n_topics >= MIN_TOPICS:
        notes = [f"intervals: bootstrap over {counted(n_topics, 'topic')}, {sampling}", *notes]
    elif sampling:
        notes = [f"no intervals: fewer than {MIN_TOPICS} topics ({n_topics})", *notes]
    for note in notes:
        out.print(f"note: {note}", markup=False)
    for run_tag, topics in table.omitted.items():
        err.print(
            f"{run_tag}: no judgment for {counted(len(topics), 'topic')} (counted as 0): "
            f"{', '.join(topics)}",
            style="yellow",
            markup=False,
        )
    warn_of_undefined(table.undefined, n_topics, "topic")
    if sampling and n_topics >= MIN_TOPICS:
        warn_of_few(n_topics, "topic")
    list_files(written)


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
