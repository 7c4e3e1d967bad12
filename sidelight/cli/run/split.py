"""`sidelight split`: what narratives come down to, for `sidelight run` to search and write by."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sidelight.cli.console import out
from sidelight.cli.options.inputs import TrackWithNuggets, topics_option
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    AtOnce,
    ModelCalls,
    asks_models,
    cache_option,
    model_option,
)
from sidelight.cli.options.results import output_option
from sidelight.cli.terminal.progress import progress_bar
from sidelight.text import counted

_MOST_MODELS = 2


@asks_models
def split(  # long: half of it are options
    *,
    topics: Annotated[Path, topics_option("The narratives: the track's topics file.")],
    models: Annotated[
        list[str], model_option("Ask this model; a second one revises what the first drafts.")
    ],
    output: Annotated[Path, output_option("Topics file to write (JSONL), with sub-questions.")],
    cache: Annotated[Path, cache_option("Folder of the models' replies.")],
    track: TrackWithNuggets = None,
    calls: ModelCalls,
    at_once: AtOnce = DEFAULT_AT_ONCE,
) -> None:
    """Split narratives into at most ten sub-narratives each: a draft, and its revision.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.build.sub_narratives import split_narratives
    from sidelight.cli.options.inputs import track_of_scale
    from sidelight.errors import UsageError
    from sidelight.formats.topics.narratives import write_narratives
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.schemas.topic import Narrative

    if len(models) > _MOST_MODELS:
        raise UsageError("expected one model, or one that drafts and one that revises")
    read = read_topics(topics, track_of_scale("nuggets", track))
    narratives = [one for one in read if isinstance(one, Narrative)]
    access = calls.access(cache)
    with progress_bar("narratives", total=len(narratives)) as advance:
        found = split_narratives(narratives, models, access, at_once, lambda: advance(1))
    write_narratives(output, found)
    total = sum(len(one.sub_questions) for one in found)
    out.print(
        f"{counted(total, 'sub-narrative')} of {counted(len(found), 'narrative')}: {output}",
        markup=False,
    )
