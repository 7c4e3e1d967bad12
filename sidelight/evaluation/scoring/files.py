"""Result files with the organizers' names and columns; further columns follow theirs.

`{human,auto}_<task>_per_{topic,run}_results.csv` begin with `run_tag`, then `topic_id` (per topic
only), then the measures in the order the scorer gives them; where intervals
are known, per-run files end in `interval_low` and `interval_high` of the first measure. A measure
that is undefined has an empty cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sidelight.errors import InputError
from sidelight.evaluation.scoring.table import TopicScore
from sidelight.formats.lines import Findings, quoted
from sidelight.formats.table import read_table, write_table
from sidelight.text import finite_number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.evaluation.scoring.uncertainty import Interval
    from sidelight.formats.table import Row
    from sidelight.schemas.task import Task

_IDS = ("run_tag", "topic_id")
_MOST = 1e9  # more than any measure counts


def label_source(assessments: Path) -> Literal["human", "auto"]:
    """Return who labelled a file, by the name of its label column; it begins the file names.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: It is not CSV with a header.
    """
    header, _ = read_table(assessments)
    return "human" if "annotation" in header else "auto"


def score_prefix(source: str, task: Task) -> str:
    """Return how the names of a task's score files begin.

    Args:
        source: Who labelled, `human` or `auto`.
        task: What the runs did.
    """
    return f"{source}_{task.scores_name or task.name}"


def per_topic_name(prefix: str) -> str:
    """Return the name of the file with the scores of each topic."""
    return f"{prefix}_per_topic_results.csv"


def read_topic_scores(path: Path) -> list[TopicScore]:
    """Read a `..._per_topic_results.csv`; every column but `run_tag` and `topic_id` is a measure.

    A measure is undefined on a topic where no run has a score.

    Raises:
        InputError: The file cannot be read, or holds no score.
        InvalidFileError: A column is missing, a score is no number that a measure has or is missing
            for some runs alone, or a run has two rows for a topic.
    """
    header, rows = read_table(path)
    findings = Findings(path)
    measures = [column for column in header if column not in _IDS]
    if not set(_IDS) <= set(header) or not measures:
        findings.error(
            "csv-columns",
            1,
            expected=f"{', '.join(_IDS)} and at least one measure",
            found=", ".join(header),
            remedy="Take the per-topic file that `sidelight score --output` writes.",
        )
        findings.raise_errors()
    scores: dict[tuple[str, ...], TopicScore] = {}
    records = list(rows)
    defined = {
        (row.cells["topic_id"], name) for row in records for name in measures if row.cells[name]
    }
    for row in records:
        run_tag, topic_id = key = tuple(row.cells[column] for column in _IDS)
        if key in scores:
            findings.error(
                "score-duplicate",
                row.line,
                expected=f"one row for run {run_tag} and topic {topic_id}",
                found="a second one",
                remedy="Keep one of them.",
            )
        undefined = frozenset(name for name in measures if (topic_id, name) not in defined)
        values = {
            name: 0.0 if name in undefined else _number(row, name, findings) for name in measures
        }
        scores[key] = TopicScore(run_tag, topic_id, values, undefined)
    findings.raise_errors()
    if not scores:
        raise InputError(f"{path} holds no score", remedy="Score at least one run first.")
    return list(scores.values())


def write_score_files(
    table: ScoreTable,
    folder: Path,
    prefix: str,
    intervals: Mapping[str, Interval | None] | None = None,
) -> tuple[Path, Path]:
    """Write the two files of a score table and return their paths (per topic, per run).

    Args:
        table: At least one run.
        folder: Created if need be.
        prefix: The beginning of the names, such as `score_prefix` returns.
        intervals: Run tag -> interval, or None for empty cells; without, there are no such columns.
    """
    per_topic = folder / per_topic_name(prefix)
    per_run = folder / f"{prefix}_per_run_results.csv"
    measures, columns = list(table.topics[0].values), list(table.runs[0].row)
    write_table(
        per_topic,
        (*_IDS, *measures),
        ((topic.run_tag, topic.topic_id, *map(topic.row.get, measures)) for topic in table.topics),
    )
    write_table(
        per_run,
        (
            "run_tag",
            *columns,
            *(("interval_low", "interval_high") if intervals is not None else ()),
        ),
        (
            (
                run.run_tag,
                *map(run.row.get, columns),
                *((intervals[run.run_tag] or ("", "")) if intervals is not None else ()),
            )
            for run in table.runs
        ),
    )
    return per_topic, per_run


def _number(row: Row, column: str, findings: Findings) -> float:
    value = finite_number(row.cells[column])
    if value is not None and abs(value) <= _MOST:
        return value
    findings.error(
        "score",
        row.line,
        expected=f"a number from {-_MOST:g} to {_MOST:g} in {column}",
        found=quoted(row.cells[column]),
        remedy="Score the run again; a score that other runs have may not be missing.",
    )
    return 0.0
