"""`sidelight index plan`: what an index of vectors will take, before any of it is built."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out, print_json
from sidelight.cli.options.inputs import DIM, Profile, count_option
from sidelight.cli.options.results import Json, output_option


def plan(
    *,
    count: Annotated[int, count_option("How many segments.")] = 113_520_750,
    dim: Annotated[int, DIM] = 256,
    profile: Profile = "cpu-24gb",
    output: Annotated[
        Path, output_option("Folder on the disk that is to hold the index.")
    ] = Path(),
    as_json: Json = False,
) -> None:
    """Say what vectors take under a profile: memory, disk, time, recall; and whether they fit here.

    Times are those of two cores or of one H200. Ends with 3 where they do not fit. Text and BM25
    are not counted: the text takes about what the compressed shards do, BM25 130 bytes a segment.
    """
    from sidelight.index.vectors.capacity import plan_capacity, this_machine
    from sidelight.index.vectors.profiles import profile_named

    planned = plan_capacity(profile_named(profile), count, dim, this_machine(output))
    if as_json:
        print_json(planned.model_dump())
    else:
        where = f" of {planned.gpus} GPU(s)" if planned.gpus else ""
        lists = f"{planned.lists}, {planned.probes} searched" if planned.lists else "none"
        shown = {
            "profile": f"{planned.profile}, {count:,} vectors of {dim}",
            "lists": lists,
            "memory": f"{planned.memory_gb:.1f} GB{where}, "
            f"{planned.memory_bytes_per_vector:.0f} bytes a vector",
            "disk": f"{planned.disk_gb:.1f} GB, {planned.disk_bytes_per_vector:.0f} bytes a vector",
            "building": f"{planned.build_s / 60:.0f} min from vectors to index, "
            f"{planned.building_memory_gb:.1f} GB of memory, {planned.building_disk_gb:.1f} GB of "
            "disk besides",
            "recall": f"{planned.recall:.2f} of the exact 100 best, or more",
            "query": f"{planned.latency_ms:.1f} ms alone, the best 100",
        }
        for name, value in shown.items():
            out.print(f"{name:9} {value}", markup=False)
        for problem in planned.problems:
            out.print(f"does not fit: {problem}", markup=False)
    if planned.problems:
        raise typer.Exit(3)
