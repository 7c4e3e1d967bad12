"""Versions of sidelight and of other packages, from their metadata, without importing them."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = "0.3.0"

PACKAGES = (
    *("faiss-cpu", "faiss-gpu", "langgraph", "openai", "pyserini", "ray"),
    *("sentence-transformers", "torch", "transformers", "vllm"),
)
"""What results depend on besides this software."""


def installed_versions(names: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of those packages that are installed, by name."""
    found = {}
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
