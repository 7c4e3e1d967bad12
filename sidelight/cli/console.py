"""Where people and machines are spoken to: results on stdout, progress and trouble on stderr."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

_PIPE_WIDTH = 500


def print_json(value: Any) -> None:
    """Print one JSON document on stdout, untouched by terminal width or markup."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    out.file.write(orjson.dumps(value, option=options).decode() + "\n")


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout: names in the first column, figures in the others.

    A pipe has no width to fit, so there nothing is cut.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for place, name in enumerate(header):
        table.add_column(Text(name), justify="right" if place else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = out if out.is_terminal else Console(file=out.file, width=_PIPE_WIDTH)
    console.print(table)


def warn_of_few(count: int, what: str) -> None:
    """Say on stderr that intervals over so few topics or runs cover less than they say.

    Args:
        count: How many there are.
        what: What they are, in the plural.
    """
    from sidelight.evaluation.scoring.uncertainty import FEW

    if count < FEW:
        err.print(
            f"warning: {count} {what}: with fewer than {FEW}, 95% intervals cover far less, "
            "and an order of runs may be chance",
            style="yellow",
            markup=False,
        )


@contextmanager
def progress_bar(description: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a bar with rate and remaining time on stderr; yield the function that advances it.

    Without a terminal nothing is drawn, so that logs stay readable.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
        task = progress.add_task(description, total=total)
        yield lambda steps: progress.advance(task, steps)
