"""`sidelight score nuggets`: how many of the nuggets of their topics answers tell."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.options.inputs import TrackWithNuggets, nuggets_option, topics_option
from sidelight.cli.options.judges import WordsOnly
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
from sidelight.cli.options.scores import MoreMeasures, Sampling, find_measures
from sidelight.evaluation.scoring.sampling import DEFAULT_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.build.models import ModelAccess
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.grading.bank import NuggetBank
    from sidelight.schemas.grading.nugget_assignment import NuggetAssignment
    from sidelight.tracks import Track

_PREFIX = "nuggets"


@asks_models
def nuggets(  # long: half of it are options
    files: Annotated[
        list[Path],
        typer.Argument(help="Runs of answers; without --nuggets, files of nugget assignments."),
    ],
    *,
    nuggets: Annotated[
        Path | None, nuggets_option("Hold runs against these nuggets (JSONL); topics are theirs.")
    ] = None,
    topics: Annotated[
        Path | None, topics_option("What was asked: the track's topics file.")
    ] = None,
    track: TrackWithNuggets = None,
    output: Output = None,
    words_only: WordsOnly = False,
    model: Annotated[
        str | None,
        model_option("Ask this model; the embedded judge decides if none is named."),
    ] = None,
    calls: ModelCalls,
    cache: Cache = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
    measures: MoreMeasures = None,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score answers by nuggets: strict vital first, then vital, strict all, all, and coverage.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.cli.options.inputs import track_of_scale
    from sidelight.cli.score.table import ScoreOrigin, deliver
    from sidelight.errors import UsageError
    from sidelight.evaluation.nuggets.scores import score_nuggets
    from sidelight.formats.banks.nuggets import read_nuggets
    from sidelight.formats.labels.nugget_assignments import (
        read_nugget_assignments,
        write_nugget_assignments,
    )

    rules = track_of_scale("nuggets", track)
    banks, judge = None, None
    if nuggets is None:
        if model or words_only:
            raise UsageError("--model and --words-only judge runs, which takes --nuggets")
        assigned = [one for path in files for one in read_nugget_assignments(path, rules.scales)]
    else:
        banks = read_nuggets(nuggets, rules.scales["nugget_importance"])
        folder = cache or (output / REPLIES if output else None)
        if model and folder is None:
            raise UsageError("replies need a folder", remedy="Give --output or --cache.")
        access = calls.access(folder or Path(REPLIES))
        judge = model or ("embedded, words only" if words_only else "embedded")
        assigned = _assigned(files, rules, banks, topics, model, access, at_once, words_only)
        if output is not None:
            write_nugget_assignments(output / f"{_PREFIX}_assignments.jsonl", assigned)
    table = score_nuggets(assigned, rules.scales, banks, find_measures(measures))
    n_topics = len({topic.topic_id for topic in table.topics})
    labels = "human" if judge is None else "auto"
    origin = ScoreOrigin(labels, judge, Sampling(samples, seed), n_topics)
    deliver(origin, table, f"{labels}_{_PREFIX}", output, as_json=as_json)


def _assigned(
    files: list[Path],
    track: Track,
    banks: Mapping[str, NuggetBank],
    topics: Path | None,
    model: str | None,
    access: ModelAccess,
    at_once: int,
    words_only: bool,
) -> list[NuggetAssignment]:
    """Return the labels of runs, by the embedded judge or by a model."""
    from sidelight.build.judges import open_encoder
    from sidelight.build.models import ask, models_by_name
    from sidelight.evaluation.labelling.asking.assessor import Assessor
    from sidelight.evaluation.nuggets.assign import PromptedAssigner
    from sidelight.evaluation.nuggets.assigned_runs import LearnedAssigner, assign_runs
    from sidelight.formats.runs.run_format import run_format
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.schemas.topic import Narrative

    read = run_format(track.cited_text).read
    runs = [read(path) for path in files]
    asked = read_topics(topics, track) if topics else ()
    queries = {one.topic_id: one.narrative for one in asked if isinstance(one, Narrative)}
    if model is None:
        assigner = LearnedAssigner(None if words_only else open_encoder().encode)
        return asyncio.run(assign_runs(runs, banks, queries, assigner))

    async def work(models: Mapping[str, PromptedModel]) -> list[NuggetAssignment]:
        assigner = PromptedAssigner(Assessor(models[model]))
        return await assign_runs(runs, banks, queries, assigner)

    return asyncio.run(ask(models_by_name([model], at_once), access, work))
