"""Lucene indexes as Anserini makes them: of shards as published, and of vectors."""

import subprocess
from typing import TYPE_CHECKING

from sidelight.index.lucene.jvm import find_jar, find_java

if TYPE_CHECKING:
    pass

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


def _anserini(command, folder, options):
    java = [find_java().home / "bin" / "java", "-Xmx512m", "-cp", find_jar()]
    target = [f"io.anserini.index.{command}", "-index", folder, "-threads", "2"]
    subprocess.run([*java, *target, *options], check=True, capture_output=True)
    return folder
