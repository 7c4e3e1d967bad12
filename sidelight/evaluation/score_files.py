"""Result files with the organizers' names and columns; further columns follow theirs.

`{human,auto}_{question,report}_generation_per_{topic,run}_results.csv` begin with `run_tag`, then
`topic_id` (per topic only), then the measures in the order the scorer gives them.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Literal

from sidelight.files import atomic_writer
from sidelight.formats.table import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sidelight.evaluation.score import ScoreTable


def label_source(assessments: Path) -> Literal["human", "auto"]:
    """Return who labelled a file, by the name of its label column; it begins the file names.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: It is not CSV with a header.
    """
    header, _ = read_table(assessments)
    return "human" if "annotation" in header else "auto"


def write_score_files(table: ScoreTable, folder: Path, prefix: str) -> tuple[Path, Path]:
    """Write the two files of a score table and return their paths (per topic, per run).

    Args:
        table: At least one run.
        folder: Created if need be.
        prefix: The beginning of the names, e.g. `human_report_generation`.
    """
    per_topic = folder / f"{prefix}_per_topic_results.csv"
    per_run = folder / f"{prefix}_per_run_results.csv"
    _write(
        per_topic,
        ("run_tag", "topic_id", *table.topics[0].values),
        ((topic.run_tag, topic.topic_id, *topic.values.values()) for topic in table.topics),
    )
    _write(
        per_run,
        ("run_tag", *table.runs[0].values),
        ((run.run_tag, *run.values.values()) for run in table.runs),
    )
    return per_topic, per_run


def _write(path: Path, header: Iterable[str], rows: Iterable[Iterable[str | float]]) -> None:
    with atomic_writer(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        # `csv` writes floats by `repr`: the shortest text that reads back as the same number.
        writer.writerows(rows)
