"""Lucene indexes of MS MARCO V2.1 segmented that pyserini publishes: by name, or by folder.

What is known of them, checksums included, comes from Anserini's own list, inside its jar.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import orjson

from sidelight.errors import MachineError, UsageError
from sidelight.index.lucene.jvm import find_jar

COLLECTION = "msmarco-v2.1-doc-segmented"

_LISTS = tuple(f"prebuilt-indexes/{COLLECTION}-{kind}.json" for kind in ("inverted", "hnsw"))
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
        """Where pyserini puts it."""
        cache = os.environ.get("PYSERINI_CACHE") or Path.home() / ".cache" / "pyserini"
        return Path(cache, "indexes", f"{self.stem}.{self.md5}")


def published_indexes() -> dict[str, PublishedIndex]:
    """Return the published indexes of the collection by name.

    Raises:
        MachineError: pyserini is not installed.
    """
    with zipfile.ZipFile(find_jar()) as jar:
        entries = [entry for name in _LISTS for entry in orjson.loads(jar.read(name))]
    return {
        entry["name"]: PublishedIndex(
            name=entry["name"],
            stem=entry["filename"].removesuffix(".tar.gz"),
            md5=entry["md5"],
            segments=entry.get("documents", 0),
        )
        for entry in entries
    }


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
    known = published_indexes()
    if name not in known:
        raise UsageError(
            f"{name}: expected the folder of a Lucene index, or the name of a published one",
            remedy=f"Published are: {', '.join(known)}.",
        )
    folder = known[name].folder
    if not folder.is_dir():
        ended = subprocess.run(  # noqa: S603 - the name is one of a fixed list
            [sys.executable, "-c", _DOWNLOAD, name], stderr=subprocess.PIPE, text=True, check=False
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
    stems = {index.stem: index.segments for index in published_indexes().values()}
    return next((n for stem, n in stems.items() if folder.name.startswith(stem)), 0)
