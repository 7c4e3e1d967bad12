"""Indexes of others' parts: BM25, feedback and text on what each of Anserini's indexes keeps."""

import numpy as np
import orjson
import pytest

from sidelight.errors import InputError, UsageError
from sidelight.index.build import build_index
from sidelight.index.folder import GivenParts, open_index
from sidelight.index.lucene.jvm import java_class
from sidelight.index.lucene.segments import LuceneIndex, Rm3, Rocchio
from sidelight.index.manifest import read_manifest
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from sidelight.index.text.docstore import RawText
from sidelight.index.vectors.profiles import IN_LUCENE, NO_VECTORS
from sidelight.retrieval.first_stage import open_retriever
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from tests.helpers.indexes.anserini_index import FULL, RAW, SLIM, index_collection, index_vectors
from tests.helpers.indexes.generated_collection import write_collection

# Frequent words of the generated language.
WORDS = "bu fu dibe wude gadi hobu"
QUERY = Query(query_id="q", text=WORDS)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    return write_collection(tmp_path_factory.mktemp("shards"), 300, shards=2, seed=3)


@pytest.fixture(scope="module")
def segments(shards):
    return [one for shard in shards for one in ShardReader(shard, MS_MARCO).segments()]


@pytest.fixture(scope="module")
def lucene(shards, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lucene")
    options = {"slim": SLIM, "raw": RAW, "full": FULL}
    return {
        name: index_collection(shards[0].parent, folder / name, flags)
        for name, flags in options.items()
    }


@pytest.fixture(scope="module")
def hnsw(segments, encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hnsw")
    vectors = np.random.default_rng(0).standard_normal((len(segments), 384))
    vectors[7] = encoder.encode_queries([WORDS])[0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [
        orjson.dumps({"docid": one.segment_id, "contents": "", "vector": row})
        for one, row in zip(segments, vectors.tolist(), strict=True)
    ]
    for name, part in [("a", rows[:100]), ("b", rows[100:])]:
        (folder / name).mkdir()
        (folder / name / "vectors.jsonl").write_bytes(b"\n".join(part))
    return tuple(index_vectors(folder / name, folder / f"{name}-hnsw") for name in "ab")


def test_what_an_index_keeps_is_seen(lucene):
    contents = {name: LuceneIndex(folder).contents for name, folder in lucene.items()}
    assert contents["slim"] == (300, False, "")
    assert contents["raw"] == (300, False, "MsMarcoV2DocCollection")
    assert contents["full"] == (300, True, "MsMarcoV2DocCollection")


def test_hits_are_those_of_anserini(lucene):
    for name in ("slim", "raw"):
        java = java_class("io.anserini.search.SimpleSearcher")(str(lucene[name]))
        java.set_bm25(0.9, 0.4)
        found = java.search(WORDS, 100)
        expected = ranked([Hit(hit.docid, round(hit.score, 4)) for hit in found])
        assert len(expected) == 100
        assert LuceneIndex(lucene[name]).searcher().search([QUERY], 100)["q"] == expected


@pytest.mark.parametrize("feedback", [Rm3(), Rocchio()])
def test_feedback_without_document_vectors(lucene, feedback):
    raw, full = (
        LuceneIndex(lucene[name]).searcher(feedback=feedback).search([QUERY], 50)["q"]
        for name in ("raw", "full")
    )
    assert raw == full
    assert raw != LuceneIndex(lucene["raw"]).searcher().search([QUERY], 50)["q"]
    with pytest.raises(InputError, match="RM3 and Rocchio read the words of the best segments"):
        LuceneIndex(lucene["slim"]).searcher(feedback=feedback)


def test_slim_with_a_document_store(shards, lucene, tmp_path, encoder):
    given = GivenParts(lucene["slim"])
    manifest = build_index(shards, tmp_path, encoder, profile=NO_VECTORS, given=given)
    assert manifest.segments == 300
    index = open_index(tmp_path)
    hits = open_retriever("bm25", index).search([QUERY], 5)["q"]
    assert [one.segment_id for one in index.docstore.get_many([hit[0] for hit in hits])] == [
        hit.segment_id for hit in hits
    ]
    with pytest.raises(InputError, match="need vectors; found an index without any"):
        open_retriever("hybrid", index)
    again = build_index(shards, tmp_path, encoder, profile=NO_VECTORS, given=given)
    assert again == manifest
    with pytest.raises(InputError, match="found one that differs in: given"):
        build_index(shards, tmp_path, encoder, profile=NO_VECTORS, given=GivenParts(lucene["raw"]))


def test_text_out_of_lucene(segments, lucene, tmp_path, encoder):
    given = GivenParts(lucene["raw"])
    manifest = build_index([], tmp_path, encoder, profile=NO_VECTORS, given=given)
    assert (manifest.segments, manifest.documents) == (300, 0)
    text = open_index(tmp_path).docstore
    assert text.get_many([segments[9].segment_id, segments[3].segment_id]) == [
        segments[9],
        segments[3],
    ]
    assert "other" not in text
    with pytest.raises(InputError, match="does not hold the segment 'other'"):
        text.get_many(["other"])
    with pytest.raises(UsageError, match="found a Lucene index alone"):
        build_index([], tmp_path / "b", encoder, given=given)
    with pytest.raises(InputError, match="expected an index that stores the text"):
        RawText(LuceneIndex(lucene["slim"]))


def test_vectors_in_lucene(segments, lucene, hnsw, tmp_path, encoder):
    given = GivenParts(lucene["raw"], hnsw)
    assert build_index([], tmp_path, encoder, given=given).plan.profile == IN_LUCENE
    index = open_index(tmp_path)
    assert (len(index.vectors), index.vectors.dimension) == (300, 384)
    best, second, *_ = open_retriever("dense", index).search([QUERY], 20)["q"]
    assert best.segment_id == segments[7].segment_id
    assert best.score > second.score + 0.1


def test_an_index_of_other_segments(shards, lucene, tmp_path, encoder):
    with pytest.raises(InputError, match="expected an index of the segments whose text is given"):
        build_index(
            shards[:1], tmp_path, encoder, profile=NO_VECTORS, given=GivenParts(lucene["slim"])
        )


def test_a_published_index_that_is_not_whole(shards, lucene, tmp_path, encoder):
    name = "lucene-inverted.msmarco-v2.1-doc-segmented-slim.20240418.4f9675"
    (tmp_path / name).symlink_to(lucene["slim"])
    with pytest.raises(InputError, match="expected 113,520,750 segments, as published; found 300"):
        build_index(
            shards,
            tmp_path / "index",
            encoder,
            profile=NO_VECTORS,
            given=GivenParts(tmp_path / name),
        )


def test_a_given_part_that_changed(shards, lucene, tmp_path, encoder):
    (tmp_path / "lucene").mkdir()
    for file in lucene["slim"].iterdir():
        (tmp_path / "lucene" / file.name).write_bytes(file.read_bytes())
    given = GivenParts(tmp_path / "lucene")
    build_index(shards, tmp_path / "index", encoder, profile=NO_VECTORS, given=given)
    next((tmp_path / "lucene").glob("*.fdt")).write_bytes(b"")
    with pytest.raises(InputError, match=r"\.fdt with \d+ bytes; found 0 bytes"):
        read_manifest(tmp_path / "index")
