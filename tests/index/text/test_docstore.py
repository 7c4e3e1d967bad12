import gzip
import random
import re
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from zstandard import ZstdCompressor, ZstdDecompressor

from sidelight.errors import InputError
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from sidelight.index.text.docstore import SEGMENTS, Docstore, SqliteWriter, write_offset_store
from sidelight.schemas.segment import Segment
from tests.helpers.indexes.generated_collection import write_collection


def write(folder: Path, segments: list[Segment]) -> list[bool]:
    with SqliteWriter(folder / SEGMENTS) as writer:
        return [writer.add(segment) for segment in segments]


@pytest.fixture
def docstore(small_corpus, tmp_path):
    assert all(write(tmp_path, random.Random(1).sample(small_corpus, len(small_corpus))))
    with Docstore(tmp_path) as opened:
        yield opened


class Collection:
    """Two generated shards and other segments, in one store."""

    def __init__(self, folder: Path) -> None:
        self.shards = write_collection(folder / "shards", 300, shards=2, seed=3)
        self.segments = [
            segment for shard in self.shards for segment in ShardReader(shard, MS_MARCO).segments()
        ]
        others = [Segment(segment_id=f"other-{n}", text="x") for n in range(9)]
        write(folder, others)
        for number, shard in enumerate(self.shards):
            path = folder / f"msmarco_v2.1_doc_{number:02}.zst"
            assert write_offset_store(path, ShardReader(shard, MS_MARCO)) == 150
        self.segments += others
        self.folder = folder
        self.docstore = Docstore(folder)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    return Collection(tmp_path_factory.mktemp("collection"))


def test_holds_what_was_written_in_the_order_of_ids(docstore, small_corpus):
    expected = sorted(small_corpus, key=lambda segment: segment.segment_id)
    assert list(docstore) == expected
    assert len(docstore) == 40
    assert expected[3].segment_id in docstore
    assert "no such id" not in docstore


def test_pages_of_ids_join(tmp_path):
    segments = [Segment(segment_id=f"{n}", text="t") for n in range(2500)]
    write(tmp_path, segments)
    with Docstore(tmp_path) as docstore:
        assert list(docstore) == sorted(segments, key=lambda segment: segment.segment_id)
        assert list(docstore.get_many([s.segment_id for s in segments])) == segments


def test_get_many_keeps_the_order_asked_for(docstore, small_corpus):
    asked = [small_corpus[n] for n in (7, 3, 39, 3)]
    assert docstore.get_many([segment.segment_id for segment in asked]) == asked
    assert docstore.get_many([]) == []
    with pytest.raises(InputError, match="'invented'"):
        docstore.get_many([small_corpus[0].segment_id, "invented"])


def test_a_second_segment_of_one_id_is_not_taken(tmp_path):
    first, second = (Segment(segment_id="a", text=text) for text in "xy")
    assert write(tmp_path, [first, second]) == [True, False]
    with Docstore(tmp_path) as docstore:
        assert list(docstore) == [first]


class TestShardsAsPublished:
    def test_hold_what_the_shards_hold(self, collection):
        assert list(collection.docstore) == collection.segments
        assert len(collection.docstore) == 309

    @given(st.data())
    def test_any_segments_come_in_the_order_asked_for(self, collection, data):
        asked = data.draw(st.lists(st.sampled_from(collection.segments), max_size=30))
        assert collection.docstore.get_many([one.segment_id for one in asked]) == asked

    @given(st.data())
    def test_ids_that_point_elsewhere_are_unknown(self, collection, data):
        known = {one.segment_id for one in collection.segments}
        document, _, _ = data.draw(st.sampled_from(sorted(known)[:300])).rpartition("_")
        invented = f"{document}_{data.draw(st.integers(0, 300_000) | st.just(1 << 70))}"
        assert (invented in collection.docstore) == (invented in known)

    def test_any_tool_unpacks_the_shard(self, collection):
        packed = (collection.folder / "msmarco_v2.1_doc_01.zst").read_bytes()
        with ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            assert stream.read() == gzip.decompress(collection.shards[1].read_bytes())

    def test_refused_lines_are_blank(self, collection, tmp_path):
        lines = gzip.decompress(collection.shards[0].read_bytes()).splitlines(keepends=True)
        lines[1] = b"?" * (len(lines[1]) - 1) + b"\n"
        (tmp_path / "shard.json").write_bytes(b"".join(lines).removesuffix(b"\n"))
        reader = ShardReader(tmp_path / "shard.json", MS_MARCO)
        assert write_offset_store(tmp_path / "msmarco_v2.1_doc_00.zst", reader) == 149
        kept = [collection.segments[0], *collection.segments[2:150]]
        with Docstore(tmp_path) as docstore:
            assert list(docstore) == docstore.get_many([one.segment_id for one in kept]) == kept
            assert collection.segments[1].segment_id not in docstore

    def test_an_empty_shard(self, tmp_path):
        (tmp_path / "empty.json").touch()
        reader = ShardReader(tmp_path / "empty.json", MS_MARCO)
        assert write_offset_store(tmp_path / "msmarco_v2.1_doc_00.zst", reader) == 0
        with Docstore(tmp_path) as docstore:
            assert list(docstore) == []
            assert "msmarco_v2.1_doc_00_0#0_0" not in docstore

    def test_many_threads_may_read(self, collection):
        ids = [segment.segment_id for segment in collection.segments]
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: collection.docstore.get_many(ids), range(16)))
        assert all(result == collection.segments for result in results)


TABLE = np.array([[0, 0, 0], [90, 60, 1]], np.int64).T


@pytest.mark.parametrize(
    "table",
    [TABLE[:2], TABLE[::-1], TABLE + 1, TABLE.astype(np.float64), TABLE[0], np.int64(3)],
    ids=["two rows", "backwards", "not from zero", "no integers", "one row", "a number"],
)
def test_a_table_of_frames_that_is_none_is_refused_by_its_store(
    collection: Collection, tmp_path: Path, table: NDArray[Any]
) -> None:
    path = Path(shutil.copy(collection.folder / "msmarco_v2.1_doc_01.zst", tmp_path))
    np.save(path.with_suffix(".npy"), table)
    with pytest.raises(InputError, match=f"{re.escape(str(path))}: cannot be read") as caught:
        list(Docstore(tmp_path))
    assert caught.value.remedy


@pytest.mark.parametrize(
    "frame",
    [b"?" * 60, ZstdCompressor().compress(b"[1]\n"), ZstdCompressor().compress(bytes(100 << 20))],
    ids=["no frame", "no segment", "100 MB"],
)
def test_a_frame_that_holds_no_segments_is_refused_by_its_store(
    tmp_path: Path, frame: bytes
) -> None:
    path = tmp_path / "msmarco_v2.1_doc_01.zst"
    path.write_bytes(frame)
    np.save(path.with_suffix(".npy"), np.array([[0, 0, 0], [1 << 30, len(frame), 1]]).T)
    for read in (list, lambda docstore: docstore.get_many(["msmarco_v2.1_doc_01_0#0_0"])):
        with pytest.raises(InputError, match=re.escape(str(path))):
            read(Docstore(tmp_path))


def test_a_row_that_is_no_segment_is_refused_by_its_store(tmp_path: Path) -> None:
    write(tmp_path, [Segment(segment_id="a", text="Peat stores carbon.")])
    with closing(sqlite3.connect(tmp_path / SEGMENTS)) as database:
        database.execute("UPDATE segments SET text = x'ff'")
        database.commit()
    for read in (list, lambda docstore: docstore.get_many(["a"])):
        with pytest.raises(InputError, match=f"{SEGMENTS}: cannot be read"):
            read(Docstore(tmp_path))
