from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sidelight.errors import InputError
from sidelight.index.vectors import part as parts
from sidelight.index.vectors.part import published_part


def write_set(path: Path, vectors: np.ndarray, column: str = "emb", first: int = 0) -> Path:
    ids = [f"msmarco_v2.1_doc_00_{first + row}#0_{first + row}" for row in range(len(vectors))]
    table = {"_id": ids, "title": ["A page"] * len(ids), "text": ["Its text."] * len(ids)}
    pq.write_table(pa.table({**table, column: list(vectors)}), path, row_group_size=7)
    return path


@pytest.fixture
def arctic_m() -> np.ndarray:
    """Vectors like those of Arctic M v1.5: as they left the model, of any length."""
    rng = np.random.default_rng(5)
    return (rng.standard_normal((30, 768)) * rng.uniform(0.5, 9, (30, 1))).astype(np.float32)


def test_vectors_are_cut_and_normalised(arctic_m: np.ndarray, tmp_path: Path) -> None:
    path = write_set(tmp_path / "a.parquet", arctic_m)
    part = published_part(path, tmp_path / "part", 256, lambda _: None)
    cut = arctic_m[:, :256] / np.linalg.norm(arctic_m[:, :256], axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(part.vectors), cut, rtol=1e-6)
    assert np.load(part.ids)[29] == b"msmarco_v2.1_doc_00_29#0_29"


def test_a_folder_of_files_is_read_in_the_order_of_names(
    arctic_m: np.ndarray, tmp_path: Path
) -> None:
    (tmp_path / "set").mkdir()
    write_set(tmp_path / "set" / "1.parquet", arctic_m[20:], first=20)
    write_set(tmp_path / "set" / "0.parquet", arctic_m[:20])
    part = published_part(tmp_path / "set", tmp_path / "part", None, lambda _: None)
    unit = arctic_m / np.linalg.norm(arctic_m, axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(part.vectors), unit, rtol=1e-6)


def test_an_interrupted_set_is_taken_up(
    arctic_m: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "CHUNK", 8)
    path = write_set(tmp_path / "a.parquet", arctic_m)
    whole = published_part(path, tmp_path / "whole", 256, lambda _: None)

    def killed(rows: int) -> None:
        if seen.append(rows) or sum(seen) > 16:
            raise KeyboardInterrupt

    seen: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        published_part(path, tmp_path / "part", 256, killed)
    steps: list[int] = []
    part = published_part(path, tmp_path / "part", 256, steps.append)
    assert steps == [24, 6]
    assert part.vectors.read_bytes() == whole.vectors.read_bytes()
    assert part.ids.read_bytes() == whole.ids.read_bytes()


@pytest.mark.parametrize(
    ("dimension", "cut", "allowed"), [(1024, 256, "1024"), (768, 128, "256 or 768")]
)
def test_only_what_was_trained_for_it_is_cut(
    dimension: int, cut: int, allowed: str, tmp_path: Path
) -> None:
    path = write_set(tmp_path / "a.parquet", np.ones((2, dimension), dtype=np.float32))
    with pytest.raises(InputError, match=f"expected to keep {allowed} of the {dimension}"):
        published_part(path, tmp_path / "part", cut, lambda _: None)


def test_files_without_vectors(arctic_m: np.ndarray, tmp_path: Path) -> None:
    other = write_set(tmp_path / "b.parquet", arctic_m, column="numbers")
    with pytest.raises(InputError, match="called one of: emb, embedding; found: _id, title"):
        published_part(other, tmp_path / "part", None, lambda _: None)
    with pytest.raises(InputError, match="found none"):
        published_part(tmp_path / "missing.parquet", tmp_path / "part", None, lambda _: None)
    arctic_m[3] = 0
    zero = write_set(tmp_path / "c.parquet", arctic_m)
    with pytest.raises(InputError, match=r"#0_3'.* zero or not finite"):
        published_part(zero, tmp_path / "part", None, lambda _: None)
