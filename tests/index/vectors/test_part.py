from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sidelight.errors import InputError, MachineError
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.folder import IndexFolder
from sidelight.index.text.corpus import passage_text
from sidelight.index.vectors import part as module
from sidelight.index.vectors.part import EncodePart, encode_part, part_in
from sidelight.schemas.segment import Segment


@pytest.fixture(scope="module")
def expected(small_corpus: list[Segment], encoder: Encoder) -> np.ndarray:
    return encoder.encode_documents([passage_text(segment) for segment in small_corpus])


def test_rows_are_the_segments_in_order(
    small_corpus: list[Segment], encoder: Encoder, expected: np.ndarray, tmp_path: Path
) -> None:
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
    small_corpus: list[Segment],
    encoder: Encoder,
    expected: np.ndarray,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    vector_bytes: int,
    ids: int,
) -> None:
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
    small_index: IndexFolder, encoder: Encoder, expected: np.ndarray, tmp_path: Path
) -> None:
    (store,) = small_index.docstore.paths
    steps: list[int] = []
    encode = EncodePart(tmp_path, encoder, encoder.identity())
    encode(store, steps.append)
    assert np.load(encode.part(store).vectors).tobytes() == expected.tobytes()
    assert steps == [0, 40]
    other = encoder.identity().model_copy(update={"weights": "00"})
    with pytest.raises(MachineError, match="found other weights"):
        EncodePart(tmp_path, encoder, other)(store, steps.append)


def test_fewer_segments_than_announced(
    small_corpus: list[Segment], encoder: Encoder, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="vectors of 40 segments; found 8"):
        encode_part(small_corpus[:8], 40, tmp_path / "part", encoder, lambda _: None)


def test_a_part_of_nothing(encoder: Encoder, tmp_path: Path) -> None:
    part = encode_part([], 0, tmp_path / "part", encoder, lambda _: None)
    assert np.load(part.ids).shape == (0,)
    assert np.load(part.vectors).shape == (0, 384)
