from __future__ import annotations

import shutil
from pathlib import Path

import faiss
import numpy as np
import pytest

from sidelight.errors import InputError
from sidelight.index import vectors as module
from sidelight.index.encoder import Encoder
from sidelight.index.folder import IndexFolder
from sidelight.index.segment_text import passage_text
from sidelight.index.vectors import VectorIndex, write_vectors
from sidelight.schemas.segment import Segment


def test_the_file_is_what_faiss_would_write(
    small_index: IndexFolder, small_corpus: list[Segment], encoder: Encoder
) -> None:
    ordered = sorted(small_corpus, key=lambda segment: segment.segment_id)
    index = faiss.IndexFlatIP(384)
    index.add(encoder.encode_documents([passage_text(segment) for segment in ordered]))
    written = (small_index.path / "vectors" / "index.faiss").read_bytes()
    assert written == faiss.serialize_index(index).tobytes()


def test_search_is_exact(
    small_index: IndexFolder, small_corpus: list[Segment], encoder: Encoder
) -> None:
    queries = encoder.encode_queries(["who owns the lighthouse", "bread"])
    by_id = {
        segment.segment_id: encoder.encode_documents([passage_text(segment)])[0]
        for segment in small_corpus
    }
    for query, hits in zip(queries, small_index.vectors.search(queries, 40), strict=True):
        assert len(hits) == 40
        for hit in hits:
            assert hit.score == pytest.approx(float(query @ by_id[hit.segment_id]), abs=1e-6)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.segment_id))


def test_a_query_has_the_same_hits_in_any_company(
    small_index: IndexFolder, encoder: Encoder
) -> None:
    queries = encoder.encode_queries([f"question {n} about the glacier" for n in range(30)])
    together = small_index.vectors.search(queries, 10)
    for row in range(30):
        assert small_index.vectors.search(queries[row : row + 1], 10) == [together[row]]
    assert small_index.vectors.search(queries[:0], 10) == []
    assert len(small_index.vectors.search(queries[:1], 1000)[0]) == 40


@pytest.mark.parametrize("kept_bytes", [0, 10, 45, 45 + 1536 * 15 + 3, 45 + 1536 * 16, 10**9])
def test_an_interrupted_file_is_continued(
    small_index: IndexFolder,
    encoder: Encoder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kept_bytes: int,
) -> None:
    monkeypatch.setattr(module, "CHUNK", 8)
    whole = (small_index.path / "vectors" / "index.faiss").read_bytes()
    folder = tmp_path / "vectors.part"
    folder.mkdir()
    (folder / "index.faiss").write_bytes(whole[:kept_bytes])
    steps: list[int] = []
    write_vectors(folder, small_index.docstore, encoder, steps.append)
    assert (folder / "index.faiss").read_bytes() == whole
    assert sum(steps) == 40
    assert steps[0] == min(max(kept_bytes - 45, 0) // (8 * 1536) * 8, 40)


def test_files_that_do_not_belong_together(small_index: IndexFolder, tmp_path: Path) -> None:
    shutil.copytree(small_index.path / "vectors", tmp_path / "vectors")
    np.save(tmp_path / "vectors" / "ids.npy", np.array([b"a", b"b"]))
    with pytest.raises(InputError, match="found 40 vectors and 2 ids"):
        VectorIndex(tmp_path / "vectors")
