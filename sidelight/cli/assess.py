"""Commands `assess`: grades of questions, documents and passages, one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli import options
from sidelight.cli.console import IF_ASKED, REPLIES_KEPT, Commands, Result, interrupted, unanswered
from sidelight.cli.progress import progress_bar
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judge import Judge
from sidelight.formats.labels import qrels as labels
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.formats.table import write_table
from sidelight.formats.verdict import read_articles, read_runs, read_topics
from sidelight.llm.prompted import PromptedModel
from sidelight.runs.directory import RunDirectory
from sidelight.schemas.grading.judgment import QuestionGrade, Unjudged
from sidelight.schemas.topic import Article, Narrative, question_id
from sidelight.text import counted
from sidelight.tracks import Track as TrackRules
from sidelight.tracks import load_track
from sidelight.wiring.judges import JudgeInputs
from sidelight.wiring.models import ask, models_by_name

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.judged_runs import AskedDocuments
    from sidelight.evaluation.labelling.relevance import Passages

app = Commands(help="Grade questions and documents one by one.", no_args_is_help=True)

Model = Annotated[
    str | None, options.model_option("Ask this model; the embedded judge grades if none is named.")
]


@app.command()
@options.takes_groups
@interrupted(IF_ASKED)
def questions(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Runs of questions.")],
    *,
    topics: Annotated[Path, options.topics_option()],
    track: options.Track,
    output: Annotated[Path, options.output_option("File of grades, for `score quality`.")],
    model: Model = None,
    calls: options.ModelCalls,
    cache: options.Cache = None,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
) -> Result:
    """Grade each question of some runs, and tell which of them an earlier one answers."""
    from sidelight.evaluation.labelling.judged_runs import grade_question_runs

    given = read_runs(runs, load_track(track).question_list)
    articles = {one.topic_id: one for one in read_articles(topics)}
    setup = options.judge_by(model, at_once, JudgeInputs(articles=lambda: articles))
    access = calls.access(cache or output.with_name(f"{output.name}.replies"))

    async def work(judge: Judge) -> tuple[str, list[QuestionGrade]]:
        found = await grade_question_runs(judge, given, articles, on_questions=advance)
        return judge.title, found

    with progress_bar("questions", total=sum(len(run.questions) for run in given)) as advance:
        judge, grades = asyncio.run(setup.perform(access, work))
    lost = [
        f"{one.run_tag} {one.topic_id} {one.run_question_rank}"
        for one in grades
        if isinstance(one.label, Unjudged)
    ]
    notes = unanswered(lost, len(grades), "question")
    labels.write_question_grades(output, grades)
    labels.write_judge(output, judge)
    told = f"{counted(len(grades), 'question')}, {len(lost)} unjudged\n  {output}"
    document = {"questions": len(grades), "unjudged": lost, "output": str(output)}
    return Result(document, [*notes, told])


@app.command()
@options.takes_groups
@interrupted(IF_ASKED)
def documents(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Run directories that rank documents.")],
    *,
    output: Annotated[Path, options.output_option("Qrels, for `score usefulness`.")],
    model: Model = None,
    calls: options.ModelCalls,
    cache: options.Cache = None,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
) -> Result:
    """Grade the documents that runs of the same questions rank, by their best segments."""
    from sidelight.evaluation.labelling.judged_runs import grade_documents

    setup = options.judge_by(model, at_once, JudgeInputs(articles=dict))
    access = calls.access(cache or output.with_name(f"{output.name}.replies"))
    asked = list(_asked(runs))

    async def work(judge: Judge) -> tuple[str, dict[str, dict[str, int]]]:
        return judge.title, await grade_documents(judge, asked, on_documents=advance)

    total = sum(len(one.documents) for one in asked)
    with progress_bar("documents", total=total) as advance:
        judge, found = asyncio.run(setup.perform(access, work))
    wanted = {one.question_id: one.documents for one in asked}
    write = partial(labels.write_qrels, output, found)
    return _written(output, wanted, found, ("document", "question"), write, judge)


def _written(
    output: Path,
    wanted: Mapping[str, Iterable[str]],
    grades: Mapping[str, Mapping[str, int]],
    words: tuple[str, str],
    write: Callable[[], None],
    judge: str,
) -> Result:
    """Write grades and who gave them, and return how many there are and what has none.

    `wanted` has the ids of what was to be graded and `grades` the grades, both by query id. `words`
    name what is graded and what for, such as document and question. If there is no grade at all,
    nothing is written and it raises ReplyError.
    """
    what, query = words
    every = [(query_id, name) for query_id, names in wanted.items() for name in names]
    lost = [
        f"{query_id} {name}" for query_id, name in every if name not in grades.get(query_id, {})
    ]
    notes = unanswered(lost, len(every), what)
    write()
    labels.write_judge(output, judge)
    told = f"{counted(len(every), what)} of {counted(len(wanted), query)}, {len(lost)} unjudged"
    document = {f"{what}s": len(every), "unjudged": lost, "output": str(output)}
    return Result(document, [*notes, f"{told}\n  {output}"])


def _asked(runs: list[Path]) -> Iterator[AskedDocuments]:
    """Yield the questions of runs, each with the documents that any of them ranks for it."""
    from sidelight.checks.usefulness import Document
    from sidelight.evaluation.labelling.judged_runs import AskedDocuments

    found: dict[str, AskedDocuments] = {}
    for path in runs:
        run = RunDirectory(path)
        for topic_id in run.read_manifest().topics:
            result = run.result(topic_id)
            topic = result.topic
            article = f"{topic.title}\n{topic.body}" if isinstance(topic, Article) else ""
            texts = {one.segment_id: one.text for one in result.evidence}
            for number, search in result.trace.documents.items():
                name = question_id(topic_id, number)
                shown = {
                    one.document_id: Document(one.title, texts.get(one.segment_id, ""))
                    for one in search.documents
                }
                known = found.setdefault(name, AskedDocuments(name, article, search.question, {}))
                if known.question != search.question:
                    raise InputError(
                        f"{path}: {name} is a different question than in earlier runs",
                        remedy="Grade runs that were made for the same questions together.",
                    )
                found[name] = known._replace(documents={**shown, **known.documents})
    yield from found.values()


@app.command()
@options.takes_groups
@interrupted(REPLIES_KEPT)
def relevance(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Search results, six columns.")],
    *,
    topics: Annotated[
        Path, options.topics_option("Narratives with sub-narratives: `split` writes them.")
    ],
    index: Annotated[Path, options.index_option("Folder that holds the passages.")],
    models: Annotated[
        list[str],
        options.model_option("Ask this model; repeat: the grade is that of the majority."),
    ],
    output: Annotated[Path, options.output_option("Qrels to write.")],
    run_id: Annotated[
        str | None,
        typer.Option("--run-id", help="Write the grades as a run of this id, for `pack`."),
    ] = None,
    depth: Annotated[int, options.depth_option("Passages of each run and topic.")] = 100,
    track: Annotated[
        str | None,
        options.track_option("A track with grades of relevance; the first if not given."),
    ] = None,
    calls: options.ModelCalls,
    cache: options.Cache = None,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
) -> Result:
    """Grade passages 0 to 4 by how many sub-narratives they answer in detail.

    With several models, OUTPUT.votes.csv keeps what each said. With --run-id, a grade is as sure as
    the share of models that gave it.
    """
    from sidelight.evaluation.labelling.relevance import (
        RELEVANCE_PROMPT,
        decided,
        grade_passages,
        sure,
        vote,
        vote_rows,
    )

    rules = options.track_of_scale("relevance", track)
    if run_id is not None and rules.judgments is None:
        raise UsageError(
            f"{rules.title} takes no relevance judgments: --run-id is for a track that does",
            remedy="Name one with --track.",
        )
    found = _found(runs, topics, index, rules, depth)
    total = sum(len(one.texts) for one in found)

    async def work(asked: Mapping[str, PromptedModel]) -> list[dict[str, dict[str, int]]]:
        assessors = map(Assessor, asked.values())
        graded = (grade_passages(assessor, found, lambda: advance(1)) for assessor in assessors)
        return list(await asyncio.gather(*graded))

    asked = models_by_name(models, at_once)
    names = [model.name for model in asked.models]
    access = calls.access(cache or output.with_name(f"{output.name}.replies"))
    with progress_bar("passages", total=total * len(names)) as advance:
        given = asyncio.run(ask(asked, access, work))
    votes = vote(dict(zip(names, given, strict=True)))
    grades = decided(votes)
    write = partial(labels.write_qrels, output, grades)
    if run_id is not None:
        write = partial(labels.write_judgments, output, sure(votes), run_id)
    wanted = {one.narrative.topic_id: one.texts for one in found}
    judge = f"{', '.join(names)}, prompt {RELEVANCE_PROMPT.fingerprint[:8]}"
    graded = _written(output, wanted, grades, ("passage", "narrative"), write, judge)
    if len(names) > 1:
        columns = ("query", "segment", "majority", *names)
        write_table(output.with_name(f"{output.name}.votes.csv"), columns, vote_rows(votes))
    return graded


def _found(
    runs: list[Path], topics: Path, index: Path, track: TrackRules, depth: int
) -> list[Passages]:
    """Return the narratives that runs rank for, with the passages of all runs."""
    from sidelight.evaluation.labelling.relevance import Passages, pool_passages
    from sidelight.index.folder import open_index

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
        passages = docstore.find(names)
        if lacking := [name for name in names if name not in passages]:
            raise InputError(
                f"{index}: expected all passages of topic {topic_id}; {len(lacking)} missing, the "
                f"first {lacking[0]}",
                remedy="Give the index that the runs were made with.",
            )
        found.append(Passages(narrative, {name: passages[name].text for name in names}))
    return found
