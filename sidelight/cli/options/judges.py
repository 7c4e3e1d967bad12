"""Options of the commands that judge, score or read graded passages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sidelight.cli.options.inputs import qrels_option, run_option, topics_option
from sidelight.cli.options.models import model_option
from sidelight.errors import UsageError
from sidelight.evaluation.labelling.judge import Mode
from sidelight.formats.data_folder import DataPart, find_part
from sidelight.schemas.task import CitedTextTask, QuestionListTask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.scoring.table import Interval, TopicScore
    from sidelight.schemas.grading.judgment import Measure
    from sidelight.schemas.task import Task
    from sidelight.schemas.topic import Article

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
        from sidelight.formats.topics import read_articles

        path = topics or (find_part(data, DataPart.TOPICS) if data else None)
        return {one.topic_id: one for one in read_articles(path)} if path else {}

    return read


Assessments = Annotated[
    Path | None, typer.Option("--assessments", help="CSV of labels, by people or by a judge.")
]
Compound = Annotated[
    Path | None, typer.Option("--compound", help="CSV of verdicts on what is asked in one.")
]
Merge = Annotated[
    bool,
    typer.Option("--merge", help="Where labels conflict, keep the one that the track puts first."),
]


def measure_option(what: str) -> Any:
    """Return `--measure`."""
    return typer.Option("--measure", help=what)


MeasureName = Annotated[str | None, measure_option("What to compare; the first one if not given.")]
MoreMeasures = Annotated[
    list[str] | None, measure_option("Measure this, too, by name or as module:Class; repeat.")
]


class Sampling(NamedTuple):
    """How chance was drawn; what a reader needs to get the same figures."""

    samples: int
    seed: int

    def __str__(self) -> str:
        return f"{self.samples} samples, seed {self.seed}"


def from_data(given: Path | None, data: Path | None, part: DataPart) -> Path | None:
    """Return what an option names, or else the part of the data folder, if there is one.

    Raises:
        InputError: The folder does not have it.
    """
    return given or (find_part(data, part) if data else None)


def required(given: Path | None, data: Path | None, part: DataPart, option: str) -> Path:
    """Return what an option names, or else the part of the data folder.

    Raises:
        InputError: The folder does not have it.
        UsageError: There is neither.
    """
    path = from_data(given, data, part)
    if path is None:
        raise UsageError(f"expected {option}, or --data, a folder that has it")
    return path


def score_by_people(data: Path, task: Task, measure: str | None = None) -> Sequence[TopicScore]:
    """Score the runs of a data folder by people's labels.

    Args:
        data: The folder.
        task: What the runs did.
        measure: Computed besides the track's, if it is none of them.

    Raises:
        InputError: A part is not there, or does not fit the rubrics.
        InvalidFileError: A file is not what it should be.
        UsageError: People give no labels for a task of this kind.
    """
    from sidelight.evaluation.scoring.score import people_question_scores, people_report_scores
    from sidelight.tracks import load_track

    track = load_track()
    known = task.measure(measure) if measure else None
    more = find_measures([measure] if measure and not known else [])
    if isinstance(task, QuestionListTask):
        return people_question_scores(track, data, more).topics
    if isinstance(task, CitedTextTask):
        return people_report_scores(track, data, more).topics
    raise UsageError(f"task {task.name}: there are no scores of runs of the kind {task.kind}")


def find_measures(names: list[str] | None) -> list[Measure]:
    """Return the measures that an option names.

    Raises:
        UsageError: There is none of a name.
        MachineError: A package that one needs is not installed.
    """
    from sidelight.evaluation.scoring.measures import find_measure

    return [find_measure(name) for name in names or ()]


def interval_cell(interval: Interval | None) -> str:
    """Return an interval as a table shows it."""
    return f"[{interval.low:.4f}, {interval.high:.4f}]" if interval else "-"


GradedPath = Annotated[
    Path, typer.Argument(metavar="GRADED", help="Graded passages: JSON lines, plain or .gz.")
]
GraderName = Annotated[
    str | None,
    typer.Option("--grader", help="Whose ratings count: PROMPT or PROMPT@MODEL, as in the file."),
]
AtLeast = Annotated[
    int, typer.Option("--at-least", min=1, help="Grade that at least so many items reach.")
]


def min_grade_option(what: str) -> Any:
    """Return `--min-grade`."""
    return typer.Option("--min-grade", help=what)


MinGrade = Annotated[
    int | None, min_grade_option("Lowest grade that is relevant; as the track has it.")
]
MinJudgment = Annotated[
    int | None,
    typer.Option("--min-judgment", help="Lowest official judgment that is relevant; likewise."),
]
MoreRuns = Annotated[
    list[Path] | None,
    run_option("One more run over the same passages, six columns; repeat."),
]
OfficialQrels = Annotated[
    Path | None,
    qrels_option("Official judgments; those in the file by default."),
]
BankPath = Annotated[Path, typer.Argument(metavar="BANK", help="A bank: JSON lines, plain or .gz.")]


def bank_option(what: str) -> Any:
    """Return `--bank`."""
    return typer.Option("--bank", help=what)


def depth_option(what: str) -> Any:
    """Return `--depth`."""
    return typer.Option("--depth", min=1, help=what)


def lowest_relevant(track: str, scale: str, given: int | None) -> int:
    """Return an option, or the lowest label that counts as the highest does on fewer labels.

    Args:
        track: Whose scales apply.
        scale: Of what the option is a label.
        given: The option.
    """
    from sidelight.tracks import load_track

    if given is not None:
        return given
    labels = load_track(track).scales[scale]
    top = labels.coarse(labels.highest)
    return min(int(name) for name in labels.names if labels.coarse(name) == top)
