"""Commands `bundle` and `verify`: pack a run so that anyone can check it, and check it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import Note, Result, Shown, out, problem_lines
from sidelight.cli.options.inputs import (
    AllowPlugin,
    index_option,
    output_option,
    rubrics_option,
    topics_option,
)
from sidelight.cli.options.models import RunCache
from sidelight.cli.progress import progress_bar
from sidelight.text import counted


def bundle(
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    topics: Annotated[Path, topics_option("Topics file of the run.")],
    index: Annotated[Path, index_option("Index folder of the run.")],
    output: Annotated[Path, output_option("The .tar.zst file to write.")],
    rubrics: Annotated[
        Path | None,
        rubrics_option("What a judged run was judged by, if it was given."),
    ] = None,
    cache: RunCache = None,
    allow_plugin: AllowPlugin = None,
) -> None:
    """Repeat a run from its replies and pack it with all it read; `verify` needs nothing else."""
    from sidelight.formats.topics import read_articles
    from sidelight.index.folder import open_index
    from sidelight.reproduction.bundle import make_bundle
    from sidelight.runs.directory import RunDirectory

    directory = RunDirectory(run, allow_plugin or ())
    with progress_bar("topics", total=len(read_articles(topics))) as advance:
        contents = asyncio.run(
            make_bundle(
                directory,
                topics,
                open_index(index),
                cache or directory.cache,
                output,
                rubrics,
                lambda _: advance(1),
            )
        )
    size = output.stat().st_size / 1e6
    out.print(
        f"The run came out the same again. {counted(len(contents.files), 'file')}, {size:.1f} MB:"
    )
    out.print(f"  {output}", markup=False)


def verify(
    bundle: Annotated[Path, typer.Argument(help="Bundle, or the folder it was unpacked to.")],
    allow_plugin: AllowPlugin = None,
) -> Result:
    """Check every byte of a bundle, and make its run again without index or model."""
    from sidelight.reproduction.bundle import verify_bundle

    with progress_bar("topics", total=None) as advance:
        verification = asyncio.run(verify_bundle(bundle, lambda _: advance(1), allow_plugin or ()))
    files = len(verification.contents.files)
    shown: list[Shown] = [
        Note(text, style, on_stderr=True) for text, style in problem_lines(verification.problems)
    ]
    if verification.succeeded:
        shown.append(
            f"{bundle}: verified. {counted(files, 'file')} as they were packed; "
            f"{counted(verification.topics, 'topic')} made again, every file the same."
        )
    return Result(
        {
            "verified": verification.succeeded,
            "problems": [problem.as_dict() for problem in verification.problems],
            "topics": verification.topics,
            "files": files,
        },
        shown,
        exit_code=0 if verification.succeeded else 1,
    )
