"""Groups of commands, and their results as values: tables, lines, a JSON document and files.

A command returns a `Result`, and `deliver` alone prints, writes and serialises it: for people on
stdout with warnings on stderr, or as one JSON document on stdout.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from functools import cache, wraps
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, get_type_hints

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from sidelight.errors import MachineError, Problem, ReplyError, UsageError, alike
from sidelight.files import as_json, atomic_write, in_utf8
from sidelight.formats.table import latex_table, to_frame, write_table
from sidelight.registry import did_you_mean
from sidelight.text import counted, finite_number, first_of

INTERRUPTED = 130  # the exit code that a shell expects of a command that Ctrl-C ended
_EDGE = 3  # a border and the spaces on both sides of a cell
_LEAST_NAME = 12  # of a name on one line; what is longer goes on below
_MOST_NAMES = 0.6  # of a line, taken by several columns that tell rows apart
_LEAST_WIDTH = 24
LONGEST_FIGURE = 30  # what is longer is text, and may go over several lines
_LEAST_TEXT = 20


def natural_width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide a table is that has each row on one line."""
    return 1 + sum(_EDGE + one for one in _widths(header, rows))


def table_blocks(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> list[dict[int, int]]:
    """Return the tables that are printed below each other to show one table.

    Each table maps the places of its columns to their widths in characters. It begins with the
    columns that name the rows, and the first table has the first measure. A cell too wide for any
    line is folded. `width` is that of a line; None is for lines of any length.
    """
    whole = _widths(header, rows)
    width = None if width is None else max(width, _LEAST_WIDTH)
    if width is None or natural_width(header, rows) <= width:
        return [dict(enumerate(whole))]
    # A heading of several words may go over several lines, a figure may not.
    least = _widths([max(name.split() or [""], key=cell_len) for name in header], rows)
    names = _names(rows, least, width)
    others = [place for place in range(len(header)) if place not in names]
    if len(names) == 1:
        widest = max((least[place] for place in others), default=0)
        names[0] = min(names[0], max(_LEAST_NAME, width - 1 - 2 * _EDGE - widest))
    room = free = width - 1 - sum(_EDGE + one for one in names.values())
    blocks = [dict(names)]
    for place in others:
        needed = min(least[place], room - _EDGE)
        if least[place] > LONGEST_FIGURE and free - _EDGE >= _LEAST_TEXT:
            needed = min(needed, free - _EDGE)
        if needed + _EDGE > free and len(blocks[-1]) > len(names):
            blocks.append(dict(names))
            free = room
        blocks[-1][place] = needed
        free -= needed + _EDGE
    return blocks


def _names(rows: Sequence[Sequence[str]], widths: list[int], width: int) -> dict[int, int]:
    """Return the first columns, by which rows are told apart, as far as there is room for them."""
    names = {0: widths[0]}
    for place in range(1, len(widths)):
        told_apart = len({tuple(row[:place]) for row in rows}) == len(rows)
        taken = sum(_EDGE + one for one in widths[: place + 1])
        if told_apart or taken > width * _MOST_NAMES:
            break
        names[place] = widths[place]
    return names


def _widths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(cell_len(cell) for cell in (name, *(row[place] for row in rows)))
        for place, name in enumerate(header)
    ]


# Names of runs and files may contain what rich takes for an emoji, such as `:100:`.
out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout, nothing of it cut: names in the first column, figures in the others.

    Where a terminal is too narrow for all columns, those that do not fit stand below, beside the
    names once more. A pipe has no width to fit.
    """
    from rich.table import Table

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


class Note(NamedTuple):
    """A line for people.

    `style` is a colour as rich names it. A note `on_stderr` is about trouble and no part of the
    result. A note is printed beside JSON only if it is `always` printed.
    """

    text: str | Text
    style: str | None = None
    on_stderr: bool = False
    always: bool = False


def warning(text: str) -> Note:
    """Return a warning: yellow, on stderr."""
    return Note(text, "yellow", on_stderr=True)


ASKS_AGAIN = "the same command asks for them again, and keeps the others"


def unanswered(lost: Sequence[str], total: int, what: str) -> list[Note]:
    """Return a warning that names the items without a usable answer, if there are any.

    `lost` are their names, and `what` is what one of all `total` items is. If all items are lost,
    it raises ReplyError.
    """
    if not lost:
        return []
    if len(lost) == total:
        raise ReplyError(
            f"{counted(total, what)}: expected a usable answer to some; found none, so nothing is "
            "written",
            remedy="See what the model can do with sidelight doctor --model NAME; the same command "
            "asks again.",
        )
    return [warning(f"warning: without a usable answer: {first_of(lost)}; {ASKS_AGAIN}")]


def failures(failed: Iterable[tuple[str, str]], what: str) -> list[Note]:
    """Return a warning, also beside JSON, for each `failed` item with its name and the reason."""
    told = [f"{name}: no {what}: {reason}" for name, reason in failed]
    told += [ASKS_AGAIN.capitalize()] if told else []
    return [warning(one)._replace(always=True) for one in told]


def undefined_warnings(
    undefined: Mapping[str, Sequence[str]], n_topics: int, what: str
) -> list[Note]:
    """Return warnings that name the topics on which measures are undefined, by measure."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for measure, topics in undefined.items():
        alike.setdefault(tuple(topics), []).append(measure.replace("_", " "))
    warnings = []
    for topics, measures in alike.items():
        where = f"all of {counted(n_topics, what)}"
        if len(topics) < n_topics:
            where = f"{len(topics)} of {counted(n_topics, what)} (counted as 0): "
            where += ", ".join(topics)
        warnings.append(
            warning(f"undefined: {', '.join(measures)}: nothing to find, or no label, on {where}")
        )
    return warnings


def few_runs_warnings(count: int) -> list[Note]:
    """Return a warning where a correlation over so few runs says little, or nothing at all."""
    from sidelight.evaluation.agreement.ranks import MIN_RUNS_FOR_INTERVALS

    if count >= MIN_RUNS_FOR_INTERVALS:
        return few_warnings(count, "run")
    return [
        warning(
            f"warning: {counted(count, 'run')}: with fewer than {MIN_RUNS_FOR_INTERVALS}, a "
            "correlation says nothing about other runs: even full agreement may be chance; no "
            "intervals"
        )
    ]


def few_warnings(count: int, what: str) -> list[Note]:
    """Return a warning where intervals over so few topics or runs hold less often than they say."""
    from sidelight.evaluation.scoring.table import FEW, MIN_TOPICS

    if count >= FEW:
        return []
    if count < MIN_TOPICS:
        verb = "is" if count == 1 else "are"
        return [warning(f"warning: {counted(count, what)} {verb} too few for intervals")]
    return [
        warning(
            f"warning: {counted(count, what)}: with fewer than {FEW}, 95% intervals hold the true "
            "value clearly less often than 95% of the time, and an order of runs may be chance"
        )
    ]


_STYLES = {"error": "red", "warning": "yellow"}


def problem_notes(
    problems: Iterable[Problem], *, on_stderr: bool = True
) -> list[tuple[Problem, Note]]:
    """Return what is said of each problem; those that are `alike` are one, with a count."""
    return [
        (one[0], Note(_text(one), _STYLES[one[0].severity], on_stderr)) for one in alike(problems)
    ]


def _text(several: list[Problem]) -> str:
    first, *others = several
    if not others:
        return str(first)
    files = [*dict.fromkeys(one.file for one in several)][1:]
    lines = [*dict.fromkeys(f"line {one.line}" for one in several if one.line is not None)][1:]
    what = "the same" if all(one.found == first.found for one in others) else "similar"
    where = ": " * bool(files or lines) + first_of(files or lines)
    return f"{first} ({what} in {counted(len(others), 'more place')}{where})"


class ResultTable(NamedTuple):
    """At least one row of figures: rounded for the terminal and LaTeX, and in full for CSV.

    Attributes:
        name: How its files are called, without the ending.
        header: What the terminal and LaTeX show above the columns.
        rows: What they show, rounded.
        records: The figures in full by column name; None is an empty cell.
        draw: Saves a figure of the table under every path it is given; None if there is none.
        caption: Of the table in LaTeX; its name if there is none.
        latex: What LaTeX shows in the place of `header` and `rows`.
    """

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, object]]
    draw: Callable[[Sequence[Path]], None] | None = None
    caption: str = ""
    latex: tuple[Sequence[str], Sequence[Sequence[str]]] | None = None


class Column(NamedTuple):
    """A column of a table: of each item a value, as people read it and in full.

    Attributes:
        heading: What stands above it on the terminal; empty for one that is only written.
        name: In the files; several names for a value of several parts, such as an interval; empty
            for one that is only shown.
        value: Returns the value of an item.
        shown: Returns a value as people read it.
    """

    heading: str
    name: str | tuple[str, ...]
    value: Callable[[Any], Any]
    shown: Callable[[Any], str] = str

    def record(self, value: Any) -> Mapping[str, object]:
        """Return a value by the names that it has in the files."""
        if isinstance(self.name, str):
            return {self.name: value} if self.name else {}
        return dict(zip(self.name, value or (None,) * len(self.name), strict=True))


def table_of(
    name: str,
    items: Iterable[object],
    columns: Sequence[Column],
    draw: Callable[[Sequence[Path]], None] | None = None,
) -> ResultTable:
    """Return a table with a row for each item; see `ResultTable`."""
    found = [[(column, column.value(item)) for column in columns] for item in items]
    return ResultTable(
        name,
        [column.heading for column in columns if column.heading],
        [[column.shown(value) for column, value in row if column.heading] for row in found],
        [{k: v for one, value in row for k, v in one.record(value).items()} for row in found],
        draw,
    )


class PlainTable(NamedTuple):
    """A table that is printed and not written."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Files(NamedTuple):
    """Files that are written when a result is delivered, and then listed.

    `write` writes them and returns their paths. The JSON document lists these under `key`; with
    None they are listed for people only.
    """

    write: Callable[[], Iterable[Path]]
    key: str | None = None


Shown: TypeAlias = "str | Note | ResultTable | PlainTable | Files"


class Result(NamedTuple):
    """The result of a command.

    `document` is the JSON document, without the files that are written on delivery. `shown` is in
    the order in which people see it.
    """

    document: Any
    shown: Sequence[Shown]
    exit_code: int = 0

    def __repr__(self) -> str:
        return "\n".join(line for one in self.shown for line in lines_of(one))

    def to_frame(self) -> Any:
        """Return the rows of the first table as a `pandas.DataFrame`."""
        return to_frame(next(one.records for one in self.shown if isinstance(one, ResultTable)))


def lines_of(one: Shown) -> Iterable[str]:
    """Return what is shown as lines of text, for the printed form of a value."""
    if isinstance(one, str | Note | Files):
        return [] if isinstance(one, Files) else [str(one.text if isinstance(one, Note) else one)]
    columns = zip(one.header, *one.rows, strict=True)
    padded = [[cell.rjust(max(map(len, column))) for cell in column] for column in columns]
    return map("  ".join, zip(*padded, strict=True))


def deliver(result: Result, *, wants_json: bool) -> None:
    """Write the files of a result, then print it: who reads what is printed may stop, as `head`.

    An exit code other than 0 raises typer.Exit.
    """
    if wants_json:
        _print_json(_document(result))
    else:
        shown: list[Shown] = []
        try:
            for one in result.shown:
                shown += [f"  {path}" for path in one.write()] if isinstance(one, Files) else [one]
        finally:  # what a full disk does not take is printed all the same
            for one in shown:
                _show(one)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def deliver_each(results: Iterator[Result], *, wants_json: bool) -> None:
    """Print each result as soon as it is there, or all documents as one JSON list."""
    if wants_json:
        _print_json([_document(one) for one in results])
        return
    for one in results:
        deliver(one, wants_json=False)


def _document(result: Result) -> Any:
    """Write the files of a result and return its document, in which they are listed."""
    document = result.document
    for one in result.shown:
        if isinstance(one, Files):
            paths = [str(path) for path in one.write()]
            document = document | {one.key: paths} if one.key else document
        elif isinstance(one, Note) and one.always:
            _show(one)
    return document


def _print_json(document: Any) -> None:
    """Print a document on stdout, untouched by terminal width or markup."""
    out.file.write(as_json(in_utf8(document)))


def _show(one: Shown) -> None:
    match one:
        case str():
            out.print(one, markup=False)
        case Note():
            console = err if one.on_stderr else out
            console.print(one.text, style=one.style, markup=False)
        case ResultTable() | PlainTable():
            print_table(one.header, one.rows)


def write_results(folder: Path | None, tables: Iterable[ResultTable]) -> list[Path]:
    """Write each table as `.csv` and `.tex`, then the figures as `.svg` and `.png`.

    Return the paths of what was written: nothing if `folder` is None.
    """
    if folder is None:
        return []
    written, figures = [], []
    for table in tables:
        csv, tex, svg, png = (
            folder / f"{table.name}.{ending}" for ending in ("csv", "tex", "svg", "png")
        )
        columns = list(table.records[0])
        write_table(csv, columns, ([row[name] for name in columns] for row in table.records))
        caption = table.caption or table.name.replace("_", " ").capitalize()
        shown = table.latex or (table.header, table.rows)
        atomic_write(tex, latex_table(*shown, caption, table.name))
        written += [csv, tex]
        if table.draw:
            figures.append((table.draw, (svg, png)))
    return written + drawn(figures)


def drawn(
    figures: Iterable[tuple[Callable[[Sequence[Path]], None], Sequence[Path]]],
) -> list[Path]:
    """Draw figures and return their paths; without matplotlib, say on stderr what is left out."""
    written, lacking, why = list[Path](), list[str](), None
    for draw, paths in figures:
        try:
            draw(paths)
            written += paths
        except MachineError as error:
            lacking += map(str, paths)
            why = error
    if why:
        err.print(f"left out: {first_of(lacking)}: {why}", style="yellow", markup=False)
    return written


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

_WHOLE = re.compile(r"[+-]?[0-9]+")
F = TypeVar("F", bound="Callable[..., Any]")

KEPT = "kept"
"""Attribute of a command: what is kept once it was interrupted, and what calling it again does."""
REPLIES_KEPT = "Model replies are kept; the same command asks only for the rest."
IF_ASKED = f"Without a model, the same command starts from the beginning. {REPLIES_KEPT}"

_OPTIONS = "Options"
WHOLE_HELP = 1_000  # characters of a command's first sentence: it is wrapped, not cut
_KINDS = {
    r" <bool>": "",
    r"<list\[Path\]>|<path>": "PATH",
    r"<int(?: range)?>|<list\[int\]>": "N",
    r"<float(?: range)?>": "X",
    r"<list\[str\]>|<str>|<text>": "TEXT",
    r" \[[\d.]*<?=?x[^\]]*\]": "",
}


class _Command(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _check_once(self, ctx, args)
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            if (one := error.param) and not error.message and (said := getattr(one, "help", "")):
                ctx.fail(f"Missing {one.param_type_name} {one.opts[0]}: {said}")
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options by what they are about, their values in plain words."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], _OPTIONS: []}
        for one in self.get_params(ctx):
            if record := one.get_help_record(ctx):
                name, said = record
                for kind, plain in _KINDS.items():
                    name = re.sub(kind, plain, name)
                panel = getattr(one, "rich_help_panel", None) or _OPTIONS
                is_argument = one.param_type_name == "argument"
                groups.setdefault("Arguments" if is_argument else panel, []).append((name, said))
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write an example."""
        words = ctx.command_path.removeprefix(ctx.find_root().command_path).strip()
        if example := examples().get(words):
            lines = wrap(f"sidelight {example}", formatter.width - 6, break_on_hyphens=False)
            formatter.write("\nExample:\n  " + " \\\n    ".join(lines) + "\n")


@cache
def examples() -> dict[str, str]:
    """Return an example of each command, by its words, without the name of the program."""
    lines = Path(__file__).with_name("examples.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, str] = {}
    for line in lines:
        words = line.split()
        for length in (1, 2, 3):
            found.setdefault(" ".join(words[:length]), line)
    return found


class Group(TyperGroup):
    """A group of commands as the command line parses it; see `Commands`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what is given to the group itself, each option at most once."""
        _check_once(self, ctx, args)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named first, or say which one was probably meant."""
        name, root = args[0], ctx.find_root()
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing:
            near = did_you_mean(name, self.list_commands(ctx)) or did_you_mean(
                name, root.command.list_commands(root), "sidelight "
            )
            ctx.fail(f"No such command {name!r}{near}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by what a user wants."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for panel, name, said in self.rows_of_help(ctx):
            groups.setdefault(panel, []).append((name, said))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def rows_of_help(self, ctx: Any) -> Iterator[tuple[str, str, str]]:
        """Yield each command: the panel that lists it, its name, and what it does."""
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            said = command.get_short_help_str(WHOLE_HELP)
            yield command.rich_help_panel or "Commands", name, said


class Commands(typer.Typer):
    """A group of commands that refuse an option given twice of which the last alone would count.

    A command that returns a `Result` has `--json`, and its result is delivered.
    """

    def __init__(self, *, cls: type[Group] = Group, **options: Any) -> None:
        super().__init__(cls=cls, rich_markup_mode=None, **options)

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = _Command, **options: Any
    ) -> Callable[[F], F]:
        """Return what adds a function to the group as a command; see `typer.Typer.command`."""
        add = super().command(name, cls=cls, **options)

        def add_delivered(command: F) -> F:
            signature = inspect.signature(command, eval_str=True)
            returns_result = signature.return_annotation is Result
            add(_delivered(command, signature) if returns_result else command)
            return command

        return add_delivered


def _delivered(command: Callable[..., Result], signature: inspect.Signature) -> Callable[..., None]:
    """Give a command `--json`, and deliver what it returns.

    Under `--json`, whatever it prints while it works goes to stderr: stdout has the document alone.
    """

    @wraps(command)
    def with_delivery(*, wants_json: bool, **given: Any) -> None:
        with ExitStack() as redirected:
            if wants_json:
                redirected.enter_context(redirect_stdout(sys.stderr))
            result = command(**given)
        deliver(result, wants_json=wants_json)

    option = inspect.Parameter(
        "wants_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json
    )
    # Typer calls a command by the names of its options.
    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in signature.parameters.values()
    ]
    set_options(with_delivery, signature.replace(parameters=[*parameters, option]))
    return with_delivery


def set_options(command: Callable[..., Any], signature: inspect.Signature) -> None:
    """Let typer read the options of a function from a signature that it has not got itself."""
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}


def interrupted(kept: str) -> Callable[[F], F]:
    """Say in the help of a command, and when it is interrupted, what is kept and what to do."""

    def add(command: F) -> F:
        said = inspect.cleandoc(command.__doc__ or "")
        paragraph = " " if "\n\n" in said else "\n\n"
        command.__doc__ = f"{said}{paragraph}After an interruption, {kept[0].lower()}{kept[1:]}"
        setattr(command, KEPT, kept)
        return command

    return add


def _check_once(command: Any, context: Any, arguments: list[str]) -> None:
    """Raise UsageError where a value would be dropped, or a number be read that is none."""
    if context.resilient_parsing:  # what a shell completes
        return
    found, _, given = command.make_parser(context).parse_args(args=list(arguments))
    kinds = get_type_hints(command.callback) if command.callback else {}
    for option in given:
        values = found.get(option.name)
        for value in values if isinstance(values, list | tuple) else [values]:
            _check_number(option, kinds.get(option.name), value)
        takes_one = option.param_type_name == "option" and not (option.multiple or option.is_flag)
        if takes_one and (count := given.count(option)) > 1:
            raise UsageError(
                f"expected {option.opts[0]} once; found it {count} times",
                remedy="Only the last one would count. Give it once, with all its values."
                + " `sidelight agree vote A B -o FOLDER` makes one file of several, also of files "
                "that label different runs." * (option.name == "assessments"),
            )


def _check_number(option: Any, kind: object, value: object) -> None:
    """Raise UsageError where Python would read a number that is not one in ASCII digits."""
    whole = kind in (int, int | None, list[int], list[int] | None)
    if not isinstance(value, str) or not (whole or kind in (float, float | None)):
        return
    if finite_number(value) is None or (whole and not _WHOLE.fullmatch(value)):
        name = option.opts[0] if option.param_type_name == "option" else option.name
        expected = "a whole number" if whole else "a number"
        raise UsageError(f"expected {expected} in digits for {name}; found {value!r}")
