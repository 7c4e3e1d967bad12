"""The public data sets that may lie beside the checkout."""

from pathlib import Path

import pytest


class PublicData:
    """A folder of data sets; a test that names one which is not there is skipped."""

    def __init__(self, folder):
        self._folder = folder

    def __truediv__(self, name):
        path = self._folder / name
        if not (self._folder / Path(name).parts[0]).exists():
            pytest.skip(f"needs the public data {path}, which is not there")
        return path
