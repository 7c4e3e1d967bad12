"""`sidelight reproduce`: published figures, computed again from the published data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, print_table
from sidelight.cli.options.inputs import data_option
from sidelight.cli.options.results import Json, output_option

if TYPE_CHECKING:
    from sidelight.evaluation.published.targets import Figure, Training


def reproduce(  # long: a third of it are options
    target: Annotated[
        str | None, typer.Argument(help="What to compute; without one, all are listed.")
    ] = None,
    data: Annotated[Path | None, data_option("Folder that holds the published files.")] = None,
    output: Annotated[
        Path | None,
        output_option(
            "For targets that train: folder for weights or scores; none are kept without."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare published figures with what this software makes of the same data."""
    from sidelight.errors import UsageError
    from sidelight.evaluation.published.targets import figures_of, targets, trains

    known = targets()
    if target is None:
        for name, item in known.items():
            out.print(f"{name}\n  {item.title}", markup=False)
            out.print(f"  needs {', '.join(item.needs)}\n  from {item.source}", markup=False)
        return
    if target not in known:
        raise UsageError(f"there is no target {target!r}", remedy=f"One of: {', '.join(known)}")
    if data is None:
        raise UsageError(
            f"{target} needs {', '.join(known[target].needs)}",
            remedy=f"Name their folder with --data; they are at {known[target].source}",
        )
    if output and not trains(target):
        raise UsageError(f"{target} trains nothing, so there is nothing for {output}")
    training = _training(output) if trains(target) else None
    figures = figures_of(target, data, training)
    if as_json:
        print_json(
            {
                "target": target,
                "figures": [
                    {
                        "name": figure.name,
                        "published": figure.published,
                        "here": figure.here,
                        "agrees": figure.agrees,
                        "misprint": figure.misprint,
                        "names": figure.names,
                    }
                    for figure in figures
                ],
            }
        )
    else:
        out.print(known[target].title, markup=False)
        print_table(
            ("figure", "published", "here", "agrees"),
            ((figure.name, figure.published, figure.shown, _verdict(figure)) for figure in figures),
        )
        for figure in figures:
            if figure.misprint and not figure.agrees:
                out.print(f"{figure.name}: a misprint: {figure.misprint}", markup=False)
            if figure.names:
                out.print(f"{figure.name}: {', '.join(figure.names)}", markup=False)
    if not all(figure.stands for figure in figures):
        raise typer.Exit(1)


def _verdict(figure: Figure) -> str:
    if figure.agrees:
        return "yes"
    return "misprint" if figure.misprint else "NO"


def _training(output: Path | None) -> Training:
    """Return what it takes to train; the figures were measured in single precision."""
    from sidelight.evaluation.published.targets import Training
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.encoding.precision import Arithmetic

    if output:
        output.mkdir(parents=True, exist_ok=True)
    return Training(Encoder().in_arithmetic(Arithmetic.FP32).encode_sentences, output)
