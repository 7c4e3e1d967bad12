"""A query of 1,000 candidates, reranking excluded: ours against the way of the track's starter kit.

Ours: BM25 on a `-slim` index and dense retrieval (encoding included), fused, then text out of the
document store. The peer: BM25 with RM3 on a `-full` index, then the raw JSON of every hit parsed,
through Anserini's classes without the Python ones around them.

Run with: python -m benchmarks.bench_hybrid_query
"""

from __future__ import annotations

import json
import random
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.interleaved import compare
from benchmarks.record import write_results
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.folder import GivenParts, IndexFolder, open_index
from sidelight.index.lucene.jvm import java_class
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from sidelight.retrieval.first_stage import open_retriever
from sidelight.schemas.investigation.evidence import Query
from tests.helpers.indexes.anserini_index import FULL, SLIM, index_collection
from tests.helpers.indexes.generated_collection import write_collection, write_vectors_like

if TYPE_CHECKING:
    from sidelight.retrieval.base import Retriever

SEGMENTS, SHARDS, QUERIES, WORDS, K, READ = 100_000, 2, 20, 8, 1000, 100
PROFILE = "cpu-24gb"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = write_collection(folder / "shards", SEGMENTS, shards=SHARDS, seed=1)
        slim = index_collection(folder / "shards", folder / "slim", SLIM)
        full = index_collection(folder / "shards", folder / "full", FULL)
        index = build(shards, folder, slim)
        queries = questions(shards[0])
        retriever = open_retriever("hybrid", index, depth=K)
        java = java_class("io.anserini.search.SimpleSearcher")(str(full))
        java.set_bm25(0.9, 0.4)
        plain = partial(starter_kit, java, queries)
        figures = [
            compare(
                f"{QUERIES} queries, peer BM25, all texts, ours hybrid, all texts",
                partial(ours, retriever, index, queries, K),
                plain,
            ),
        ]
        java = java_class("io.anserini.search.SimpleSearcher")(str(full))
        java.set_bm25(0.9, 0.4)
        java.set_rm3(10, 10, 0.5)
        expanded = partial(starter_kit, java, queries)
        figures += [
            compare(
                f"{QUERIES} queries, peer RM3, all texts, ours hybrid, {text}",
                partial(ours, retriever, index, queries, count),
                expanded,
            )
            for text, count in [("all texts", K), (f"the {READ} texts that are reranked", READ)]
        ]
    workload = (
        f"{QUERIES} queries of {WORDS} words, one after another, {K} candidates each, in "
        f"{SEGMENTS} generated segments (seed 1); vectors of 384 numbers, profile {PROFILE}; warm"
    )
    write_results("hybrid_query", workload, figures)


def build(shards: list[Path], folder: Path, slim: Path) -> IndexFolder:
    ids = [one.segment_id for shard in shards for one in ShardReader(shard, MS_MARCO).segments()]
    vectors = np.load(write_vectors_like(folder / "made", ids, 384, seed=1) / "vectors.npy")
    rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 384)
    pq.write_table(pa.table({"docid": ids, "embedding": rows}), folder / "vectors.parquet")
    build_index(
        shards,
        folder / "index",
        Encoder(),
        profile=PROFILE,
        vectors=[str(folder / "vectors.parquet")],
        given=GivenParts(slim),
    )
    return open_index(folder / "index")


def questions(shard: Path) -> list[Query]:
    rng = random.Random(1)
    segments = islice(ShardReader(shard, MS_MARCO).segments(), 100 * QUERIES)
    texts = rng.sample([segment.text for segment in segments], QUERIES)
    return [
        Query(query_id=str(number), text=" ".join(rng.sample(text.split(), WORDS)))
        for number, text in enumerate(texts)
    ]


def ours(retriever: Retriever, index: IndexFolder, queries: list[Query], count: int) -> None:
    for query in queries:
        hits = retriever.search([query], K)[query.query_id]
        assert len(hits) == K
        index.docstore.get_many([hit.segment_id for hit in hits[:count]])


def starter_kit(java: Any, queries: list[Query]) -> None:
    for query in queries:
        hits = java.search(query.text, K)
        assert len([json.loads(hit.lucene_document.get("raw")) for hit in hits]) == K


if __name__ == "__main__":
    main()
