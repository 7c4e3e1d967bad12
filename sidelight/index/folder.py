"""Finished index folder, whose parts are opened when they are first used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from sidelight.errors import InputError
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.lucene.segments import LuceneIndex, LuceneVectors
from sidelight.index.manifest import Manifest, read_manifest
from sidelight.index.remote.client import is_remote
from sidelight.index.remote.index import RemoteIndex, RemoteText
from sidelight.index.text.docstore import Docstore, RawText
from sidelight.index.vectors.profiles import IN_LUCENE, NO_VECTORS
from sidelight.index.vectors.vectors import VectorIndex

if TYPE_CHECKING:
    from pathlib import Path

DOCSTORE = "docstore"
LUCENE = "lucene"
VECTORS = "vectors"
HNSW = "hnsw"


class IndexFolder:
    """An index; made by `open_index`.

    Args:
        path: The folder.
        manifest: What built it.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    def fingerprint(self) -> str:
        """Return a SHA-256 that is the same for the same content."""
        return self.manifest.fingerprint()

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
    def vectors(self) -> VectorIndex | LuceneVectors:
        """The vectors; needs FAISS, or Java where they are in Lucene.

        Raises:
            InputError: The index has none.
        """
        folder, profile = self.path / VECTORS, self.manifest.plan.profile
        if profile == NO_VECTORS:
            raise InputError(
                f"{self.path}: dense and hybrid retrieval need vectors; found an index without any",
                remedy="Search with bm25, or build the index again without `--profile none`.",
            )
        if profile == IN_LUCENE:
            return LuceneVectors(sorted(folder.glob(f"{HNSW}-*")))
        try:
            return VectorIndex(folder)
        except (RuntimeError, ValueError, EOFError, OSError) as error:  # of FAISS and numpy
            reason = str(error).strip().partition("\n")[0]
            raise InputError(
                f"{folder}: the vectors cannot be read: {reason}",
                remedy="See which file it is with `sidelight index verify`; build the index again.",
            ) from error

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of the vectors; needs torch.

        Raises:
            InputError: The model of that name is no longer the one that made the vectors.
        """
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
    """Open the text of an index folder, finished or not: its document store if there is one.

    Raises:
        InputError: There is none, and Lucene keeps no text either.
    """
    folder = index / DOCSTORE
    return Docstore(folder) if folder.exists() else RawText(LuceneIndex(index / LUCENE))


SegmentTexts: TypeAlias = Docstore | RawText | RemoteText
"""Segment ids to segments: `get_many`, and `in` for whether there is one."""

SearchIndex: TypeAlias = IndexFolder | RemoteIndex
"""What is searched: an index in a folder of this machine, or one on a server."""


def open_index(path: Path) -> SearchIndex:
    """Open an index after checking that it is finished and complete, or one on a server.

    Raises:
        InputError: It is not; the message says what is missing.
    """
    return RemoteIndex(path, open_folder) if is_remote(path) else open_folder(path)


def open_folder(path: Path) -> IndexFolder:
    """Open an index folder of this machine after checking that it is finished and complete.

    Raises:
        InputError: It is not; the message says what is missing.
    """
    return IndexFolder(path, read_manifest(path))
