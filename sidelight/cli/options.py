"""Options of the commands, and what they mean: inputs, outputs, judges, models and sampling.

An option has one spelling and is declared once. Where commands read the same kind of thing for
different ends, a function takes the words of its help. A command line gives it once, unless its
help says to repeat it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_type_hints

import typer

from sidelight.cli.console import err, set_options
from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.evaluation.labelling.judge import Mode
from sidelight.evaluation.scoring import DEFAULT_SAMPLES
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part, look_for
from sidelight.formats.runs.submission import Run
from sidelight.formats.verdict import read_articles
from sidelight.registry import names
from sidelight.schemas.grading.judgment import Measure
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.task import CitedTextTask, QuestionListTask, Task
from sidelight.schemas.topic import Article
from sidelight.text import counted, first_of
from sidelight.tracks import Track as TrackRules
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from sidelight.config.settings import Settings
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.scoring.table import Interval, TopicScore
    from sidelight.llm.base import Totals
    from sidelight.wiring.judges import JudgeInputs, JudgeSetup
    from sidelight.wiring.models import ModelAccess


_SERVER, _JUDGING, _CHANCE = "Model server", "Judge", "Intervals and tests"
"""Under which help lists options; all others are `Options`."""


def _spelt(word: str, *short: str, usual: str | None = None, **limits: Any) -> Callable[..., Any]:
    """Return what makes an option of one spelling: of the words of its help, and more limits."""

    def option(what: str | None = usual, **more: Any) -> Any:
        return typer.Option(word, *short, help=what, **{**limits, **more})

    return option


def names_of(kind: str) -> Callable[[str], list[str]]:
    """Return what completes the name of a part."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names(kind) if name.startswith(incomplete)]

    return complete


def _settings(incomplete: str) -> list[str]:
    """Complete the name of a setting."""
    from sidelight.config.load import describe_settings

    found = (f"{one.name}=" for one in describe_settings())
    return [name for name in found if name.startswith(incomplete)]


bank_option = _spelt("--bank")
cache_option = _spelt("--cache", rich_help_panel=_SERVER)
count_option = _spelt("--count", min=1)
data_option = _spelt("--data")
depth_option = _spelt("--depth", min=1)
index_option = _spelt("--index", usual="Folder made by `sidelight index build` or `index remote`.")
labels_option = _spelt("--labels")
measure_option = _spelt("--measure")
min_grade_option = _spelt("--min-grade")
model_option = _spelt("--model", rich_help_panel=_SERVER)
nuggets_option = _spelt("--nuggets")
output_option = _spelt("--output", "-o")
parallel_option = _spelt("--parallel", min=1)
qrels_option = _spelt("--qrels", usual="Relevance labels: four columns, or irds:NAME.")
queries_option = _spelt("--queries")
query_option = _spelt("--query")
rubrics_option = _spelt("--rubrics", usual="Folder of rubrics (*.json).")
run_option = _spelt("--run", usual="Search results, six columns; repeat.")
topics_option = _spelt("--topics", usual="Topics file (JSONL of articles or narratives).")
track_option = _spelt("--track", autocompletion=names_of("track"))

Config = Annotated[
    Path | None, typer.Option("--config", help="YAML file of differences from the defaults.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Change one setting: retrieval.k=50; `settings` lists them.",
        autocompletion=_settings,
    ),
]
Track = Annotated[str, track_option("The track whose rules apply.")]
HitsPerQuery = Annotated[int, typer.Option("--k", min=1, help="Hits per query.")]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        help="How vectors are kept: exact, cpu-24gb, cpu-128gb, gpu-80gb, gpu-141gb, or none for "
        "BM25 alone; `sidelight index plan` says what each takes.",
    ),
]
DIM = typer.Option(
    "--dim", min=1, help="Dimensions kept of each vector; the model must allow truncation."
)

RUN = run_option()
QRELS = qrels_option()

TrackWithNuggets = Annotated[
    str | None, track_option("A track with nuggets; the first if not given.")
]


def track_of_scale(scale: str, name: str | None) -> TrackRules:
    """Return the track `name`, or the first that has `scale` where no name is given."""
    having = {one: read for one in names("track") if scale in (read := load_track(one)).scales}
    found = load_track(name) if name else next(iter(having.values()))
    if scale not in found.scales:
        raise UsageError(
            f"the track {name} has no scale of {scale}",
            remedy=f"Give one that has: {' or '.join(f'--track {one}' for one in having)}",
        )
    return found


def other_topics(track: TrackRules, topic_ids: Iterable[str]) -> list[str]:
    """Return a line that names topics which are not the track's, as those of another track are."""
    other = sorted(set(topic_ids).difference(track.topic_ids))
    told = f"{counted(len(other), 'topic')} not of {track.title}: {first_of(other)}"
    return [told] if other else []


AllowPlugin = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-plugin",
        help="Let the run name this part, module:Class, which is not registered, and import it: "
        "its code runs. Repeat for more.",
    ),
]

Data = Annotated[
    Path | None,
    data_option("Folder in the organizers' layout; supplies inputs not given by options."),
]
Rubrics = Annotated[Path | None, rubrics_option()]
CoveredTopics = Annotated[
    Path | None,
    topics_option(
        "Topics file that runs must cover. Default: the topics a run directory was made for, and "
        "the track's for other files."
    ),
]
RetrievalMeasures = Annotated[
    str, typer.Option("--measures", help="Names of ir_measures, separated by spaces.")
]
CitedIndex = Annotated[
    Path | None, index_option("Index folder; every cited segment must be in it.")
]

Samples = Annotated[
    int,
    typer.Option(
        "--samples",
        min=100,
        help="Number of bootstrap samples; fewer where each computes coefficients anew.",
        rich_help_panel=_CHANCE,
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Random seed.", rich_help_panel=_CHANCE)]

Output = Annotated[
    Path | None, output_option("Folder for tables (CSV, some also LaTeX) and figures (SVG, PNG).")
]

T = TypeVar("T")

REPLIES = "replies"
"""Folder of replies within the output folder of a command that judges."""


def _server(url: str | None) -> str | None:
    from sidelight.transport import check_server

    if url:
        check_server(url, "--base-url, or the environment's OPENAI_BASE_URL")
    return url


BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        callback=_server,
        envvar="OPENAI_BASE_URL",
        rich_help_panel=_SERVER,
        help="Where the model server's API begins, e.g. http://localhost:8000/v1.",
    ),
]
Offline = Annotated[
    bool,
    typer.Option("--offline", help="Replay the cache; ask no server.", rich_help_panel=_SERVER),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        "--max-calls", min=0, help="Stop before more calls than this.", rich_help_panel=_SERVER
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        min=0,
        help="Stop before more tokens, read and written.",
        rich_help_panel=_SERVER,
    ),
]

Estimate = Annotated[
    bool, typer.Option("--estimate", help="Print the estimated model cost, and stop.")
]

RunCache = Annotated[
    Path | None, cache_option("Folder of model replies; `cache` in the run directory.")
]

# Of commands that judge.
DEFAULT_AT_ONCE = 256
AtOnce = Annotated[
    int, typer.Option("--at-once", min=1, help="Maximum concurrent calls.", rich_help_panel=_SERVER)
]
Cache = Annotated[
    Path | None, cache_option(f"Folder of a model's replies; OUTPUT/{REPLIES} if not given.")
]


class ModelCalls(NamedTuple):
    """Where a command may ask models, and how much: the options that all of them have."""

    base_url: BaseUrl = None
    offline: Offline = False
    max_calls: MaxCalls = None
    max_tokens: MaxTokens = None

    def access(self, cache: Path) -> ModelAccess:
        """Return how the command may use models; `cache` is the folder of their replies."""
        from sidelight.llm.base import Budget
        from sidelight.wiring.models import ModelAccess

        return ModelAccess(
            cache=cache,
            offline=self.offline,
            base_url=self.base_url,
            budget=Budget(max_calls=self.max_calls, max_tokens=self.max_tokens),
            on_progress=lambda line: err.print(line, markup=False),
        )

    def less(self, spent: Totals) -> ModelCalls:
        """Return the same, with what is left of the limits."""
        calls, tokens = self.max_calls, self.max_tokens
        return self._replace(
            max_calls=None if calls is None else max(0, calls - spent.calls),
            max_tokens=None if tokens is None else max(0, tokens - spent.usage.total_tokens),
        )


def takes_groups(command: Callable[..., T]) -> Callable[..., T]:
    """Give a command, in place of each parameter that is a tuple of options, these options."""
    signature = inspect.signature(command, eval_str=True)
    groups = {
        one.name: one.annotation
        for one in signature.parameters.values()
        if _is_group(one.annotation)
    }

    @wraps(command)
    def with_options(**given: Any) -> T:
        made = {name: _filled(group, given) for name, group in groups.items()}
        return command(**given, **made)

    parameters: list[inspect.Parameter] = []
    for one in signature.parameters.values():
        parameters += _parameters_of(one.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    set_options(with_options, signature.replace(parameters=parameters))
    return with_options


def _is_group(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, tuple)


def _parameters_of(one: inspect.Parameter) -> list[inspect.Parameter]:
    """Return a parameter, or those of the options that it is a tuple of."""
    if not _is_group(one.annotation):
        return [one]
    found: list[inspect.Parameter] = []
    for name, option in get_type_hints(one.annotation, include_extras=True).items():
        default = one.annotation._field_defaults.get(name, inspect.Parameter.empty)
        found += _parameters_of(one.replace(name=name, annotation=option, default=default))
    return found


def _filled(group: Any, given: dict[str, Any]) -> Any:
    """Return a tuple of options out of what was given, which it is taken from."""
    options = get_type_hints(group, include_extras=True)
    return group(
        *(
            _filled(option, given)
            if _is_group(option)
            else given.pop(name, group._field_defaults.get(name))
            for name, option in options.items()
        )
    )


Runs = Annotated[
    list[Path],
    typer.Argument(help="Run files, whose names are the run tags; their folder; run directories."),
]
TASK = typer.Option("--task", help="Task of the runs, by its name; a wrong one lists all.")
RunTask = Annotated[str, TASK]
JUDGE = typer.Option(
    "--judge",
    help="`embedded`, or `prompted`, which asks a model.",
    rich_help_panel=_JUDGING,
    autocompletion=names_of("judge"),
)
JudgeName = Annotated[str, JUDGE]
ExampleFolder = Annotated[
    Path | None,
    typer.Option(
        "--examples",
        rich_help_panel=_JUDGING,
        help="Labelled runs to learn from: a folder with rubrics, assessments and runs, laid out "
        "as the organizers do.",
    ),
]
ExampleRuns = Annotated[
    list[str] | None,
    typer.Option(
        "--example-run", help="Learn from this run only; repeat for more.", rich_help_panel=_JUDGING
    ),
]
WordsOnly = Annotated[
    bool,
    typer.Option(
        "--words-only", help="Embedded: compare words without an encoder.", rich_help_panel=_JUDGING
    ),
]
Models = Annotated[
    list[str] | None, model_option("Prompted: ask this model; repeat for an ensemble.")
]
Topics = Annotated[Path | None, topics_option("Prompted: the articles (JSONL).")]
QuestionMode = Annotated[Mode, typer.Option("--mode", help="Prompted: question pairs per call.")]


def read_labelled(examples: Path | None, example_runs: list[str] | None) -> Examples | None:
    """Read the labelled runs that the options name; None when they name none."""
    if examples is None:
        if example_runs:
            raise UsageError("--example-run names a run of --examples, which was not given")
        return None
    from sidelight.evaluation.labelling.examples import read_examples

    return read_examples(examples, example_runs or ())


def articles_of(topics: Path | None, data: Path | None) -> Callable[[], dict[str, Article]] | None:
    """Return what reads the articles by topic id, from `topics` or `data`; None without both."""
    if topics is None and data is None:
        return None

    def read() -> dict[str, Article]:
        path = topics or (find_part(data, DataPart.TOPICS) if data else None)
        return {one.topic_id: one for one in read_articles(path)} if path else {}

    return read


Assessments = Annotated[
    Path | None, typer.Option("--assessments", help="CSV of labels; sheets of `pool` list which.")
]
Compound = Annotated[
    Path | None, typer.Option("--compound", help="CSV of verdicts on compound questions.")
]
Merge = Annotated[
    bool,
    typer.Option("--merge", help="Where labels conflict, keep the one that the track puts first."),
]

MeasureName = Annotated[str | None, measure_option("What to compare; the first one if not given.")]
MoreMeasures = Annotated[
    list[str] | None, measure_option("Further measure of judged runs: name or module:Class; repeat")
]


class Sampling(NamedTuple):
    """How chance was drawn; what a reader needs to get the same figures."""

    samples: Samples = DEFAULT_SAMPLES
    seed: Seed = 0

    def __str__(self) -> str:
        return f"{self.samples} samples, seed {self.seed}"

    @property
    def intervals(self) -> str:
        """Return how intervals were made, for a caption."""
        return f"95% intervals: expanded percentile bootstrap over topics, {self}"


def from_data(given: Path | None, data: Path | None, part: DataPart) -> Path | None:
    """Return what an option names, or else the part of the data folder, if there is one."""
    return given or (look_for(data, part) if data else None)


def required(
    given: Path | None, data: Path | None, part: DataPart, option: str, remedy: str = ""
) -> Path:
    """Return what an option names, or else the part of the data folder; one must be given."""
    path = given or (find_part(data, part) if data else None)
    if path is None:
        raise UsageError(f"expected {option}, or --data, a folder that has it", remedy=remedy)
    return path


_NO_RUBRICS = "Without any, test the citations: sidelight score support RUN --index INDEX"


def known_rubrics(given: Path | None, data: Path | None, track: TrackRules) -> dict[str, Rubric]:
    """Return the rubrics that --rubrics names, or else those of the data folder."""
    folder = required(given, data, DataPart.RUBRICS, "--rubrics", _NO_RUBRICS)
    return read_rubrics(folder, track.scales)


def score_by_people(data: Path, task: Task, measure: str | None = None) -> Sequence[TopicScore]:
    """Score the runs of a data folder for a task by people's labels.

    `measure` is computed besides the track's, if it is none of them. UsageError if people give no
    labels for a task of this kind.
    """
    from sidelight.evaluation.scoring.score import people_question_scores, people_report_scores

    track = load_track()
    known = task.measure(measure) if measure else None
    more = find_measures([measure] if measure and not known else [])
    if isinstance(task, QuestionListTask):
        return people_question_scores(track, data, more).topics
    if isinstance(task, CitedTextTask):
        return people_report_scores(track, data, more).topics
    raise UsageError(f"task {task.name}: there are no scores of runs of the kind {task.kind}")


def find_measures(named: list[str] | None) -> list[Measure]:
    """Return the measures that an option names; see `find_measure`."""
    from sidelight.evaluation.scoring.measures import find_measure

    return [find_measure(name) for name in named or ()]


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
    int,
    typer.Option(
        "--at-least", min=1, help="Label by the grade that at least this many items reach."
    ),
]

MinGrade = Annotated[int | None, min_grade_option("Lowest relevant grade; default: the track's.")]
MinJudgment = Annotated[
    int | None,
    typer.Option("--min-judgment", help="Lowest relevant official judgment; default: the track's."),
]
MoreRuns = Annotated[
    list[Path] | None, run_option("One more run over the same passages, six columns; repeat.")
]
OfficialQrels = Annotated[
    Path | None, qrels_option("Official judgments; those in the file by default.")
]
BankPath = Annotated[Path, typer.Argument(metavar="BANK", help="A bank: JSON lines, plain or .gz.")]


def lowest_relevant(track: str, scale: str, given: int | None) -> int:
    """Return `given`, or the lowest label that the track merges with the highest of `scale`."""
    if given is not None:
        return given
    labels = track_of_scale(scale, track).scales[scale]
    top = labels.coarse(labels.highest)
    return min(int(name) for name in labels.names if labels.coarse(name) == top)


RunRubrics = Annotated[
    Path | None,
    rubrics_option("Folder of rubrics to judge by; without it, those that the run drafted."),
]
JudgeModel = Annotated[
    str | None,
    typer.Option(
        "--judge-model",
        help="Prompted: ask this model; short for models.judge.name.",
        rich_help_panel=_JUDGING,
    ),
]
SelfJudging = Annotated[
    bool,
    typer.Option(
        "--allow-self-judging",
        help="Allow the model that wrote the run to judge it.",
        rich_help_panel=_JUDGING,
    ),
]


def with_judge(overrides: list[str], model: str | None) -> list[str]:
    """Return overrides of settings that name the judge's model, too."""
    return overrides if model is None else [*overrides, f'models.judge.name="{model}"']


def check_drafts(settings: Settings, rubrics: Path | None) -> None:
    """Refuse, before anything is done, to judge a run by drafts that it does not make."""
    if rubrics is None and (settings.roles.draft_rubric or settings.roles.default) == "extractive":
        raise UsageError(
            "without --rubrics, a run is judged by the rubrics that it drafted itself; this "
            "run drafts none",
            remedy=f"Give rubrics with --rubrics DIR, read after generation.\n{_NO_RUBRICS}",
        )


class JudgeOptions(NamedTuple):
    """Who judges, what it learns from, and how it is asked."""

    name: JudgeName = "embedded"
    examples: ExampleFolder = None
    example_run: ExampleRuns = None
    words_only: WordsOnly = False
    model: Models = None
    calls: ModelCalls = ModelCalls()
    topics: Topics = None
    mode: QuestionMode = Mode.PAIRWISE
    cache: Cache = None
    at_once: AtOnce = DEFAULT_AT_ONCE

    def labelled(
        self, data: Path | None, task: Task, runs: Sequence[Run]
    ) -> tuple[Examples | None, str]:
        """Return labelled runs to learn from, and where there are none, why.

        Where neither a folder nor a run is named for them, they are those of the data folder that
        are not judged.
        """
        from sidelight.evaluation.labelling.examples import read_examples

        folder = self.examples or (data if self.example_run else None)
        if folder or data is None:  # the judge refuses to judge runs that are named as examples
            found = read_labelled(folder, self.example_run)
            return found, "no folder of labelled runs was named (--examples)"
        asks = isinstance(task, QuestionListTask)
        part = DataPart.QUESTION_ASSESSMENTS if asks else DataPart.REPORT_ASSESSMENTS
        people = look_for(data, part)
        if not people:
            return None, f"{data} has no labels of such runs by people"
        try:
            found = read_examples(data)
        except InvalidFileError:
            raise
        except InputError as error:
            return None, error.message
        labels = found.question_labels if asks else found.answer_labels
        judged = {run.run_tag for run in runs}
        if judged.issuperset(one.run_tag for one in labels):
            return None, (
                "every run that people labelled is among the runs to judge. To learn from one, "
                "leave it out of this command. How well the labels agree with people's: sidelight "
                f"agree labels {people} LABELS"
            )
        # Those of the other task, too: a judge that learned from the same runs has one name.
        return read_examples(data, found.run_tags - judged), ""

    def setup(
        self,
        known: dict[str, Rubric],
        data: Path | None,
        examples: Examples | None,
        min_confidence: float = 0.0,
    ) -> JudgeSetup:
        """Return the judge, not yet opened.

        `data` may have the articles. Labels less certain than `min_confidence` are left unjudged.
        """
        from sidelight.wiring.judges import JudgeInputs, open_encoder, set_up_judge
        from sidelight.wiring.models import models_by_name

        return set_up_judge(
            self.name,
            JudgeInputs(
                known,
                examples,
                encoder=None if self.words_only else open_encoder,
                articles=articles_of(self.topics, data),
                mode=self.mode,
                min_confidence=min_confidence,
            ),
            models_by_name(self.model or [], self.at_once),
        )

    def access(self, output: Path) -> ModelAccess:
        """Return how the judge may use models; without --cache their replies lie in `output`."""
        return self.calls.access(self.cache or output / REPLIES)


def judge_by(model: str | None, at_once: int, inputs: JudgeInputs) -> JudgeSetup:
    """Return the judge that asks a model, or the embedded one if none is named; not yet opened."""
    from sidelight.wiring.judges import set_up_judge
    from sidelight.wiring.models import models_by_name

    asked = models_by_name([model] if model else [], at_once)
    return set_up_judge("prompted" if model else "embedded", inputs, asked)


class LabelOptions(NamedTuple):
    """Who labels runs, how it is asked, and how the labels are scored."""

    output: Output = None
    words_only: WordsOnly = False
    model: Annotated[
        str | None, model_option("Ask this model; the embedded judge decides if none is named.")
    ] = None
    calls: ModelCalls = ModelCalls()
    cache: Cache = None
    at_once: AtOnce = DEFAULT_AT_ONCE
    measures: MoreMeasures = None
    sampling: Sampling = Sampling()

    def access(self) -> ModelAccess:
        """Return how models may be used; a model that is asked needs a folder for its replies."""
        return self.calls.access(
            reply_folder(self.cache, self.output) if self.model else Path(REPLIES)
        )


def reply_folder(cache: Path | None, output: Path | None) -> Path:
    """Return the folder of a model's replies; UsageError if there is none."""
    if cache is None and output is None:
        raise UsageError("replies need a folder", remedy="Give --output or --cache.")
    return cache or Path(output or "", REPLIES)
