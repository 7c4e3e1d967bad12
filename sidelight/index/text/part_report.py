"""What was found in the shards of a part of an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import Problem
from sidelight.files import atomic_write, read_limited
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from pathlib import Path

REPORT = "report.json"


class ShardReport(Value):
    """What was found in one shard.

    Attributes:
        name: Name of its file.
        segments: How many segments of it are in the index.
        refused: How many of its lines are not.
        problems: What is wrong with the first of those.
    """

    name: str
    segments: int
    refused: int
    problems: tuple[Problem, ...]


class PartReport(Value):
    """What was found in the shards of one part, and of how many documents."""

    documents: int
    shards: tuple[ShardReport, ...]


def read_report(part: Path) -> PartReport:
    """Return what was found in a part."""
    return PartReport.model_validate_json(read_limited(part / REPORT))


def write_report(part: Path, report: PartReport) -> None:
    """Keep what was found in a part."""
    atomic_write(part / REPORT, report.model_dump_json())
