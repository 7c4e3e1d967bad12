"""`sidelight assess`: questions by their quality, documents by their usefulness, one by one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out
from sidelight.cli.options.inputs import Commands, Track, topics_option
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
    from collections.abc import Iterator

    from sidelight.evaluation.labelling.graded_runs import AskedDocuments, GradedDocuments
    from sidelight.evaluation.labelling.judge import Judge
    from sidelight.schemas.grading.judgment import QuestionGrade

app = Commands(help="Grade questions and documents one by one.", no_args_is_help=True)

Model = Annotated[
    str | None, model_option("Ask this model; the embedded judge grades if none is named.")
]


@app.command()
@asks_models
def questions(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Runs of questions.")],
    *,
    topics: Annotated[Path, topics_option()],
    track: Track,
    output: Annotated[Path, output_option("File of grades, for `score quality`.")],
    model: Model = None,
    calls: ModelCalls,
    cache: Cache = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
) -> None:
    """Grade each question of some runs, and tell which of them an earlier one answers.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.build.judges import JudgeInputs, set_up_judge
    from sidelight.build.models import models_by_name
    from sidelight.evaluation.labelling.graded_runs import grade_question_runs
    from sidelight.formats.labels.question_grades import write_question_grades
    from sidelight.formats.runs.run_format import run_format
    from sidelight.formats.topics.articles import read_articles
    from sidelight.schemas.grading.judgment import Unjudged
    from sidelight.tracks import load_track

    read = run_format(load_track(track).question_list).read
    given = [read(path) for path in runs]
    articles = {one.topic_id: one for one in read_articles(topics)}
    setup = set_up_judge(
        "prompted" if model else "embedded",
        JudgeInputs(articles=lambda: articles),
        models_by_name([model] if model else [], at_once),
    )
    access = calls.access(cache or output.with_name(f"{output.name}.replies"))

    async def work(judge: Judge) -> list[QuestionGrade]:
        return await grade_question_runs(judge, given, articles, on_questions=advance)

    with progress_bar("questions", total=sum(len(run.questions) for run in given)) as advance:
        grades = asyncio.run(setup.perform(access, work))
    write_question_grades(output, grades)
    unjudged = sum(isinstance(one.label, Unjudged) for one in grades)
    out.print(f"{counted(len(grades), 'question')}, {unjudged} unjudged\n  {output}", markup=False)


@app.command()
@asks_models
def documents(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Run directories that rank documents.")],
    *,
    output: Annotated[Path, output_option("Qrels, for `score usefulness`.")],
    model: Model = None,
    calls: ModelCalls,
    cache: Cache = None,
    at_once: AtOnce = DEFAULT_AT_ONCE,
) -> None:
    """Grade the documents that runs of the same questions rank, by their best segments.

    Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.build.judges import JudgeInputs, set_up_judge
    from sidelight.build.models import models_by_name
    from sidelight.evaluation.labelling.graded_runs import grade_documents
    from sidelight.formats.labels.qrels import write_qrels

    setup = set_up_judge(
        "prompted" if model else "embedded",
        JudgeInputs(articles=dict),
        models_by_name([model] if model else [], at_once),
    )
    access = calls.access(cache or output.with_name(f"{output.name}.replies"))
    asked = list(_asked(runs))

    async def work(judge: Judge) -> GradedDocuments:
        return await grade_documents(judge, asked, on_documents=advance)

    total = sum(len(one.documents) for one in asked)
    with progress_bar("documents", total=total) as advance:
        found = asyncio.run(setup.perform(access, work))
    write_qrels(output, found.grades)
    out.print(
        f"{counted(total, 'document')} for {counted(len(asked), 'question')}, {found.unjudged} "
        f"unjudged\n  {output}",
        markup=False,
    )


def _asked(runs: list[Path]) -> Iterator[AskedDocuments]:
    """Yield the questions of runs, each with the documents that any of them ranks for it.

    Raises:
        InputError: A run is not finished, or two runs have different questions under one id.
    """
    from sidelight.checks.usefulness import Document
    from sidelight.errors import InputError
    from sidelight.evaluation.labelling.graded_runs import AskedDocuments
    from sidelight.runs.directory import RunDirectory
    from sidelight.schemas.article import Article
    from sidelight.schemas.topic import question_id

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
                        f"{path}: {name} is another question than in the runs before it",
                        remedy="Grade runs that were made for the same questions together.",
                    )
                found[name] = known._replace(documents={**shown, **known.documents})
    yield from found.values()
