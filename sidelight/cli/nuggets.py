"""Command `nuggets`: make nuggets from documents judged relevant."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.cli.console import out
from sidelight.cli.options.inputs import (
    QRELS,
    WITH_REPLIES,
    TrackWithNuggets,
    index_option,
    interrupted,
    output_option,
    topics_option,
)
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    AtOnce,
    ModelCalls,
    asks_models,
    cache_option,
    model_option,
)
from sidelight.cli.progress import progress_bar
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.grading.rubric import NuggetBank


@asks_models
@interrupted(WITH_REPLIES)
def nuggets(  # long: half of it are options
    *,
    topics: Annotated[Path, topics_option("The narratives: the track's topics file.")],
    qrels: Annotated[Path, QRELS],
    index: Annotated[Path, index_option("Folder that holds the documents.")],
    models: Annotated[
        list[str],
        model_option("Ask this model; repeat: the first merges the lists of all and weighs them."),
    ],
    output: Annotated[Path, output_option("File of nuggets to write (JSONL).")],
    cache: Annotated[Path, cache_option("Folder of the models' replies.")],
    track: TrackWithNuggets = None,
    calls: ModelCalls,
    at_once: AtOnce = DEFAULT_AT_ONCE,
) -> None:
    """Make nuggets: at most 30 facts a topic, vital or okay, from documents graded 1 or higher."""
    from sidelight.cli.options.inputs import track_of_scale
    from sidelight.errors import InputError
    from sidelight.evaluation.nuggets.create import create_nuggets, documents_to_read
    from sidelight.formats.banks.nuggets import write_nuggets
    from sidelight.formats.labels.qrels import read_qrels
    from sidelight.formats.topics import read_topics
    from sidelight.index.folder import open_index
    from sidelight.schemas.topic import Narrative
    from sidelight.wiring.models import ask, models_by_name

    rules = track_of_scale("nuggets", track)
    narratives = {
        one.topic_id: one.narrative
        for one in read_topics(topics, rules)
        if isinstance(one, Narrative)
    }
    grades, docstore = read_qrels(qrels), open_index(index).docstore
    judged = [topic_id for topic_id in narratives if topic_id in grades]
    if not judged:
        raise InputError(
            f"{qrels}: expected grades of the topics in {topics}; found none",
            remedy="Give the labels of these topics.",
        )

    async def one(topic_id: str, asked: Mapping[str, PromptedModel]) -> NuggetBank | None:
        known = [name for name in documents_to_read(grades[topic_id]) if name in docstore]
        texts = {found.segment_id: found.text for found in docstore.get_many(known)}
        bank = await create_nuggets(
            topic_id,
            narratives[topic_id],
            [texts[name] for name in known],
            list(asked.values()),
            rules.scales["nugget_importance"],
        )
        advance(1)
        return bank

    async def work(asked: Mapping[str, PromptedModel]) -> list[NuggetBank | None]:
        return list(await asyncio.gather(*(one(topic_id, asked) for topic_id in judged)))

    access = calls.access(cache)
    with progress_bar("topics", total=len(judged)) as advance:
        made = asyncio.run(ask(models_by_name(models, at_once), access, work))
    banks = [bank for bank in made if bank is not None]
    write_nuggets(output, banks, narratives)
    total = sum(len(bank.nuggets) for bank in banks)
    out.print(
        f"{counted(total, 'nugget')} of {counted(len(banks), 'topic')}: {output}", markup=False
    )
