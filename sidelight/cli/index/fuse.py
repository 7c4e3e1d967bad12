"""`sidelight fuse`: several TREC runs as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out
from sidelight.cli.options.inputs import HitsPerQuery
from sidelight.cli.options.results import output_option

_TAG = "sidelight-fused"


def fuse(
    runs: Annotated[list[Path], typer.Argument(help="Search results, six columns.")],
    output: Annotated[Path, output_option("TREC run to write.")],
    k: HitsPerQuery = 1000,
) -> None:
    """Fuse search results by the ranks they give (reciprocal rank fusion, constant 60)."""
    from sidelight.formats.runs.trec_run import read_trec_run, write_trec_run
    from sidelight.retrieval.fusion import reciprocal_rank_fusion

    found = list(map(read_trec_run, runs))
    queries = dict.fromkeys(query_id for results in found for query_id in results)
    fused = {
        query_id: reciprocal_rank_fusion(results.get(query_id, []) for results in found)[:k]
        for query_id in queries
    }
    write_trec_run(output, fused, _TAG)
    out.print(f"Fused {len(found)} runs over {len(fused)} queries into {output}", markup=False)
