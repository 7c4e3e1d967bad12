"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public data that may lie beside the checkout (or where SIDELIGHT_SHARED_DATA points)."""
    folder = Path(os.environ.get("SIDELIGHT_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs the public data folder {folder}, which is not there")
    return folder


@pytest.fixture(scope="session")
def public_runs(shared_data: Path) -> Path:
    """The eight public DRAGUN runs."""
    return shared_data / "dragun-2025" / "runs"
