"""Where people and machines are spoken to: results on stdout, progress and trouble on stderr."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

from sidelight.cli.terminal.table_layout import LONGEST_FIGURE, natural_width, table_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


# What `print_json` is given while several documents become one.
_GATHERED: list[list[Any]] = []


@contextmanager
def one_document(*, as_json: bool) -> Iterator[None]:
    """Print what is printed as JSON meanwhile at the end, as one list, where JSON is asked for."""
    if not as_json:
        yield
        return
    _GATHERED.append([])
    try:
        yield
    finally:
        documents = _GATHERED.pop()
    print_json(documents)


def print_json(value: Any) -> None:
    """Print one JSON document on stdout, untouched by terminal width or markup."""
    import orjson

    if _GATHERED:
        _GATHERED[-1].append(value)
        return
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    out.file.write(orjson.dumps(value, option=options).decode() + "\n")


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout, nothing of it cut: names in the first column, figures in the others.

    Where a terminal is too narrow for all columns, those that do not fit stand below, beside the
    names once more. A pipe has no width to fit.
    """
    from rich.table import Table
    from rich.text import Text

    lines = list(rows)
    width = out.width if out.is_terminal else None
    console = out if width else Console(file=out.file, width=natural_width(header, lines))
    for columns in table_blocks(header, lines, width):
        table = Table()
        for place, room in columns.items():
            table.add_column(
                Text(header[place]),
                justify="right" if place and room <= LONGEST_FIGURE else "left",
                overflow="fold",
                width=room,
            )
        for line in lines:
            table.add_row(*(Text(line[place]) for place in columns))
        console.print(table)


def warn_of_undefined(undefined: Mapping[str, Sequence[str]], n_topics: int, what: str) -> None:
    """Say on stderr where measures are undefined.

    Args:
        undefined: Measure name -> topics on which it is.
        n_topics: How many topics there are.
        what: What one of them is.
    """
    from sidelight.text import counted

    alike: dict[tuple[str, ...], list[str]] = {}
    for measure, topics in undefined.items():
        alike.setdefault(tuple(topics), []).append(measure.replace("_", " "))
    for topics, measures in alike.items():
        where = f"all of {counted(n_topics, what)}"
        if len(topics) < n_topics:
            where = f"{len(topics)} of {counted(n_topics, what)} (counted as 0): "
            where += ", ".join(topics)
        err.print(
            f"undefined, {', '.join(measures)}: nothing to find on {where}",
            style="yellow",
            markup=False,
        )


def warn_of_few_runs(count: int) -> None:
    """Say on stderr that a correlation over so few runs says little, or nothing at all."""
    from sidelight.evaluation.agreement.ranks import MIN_RUNS_FOR_INTERVALS
    from sidelight.text import counted

    if count >= MIN_RUNS_FOR_INTERVALS:
        warn_of_few(count, "run")
        return
    err.print(
        f"warning: {counted(count, 'run')}: with fewer than {MIN_RUNS_FOR_INTERVALS}, a "
        "correlation says nothing about other runs: even full agreement may be chance; no "
        "intervals",
        style="yellow",
        markup=False,
    )


def warn_of_few(count: int, what: str) -> None:
    """Say on stderr that intervals over so few topics or runs cover less than they say.

    Args:
        count: How many there are.
        what: What one of them is.
    """
    from sidelight.evaluation.scoring.uncertainty import FEW
    from sidelight.text import counted

    if count < FEW:
        err.print(
            f"warning: {counted(count, what)}: with fewer than {FEW}, 95% intervals cover far "
            "less, and an order of runs may be chance",
            style="yellow",
            markup=False,
        )
