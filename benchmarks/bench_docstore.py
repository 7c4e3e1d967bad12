"""Text by id: the document store against Lucene's raw field and a JSON parser.

Run with: python -m benchmarks.bench_docstore
"""

from __future__ import annotations

import json
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.interleaved import Comparison, compare
from benchmarks.record import write_results
from sidelight.index.lucene.jvm import java_class
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from sidelight.index.text.docstore import Docstore, write_offset_store
from tests.helpers.indexes.generated_collection import write_collection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidelight.schemas.segment import Segment

SEGMENTS, SHARDS, HITS = 100_000, 4, 1000


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = write_collection(folder / "shards", SEGMENTS, shards=SHARDS, seed=1)
        for number, shard in enumerate(shards):
            path = folder / f"msmarco_v2.1_doc_{number:02}.zst"
            write_offset_store(path, ShardReader(shard, MS_MARCO))
        with Docstore(folder) as docstore:
            write_raw_index(folder / "lucene", docstore)
            figures = [*bench(docstore, folder / "lucene"), *sizes(folder, shards)]
    workload = (
        f"{HITS} hits of one query in {SEGMENTS} generated segments, {SHARDS} shards (seed 1), all "
        "in the page cache; ours ends in Segment objects, the peer in dictionaries"
    )
    write_results("docstore", workload, figures)


def write_raw_index(folder: Path, segments: Iterable[Segment]) -> None:
    """Index segments as Anserini does for later reading: with the JSON object as a stored field."""
    options = ["-collection", "JsonCollection", "-input", "", "-index", str(folder)]
    options += ["-threads", "2", "-storeRaw", "-memoryBuffer", "256"]
    indexer = java_class("io.anserini.index.SimpleIndexer")(options)
    remaining = iter(segments)
    while batch := list(islice(remaining, 1000)):
        indexer.addRawDocuments([json.dumps(as_anserini(segment)) for segment in batch])
    indexer.close()


def as_anserini(segment: Segment) -> dict[str, object]:
    fields = segment.model_dump()
    return {"id": fields.pop("segment_id"), "contents": fields.pop("text"), **fields}


def bench(docstore: Docstore, lucene: Path) -> list[Comparison]:
    searcher = java_class("io.anserini.search.SimpleSearcher")(str(lucene))
    hits = [(hit.docid, hit.lucene_docid) for hit in searcher.search("bu fu dibe wude", HITS)]
    ids = [segment_id for segment_id, _ in hits]

    # What pyserini's LuceneSearcher.doc(id).raw() does.
    def peer(places: Sequence[str | int]) -> list[dict[str, object]]:
        return [json.loads(searcher.doc(place).get("raw")) for place in places]

    expected = [as_anserini(segment) for segment in docstore.get_many(ids)]
    assert peer(ids) == peer([number for _, number in hits]) == expected
    return [
        compare(
            f"Text of {len(hits)} hits, peer LuceneSearcher.doc({by}).raw() and json.loads",
            partial(docstore.get_many, ids),
            partial(peer, places),
            rounds=15,
        )
        for by, places in [("id", ids), ("Lucene's number", [number for _, number in hits])]
    ]


def sizes(folder: Path, shards: list[Path]) -> list[str]:
    files = {
        "shards as published": shards,
        "ours": [*folder.glob("*.zst"), *folder.glob("*.npy")],
        "Lucene's stored fields": [*folder.glob("lucene/*.fd?")],
    }
    return [
        f"bytes a segment, {name}: {sum(path.stat().st_size for path in paths) / SEGMENTS:.0f}"
        for name, paths in files.items()
    ]


if __name__ == "__main__":
    main()
