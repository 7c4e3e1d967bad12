"""`sidelight corpus`: prepare a collection for indexing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out, print_json
from sidelight.cli.options.inputs import Commands
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.terminal.progress import progress_bar
from sidelight.text import counted

app = Commands(help="Prepare a collection for indexing.", no_args_is_help=True)


@app.callback()
def _corpus() -> None:
    """Keep `segment` a command of its own while it is the only one."""


@app.command()
def segment(
    documents: Annotated[
        list[Path],
        typer.Argument(help="JSONL with docid, body and perhaps url, title, headings; or .gz."),
    ],
    output: Annotated[Path, output_option("Where the segments go, one JSON a line.")],
    as_json: Json = False,
) -> None:
    """Cut documents into the windows of 10 sentences that MS MARCO V2.1 calls segments."""
    from itertools import chain

    from sidelight.errors import InputError
    from sidelight.index.text.segmenter import read_documents, write_segments

    with progress_bar("documents") as advance:
        read = chain.from_iterable(read_documents(path) for path in documents)
        count = write_segments(output, read, advance)
    if not count:
        raise InputError(f"{documents[0]}: expected documents; found none")
    if as_json:
        print_json({"segments": count, "output": str(output)})
    else:
        out.print(f"Wrote {counted(count, 'segment')} to {output}", markup=False)
