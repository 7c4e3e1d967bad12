"""The tables that the RAG 2025 overview prints, held against each other.

Names of runs are spelt in more ways than one there; `ALIASES` joins those that differ by a letter.
With three more of tables 11 and 12 that are probably one run each, tau is .818 and .844. The
figures follow from printed, rounded scores; they are not those of the paper's plots.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from sidelight.evaluation.agreement.coefficients import kendall

TABLES = Path(__file__).resolve().parents[1] / "fixtures" / "rag25_tables"
ALIASES = {
    "hltcoe-isrrf": "hltcoe-fsrrf",
    "rag25_test_arctic-1": "rag25_test_arctic-l",
    "splade-v3-arctic-1": "splade-v3-arctic-l",
    "ret-gemna": "ret-gemma",
    "cru-abIR": "cru-ablR",
    "cru-abIR-conf": "cru-ablR-conf",
    "IDACCSAbstrct-gpt4-1": "IDACCSabstrct-gpt4-1",
}


def table(number: int) -> dict[str, dict[str, float]]:
    header, *rows = (TABLES / f"table{number:02}.tsv").read_text().splitlines()
    names = header.split("\t")[1:]
    found = {}
    for row in rows:
        run, *cells = row.split("\t")
        run = re.sub(r"(?<=-)agnostic", "agentic", ALIASES.get(run, run))
        found[run] = {
            name: float(cell) for name, cell in zip(names, cells, strict=True) if cell != "N/A"
        }
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize(
    ("first", "second", "measure", "shared", "tau"),
    [
        (5, 6, "nDCG@30", 44, 0.913),
        (5, 6, "nDCG@100", 44, 0.926),
        (5, 6, "Recall@100", 44, 0.885),
        (7, 8, "strict_vital", 20, 0.837),
        (7, 8, "coverage", 20, 0.789),
        (7, 9, "strict_vital", 19, 0.778),
        (7, 9, "coverage", 19, 0.861),
        (7, 10, "strict_vital", 20, 0.817),
        (7, 10, "coverage", 20, 0.871),
        (11, 12, "weighted_precision", 52, 0.813),
        (11, 12, "weighted_recall", 52, 0.837),
    ],
)
def test_people_and_models_order_runs_alike(
    first: int, second: int, measure: str, shared: int, tau: float
) -> None:
    one, other = table(first), table(second)
    runs = sorted(one.keys() & other.keys())
    assert len(runs) == shared
    scores = [np.array([side[run][measure] for run in runs]) for side in (one, other)]
    found = kendall(*scores)
    assert found is not None
    assert round(found, 3) == tau


def test_precision_is_never_below_recall() -> None:
    rows = [row for number in (11, 12) for row in table(number).values()]
    assert len(rows) == 112
    assert all(row["weighted_precision"] >= row["weighted_recall"] for row in rows)


def test_a_constant_judge_has_no_kappa() -> None:
    rows = table(13)
    assert len(rows) == 37
    assert {run for run, row in rows.items() if "kappa" not in row} == {
        "jcru-ablR-all",
        "jcru-ansR-all",
    }
