"""`sidelight assess relevance`: passages that runs rank, by how much of a narrative they answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out
from sidelight.cli.options.exams import depth_option
from sidelight.cli.options.inputs import index_option, topics_option, track_of_scale, track_option
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    AtOnce,
    Cache,
    ModelCalls,
    asks_models,
    model_option,
)
from sidelight.cli.options.results import output_option
from sidelight.cli.terminal.progress import progress_bar
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.evaluation.labelling.relevance.passages import Passages
    from sidelight.llm.prompted import PromptedModel
    from sidelight.tracks import Track


@asks_models
def relevance(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Search results, six columns.")],
    *,
    topics: Annotated[Path, topics_option("Narratives with sub-narratives: `split` writes them.")],
    index: Annotated[Path, index_option("Folder that holds the passages.")],
    models: Annotated[
        list[str], model_option("Ask this model; repeat: the grade is that of the majority.")
    ],
    output: Annotated[Path, output_option("Qrels to write.")],
    depth: Annotated[int, depth_option("Passages of each run and topic.")] = 100,
    track: Annotated[
        str | None, track_option("A track with grades of relevance; the first if not given.")
    ] = None,
    calls: ModelCalls,
    cache: Cache = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
) -> None:
    """Grade passages 0 to 4 by how many sub-narratives they answer in detail.

    With several models, OUTPUT.votes.csv keeps what each said. Interrupted at any moment, the same
    command goes on with the replies it has.
    """
    from sidelight.build.models import ask, models_by_name
    from sidelight.evaluation.labelling.asking.assessor import Assessor
    from sidelight.evaluation.labelling.relevance.ensemble import decided, vote, vote_rows
    from sidelight.evaluation.labelling.relevance.passages import grade_passages
    from sidelight.evaluation.labelling.relevance.prompted import PromptedRelevance
    from sidelight.formats.labels.qrels import write_qrels
    from sidelight.formats.table import write_table

    found = _found(runs, topics, index, track_of_scale("relevance", track), depth)
    total = sum(len(one.texts) for one in found)

    async def work(asked: Mapping[str, PromptedModel]) -> list[dict[str, dict[str, int]]]:
        judges = [PromptedRelevance(Assessor(model)) for model in asked.values()]
        graded = (grade_passages(judge, found, lambda: advance(1)) for judge in judges)
        return list(await asyncio.gather(*graded))

    asked = models_by_name(models, at_once)
    names = [model.name for model in asked.models]
    access = calls.access(cache or output.with_name(f"{output.name}.replies"))
    with progress_bar("passages", total=total * len(names)) as advance:
        given = asyncio.run(ask(asked, access, work))
    votes = vote(dict(zip(names, given, strict=True)))
    grades = decided(votes)
    write_qrels(output, grades)
    if len(names) > 1:
        columns = ("query", "segment", "majority", *names)
        write_table(output.with_name(f"{output.name}.votes.csv"), columns, vote_rows(votes))
    unjudged = total - sum(map(len, grades.values()))
    out.print(
        f"{counted(total, 'passage')} of {counted(len(found), 'narrative')}, {unjudged} "
        f"unjudged\n  {output}",
        markup=False,
    )


def _found(runs: list[Path], topics: Path, index: Path, track: Track, depth: int) -> list[Passages]:
    """Return the narratives that runs rank for, with the passages of all runs.

    Raises:
        InputError: A topic of a run is no narrative that has sub-narratives, or a passage is not in
            the index.
    """
    from sidelight.errors import InputError
    from sidelight.evaluation.labelling.relevance.passages import Passages, pool_passages
    from sidelight.formats.runs.trec_run import read_trec_run
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.index.folder import open_index
    from sidelight.schemas.topic import Narrative

    known = {one.topic_id: one for one in read_topics(topics, track) if isinstance(one, Narrative)}
    docstore = open_index(index).docstore
    found = []
    for topic_id, names in pool_passages(map(read_trec_run, runs), depth).items():
        narrative = known.get(topic_id)
        if narrative is None or not narrative.sub_questions:
            raise InputError(
                f"{topics}: expected narrative {topic_id} of the runs with its sub-narratives; "
                f"found {'no such narrative' if narrative is None else 'none of them'}",
                remedy="Give the topics file of the runs, as `sidelight split` writes it.",
            )
        if lacking := [name for name in names if name not in docstore]:
            raise InputError(
                f"{index}: expected all passages of topic {topic_id}; {lacking[0]} is not there, "
                f"nor are {len(lacking) - 1} more",
                remedy="Give the index that the runs were made with.",
            )
        texts = {one.segment_id: one.text for one in docstore.get_many(names)}
        found.append(Passages(narrative, {name: texts[name] for name in names}))
    return found
