"""Lucene indexes as Anserini makes them: of shards as published, of vectors, of learned weights."""

import json
import subprocess

from sidelight.index.encoding.encoder import SpladeEncoder
from sidelight.index.lucene.jvm import find_jar, find_java
from sidelight.index.text.corpus import passage_text

SLIM = ()
RAW = ("-storeRaw",)
FULL = ("-storeRaw", "-storeDocvectors", "-storePositions")


def index_collection(shards, folder, options):
    """Index a folder of shards as the published indexes were made."""
    collection = ["-collection", "MsMarcoV2DocCollection", "-input", str(shards)]
    generator = ["-generator", "DefaultLuceneDocumentGenerator", "-memoryBuffer", "64"]
    return _anserini("IndexCollection", folder, [*collection, *generator, *options])


def index_vectors(vectors, folder):
    """Index a folder of JSON lines with vectors, in bytes."""
    collection = ["-collection", "JsonDenseVectorCollection", "-input", str(vectors)]
    return _anserini("IndexHnswDenseVectors", folder, [*collection, "-quantize.int8"])


def index_impacts(segments, model, folder):
    """Weigh the words of segments by a model, and index that as the index of SPLADE-v3 was."""
    encoder = SpladeEncoder(model)
    (folder / "weights").mkdir(parents=True)
    lines = (
        {
            "id": one.segment_id,
            "contents": "",
            "vector": encoder.encode_query(passage_text(one)),
        }
        for one in segments
    )
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "weights" / "weights.jsonl").write_text(text, encoding="utf-8")
    options = ["-collection", "JsonVectorCollection", "-input", folder / "weights"]
    options += ["-generator", "DefaultLuceneDocumentGenerator", "-impact", "-pretokenized"]
    return _anserini("IndexCollection", folder / "index", options)


def search_impacts(index, words, folder):
    """Return what Anserini finds for a query of weighted words: ids and scores."""
    # As it publishes queries for SPLADE-v3: each word as often as it weighs.
    pieces = " ".join(piece for piece, weight in words.items() for _ in range(weight))
    (folder / "topics.tsv").write_text(f"1\t{pieces}\n", encoding="utf-8")
    options = ["-topics", folder / "topics.tsv", "-topicReader", "TsvString", "-hits", "100"]
    options += ["-output", folder / "run", "-impact", "-pretokenized"]
    _java("search.SearchCollection", index, options)
    rows = map(str.split, (folder / "run").read_text().splitlines())
    return [(row[2], float(row[4])) for row in rows]


def _anserini(command, folder, options):
    return _java(f"index.{command}", folder, options)


def _java(command, folder, options):
    java = [find_java().home / "bin" / "java", "-Xmx512m", "-cp", find_jar()]
    target = [f"io.anserini.{command}", "-index", folder, "-threads", "2"]
    subprocess.run([*java, *target, *options], check=True, capture_output=True)
    return folder
