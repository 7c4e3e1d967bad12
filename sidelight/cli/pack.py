"""`sidelight pack`: runs to a submission."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import err, out, print_json, print_table
from sidelight.cli.options.inputs import CitedIndex, CoveredTopics, Track
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.terminal.problems import problem_lines
from sidelight.tracks import DEFAULT_TRACK


def pack(
    runs: Annotated[list[Path], typer.Argument(help="Run directories, the most important first.")],
    output: Annotated[Path, output_option("New folder to submit from.")],
    track: Track = DEFAULT_TRACK,
    topics: CoveredTopics = None,
    index: CitedIndex = None,
    as_json: Json = False,
) -> None:
    """Validate runs, strictly and as the track does, and put their files together for upload.

    A run whose files were edited after they were made is submitted as a manual one.
    """
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.runs.directory import RunDirectory
    from sidelight.runs.packing import pack_runs
    from sidelight.tracks import load_track

    rules = load_track(track)
    topic_ids = rules.topic_ids
    if topics is not None:
        topic_ids = tuple(topic.topic_id for topic in read_topics(topics, rules))
    known_segments = None
    if index is not None:
        from sidelight.index.folder import open_index

        known_segments = open_index(index).docstore
    packing = pack_runs(
        [RunDirectory(run) for run in runs], output, rules, topic_ids, known_segments
    )
    if as_json:
        warnings = [problem.as_dict() for problem in packing.warnings]
        print_json({"runs": [item._asdict() for item in packing.runs], "warnings": warnings})
        return
    for text, style in problem_lines(packing.warnings):
        err.print(text, style=style, markup=False)
    shown = ("task", "priority", "run_id", "type")
    print_table(shown, ([str(getattr(item, name)) for name in shown] for item in packing.runs))
    for item in packing.runs:
        if item.edited:
            out.print(
                f"{item.run_id} is manual: edited after it was made: {item.edited}", markup=False
            )
    out.print(f"  {output}", markup=False)
