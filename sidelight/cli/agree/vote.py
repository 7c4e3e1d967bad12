"""`sidelight agree vote`: several judges' relevance labels made one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out, print_json
from sidelight.cli.options.results import Json, output_option
from sidelight.text import counted


def vote(  # long: a third of it are options
    judges: Annotated[
        list[Path], typer.Argument(help="Relevance labels, four columns, one file a judge.")
    ],
    *,
    output: Annotated[Path, output_option("Folder for the labels and what each judge said.")],
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference", help="Put each judge's grades on the scale of these labels first."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make one set of relevance labels of several: the majority, or the median where there is none.

    With a reference, a judge's grades for a query are mapped as they fit best on all other queries.
    """
    from sidelight.errors import InputError, UsageError
    from sidelight.evaluation.labelling.relevance.calibration import held_out
    from sidelight.evaluation.labelling.relevance.ensemble import decided, vote, vote_rows
    from sidelight.formats.labels.qrels import read_qrels, write_qrels
    from sidelight.formats.table import write_table

    names = [path.name for path in judges]
    if len(set(names)) < len(names):
        raise UsageError("two files have one name, which is what a judge goes by here")
    read = {path.name: read_qrels(path) for path in judges}
    if not any(read.values()):
        raise InputError(f"{judges[0]}: expected relevance labels; found none")
    if reference is not None:
        known = read_qrels(reference)
        read = {name: held_out(grades, known) for name, grades in read.items()}
    found = vote(read)
    write_qrels(output / "majority.qrels", decided(found))
    write_table(output / "votes.csv", ("query", "segment", "majority", *names), vote_rows(found))
    votes = [one for passages in found.values() for one in passages.values()]
    agreeing = [one.agreeing for one in votes]
    counts = {number: agreeing.count(number) for number in range(len(names), 0, -1)}
    undecided = sum(one.grade is None for one in votes)
    if as_json:
        print_json(
            {
                "judges": names,
                "passages": len(votes),
                "agreeing": {str(number): count for number, count in counts.items()},
                "undecided": undecided,
            }
        )
        return
    for number, count in counts.items():
        alike = f"{number} judges grade alike" if number > 1 else "no two judges grade alike"
        out.print(f"{counted(count, 'passage')} that {alike}", markup=False)
    out.print(f"{undecided} that too few judges graded; {output}", markup=False)
