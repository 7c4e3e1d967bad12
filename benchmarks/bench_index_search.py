"""Indexing and searching through sidelight against direct calls of the libraries beneath it.

Run with: python -m benchmarks.bench_index_search
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import faiss
import numpy as np
import orjson
from sentence_transformers import SentenceTransformer

from benchmarks.interleaved import Comparison, compare
from benchmarks.record import write_results
from sidelight.index.encoding.encoder import Encoder, bundled_model
from sidelight.index.lucene.jvm import java_class
from sidelight.index.lucene.segments import LuceneIndex, write_lucene
from sidelight.index.text.corpus import lexical_text
from sidelight.index.text.docstore import SEGMENTS as FILE
from sidelight.index.text.docstore import Docstore, SqliteWriter
from sidelight.index.vectors.vectors import VectorIndex
from sidelight.schemas.investigation.evidence import Query
from sidelight.schemas.segment import Segment

SEGMENTS, WORDS, VOCABULARY = 20_000, 117, 50_000
QUERIES, QUERY_WORDS, K = 100, 12, 1000
VECTORS, DIMENSION = 50_000, 384
ENCODED = 64


def make_texts(rng: np.random.Generator, count: int, words: int) -> list[str]:
    # Words by Zipf's law, as in running text.
    chances = 1 / np.arange(1, VOCABULARY + 1)
    drawn = rng.choice(VOCABULARY, size=(count, words), p=chances / chances.sum())
    return [" ".join(f"w{word}" for word in row) for row in drawn]


def main() -> None:
    rng = np.random.default_rng(1)
    segments = [
        Segment(segment_id=f"bench_doc_00_{number}#0_{number}", text=text)
        for number, text in enumerate(make_texts(rng, SEGMENTS, WORDS))
    ]
    queries = [
        Query(query_id=str(number), text=text)
        for number, text in enumerate(make_texts(rng, QUERIES, QUERY_WORDS))
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        comparisons = [
            bench_build(folder, segments),
            bench_search(folder, queries),
            bench_encode(segments[:ENCODED]),
            bench_vectors(folder, rng),
        ]
    workload = (
        f"{SEGMENTS} segments of {WORDS} words (Zipf, {VOCABULARY} words, seed 1); {QUERIES} "
        f"queries of {QUERY_WORDS} words, k {K}; {ENCODED} segments encoded; {QUERIES} queries "
        f"over {VECTORS} vectors of {DIMENSION}, k 100"
    )
    write_results("index_search", workload, comparisons)


def bench_build(folder: Path, segments: list[Segment]) -> Comparison:
    (folder / "docstore").mkdir()
    with SqliteWriter(folder / "docstore" / FILE) as writer:
        for segment in segments:
            writer.add(segment)
    shards = folder / "shards"
    shards.mkdir()
    for part in range(2):  # IndexCollection gives a thread to each file
        lines = [
            orjson.dumps({"id": s.segment_id, "contents": lexical_text(s)})
            for s in segments[part::2]
        ]
        (shards / f"{part}.jsonl").write_bytes(b"\n".join(lines))

    def ours() -> None:
        with Docstore(folder / "docstore") as docstore:
            write_lucene(folder / "ours", docstore)

    options = ["-collection", "JsonCollection", "-generator", "DefaultLuceneDocumentGenerator"]
    options += ["-input", str(shards), "-index", str(folder / "peer"), "-threads", "2"]
    options += ["-storePositions", "-storeDocvectors", "-quiet"]

    def peer() -> None:
        shutil.rmtree(folder / "peer", ignore_errors=True)
        java_class("io.anserini.index.IndexCollection").main(options)

    return compare("Lucene build, peer IndexCollection on prepared files", ours, peer, rounds=3)


def bench_search(folder: Path, queries: list[Query]) -> Comparison:
    searcher = LuceneIndex(folder / "ours").searcher()
    direct = java_class("io.anserini.search.SimpleSearcher")(str(folder / "ours"))
    direct.set_bm25(0.9, 0.4)

    def peer() -> list[list[tuple[str, float]]]:
        return [
            [(hit.docid, hit.score) for hit in direct.search(query.text, K)] for query in queries
        ]

    for hits, expected in zip(searcher.search(queries, K).values(), peer(), strict=True):
        assert {hit.segment_id for hit in hits} == {segment_id for segment_id, _ in expected}
    return compare(
        "BM25 search, peer SimpleSearcher.search", lambda: searcher.search(queries, K), peer
    )


def bench_encode(segments: list[Segment]) -> Comparison:
    encoder, direct = Encoder(), SentenceTransformer(str(bundled_model()), device="cpu")
    texts = [" ".join(segment.text.split()[:70]) for segment in segments]
    return compare(
        "Encoding, peer SentenceTransformer.encode as it comes",
        lambda: encoder.encode_documents(texts),
        lambda: direct.encode(texts, normalize_embeddings=True, show_progress_bar=False),
    )


def bench_vectors(folder: Path, rng: np.random.Generator) -> Comparison:
    vectors = rng.standard_normal((VECTORS, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    direct = faiss.IndexFlatIP(DIMENSION)
    direct.add(vectors)
    (folder / "vectors").mkdir()
    faiss.write_index(direct, str(folder / "vectors" / "index.faiss"))
    names = np.array([f"bench_doc_00_{number:07}#0_0".encode() for number in range(VECTORS)])
    np.save(folder / "vectors" / "ids.npy", names)
    index, queries = VectorIndex(folder / "vectors"), vectors[:QUERIES]
    return compare(
        "Vector search, peer faiss.IndexFlatIP in memory, rows only",
        lambda: index.search(queries, 100),
        lambda: direct.search(queries, 100),
    )


if __name__ == "__main__":
    main()
