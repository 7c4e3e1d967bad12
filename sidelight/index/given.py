"""Parts of an index that exist already and stay where they are: the folder links to them.

`lucene` may link to any index of Anserini's; `vectors` holds `hnsw-NN` links where the vectors are
in Lucene. All else is as if the parts had been built: the manifest has the sizes of their files.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError
from sidelight.files import sha256_file
from sidelight.index.folder import HNSW, LUCENE, VECTORS
from sidelight.index.lucene.published import published_count
from sidelight.index.lucene.segments import LuceneIndex
from sidelight.index.manifest import InputFile

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

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
        """Hold the index for BM25 against what was published, and against the text there is.

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
