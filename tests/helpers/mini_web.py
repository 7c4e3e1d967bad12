"""Investigations over segments in memory, with a stand-in for the encoder."""

from typing import Any

from benchmarks.memory_retriever import MemoryRetriever, extractive_roles
from sidelight.agents.investigation import build_graph
from sidelight.agents.state import Deps
from sidelight.config.settings import Settings
from sidelight.retrieval.lateral import LateralRetriever
from sidelight.tracks import load_track


def dependencies(segments, encode, make_roles=None, k=20):
    """Return what makes the dependencies of one topic; its roles are extractive unless made."""
    by_id = {segment.segment_id: segment for segment in segments}
    retriever = MemoryRetriever(by_id.values())

    def lookup(segment_ids):
        return [by_id[segment_id] for segment_id in segment_ids]

    def depend(article):
        return Deps(
            topic=article,
            track=load_track(),
            roles=make_roles() if make_roles else extractive_roles(Settings(), encode),
            retriever=LateralRetriever(retriever, article, lookup),
            lookup=lookup,
            k=k,
            questions_by="extractive",
        )

    return depend


def beside(article, segments):
    """Return the windows of the pages that were written for an article, and its own."""
    shard = article.topic_id.rpartition("_")[0]
    return [one for one in segments if one.segment_id.startswith(shard)]


def investigation(segments, encode, k=20):
    """Return the function that investigates one topic and ends with the final state."""
    depend, graph = dependencies(segments, encode, k=k), build_graph()

    async def investigate(article):
        state: dict[str, Any] = await graph.ainvoke({}, context=depend(article))
        return state

    return investigate
