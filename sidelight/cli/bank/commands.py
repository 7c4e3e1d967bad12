"""`sidelight bank`: what passages are graded by, drafted, merged, edited, compared and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.bank.draft import draft
from sidelight.cli.console import out, print_json, print_table
from sidelight.cli.options.exams import BankPath
from sidelight.cli.options.inputs import Commands, query_option
from sidelight.cli.options.results import Json, output_option
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.schemas.grading.exam_bank import ExamBank

app = Commands(
    help="Banks of test questions or nuggets that passages are graded by.", no_args_is_help=True
)
app.command()(draft)

BankFile = Annotated[Path, output_option("The bank to write; packed if its name ends in .gz.")]


@app.command()
def merge(
    banks: Annotated[list[Path], typer.Argument(metavar="BANK...", help="Banks of one kind.")],
    *,
    output: BankFile,
    as_json: Json = False,
) -> None:
    """Put the items of several banks together; the same words are one item."""
    from sidelight.evaluation.banks.changing import merge_banks
    from sidelight.formats.banks.exams import read_exams

    _write(output, merge_banks(map(read_exams, banks)), as_json=as_json)


@app.command()
def edit(
    bank: BankPath,
    *,
    output: BankFile,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", help="QUERY=TEXT, or QUERY/SUBTOPIC=TEXT: one more item; repeat."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="Id of an item to leave out; repeat.")
    ] = None,
    reword: Annotated[
        list[str] | None,
        typer.Option("--reword", help="ITEM=TEXT: other words for an item; repeat."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add, leave out and reword items; what is reworded is a new item and graded anew."""
    from sidelight.evaluation.banks.changing import edit_banks
    from sidelight.formats.banks.exams import read_exams

    changed = edit_banks(
        read_exams(bank),
        add=[_pair("--add", text) for text in add or ()],
        drop=drop or (),
        reword=dict(_pair("--reword", text) for text in reword or ()),
    )
    _write(output, changed, as_json=as_json)


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A bank.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another, such as a later version.")],
    *,
    as_json: Json = False,
) -> None:
    """List the items that only one of two banks has."""
    from dataclasses import asdict

    from sidelight.evaluation.banks.changing import diff_banks
    from sidelight.formats.banks.exams import read_exams
    from sidelight.schemas.grading.exam_bank import bank_version

    sides = read_exams(old), read_exams(new)
    changes, versions = diff_banks(*sides), [bank_version(one) for one in sides]
    if as_json:
        print_json({"versions": versions, "changes": [asdict(one) for one in changes]})
        return
    for one in changes:
        sign = "+" if one.what == "added" else "-"
        out.print(f"{sign} {one.item_id}  {one.text}", markup=False)
    out.print(
        f"{counted(len(changes), 'item')} in one bank only; versions {' and '.join(versions)}",
        markup=False,
    )


@app.command()
def show(
    bank: BankPath,
    *,
    query: Annotated[str | None, query_option("Show the items of this query.")] = None,
    as_json: Json = False,
) -> None:
    """Show the version of a bank and its queries, or the items of one."""
    from sidelight.errors import UsageError
    from sidelight.formats.banks.exams import read_exams
    from sidelight.schemas.grading.exam_bank import bank_version

    banks = read_exams(bank)
    shown = [one for one in banks if query in {None, one.topic_id}]
    if not shown:
        raise UsageError(f"{bank}: no query {query}")
    if as_json:
        print_json(
            {
                "version": bank_version(banks),
                "queries": [
                    {
                        "query_id": one.topic_id,
                        "subtopic_id": one.subtopic_id,
                        "query": one.query_text,
                        "kind": one.kind,
                        "items": [
                            {"item_id": item.item_id, "text": item.text} for item in one.items
                        ],
                    }
                    for one in shown
                ],
            }
        )
        return
    if query is None:
        print_table(
            ("query", "subtopic", "kind", "items", "text"),
            (
                (one.topic_id, one.subtopic_id, one.kind, str(len(one.items)), one.query_text)
                for one in banks
            ),
        )
    else:
        for one in shown:
            out.print(one.query_text, markup=False)
            for item in one.items:
                out.print(f"  {item.item_id}  {item.text}", markup=False)
    out.print(_summary(banks), markup=False)


def _write(path: Path, banks: tuple[ExamBank, ...], *, as_json: bool) -> None:
    from sidelight.formats.banks.exams import write_exams
    from sidelight.schemas.grading.exam_bank import bank_version

    write_exams(path, banks)
    if as_json:
        print_json({"written": str(path), "version": bank_version(banks)})
    else:
        out.print(f"{path}: {_summary(banks)}", markup=False)


def _summary(banks: tuple[ExamBank, ...]) -> str:
    from sidelight.schemas.grading.exam_bank import bank_version

    items = sum(len(one.items) for one in banks)
    return (
        f"queries or subtopics: {len(banks)}, {counted(items, 'item')}, version "
        f"{bank_version(banks)}"
    )


def _pair(option: str, text: str) -> tuple[str, str]:
    from sidelight.errors import UsageError

    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise UsageError(f"{option}: expected NAME=TEXT; found {text!r}")
    return name.strip(), value.strip()
