"""The 6,011 real segments that topics of TREC 2024 RAG refer to, as an index."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import orjson

from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder

if TYPE_CHECKING:
    from pathlib import Path


def index_references(data: Path, folder: Path) -> Path:
    """Index the segments of `references.jsonl.gz` below a folder, and return where."""
    texts: dict[str, str] = {}
    with gzip.open(data / "references.jsonl.gz") as lines:
        for line in map(orjson.loads, lines):
            texts.update(zip(line["references_ids"], line["references_texts"], strict=True))
    segments = folder / "segments.jsonl"
    segments.write_bytes(
        b"".join(
            orjson.dumps({"docid": name, "segment": texts[name]}) + b"\n" for name in sorted(texts)
        )
    )
    build_index([segments], folder / "index", Encoder())
    return folder / "index"
