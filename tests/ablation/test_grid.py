from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.ablation.runs import arms_of, read_grid
from sidelight.errors import UsageError

GRID = """\
base: base.yaml
dimensions:
  retriever:
    words: {}
    both: {retrieval.retriever: hybrid}
    words-again: {retrieval.retriever: bm25}
  rounds:
    three: {}
    one: {investigation.max_rounds: 1}
"""


def write(folder: Path, grid: str = GRID) -> Path:
    (folder / "base.yaml").write_text("retrieval: {retriever: bm25}\n")
    path = folder / "grid.yaml"
    path.write_text(grid)
    return path


def refusal(folder: Path, grid: str) -> str:
    path = write(folder, grid)
    with pytest.raises(UsageError) as refused:
        arms_of(read_grid(path), path)
    return str(refused.value).removeprefix(f"{path}: ")


def test_every_combination_is_an_arm_and_equal_ones_are_one(tmp_path: Path) -> None:
    path = write(tmp_path)
    arms = arms_of(read_grid(path), path)
    assert [(arm.name, arm.folder_name) for arm in arms] == [
        ("words+three", "words+three"),
        ("words+one", "words+one"),
        ("both+three", "both+three"),
        ("both+one", "both+one"),
        ("words-again+three", "words+three"),
        ("words-again+one", "words+one"),
    ]
    both = arms[3]
    assert both.changes == {"retrieval.retriever": "hybrid", "investigation.max_rounds": 1}
    assert both.settings.retrieval.retriever == "hybrid"
    assert both.settings.investigation.max_rounds == 1
    assert arms[0].settings.retrieval.retriever == "bm25"


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    unknown = refusal(tmp_path, "dimensions: {depth: {a: {}, b: {retrieval.dept: 5}}}")
    assert unknown.startswith("arm b: ")
    assert "retrieval.dept" in unknown
    twice = "dimensions: {x: {a: {retrieval.depth: 5}}, y: {b: {retrieval.depth: 6}}}"
    assert refusal(tmp_path, twice).startswith(
        "arm a+b: expected each setting to be changed once; b changes retrieval.depth again"
    )
    assert refusal(tmp_path, "dimensions: {}").startswith("dimensions: ")
    assert "x.a b" in refusal(tmp_path, "dimensions: {x: {a b: {}}}")
    assert "dimension: unknown key; the keys of a grid are" in refusal(tmp_path, "dimension: {}")
    broken = refusal(tmp_path, "dimensions: {")
    assert "not valid YAML: line 1, column 14: " in broken
    assert "unicode" not in broken
    with pytest.raises(UsageError, match="no grid file"):
        read_grid(tmp_path / "none.yaml")
