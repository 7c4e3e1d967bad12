"""What a whole investigation fetches from its index."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sidelight.config.settings import Settings
from sidelight.retrieval.base import MemoryRetriever
from sidelight.runs.log import TopicLog
from sidelight.schemas.investigation.trace import Outcome
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text_vectors import Encode
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, open_investigation


def test_no_segment_of_a_topic_is_fetched_twice(
    tmp_path: Path,
    mini_web_articles: tuple[Article, ...],
    mini_web_segments: list[Segment],
    lexical_encode: Encode,
) -> None:
    by_id = {segment.segment_id: segment for segment in mini_web_segments}
    fetched: Counter[str] = Counter()

    def lookup(segment_ids: Sequence[str]) -> list[Segment]:
        fetched.update(segment_ids)
        return [by_id[segment_id] for segment_id in segment_ids]

    sources = Sources(MemoryRetriever(by_id.values()), lookup, lexical_encode)

    async def investigate() -> Outcome:
        async with open_investigation(Settings(), sources, ModelAccess(tmp_path)) as investigate:
            return await investigate(mini_web_articles[0], TopicLog())

    outcome = asyncio.run(investigate())
    assert len(outcome.trace.rounds) > 1
    assert outcome.trace.found() <= fetched.keys()
    assert set(fetched.values()) == {1}
