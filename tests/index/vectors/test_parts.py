"""Vectors of a part: encoded here, or published by others."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sidelight.errors import InputError, MachineError
from sidelight.index.text.corpus import passage_text
from sidelight.index.vectors import part as module
from sidelight.index.vectors import part as parts
from sidelight.index.vectors.part import EncodePart, encode_part, part_in, published_part


@pytest.fixture(scope="module")
def expected(small_corpus, encoder):
    return encoder.encode_documents([passage_text(segment) for segment in small_corpus])


def test_rows_are_the_segments_in_order(small_corpus, encoder, expected, tmp_path):
    steps: list[int] = []
    part = encode_part(small_corpus, 40, tmp_path / "part", encoder, steps.append)
    assert part == part_in(tmp_path / "part")
    assert np.load(part.ids).tolist() == [one.segment_id.encode() for one in small_corpus]
    assert np.load(part.vectors).tobytes() == expected.tobytes()
    assert steps == [0, 40]
    # Done is done: nothing is asked of the segments again.
    assert encode_part(iter(()), 40, tmp_path / "part", encoder, steps.append) == part
    assert steps == [0, 40, 40]


@pytest.mark.parametrize(
    ("vector_bytes", "ids"),
    [(0, 0), (100, 0), (128 + 1536 * 15, 40), (128 + 1536 * 33, 40), (10**9, 17), (10**9, 40)],
)
def test_an_interrupted_part_goes_on_after_its_last_whole_chunk(
    small_corpus, encoder, expected, tmp_path, monkeypatch, vector_bytes, ids
):
    monkeypatch.setattr(module, "CHUNK", 8)
    whole = encode_part(small_corpus, 40, tmp_path / "whole", encoder, lambda _: None)
    folder = tmp_path / "killed"
    folder.mkdir()
    (folder / "vectors.part").write_bytes(whole.vectors.read_bytes()[:vector_bytes])
    lines = "".join(f"{one.segment_id}\n" for one in small_corpus[:ids])
    (folder / "ids.part").write_text(lines + "small_do")
    steps: list[int] = []
    part = encode_part(small_corpus, 40, folder, encoder, steps.append)
    assert part.vectors.read_bytes() == whole.vectors.read_bytes()
    assert part.ids.read_bytes() == whole.ids.read_bytes()
    assert steps[0] == min(max(vector_bytes - 128, 0) // (8 * 1536) * 8, ids // 8 * 8, 40)
    assert sum(steps) == 40
    assert {path.name for path in folder.iterdir()} == {"ids.npy", "vectors.npy"}


def test_a_store_is_encoded_by_the_encoder_that_the_build_began_with(
    small_index, encoder, expected, tmp_path
):
    (store,) = small_index.docstore.paths
    steps: list[int] = []
    encode = EncodePart(tmp_path, encoder, encoder.identity())
    encode(store, steps.append)
    assert np.load(encode.part(store).vectors).tobytes() == expected.tobytes()
    assert steps == [0, 40]
    other = encoder.identity().model_copy(update={"weights": "00"})
    with pytest.raises(MachineError, match="found other weights"):
        EncodePart(tmp_path, encoder, other)(store, steps.append)


def test_fewer_segments_than_announced(small_corpus, encoder, tmp_path):
    with pytest.raises(InputError, match="vectors of 40 segments; found 8"):
        encode_part(small_corpus[:8], 40, tmp_path / "part", encoder, lambda _: None)


def test_a_part_of_nothing(encoder, tmp_path):
    part = encode_part([], 0, tmp_path / "part", encoder, lambda _: None)
    assert np.load(part.ids).shape == (0,)
    assert np.load(part.vectors).shape == (0, 384)


def write_set(path: Path, vectors: np.ndarray, column: str = "emb", first: int = 0) -> Path:
    ids = [f"msmarco_v2.1_doc_00_{first + row}#0_{first + row}" for row in range(len(vectors))]
    table = {"_id": ids, "title": ["A page"] * len(ids), "text": ["Its text."] * len(ids)}
    pq.write_table(pa.table({**table, column: list(vectors)}), path, row_group_size=7)
    return path


@pytest.fixture
def arctic_m():
    """Vectors like those of Arctic M v1.5: as they left the model, of any length."""
    rng = np.random.default_rng(5)
    return (rng.standard_normal((30, 768)) * rng.uniform(0.5, 9, (30, 1))).astype(np.float32)


def test_vectors_are_cut_and_normalised(arctic_m, tmp_path):
    path = write_set(tmp_path / "a.parquet", arctic_m)
    part = published_part(path, tmp_path / "part", 256, lambda _: None)
    cut = arctic_m[:, :256] / np.linalg.norm(arctic_m[:, :256], axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(part.vectors), cut, rtol=1e-6)
    assert np.load(part.ids)[29] == b"msmarco_v2.1_doc_00_29#0_29"


def test_a_folder_of_files_is_read_in_the_order_of_names(arctic_m, tmp_path):
    (tmp_path / "set").mkdir()
    write_set(tmp_path / "set" / "1.parquet", arctic_m[20:], first=20)
    write_set(tmp_path / "set" / "0.parquet", arctic_m[:20])
    part = published_part(tmp_path / "set", tmp_path / "part", None, lambda _: None)
    unit = arctic_m / np.linalg.norm(arctic_m, axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(part.vectors), unit, rtol=1e-6)


def test_an_interrupted_set_is_taken_up(arctic_m, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "CHUNK", 8)
    path = write_set(tmp_path / "a.parquet", arctic_m)
    whole = published_part(path, tmp_path / "whole", 256, lambda _: None)

    def killed(rows):
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
def test_only_what_was_trained_for_it_is_cut(dimension, cut, allowed, tmp_path):
    path = write_set(tmp_path / "a.parquet", np.ones((2, dimension), dtype=np.float32))
    with pytest.raises(InputError, match=f"expected to keep {allowed} of the {dimension}"):
        published_part(path, tmp_path / "part", cut, lambda _: None)


def test_files_without_vectors(arctic_m, tmp_path):
    other = write_set(tmp_path / "b.parquet", arctic_m, column="numbers")
    with pytest.raises(InputError, match="called one of: emb, embedding; found: _id, title"):
        published_part(other, tmp_path / "part", None, lambda _: None)
    with pytest.raises(InputError, match="found none"):
        published_part(tmp_path / "missing.parquet", tmp_path / "part", None, lambda _: None)
    arctic_m[3] = 0
    zero = write_set(tmp_path / "c.parquet", arctic_m)
    with pytest.raises(InputError, match=r"#0_3'.* zero or not finite"):
        published_part(zero, tmp_path / "part", None, lambda _: None)
