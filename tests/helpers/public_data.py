"""The public data sets that may lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest


class PublicData:
    """A folder of data sets; a test that names one which is not there is skipped.

    Args:
        folder: Where they lie; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __truediv__(self, name: str) -> Path:
        path = self._folder / name
        if not (self._folder / Path(name).parts[0]).exists():
            pytest.skip(f"needs the public data {path}, which is not there")
        return path
