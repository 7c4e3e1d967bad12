from __future__ import annotations

import zipfile
from pathlib import Path

import orjson
import pytest

from sidelight.errors import UsageError
from sidelight.index.folder import (
    COLLECTION,
    PUBLISHED_INDEXES,
    PublishedIndex,
    lucene_folder,
    published_count,
)
from sidelight.index.lucene.jvm import find_jar


def test_what_is_published() -> None:
    for name in ("", "-slim", "-full"):
        assert PUBLISHED_INDEXES[f"msmarco-v2.1-doc-segmented{name}"].segments == 113_520_750
    assert sum("arctic-embed-l.hnsw-int8" in name for name in PUBLISHED_INDEXES) == 10


def test_it_is_what_the_list_of_anserini_says() -> None:
    lists = [f"prebuilt-indexes/{COLLECTION}-{kind}.json" for kind in ("inverted", "hnsw")]
    with zipfile.ZipFile(find_jar()) as jar:
        if not set(lists) <= set(jar.namelist()):
            pytest.skip("this version of Anserini has its list on a server")
        entries = [entry for name in lists for entry in orjson.loads(jar.read(name))]
    assert [*PUBLISHED_INDEXES.values()] == [
        PublishedIndex(
            name=entry["name"],
            stem=entry["filename"].removesuffix(".tar.gz"),
            md5=entry["md5"],
            segments=entry.get("documents", 0),
        )
        for entry in entries
    ]


def test_a_downloaded_index_is_found_where_pyserini_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSERINI_CACHE", str(tmp_path))
    folder = (
        tmp_path
        / "indexes"
        / (
            "lucene-inverted.msmarco-v2.1-doc-segmented-slim.20240418.4f9675"
            ".3c6c946c722a201b65903a92f082ea4f"
        )
    )
    folder.mkdir(parents=True)
    assert lucene_folder("msmarco-v2.1-doc-segmented-slim") == folder
    assert published_count(folder) == 113_520_750


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    assert lucene_folder(str(tmp_path)) == tmp_path
    assert published_count(tmp_path) == 0


def test_an_unknown_name() -> None:
    with pytest.raises(UsageError, match="or the name of a published one") as raised:
        lucene_folder("msmarco-v3")
    assert "msmarco-v2.1-doc-segmented-slim" in (raised.value.remedy or "")
