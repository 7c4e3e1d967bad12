"""`sidelight run`: topics to a run directory."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import err, out, print_json, progress_bar

if TYPE_CHECKING:
    from sidelight.runner import RunSummary

_INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended


def run(
    topics: Annotated[Path, typer.Option("--topics", help="Topics file (JSONL of articles).")],
    index: Annotated[Path, typer.Option("--index", help="Folder made by `sidelight index build`.")],
    config: Annotated[
        Path | None, typer.Option("--config", help="YAML file of differences from the defaults.")
    ] = None,
    out_folder: Annotated[
        Path | None,
        typer.Option("--out", help="Run directory; runs/<run_id> when not given."),
    ] = None,
    topic: Annotated[str | None, typer.Option("--topic", help="Only this topic id.")] = None,
    parallel: Annotated[
        int, typer.Option("--parallel", min=1, help="Topics worked on at once.")
    ] = 4,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="Change one setting: retrieval.k=50.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Investigate every topic and write both submission files.

    Interrupted at any moment, the same command goes on where it was.
    """
    from sidelight.build import open_investigation
    from sidelight.config.load import load_settings
    from sidelight.errors import UsageError
    from sidelight.formats.topics import read_topics
    from sidelight.index.folder import open_index
    from sidelight.runner import run_topics

    settings = load_settings(config, overrides or ())
    articles = read_topics(topics)
    if topic is not None and topic not in {article.topic_id for article in articles}:
        raise UsageError(f"--topic {topic}: {topics} has no such topic")
    folder = open_index(index)
    destination = out_folder or Path("runs") / settings.submission.run_id
    started = time.monotonic()
    try:
        with progress_bar("topics", total=1 if topic else len(articles)) as advance:
            summary = asyncio.run(
                run_topics(
                    articles,
                    settings,
                    folder.manifest.fingerprint(),
                    lambda: open_investigation(settings, folder),
                    destination,
                    only=topic,
                    parallel=parallel,
                    on_topic=lambda _: advance(1),
                )
            )
    except KeyboardInterrupt:
        err.print("Interrupted. The same command goes on from there.")
        raise typer.Exit(_INTERRUPTED) from None
    report_run(summary, time.monotonic() - started, as_json=as_json)
    if not summary.succeeded:
        raise typer.Exit(1)


def report_run(summary: RunSummary, seconds: float, *, as_json: bool) -> None:
    """Say what a run did, what failed, what is thin, and where the files are."""
    if as_json:
        print_json(
            {
                "directory": str(summary.directory.path),
                "done": summary.done,
                "kept": summary.kept,
                "failures": [failure.model_dump() for failure in summary.failures],
                "thin": summary.thin,
                "problems": [problem.as_dict() for problem in summary.problems],
            }
        )
        return
    if not summary.done and not summary.failures:
        out.print(f"Nothing to do: all {len(summary.kept)} topics were finished before.")
    else:
        kept = f", {len(summary.kept)} finished before" if summary.kept else ""
        out.print(f"{len(summary.done)} topics in {seconds:.1f} s{kept}.")
    for failure in summary.failures:
        err.print(f"[red]failed[/red] {failure.topic_id}: {failure.error}: ", end="")
        err.print(failure.message, markup=False)
    for problem in summary.problems:
        if problem.severity == "error":
            err.print(str(problem), style="red", markup=False)
    if summary.thin:
        out.print(
            f"{len(summary.thin)} reports are short: the index holds little on their topics "
            "(listed in manifest.json)."
        )
    directory = summary.directory
    for path in (directory.task1, directory.task2, directory.manifest, directory.traces):
        out.print(f"  {path}", markup=False)
