"""`sidelight fuse`: several TREC runs as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out
from sidelight.cli.options.inputs import HitsPerQuery
from sidelight.cli.options.results import output_option
from sidelight.text import counted

_TAG = "sidelight-fused"


def fuse(
    runs: Annotated[list[Path], typer.Argument(help="Search results, six columns.")],
    output: Annotated[Path, output_option("TREC run to write.")],
    k: HitsPerQuery = 1000,
) -> None:
    """Fuse search results by the ranks they give (reciprocal rank fusion, constant 60)."""
    from sidelight.errors import InputError
    from sidelight.formats.runs.trec_run import read_trec_run, write_trec_run
    from sidelight.retrieval.fusion import reciprocal_rank_fusion

    found = list(map(read_trec_run, runs))
    queries = dict.fromkeys(query_id for results in found for query_id in results)
    if not queries:
        raise InputError(f"{runs[0]}: expected search results; found none")
    fused = {
        query_id: reciprocal_rank_fusion(results.get(query_id, []) for results in found)[:k]
        for query_id in queries
    }
    write_trec_run(output, fused, _TAG)
    out.print(
        f"Fused {counted(len(found), 'run')} over {counted(len(fused), 'query')} into {output}",
        markup=False,
    )
