"""Lucene indexes as Anserini makes them: of shards as published, and of vectors."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from sidelight.index.lucene.jvm import find_jar, find_java

if TYPE_CHECKING:
    from pathlib import Path

SLIM: tuple[str, ...] = ()
RAW = ("-storeRaw",)
FULL = ("-storeRaw", "-storeDocvectors", "-storePositions")


def index_collection(shards: Path, folder: Path, options: tuple[str, ...]) -> Path:
    """Index a folder of shards as the published indexes were made."""
    collection = ["-collection", "MsMarcoV2DocCollection", "-input", str(shards)]
    generator = ["-generator", "DefaultLuceneDocumentGenerator", "-memoryBuffer", "64"]
    return _anserini("IndexCollection", folder, [*collection, *generator, *options])


def index_vectors(vectors: Path, folder: Path) -> Path:
    """Index a folder of JSON lines with vectors, in bytes."""
    collection = ["-collection", "JsonDenseVectorCollection", "-input", str(vectors)]
    return _anserini("IndexHnswDenseVectors", folder, [*collection, "-quantize.int8"])


def _anserini(command: str, folder: Path, options: list[str]) -> Path:
    java = [find_java().home / "bin" / "java", "-Xmx512m", "-cp", find_jar()]
    target = [f"io.anserini.index.{command}", "-index", folder, "-threads", "2"]
    subprocess.run([*java, *target, *options], check=True, capture_output=True)
    return folder
