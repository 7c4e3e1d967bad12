"""Investigations over segments in memory, with a stand-in for the encoder."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.agents.investigation import build_graph
from sidelight.agents.state import Deps
from sidelight.config.settings import Settings
from sidelight.generation.roles import Roles
from sidelight.retrieval.lateral import LateralRetriever
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text_vectors import Encode
from sidelight.tracks import load_track
from sidelight.wiring.roles import extractive_roles


def dependencies(
    segments: Iterable[Segment], encode: Encode, make_roles: Callable[[], Roles] | None = None
) -> Callable[[Article], Deps]:
    """Return what makes the dependencies of one topic; its roles are extractive unless made."""
    by_id = {segment.segment_id: segment for segment in segments}
    retriever = MemoryRetriever(by_id.values())

    def lookup(segment_ids: Sequence[str]) -> list[Segment]:
        return [by_id[segment_id] for segment_id in segment_ids]

    def depend(article: Article) -> Deps:
        return Deps(
            topic=article,
            track=load_track(),
            roles=make_roles() if make_roles else extractive_roles(Settings(), encode),
            retriever=LateralRetriever(retriever, article, lookup),
            lookup=lookup,
            k=20,
        )

    return depend


def investigation(
    segments: Iterable[Segment], encode: Encode
) -> Callable[[Article], Coroutine[Any, Any, dict[str, Any]]]:
    """Return the function that investigates one topic and ends with the final state."""
    depend, graph = dependencies(segments, encode), build_graph()

    async def investigate(article: Article) -> dict[str, Any]:
        state: dict[str, Any] = await graph.ainvoke({}, context=depend(article))
        return state

    return investigate
