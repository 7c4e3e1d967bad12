"""The real model server that tests marked `live` ask."""

from typing import NamedTuple


class LiveServer(NamedTuple):
    """Where it is, and what it serves."""

    base_url: str
    model: str
