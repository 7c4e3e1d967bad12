"""How scores spread: the five numbers of a boxplot."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.errors import InputError
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.table import read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.scoring.table import TopicScore


class Box(NamedTuple):
    """The scores of one topic, question or assessor.

    Attributes:
        name: Whose scores they are.
        group: What colours it; empty for nothing.
        n: How many scores.
        lowest: The minimum.
        lower: The 25th percentile, interpolated linearly, as the others.
        median: The 50th.
        upper: The 75th.
        highest: The maximum.
    """

    name: str
    group: str
    n: int
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float

    @property
    def five(self) -> tuple[float, float, float, float, float]:
        """Return the five numbers, the lowest first."""
        return self.lowest, self.lower, self.median, self.upper, self.highest


def boxes(
    scores: Mapping[str, Sequence[float]], groups: Mapping[str, str] | None = None
) -> list[Box]:
    """Return a box for each name, ordered by median, ties by the other four numbers and by name.

    Args:
        scores: At least one for each name.
        groups: By name, what colours a box.
    """
    found = []
    for name, values in scores.items():
        five = (float(number) for number in np.percentile(values, (0, 25, 50, 75, 100)))
        found.append(Box(name, (groups or {}).get(name, ""), len(values), *five))
    return sorted(found, key=lambda box: (box.median, box.five, box.name))


def by_topic(scores: Iterable[TopicScore], measure: str) -> dict[str, list[float]]:
    """Return the scores of all runs by topic."""
    found: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        found[score.topic_id].append(score.values[measure])
    return dict(found)


def by_group(
    scores: Mapping[str, Sequence[float]], groups: Mapping[str, str]
) -> dict[str, list[float]]:
    """Return scores by the group of their topic; topics of no group are left out."""
    found: dict[str, list[float]] = defaultdict(list)
    for topic_id, values in scores.items():
        if topic_id in groups:
            found[groups[topic_id]].extend(values)
    return dict(found)


def write_boxes(path: Path, found: Iterable[Box]) -> None:
    """Write boxes as CSV, in their order."""
    write_table(path, ("name", "group", "n", "min", "p25", "median", "p75", "max"), found)


def read_groups(path: Path) -> dict[str, str]:
    """Read who assessed which topic: CSV with the columns `topic_id` and `assessor`.

    Raises:
        InputError: The file cannot be read, or names no topic.
        InvalidFileError: A column is missing, or a topic has two assessors.
    """
    header, rows = read_table(path)
    findings = Findings(path)
    if not {"topic_id", "assessor"} <= set(header):
        findings.error(
            "csv-columns",
            1,
            expected="topic_id and assessor",
            found=", ".join(header),
            remedy="Rename or add the columns.",
        )
        findings.raise_errors()
    found: dict[str, str] = {}
    for row in rows:
        topic_id, assessor = row.cells["topic_id"], row.cells["assessor"]
        if found.setdefault(topic_id, assessor) != assessor:
            findings.error(
                "label-conflict",
                row.line,
                expected=f"one assessor for {topic_id}, {found[topic_id]}",
                found=quoted(assessor),
                remedy="Keep one of them.",
            )
    findings.raise_errors()
    if not found:
        raise InputError(f"{path} names no topic", remedy="Give a row for each topic.")
    return found
