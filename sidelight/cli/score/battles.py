"""`sidelight score battles`: answers side by side, and ratings of runs from who won."""

from __future__ import annotations

import asyncio
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, print_table
from sidelight.cli.options.inputs import TrackWithNuggets, topics_option
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    REPLIES,
    AtOnce,
    Cache,
    ModelCalls,
    asks_models,
    model_option,
)
from sidelight.cli.options.results import Json, Output, Samples, Seed
from sidelight.cli.options.scores import interval_cell
from sidelight.cli.terminal.progress import progress_bar
from sidelight.evaluation.scoring.sampling import DEFAULT_SAMPLES
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.evaluation.battles.ratings import Battle
    from sidelight.llm.prompted import PromptedModel


@asks_models
def battles(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Runs of answers, two or more.")],
    *,
    topics: Annotated[Path, topics_option("What was asked: the track's topics file.")],
    model: Annotated[str, model_option("Ask this model which answer is better.")],
    track: TrackWithNuggets = None,
    output: Output = None,
    calls: ModelCalls,
    cache: Cache = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Rate runs by battles: each pair of answers is compared twice, either of them first once.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.build.models import ask, models_by_name
    from sidelight.cli.options.inputs import track_of_scale
    from sidelight.errors import UsageError
    from sidelight.evaluation.battles.prompted import PromptedBattles, hold_battles
    from sidelight.evaluation.battles.ratings import rate
    from sidelight.formats.runs.by_topic import reports_by_topic
    from sidelight.formats.runs.run_format import run_format
    from sidelight.formats.table import write_table
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.schemas.topic import Narrative

    rules = track_of_scale("nuggets", track)
    read = [run_format(rules.cited_text).read(path) for path in runs]
    reports_by_topic(read)  # which says what is there twice
    asked = read_topics(topics, rules)
    queries = {one.topic_id: one.narrative for one in asked if isinstance(one, Narrative)}
    folder = cache or (output / REPLIES if output else None)
    if folder is None:
        raise UsageError("replies need a folder", remedy="Give --output or --cache.")
    access = calls.access(folder)

    async def work(models: Mapping[str, PromptedModel]) -> list[Battle]:
        judge = PromptedBattles(models[model])
        return await hold_battles(read, queries, judge, lambda: advance(1))

    total = len(queries) * len(list(combinations(read, 2)))
    with progress_bar("battles", total=total) as advance:
        held = asyncio.run(ask(models_by_name([model], at_once), access, work))
    ratings = rate(held, samples=samples, seed=seed)
    undecided = sum(battle.won is None for battle in held)
    if output is not None:
        write_table(output / "battles.csv", ("topic_id", "first", "second", "won", "reason"), held)
    if as_json:
        print_json(
            {
                "model": model,
                "undecided": undecided,
                "bootstrap": {"samples": samples, "seed": seed},
                "runs": [
                    one._asdict() | {"interval": one.interval and list(one.interval)}
                    for one in ratings
                ],
            }
        )
        return
    print_table(
        ("run", "rating", "95% interval", "won", "tied", "lost"),
        (
            (
                one.run_tag,
                f"{one.rating:.0f}",
                interval_cell(one.interval),
                *map(str, (one.won, one.tied, one.lost)),
            )
            for one in ratings
        ),
    )
    out.print(
        f"{counted(len(held), 'battle')} judged by {model}; {undecided} undecided", markup=False
    )
