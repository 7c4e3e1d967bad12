"""Existing index parts that a folder links to, and the Lucene indexes that pyserini publishes.

`lucene` may link to any index of Anserini's; `vectors` holds `hnsw-NN` links where the vectors are
in Lucene. All else is as if the parts had been built: the manifest has the sizes of their files.

Published indexes of MS MARCO V2.1 segmented are given by name or by folder. What is known of them,
checksums included, is taken from Anserini's own list, which some versions have in their jar and
others fetch from a server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.files import sha256_file
from sidelight.index.folder import HNSW, LUCENE, VECTORS
from sidelight.index.lucene.segments import LuceneIndex
from sidelight.index.manifest import InputFile

if TYPE_CHECKING:
    from collections.abc import Container

COLLECTION = "msmarco-v2.1-doc-segmented"

# In a process of its own: it starts a Java virtual machine its own way, and prints.
_DOWNLOAD = "import sys, pyserini.util; pyserini.util.download_prebuilt_index(sys.argv[1])"


class PublishedIndex(NamedTuple):
    """An index as published.

    Attributes:
        name: What pyserini calls it.
        stem: How the names of its folders begin.
        md5: Of the archive; pyserini's folder ends with it.
        segments: How many it holds; 0 where that is not published.
    """

    name: str
    stem: str
    md5: str
    segments: int

    @property
    def folder(self) -> Path:
        """Folder in which pyserini stores it."""
        cache = os.environ.get("PYSERINI_CACHE") or Path.home() / ".cache" / "pyserini"
        return Path(cache, "indexes", f"{self.stem}.{self.md5}")


def _inverted(kind: str, md5: str) -> PublishedIndex:
    name = f"{COLLECTION}{kind}"
    return PublishedIndex(name, f"lucene-inverted.{name}.20240418.4f9675", md5, 113_520_750)


def _hnsw(shard: int, md5: str) -> PublishedIndex:
    model = f"{COLLECTION}-shard{shard:02}.arctic-embed-l"
    stem = f"lucene-hnsw-int8.{model}.20250114.4884f5"
    return PublishedIndex(f"{model}.hnsw-int8", stem, md5, 0)


_HNSW = """
aab3f8e9aa0563bd0f875584784a0845 34ea30fe72c2bc1795ae83e71b191547 b6271d6db65119977491675f74f466d5
a9cd644eb6037f67d2e9c06a8f60928d 07b7e451e0525d01c1f1f2b1c42b1bd5 2573dce175788981be2f266ebb33c96d
a644aea445a8b78cc9e99d2ce111ff11 402d37deccb44b5fc105049889e8aaea 89ebcd027f7297b26a1edc8ae5726527
5e580bb7eb9ee2bb6bfa492b3430c17d
""".split()

PUBLISHED_INDEXES = {
    index.name: index
    for index in (
        _inverted("", "6ec4cd595c9fe1ad91b43eabb39a637c"),
        _inverted("-slim", "3c6c946c722a201b65903a92f082ea4f"),
        _inverted("-full", "a43d09d31ae4e5dac81f5cfde1a810a7"),
        *(_hnsw(shard, md5) for shard, md5 in enumerate(_HNSW)),
    )
}
"""The published indexes of the collection, by name."""


def lucene_folder(name: str) -> Path:
    """Return the folder of a Lucene index; a published one is downloaded unless that was done.

    Args:
        name: A folder, or the name of a published index.

    Raises:
        UsageError: It is neither.
        MachineError: It cannot be downloaded, or its checksum is wrong.
    """
    if Path(name).is_dir():
        return Path(name).resolve()
    if name not in PUBLISHED_INDEXES:
        raise UsageError(
            f"{name}: expected the folder of a Lucene index, or the name of a published one",
            remedy=f"Published are: {', '.join(PUBLISHED_INDEXES)}.",
        )
    folder = PUBLISHED_INDEXES[name].folder
    if not folder.is_dir():
        # pyserini 2 would prefer a cache of the current folder.
        cache = {"PYSERINI_CACHE": str(folder.parent.parent)}
        ended = subprocess.run(  # noqa: S603 - the name is one of a fixed list
            [sys.executable, "-c", _DOWNLOAD, name],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=os.environ | cache,
        )
        if ended.returncode:
            # Lines of Java's and Python's tracebacks are indented, what went wrong is not.
            said = [line for line in ended.stderr.splitlines() if line and not line[0].isspace()]
            last = said[-1] if said else ""
            raise MachineError(
                f"{name} cannot be downloaded: {last}",
                remedy="Call again when there is a network, or unpack the archive yourself and "
                "name its folder.",
            )
    return folder


def published_count(folder: Path) -> int:
    """Return how many segments the published index in a folder holds; 0 if that is not known."""
    stems = {index.stem: index.segments for index in PUBLISHED_INDEXES.values()}
    return next((n for stem, n in stems.items() if folder.name.startswith(stem)), 0)


# Segments of a given Lucene index whose text is looked up.
_CHECKED = 100


class GivenParts(NamedTuple):
    """Folders of Lucene indexes.

    Attributes:
        lucene: What BM25 searches; None to build that.
        hnsw: What keeps the vectors; none to build those.
    """

    lucene: Path | None = None
    hnsw: tuple[Path, ...] = ()

    def describe(self) -> tuple[InputFile, ...]:
        """Return each index as its size and the hash of its commit, which is unlike any other.

        Raises:
            InputError: A folder holds no Lucene index.
        """
        given = ([(LUCENE, self.lucene)] if self.lucene else []) + [
            (HNSW, folder) for folder in self.hnsw
        ]
        return tuple(_describe(name, folder) for name, folder in given)

    def link(self, index: Path) -> None:
        """Link to the parts from the folder of an index, unless that was done."""
        links = {index / LUCENE: self.lucene} if self.lucene else {}
        links |= {
            index / VECTORS / f"{HNSW}-{number:02}": folder
            for number, folder in enumerate(self.hnsw)
        }
        for link, target in links.items():
            link.parent.mkdir(exist_ok=True)
            with suppress(FileExistsError):
                link.symlink_to(target.resolve())

    def check(self, texts: Container[str]) -> None:
        """Compare the BM25 index with what was published, and with the text of the segments.

        Raises:
            InputError: It is not whole, or it finds segments without text.
        """
        if self.lucene is None:
            return
        index = LuceneIndex(self.lucene)
        found, expected = index.contents.segments, published_count(self.lucene)
        if expected and found != expected:
            raise InputError(
                f"{self.lucene}: expected {expected:,} segments, as published; found {found:,}",
                remedy="Delete the folder and download the index again.",
            )
        for segment_id in index.some_ids(_CHECKED):
            if segment_id not in texts:
                raise InputError(
                    f"{self.lucene}: expected an index of the segments whose text is given; found "
                    f"{segment_id!r}, which is none of them",
                    remedy="Name the shards that the index was made of, all of them.",
                )


def _describe(name: str, folder: Path) -> InputFile:
    commits = sorted(folder.glob("segments_*"))
    if not commits:
        raise InputError(f"{folder}: expected a Lucene index; found none")
    size = sum(file.stat().st_size for file in folder.iterdir())
    return InputFile(name=name, size_bytes=size, sha256=sha256_file(commits[-1]))
