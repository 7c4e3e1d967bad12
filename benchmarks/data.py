"""The public data that some benchmarks need, found in one place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

VARIABLE = "SIDELIGHT_SHARED_DATA"
BESIDE = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
# How a benchmark ends whose data is not there; `python -m benchmarks` goes on with the next.
NO_DATA = os.EX_NOINPUT


def shared_data(*needed: str) -> Path:
    """Return the folder of public data sets: where the variable points, or beside the checkout.

    Ends the process, naming the first data set that is needed and not there.
    """
    folder = Path(os.environ.get(VARIABLE, BESIDE))
    for name in needed:
        if not (folder / name).exists():
            not_there(f"data not found: {folder / name} (set {VARIABLE} to the folder of {name})")
    return folder


def not_there(message: str) -> NoReturn:
    """Say what a benchmark lacks and end it."""
    print(message, flush=True)
    raise SystemExit(NO_DATA)
