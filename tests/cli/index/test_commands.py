from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sidelight.errors import InputError, InvalidFileError, SidelightError, UsageError
from sidelight.index.build import build_index
from sidelight.index.folder import open_index
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from tests.helpers.commands import said, told
from tests.helpers.indexes.generated_collection import write_collection, write_vectors_like
from tests.helpers.indexes.small_corpus import write_shard


@pytest.fixture
def published(small_index, tmp_path):
    """The vectors of the small index as two published files, in the opposite order."""
    ids = [one.decode() for one in np.load(small_index.path / "vectors" / "ids.npy")]
    vectors = [small_index.vectors._search._index.reconstruct(row) for row in range(len(ids))]
    paths = []
    for name, rows in (("a", range(39, 19, -1)), ("b", range(19, -1, -1))):
        paths.append(tmp_path / f"{name}.parquet")
        columns = {"_id": [ids[row] for row in rows], "emb": [vectors[row] for row in rows]}
        pq.write_table(pa.table(columns), paths[-1])
    return paths


def test_plan_says_what_it_takes_and_whether_it_fits(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    planned = told("index", "plan", "--count", 200_000)
    assert (planned["profile"], planned["problems"], planned["dimension"]) == ("cpu-24gb", [], 256)
    shown = said("index", "plan", "--count", 10**12, "--profile", "exact", code=3)
    assert "does not fit: 1024000.0 GB of memory" in shown
    parts = planned["text_gb"] + planned["bm25_gb"] + planned["disk_gb"]
    assert planned["disk_of_all_gb"] == pytest.approx(parts)
    # The whole collection without vectors, on a disk with just enough room, and with less.
    for free, code in ((245, 0), (244, 3)):
        monkeypatch.setattr(
            "shutil.disk_usage", lambda _, free=free: SimpleNamespace(free=free * 10**9)
        )
        shown = said("index", "plan", "--profile", "none", code=code)
        assert f"free      {free}.0 GB of disk" in shown
    assert "does not fit: 245.0 GB of disk are needed while building; 244.0 are free" in shown
    assert "text      78.9 GB of disk" in shown
    assert "building  6 h 7 min for both" in shown
    assert "download  37.9 GB" in shown
    assert "encoding  " not in shown
    shown = said("index", "plan", code=3)
    assert "encoding  9 days by the bundled encoder in bfloat16, 25 days in single" in shown
    assert "does not fit: 418.4 GB of disk" in shown
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    shown = said("index", "plan", "--count", 10**6)
    assert "building  48 s for both" in shown
    assert "scaled to the 8 here" in shown


def test_published_vectors_take_the_place_of_encoding(
    small_shard, small_index, published, tmp_path
):
    folder = tmp_path / "index"
    command = ["index", "build", str(small_shard), "-o", str(folder), "--profile", "exact"]
    for path in published:
        command += ["--vectors", str(path)]
    with pytest.raises(UsageError, match="--vectors needs --encoder"):
        said(*command)
    said(*command, "--encoder", "all-MiniLM-L6-v2")
    built = open_index(folder)
    assert [file.name for file in built.manifest.plan.vectors] == ["a.parquet", "b.parquet"]
    query = built.encoder.encode_queries(["who owns the lighthouse"])
    (ours,), (theirs,) = (index.vectors.search(query, 40) for index in (built, small_index))
    assert [hit.segment_id for hit in ours] == [hit.segment_id for hit in theirs]
    assert not (folder / "parts").exists()


def test_vectors_of_other_segments_are_refused(small_corpus, published, encoder, tmp_path):
    fewer = write_shard(tmp_path / "fewer.jsonl", small_corpus[:-1])
    with pytest.raises(InputError, match=r"vectors\.npy: expected a parquet file") as caught:
        build_index([fewer], tmp_path / "none", encoder, vectors=["vectors.npy"])
    assert "Snowflake/msmarco-v2.1-snowflake-arctic-embed-m-v1.5" in caught.value.remedy
    with pytest.raises(InputError, match="of 39 segments in 2 files; found 40"):
        build_index([fewer], tmp_path / "one", encoder, vectors=list(map(str, published)))
    renamed = small_corpus[0].model_copy(update={"segment_id": "small_doc_00_9#9_9"})
    other = write_shard(tmp_path / "other.jsonl", [renamed, *small_corpus[1:]])
    with pytest.raises(InputError, match=r"b.parquet: .* 'small_doc_00_0#0_0', which is none"):
        build_index([other], tmp_path / "two", encoder, vectors=list(map(str, published)))


@pytest.mark.slow
def test_a_collection_of_the_real_shape_with_lists(tmp_path):
    shards = write_collection(tmp_path / "shards", 3000, shards=2, seed=1)
    readers = [ShardReader(shard, MS_MARCO, strict=True) for shard in shards]
    ids = [line.segment.segment_id for reader in readers for line in reader if line.segment]
    vectors = np.load(write_vectors_like(tmp_path / "made", ids, 384, seed=1) / "vectors.npy")
    parquet = tmp_path / "vectors.parquet"
    pq.write_table(pa.table({"_id": ids, "emb": list(vectors)}), parquet)
    command = ["index", "build", *map(str, shards), "-o", str(tmp_path / "index")]
    command += ["--profile", "cpu-24gb", "--vectors", str(parquet), "--encoder", "all-MiniLM-L6-v2"]
    assert "cpu-24gb" in said(*command)
    built = open_index(tmp_path / "index")
    for row, hits in enumerate(built.vectors.search(vectors[:20], 5)):
        assert hits[0].segment_id == ids[row]
        assert len(built.docstore.get_many([hit.segment_id for hit in hits])) == 5


def test_a_small_index_says_that_lists_need_more(small_shard, published, tmp_path):
    with pytest.raises(SidelightError, match="needs at least 1000 vectors; found 40"):
        said("index", "build", small_shard, "-o", tmp_path / "index", "--profile", "cpu-24gb")


def test_a_broken_line_is_shown_by_build_and_info_and_stops_a_strict_build(tmp_path):
    shard, folder = tmp_path / "shard.jsonl", tmp_path / "index"
    shard.write_text('{"docid": "a", "segment": "sound"}\n{"docid": "b"}\n')
    for command in (("build", shard, "-o", folder, "--profile", "none"), ("info", folder)):
        shown = said("index", *command)
        assert "segments     1 of 1 document" in shown
        assert "vectors      none" in shown
        assert "encoder" not in shown
        assert "shard.jsonl: segments 1, lines refused 1" in shown
        line = "shard.jsonl:2: error [key-missing] expected a segment; found no segment."
        assert line in " ".join(shown.split())
    for output in (folder, tmp_path / "another"):
        with pytest.raises(InvalidFileError, match=r"shard\.jsonl:2"):
            said("index", "build", shard, "-o", output, "--strict", "--profile", "none")
    assert not (tmp_path / "another").exists()
