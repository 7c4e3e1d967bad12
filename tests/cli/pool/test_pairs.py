"""`sidelight pool pairs` on the bundled runs."""

from __future__ import annotations

import csv
from pathlib import Path

from sidelight.sample import sample_path
from tests.helpers.commands import told


def test_pairs_of_the_sample_runs(tmp_path: Path, cross_encoder: str) -> None:
    runs = sorted((sample_path() / "runs" / "question_generation_runs").iterdir())
    output = tmp_path / "pairs.csv"
    given = ("--rubrics", sample_path() / "human_rubrics", "--reranker", cross_encoder)
    found = told("pool", "pairs", *runs, "-o", output, *given)
    # Forty rubric questions, three runs of ten questions.
    assert (found["cells"], found["all_pairs"]) == (120, 1200)
    with output.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == found["pairs"]
    assert {row["chosen_by"] for row in rows} <= {"embedder", "reranker", "embedder+reranker"}
    both = sum(row["chosen_by"] == "embedder+reranker" for row in rows)
    assert found["pairs"] == both + 2 * (found["cells"] - both)
