"""Mini web: a small fictional collection, laid out like the data of the track's organizers."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def sample_path() -> Path:
    """Return the folder with the mini web; `README.md` above it says what each file is."""
    return Path(str(files(__name__) / "data"))
