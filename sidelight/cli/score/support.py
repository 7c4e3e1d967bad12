"""`sidelight score support`: whether what reports cite says what they say."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.options.inputs import Track, index_option, topics_option
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
from sidelight.cli.terminal.progress import progress_bar
from sidelight.evaluation.scoring.sampling import DEFAULT_SAMPLES
from sidelight.tracks import DEFAULT_TRACK, load_track

if TYPE_CHECKING:
    from collections.abc import Collection

    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.index.folder import SegmentTexts
    from sidelight.schemas.grading.judgment import JudgedSentence

_PREFIX = "auto_support"


@asks_models
def support(  # long: half of it are options
    runs: Annotated[
        list[Path], typer.Argument(help="Runs of cited texts; the file name is the run tag.")
    ],
    *,
    index: Annotated[Path, index_option("Folder that holds the cited segments.")],
    topics: Annotated[
        Path | None,
        topics_option(
            "The topics that count (JSONL), whose queries or narratives the embedded judge reads, "
            "too; those of any run if not given."
        ),
    ] = None,
    track: Track = DEFAULT_TRACK,
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
    """Score reports by how far the segments they cite support their sentences.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.build.judges import JudgeInputs, open_encoder, set_up_judge
    from sidelight.build.models import models_by_name
    from sidelight.checks.support import SUPPORT_PROMPT
    from sidelight.cli.score.table import ScoreOrigin, deliver
    from sidelight.errors import UsageError
    from sidelight.evaluation.labelling.support.sentences import assess_support
    from sidelight.evaluation.scoring.support import score_support
    from sidelight.formats.labels.support_sentences import write_support_sentences
    from sidelight.formats.runs.run_format import run_format
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.index.folder import open_index
    from sidelight.schemas.topic import asked_in

    rules = load_track(track)
    read = [run_format(rules.cited_text).read(path) for path in runs]
    known = read_topics(topics, rules) if topics else None
    folder = cache or (output / REPLIES if output else None)
    if model and folder is None:
        raise UsageError("replies need a folder", remedy="Give --output or --cache.")
    setup = set_up_judge(
        "prompted" if model else "embedded",
        JudgeInputs(encoder=None if words_only else open_encoder, articles=dict),
        models_by_name([model] if model else [], at_once),
    )
    access = calls.access(folder or Path(REPLIES))
    n_sentences = sum(len(report.responses) for run in read for report in run.reports)

    async def work(judge: Judge) -> tuple[str, list[JudgedSentence]]:
        texts_of = partial(_texts, open_index(index).docstore)
        asked = {topic.topic_id: asked_in(topic) for topic in known or ()}
        found = await assess_support(judge, read, texts_of, asked, lambda: advance(1))
        return judge.title, found

    with progress_bar("sentences", total=n_sentences) as advance:
        judge, verdicts = asyncio.run(setup.perform(access, work))
    if model:
        judge = f"{model}, prompt {SUPPORT_PROMPT.fingerprint[:8]}"
    topic_ids = None if known is None else [topic.topic_id for topic in known]
    table = score_support(read, verdicts, topic_ids, further=find_measures(measures))
    notes = ["the first citation of a sentence decides; `all`: its citations together"]
    n_topics = len({topic.topic_id for topic in table.topics})
    if output is not None:
        write_support_sentences(output / f"{_PREFIX}_sentences.csv", verdicts)
    origin = ScoreOrigin("auto", judge, Sampling(samples, seed), n_topics, notes)
    deliver(origin, table, _PREFIX, output, as_json=as_json)


def _texts(docstore: SegmentTexts, segment_ids: Collection[str]) -> dict[str, str]:
    known = sorted(segment_id for segment_id in segment_ids if segment_id in docstore)
    return {segment.segment_id: segment.text for segment in docstore.get_many(known)}
