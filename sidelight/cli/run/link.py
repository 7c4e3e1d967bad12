"""`sidelight link`: a run whose reports cite pages of the web where they cited segments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out
from sidelight.cli.options.inputs import Track, index_option
from sidelight.cli.options.results import output_option
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK


def link(
    run: Annotated[Path, typer.Argument(help="A run of cited texts.")],
    *,
    index: Annotated[Path, index_option("Folder that holds the cited segments.")],
    output: Annotated[Path, output_option("File to write: a report a line, citing addresses.")],
    track: Track = DEFAULT_TRACK,
) -> None:
    """Write a run with the addresses of the pages that it cites, for readers on the web."""
    from sidelight.errors import InputError
    from sidelight.formats.runs.linked_reports import FORMAT, linked
    from sidelight.formats.runs.run_format import Delivery, run_format
    from sidelight.index.folder import open_index
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.topic import Narrative
    from sidelight.tracks import load_track

    read = run_format(load_track(track).cited_text).read(run)
    if len(read.run_ids) != 1:
        raise InputError(
            f"{run}: expected one run in the file; found {len(read.run_ids)}",
            remedy="Put each run in a file of its own.",
        )
    docstore = open_index(index).docstore
    cited = {
        name
        for report in read.reports
        for sentence in report.responses
        for name in sentence.citations
    }
    if unknown := sorted(name for name in cited if name not in docstore):
        raise InputError(
            f"{run}: cites {unknown[0]}, which is not in {index}",
            remedy="Give the index that the run was made from.",
        )
    addresses = {one.segment_id: one.url for one in docstore.get_many(sorted(cited))}
    lost = sum(not address for address in addresses.values())
    delivered = (
        # Of a topic the file has the id alone.
        Delivery(
            Narrative(topic_id=report.metadata.topic_id, narrative=""),
            linked(report.responses, addresses),
        )
        for report in read.reports
    )
    FORMAT.write(output, RunIdentity(team_id="", run_id=read.run_ids[0]), delivered)
    told = f"; {counted(lost, 'segment')} without an address, cited no more" if lost else ""
    out.print(f"{counted(len(read.reports), 'report')}: {output}{told}", markup=False)
