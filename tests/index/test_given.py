"""Indexes of others' parts: BM25, feedback and text on what each of Anserini's indexes keeps."""

import shutil
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sidelight.errors import InputError, UsageError
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder, SpladeEncoder, bundled_model
from sidelight.index.folder import GivenParts, open_index
from sidelight.index.lucene.jvm import java_class
from sidelight.index.lucene.segments import LuceneIndex, Rm3, Rocchio
from sidelight.index.manifest import read_manifest
from sidelight.index.text.corpus import MS_MARCO, ShardReader, passage_text
from sidelight.index.text.docstore import RawText
from sidelight.index.vectors.profiles import IN_LUCENE, NO_VECTORS
from sidelight.retrieval.first_stage import open_retriever, reciprocal_rank_fusion
from sidelight.sample import sample_path
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from tests.helpers.commands import said
from tests.helpers.indexes.anserini_index import (
    FULL,
    RAW,
    SLIM,
    index_collection,
    index_impacts,
    index_vectors,
    search_impacts,
)
from tests.helpers.indexes.generated_collection import write_collection
from tests.helpers.indexes.small_corpus import write_shard
from tests.helpers.models.fault_server import FaultServer

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


def test_what_an_index_keeps_and_finds_is_that_of_anserini(lucene):
    contents = {name: LuceneIndex(folder).contents for name, folder in lucene.items()}
    assert contents["slim"] == (300, False, "")
    assert contents["raw"] == (300, False, "MsMarcoV2DocCollection")
    assert contents["full"] == (300, True, "MsMarcoV2DocCollection")
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
    found = [one.segment_id for one in index.docstore.get_many([hit[0] for hit in hits])]
    assert found == [hit.segment_id for hit in hits]
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
    found = text.get_many([segments[9].segment_id, segments[3].segment_id])
    assert found == [segments[9], segments[3]]
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


def test_given_parts_that_do_not_fit_are_named(shards, lucene, tmp_path, encoder):
    def build(folder, given, of=shards):
        build_index(of, folder, encoder, profile=NO_VECTORS, given=GivenParts(given))

    with pytest.raises(InputError, match="expected an index of the segments whose text is given"):
        build(tmp_path, lucene["slim"], shards[:1])
    name = "lucene-inverted.msmarco-v2.1-doc-segmented-slim.20240418.4f9675"
    (tmp_path / name).symlink_to(lucene["slim"])
    with pytest.raises(InputError, match="expected 113,520,750 segments, as published; found 300"):
        build(tmp_path / "index", tmp_path / name)
    build(tmp_path / "index", Path(shutil.copytree(lucene["slim"], tmp_path / "lucene")))
    next((tmp_path / "lucene").glob("*.fdt")).write_bytes(b"")
    with pytest.raises(InputError, match=r"\.fdt with \d+ bytes; found 0 bytes"):
        read_manifest(tmp_path / "index")


def as_pyserini_weighs(model, text):
    """The weights of a query by the formula of pyserini's SpladeQueryEncoder."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    asked = tokenizer([text], max_length=256, truncation=True, return_tensors="pt")
    with torch.inference_mode():
        logits = AutoModelForMaskedLM.from_pretrained(model)(asked["input_ids"])["logits"]
    weights = torch.max(torch.log(1 + torch.relu(logits)), dim=1).values[0]
    pieces = {number: piece for piece, number in tokenizer.vocab.items()}
    rounded = {pieces[n]: round(weight / 5 * 256) for n, weight in enumerate(weights.tolist())}
    return {piece: weight for piece, weight in rounded.items() if weight}


def test_the_reference_pipeline_over_stand_ins_of_splade_v3_and_arctic(
    mini_web_index, splade, tmp_path
):
    """An impact index and vectors as published, of small models, by the commands and the preset."""
    segments = list(mini_web_index.docstore)
    shard = write_shard(tmp_path / "segments.jsonl", segments)
    impact = index_impacts(segments, splade, tmp_path / "impact")
    arctic = tmp_path / "snowflake-arctic-embed-l"  # its name says how it is asked
    arctic.symlink_to(bundled_model())
    encoder = Encoder(str(arctic))
    made = encoder.encode_documents([passage_text(one) for one in segments])
    files = []
    for start in (0, 100):
        rows, files = segments[start : start + 100], [*files, tmp_path / f"{start}.parquet"]
        columns = {"doc_id": [one.segment_id for one in rows], "text": [one.text for one in rows]}
        columns |= {"embedding": list(made[start : start + 100]), "url": [one.url for one in rows]}
        pq.write_table(pa.table(columns), files[-1])
    options = ["--encoder", arctic, "--impact", impact, "--splade", splade]
    options += [word for file in files for word in ("--vectors", file)]
    index, out, topics = tmp_path / "index", tmp_path / "out", tmp_path / "topics.jsonl"
    said("index", "build", shard, *options, "-o", index)

    query = "who is behind the Sentinel Policy Journal"
    words = SpladeEncoder(splade).encode_query(query)
    assert words == as_pyserini_weighs(splade, query)
    sparse = open_retriever("splade", open_index(index)).search(
        [Query(query_id="q", text=query)], 100
    )
    assert sparse["q"] == ranked([Hit(*hit) for hit in search_impacts(impact, words, tmp_path)])
    near = made @ encoder.encode_queries([query])[0]
    dense = ranked([Hit(one.segment_id, float(s)) for one, s in zip(segments, near, strict=True)])
    fused = orjson.loads(
        said("search", "--index", index, "--retriever", "splade-dense", "--json", query)
    )
    expected = reciprocal_rank_fusion([sparse["q"], dense[:100]])[:10]
    assert [hit["segment_id"] for hit in fused] == [hit.segment_id for hit in expected]

    preset = Path(__file__).resolve().parents[2] / "configs" / "rag2025" / "reference.yaml"
    topics.write_text((sample_path() / "narratives.jsonl").read_text().splitlines()[0])
    with FaultServer() as server:
        asks = ("--base-url", server.base_url)
        said("run", "--config", preset, "--topics", topics, "--index", index, "-o", out, *asks)
    said("validate", "--track", "rag2025", "--topics", topics, "--index", index, out)
    assert len((out / "retrieval.trec").read_text().splitlines()) == 100
    assert "SPLADE encoder of the index" in said(
        "doctor", "--config", preset, "--index", index, *asks
    )
    with pytest.raises(InputError, match="needs weights of words that a model learned"):
        said("search", "--index", mini_web_index.path, "--retriever", "splade", query)
