"""Passages of rankings, each graded for the narrative that it was found for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sidelight.evaluation.labelling.relevance.prompted import PromptedRelevance
    from sidelight.schemas.investigation.search import Hit
    from sidelight.schemas.topic import Narrative


class Passages(NamedTuple):
    """What was found for a narrative.

    Attributes:
        narrative: With what it comes down to.
        texts: By id of the passage.
    """

    narrative: Narrative
    texts: Mapping[str, str]


def pool_passages(
    rankings: Iterable[Mapping[str, Sequence[Hit]]], depth: int
) -> dict[str, list[str]]:
    """Return the best passages of any ranking by topic, each once, in order of first occurrence.

    Args:
        rankings: Of each run, hits by topic, best first.
        depth: How many of each topic count.
    """
    found: dict[str, dict[str, None]] = {}
    for ranking in rankings:
        for topic_id, hits in ranking.items():
            known = found.setdefault(topic_id, {})
            known.update(dict.fromkeys(hit.segment_id for hit in hits[:depth]))
    return {topic_id: list(names) for topic_id, names in found.items()}


async def grade_passages(
    judge: PromptedRelevance, found: Sequence[Passages], on_passage: Callable[[], object]
) -> dict[str, dict[str, int]]:
    """Return grades by topic and passage; a passage that nobody could judge has none."""

    async def grade(narrative: Narrative, text: str) -> int | None:
        judgment = await judge(
            narrative.topic_id, narrative.narrative, narrative.sub_questions, text
        )
        on_passage()
        return None if isinstance(judgment.label, Unjudged) else int(judgment.label)

    async def of_topic(one: Passages) -> dict[str, int]:
        grades = await asyncio.gather(*(grade(one.narrative, text) for text in one.texts.values()))
        rows = zip(one.texts, grades, strict=True)
        return {name: given for name, given in rows if given is not None}

    graded = await asyncio.gather(*map(of_topic, found))
    return {one.narrative.topic_id: rows for one, rows in zip(found, graded, strict=True)}
