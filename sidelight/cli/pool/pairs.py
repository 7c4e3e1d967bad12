"""`sidelight pool pairs`: which submitted questions to hold against which of a rubric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json
from sidelight.cli.options.inputs import Data, Rubrics, Track
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.options.scores import required
from sidelight.formats.data_folder import DataPart
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.pooling.pairs import Score


def pairs(
    runs: Annotated[list[Path], typer.Argument(help="Runs of questions.")],
    *,
    output: Annotated[Path, output_option("Table of pairs to write (CSV).")],
    embedder: Annotated[
        str | None,
        typer.Option(help="Name or path of a sentence-transformers model; the bundled one if not."),
    ] = None,
    reranker: Annotated[
        str | None, typer.Option(help="Name or path of a cross-encoder, as a second opinion.")
    ] = None,
    track: Track = DEFAULT_TRACK,
    data: Data = None,
    rubrics: Rubrics = None,
    as_json: Json = False,
) -> None:
    """Pool pairs to judge: of each run, the nearest question to each question of a rubric.

    The nearest by an embedder and by a reranker: one pair where they agree, else two.
    """
    from sidelight.evaluation.pooling.pairs import PooledPair, pool_pairs
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.runs.run_format import run_format
    from sidelight.formats.table import write_table
    from sidelight.index.encoding.encoder import DEFAULT_ENCODER
    from sidelight.retrieval.cross_encoder import CrossEncoder
    from sidelight.tracks import load_track

    rules = load_track(track)
    known = read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales)
    read = run_format(rules.question_list).read
    models = {"embedder": _cosine(embedder or DEFAULT_ENCODER)}
    if reranker:
        models["reranker"] = CrossEncoder(reranker).score
    pool = pool_pairs(known, [read(path) for path in runs], models)
    rows = ((*pair[:-1], "+".join(pair.chosen_by)) for pair in pool.pairs)
    write_table(output, PooledPair._fields, rows)
    if as_json:
        print_json(
            {
                "pairs": len(pool.pairs),
                "cells": pool.cells,
                "all_pairs": pool.all_pairs,
                "output": str(output),
            }
        )
        return
    more = len(pool.pairs) - pool.cells
    out.print(
        f"{counted(len(pool.pairs), 'pair')} to judge of {pool.all_pairs:,}: one for each of "
        f"{pool.cells:,} "
        f"rubric questions and runs, and {more:,} more where the models differ\n  {output}",
        markup=False,
    )


def _cosine(name: str) -> Score:
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.text_vectors import TextVectors

    vectors = TextVectors(Encoder(name).encode_sentences)

    def score(query: str, texts: Sequence[str]) -> list[float]:
        found: list[float] = vectors.similarity([query], list(texts))[0].tolist()
        return found

    return score
