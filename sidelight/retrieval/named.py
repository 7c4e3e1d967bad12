"""The retrievers an index folder offers, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import UsageError
from sidelight.registry import load

if TYPE_CHECKING:
    from sidelight.index.folder import IndexFolder
    from sidelight.retrieval.base import Retriever

NAMES = ("bm25", "rm3", "rocchio", "dense", "hybrid")


def open_retriever(name: str, folder: IndexFolder, *, depth: int = 100) -> Retriever:
    """Open a first-stage retriever over an index.

    Args:
        name: One of `NAMES`; `hybrid` fuses `bm25` and `dense`.
        folder: An open index.
        depth: Hits of each retriever that `hybrid` fuses.

    Raises:
        UsageError: There is no retriever of that name.
    """
    if name not in NAMES:
        raise UsageError(f"unknown retriever {name!r}; expected one of {', '.join(NAMES)}")
    retriever = load("retriever", name)
    if name == "dense":
        opened: Retriever = retriever(folder.vectors, folder.encoder)
    elif name == "hybrid":
        parts = [open_retriever(part, folder) for part in ("bm25", "dense")]
        opened = retriever(parts, depth=depth)
    else:
        opened = retriever(folder.lucene)
    return opened
