"""What a benchmark found: a text to read, and the figures that the table sets side by side."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from benchmarks.interleaved import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS = Path(__file__).parent / "results"


class Figure(NamedTuple):
    """One number of the table."""

    name: str
    value: float
    unit: str


def write_results(
    name: str, workload: str, lines: Iterable[object], figures: Iterable[Figure] = ()
) -> None:
    """Write the lines with what they depend on, and the figures of the table as JSON beside them.

    A comparison among the lines is a figure without being named again.
    """
    lines = list(lines)
    compared = [
        Figure(line.name, round(line.ratio(), 2), "x as fast")
        for line in lines
        if isinstance(line, Comparison)
    ]
    RESULTS.mkdir(exist_ok=True)
    text = "\n".join([f"workload: {workload}", f"machine: {machine()}", *map(str, lines)])
    (RESULTS / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    if found := [*compared, *figures]:
        write_figures(name, found)


def write_figures(name: str, figures: Iterable[Figure]) -> None:
    """Write the figures of the table alone."""
    kept = {"machine": machine(), "figures": [one._asdict() for one in figures]}
    (RESULTS / f"{name}.json").write_bytes(
        orjson.dumps(kept, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    )


def machine() -> str:
    """Say what the figures depend on besides the workload."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    known = Path("/proc/cpuinfo")
    said = known.read_text(encoding="utf-8") if known.exists() else ""
    model = re.search(r"^model name\s*: (.+)", said, re.MULTILINE)
    # Two processors round bfloat16 differently, and then other sentences are told.
    processor = model.group(1) if model else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, load {load}, Python {platform.python_version()}"


def read_figures(path: Path) -> list[Figure]:
    """Return the figures of a file; none if there is no such file."""
    if not path.exists():
        return []
    return [Figure(**one) for one in orjson.loads(path.read_bytes())["figures"]]
