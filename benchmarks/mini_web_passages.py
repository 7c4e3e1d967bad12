"""The passages of the mini web: real sentences, cut as MS MARCO V2.1 is."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sidelight.index.text.corpus import (
    MS_MARCO,
    ShardReader,
    passage_text,
    read_documents,
    write_segments,
)
from sidelight.sample import sample_path


def mini_web_passages() -> list[str]:
    """Return what encoders and cross-encoders read of each segment."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "segments.jsonl"
        write_segments(path, read_documents(sample_path() / "documents.jsonl"), lambda _: None)
        return [passage_text(one) for one in ShardReader(path, MS_MARCO, strict=True).segments()]
