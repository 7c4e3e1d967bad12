"""Run the benchmarks and print one table: today's figures beside the last ones recorded.

Run with: python -m benchmarks [NAME...]

A name is that of a file without `bench_` and `.py`; without names all are run. Each is a process of
its own: one that fails, or whose data is not there, stops no other. Which these are is said at the
end, and the exit status is 1 if one failed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.data import NO_DATA
from benchmarks.record import Figure, read_figures

if TYPE_CHECKING:
    from collections.abc import Sequence


class Outcome(NamedTuple):
    """What came of one benchmark.

    Attributes:
        name: Of its file, without `bench_`.
        status: Its exit status.
        said: The last line it printed.
        last: The figures recorded before.
        today: Those recorded now; empty if it did not get that far.
    """

    name: str
    status: int
    said: str
    last: list[Figure]
    today: list[Figure]


def names_of(root: Path) -> list[str]:
    """Return the names of all benchmarks of a checkout."""
    files = sorted((root / "benchmarks").glob("bench_*.py"))
    return [path.stem.removeprefix("bench_") for path in files]


def run(root: Path, name: str) -> Outcome:
    """Run one benchmark, passing on what it prints."""
    recorded = root / "benchmarks" / "results" / f"{name}.json"
    last = read_figures(recorded)
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", f"benchmarks.bench_{name}"]
    said = ""
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    ) as process:
        assert process.stdout
        for line in process.stdout:
            print(line, end="", flush=True)
            said = line.strip() or said
    status = process.returncode
    return Outcome(name, status, said, last, [] if status else read_figures(recorded))


def table_of(outcomes: Sequence[Outcome]) -> Table:
    """Return the figures of all benchmarks, today's beside the last."""
    table = Table("benchmark", "figure", "today", "last", "unit", box=None)
    for outcome in outcomes:
        today = {(one.name, one.unit): one.value for one in outcome.today}
        last = {(one.name, one.unit): one.value for one in outcome.last}
        for name, unit in today | last:
            values = (
                f"{one[name, unit]:g}" if (name, unit) in one else "-" for one in (today, last)
            )
            table.add_row(outcome.name, name, *values, unit)
    return table


def main(root: Path, names: Sequence[str]) -> int:
    """Run the benchmarks, print what came of them and return the exit status."""
    outcomes = [run(root, name) for name in names or names_of(root)]
    print()
    Console(soft_wrap=True).print(table_of(outcomes))
    for outcome in outcomes:
        if outcome.status == NO_DATA:
            print(f"{outcome.name}: {outcome.said}")
        elif outcome.status:
            print(f"{outcome.name}: failed with exit status {outcome.status}: {outcome.said}")
    return int(any(outcome.status not in {0, NO_DATA} for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent, sys.argv[1:]))
