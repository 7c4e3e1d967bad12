"""Options of the commands that put a judge to work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.options.inputs import topics_option
from sidelight.cli.options.models import model_option
from sidelight.errors import UsageError
from sidelight.evaluation.labelling.question_similarity.mode import Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.schemas.article import Article


Runs = Annotated[list[Path], typer.Argument(help="Run files; the file name is the run tag.")]
TASK = typer.Option("--task", help="The task of the track that the runs are of, by its name.")
RunTask = Annotated[str, TASK]
JUDGE = typer.Option("--judge", help="`embedded`, or `prompted`, which asks a model.")
JudgeName = Annotated[str, JUDGE]
ExampleFolder = Annotated[
    Path | None,
    typer.Option(
        "--examples",
        help="Labelled runs to learn from: a folder with rubrics, assessments and runs, laid out "
        "as the organizers do.",
    ),
]
ExampleRuns = Annotated[
    list[str] | None,
    typer.Option("--example-run", help="Learn from this run only; repeat for more."),
]
WordsOnly = Annotated[
    bool, typer.Option("--words-only", help="Embedded: compare words without an encoder.")
]
Models = Annotated[
    list[str] | None, model_option("Prompted: ask this model; repeat for an ensemble.")
]
Topics = Annotated[Path | None, topics_option("Prompted: the articles (JSONL).")]
QuestionMode = Annotated[
    Mode, typer.Option("--mode", help="Prompted: pairs of questions one call is asked about.")
]


def read_labelled(examples: Path | None, example_runs: list[str] | None) -> Examples | None:
    """Read the labelled runs that the options name; None when they name none.

    Raises:
        UsageError: Runs were named, but no folder.
        InputError: The folder cannot be read.
    """
    from sidelight.evaluation.labelling.examples import read_examples

    if examples is None:
        if example_runs:
            raise UsageError("--example-run names a run of --examples, which was not given")
        return None
    return read_examples(examples, example_runs or ())


def articles_of(topics: Path | None, data: Path | None) -> Callable[[], dict[str, Article]] | None:
    """Return what reads the articles, by topic id, from where options say; None if none does.

    Args:
        topics: The topics file, if it was named.
        data: The data folder, if it was named.
    """
    if topics is None and data is None:
        return None

    def read() -> dict[str, Article]:
        from sidelight.formats.data_folder import DataPart, find_part
        from sidelight.formats.topics.articles import read_articles

        path = topics or (find_part(data, DataPart.TOPICS) if data else None)
        return {one.topic_id: one for one in read_articles(path)} if path else {}

    return read
