"""Retrievers by name, with what an index folder offers them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sidelight.registry import load, make

if TYPE_CHECKING:
    from sidelight.index.folder import SearchIndex
    from sidelight.retrieval.base import Retriever

PARTS = ("lucene", "terms", "vectors", "encoder", "docstore")
"""What the constructor of a retriever may ask for: these parts of an `SearchIndex`, and `depth`."""


def open_retriever(name: str, folder: SearchIndex, *, depth: int = 100) -> Retriever:
    """Open a first-stage retriever over an index.

    Args:
        name: As registered, or `module:Class`.
        folder: An open index; only the parts that the retriever asks for are opened.
        depth: Hits of each retriever that one which fuses others takes.

    Raises:
        UsageError: There is no retriever of that name, or it asks for something else.
        InputError: The index lacks a part that it asks for.
    """
    offered = {part: partial(getattr, folder, part) for part in PARTS} | {"depth": lambda: depth}
    retriever: Retriever = make(f"retriever {name!r}", load("retriever", name), offered)
    return retriever
