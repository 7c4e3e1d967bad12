"""Searches in threads of their own.

A search may wait until a model has put its results in order. The model is asked on the event loop,
which looks up addresses in the loop's own few threads: were the searches in those, all of them
waiting, nobody would ever be asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from sidelight.retrieval.lateral import LateralHits, LateralRetriever
from sidelight.schemas.investigation.search import Query

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(max_workers=32, thread_name_prefix="search")


async def search(retriever: LateralRetriever, queries: Sequence[Query], k: int) -> LateralHits:
    """Return up to `k` hits for every query id, and what was left out."""
    return await in_thread(retriever.search, queries, k)


async def in_thread(search: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a search returns, made in a thread for searches."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_THREADS, lambda: search(*args, **kwargs))
