"""Commands `score`: score runs against rubrics, and search results against relevance labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import (
    PlainTable,
    Result,
    deliver_each,
    undefined_warnings,
    warning,
)
from sidelight.cli.options.inputs import (
    QRELS,
    RUN,
    Commands,
    Data,
    Json,
    Output,
    RetrievalMeasures,
    Rubrics,
    Samples,
    Seed,
    Track,
    rubrics_option,
)
from sidelight.cli.options.judges import (
    Assessments,
    Compound,
    Merge,
    MoreMeasures,
    Sampling,
    find_measures,
    from_data,
    required,
)
from sidelight.cli.score import comparison, labels
from sidelight.cli.score.comparison import compare
from sidelight.cli.score.labels import battles, nuggets, support
from sidelight.cli.score.table import ScoreOrigin, scores_result
from sidelight.errors import UsageError
from sidelight.evaluation.scoring import DEFAULT_SAMPLES
from sidelight.formats.data_folder import DataPart
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK, load_track

if TYPE_CHECKING:
    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.judgment import AnswerAssessment
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.tracks import Track as TrackRules

app = Commands(no_args_is_help=True)
app.command()(support)
app.command()(nuggets)
app.command()(battles)
app.command()(compare)
app.command()(labels.quality)
app.command()(labels.usefulness)
app.add_typer(comparison.diff_app, name="diff")
app.add_typer(comparison.headroom_app, name="headroom")

Compat = Annotated[
    bool,
    typer.Option(
        "--organizer-compat",
        help="Reproduce the organizers' script, whose denominators are what is present.",
    ),
]


@app.callback(invoke_without_command=True)
def score(
    context: typer.Context, data: Data = None, output: Output = None, as_json: Json = False
) -> None:
    """Score runs: with --data alone those of all tasks; the commands have more options."""
    if context.invoked_subcommand is None:
        commands = (questions, reports)
        results = (command(data=data, output=output) for command in commands)
        deliver_each(results, wants_json=as_json)
    elif data or output or as_json:
        raise UsageError(
            f"the options go after the command: score {context.invoked_subcommand} --data DIR"
        )


@app.command("task1")
def questions(
    *,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    compound: Compound = None,
    output: Output = None,
    track: Track = DEFAULT_TRACK,
    measures: MoreMeasures = None,
    organizer_compat: Compat = False,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
) -> Result:
    """Score question runs by the rubric questions they cover."""
    from sidelight.evaluation.scoring.organizers import compat_question_scores
    from sidelight.evaluation.scoring.score import score_questions
    from sidelight.evaluation.scoring.table import score_prefix
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.labels.assessments import (
        COMPOUND_ASSESSMENTS,
        QUESTION_ASSESSMENTS,
        read_assessments,
    )

    rules = load_track(track)
    known = read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales)
    assessments = required(assessments, data, DataPart.QUESTION_ASSESSMENTS, "--assessments")
    compound = from_data(compound, data, DataPart.COMPOUND_CHECK)
    verdicts = None
    if organizer_compat:
        if compound is None:
            raise UsageError("--organizer-compat needs --compound, as the organizers' script does")
        if measures:
            raise UsageError("--organizer-compat excludes --measure")
        table = compat_question_scores(rules, known, assessments, compound)
    else:
        if compound:
            verdicts = read_assessments(compound, COMPOUND_ASSESSMENTS, rules.scales)
        labels = read_assessments(assessments, QUESTION_ASSESSMENTS, rules.scales)
        table = score_questions(rules, known, labels, verdicts, find_measures(measures))
    notes = [] if compound else ["compound questions were not filtered out: no --compound"]
    if without := sorted(
        {item.run_tag for item in verdicts or ()} - {run.run_tag for run in table.runs}
    ):
        notes.append(f"not scored, for want of labels: {', '.join(without)}")
    files = [path for path in (assessments, compound) if path]
    sampling = None if organizer_compat else Sampling(samples, seed)
    origin = _origin(files, sampling, len(known), notes)
    return scores_result(origin, table, score_prefix(origin.labels, rules.question_list), output)


@app.command("task2")
def reports(
    *,
    data: Data = None,
    rubrics: Annotated[
        Path | None,
        rubrics_option("Folder of rubrics; may be left out with --unit-weights."),
    ] = None,
    assessments: Assessments = None,
    output: Output = None,
    merge: Merge = False,
    unit_weights: Annotated[
        bool, typer.Option("--unit-weights", help="Let every answer of a topic weigh the same.")
    ] = False,
    track: Track = DEFAULT_TRACK,
    measures: MoreMeasures = None,
    organizer_compat: Compat = False,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
) -> Result:
    """Score reports by the rubric answers they support."""
    from sidelight.evaluation.scoring.organizers import compat_report_scores
    from sidelight.evaluation.scoring.table import score_prefix
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.tracks import load_track

    if organizer_compat and (merge or unit_weights):
        raise UsageError("--organizer-compat excludes --merge and --unit-weights")
    if organizer_compat and measures:
        raise UsageError("--organizer-compat excludes --measure")
    assessments = required(assessments, data, DataPart.REPORT_ASSESSMENTS, "--assessments")
    rubrics = from_data(rubrics, data, DataPart.RUBRICS)
    if rubrics is None and not unit_weights:
        raise UsageError(
            "expected --rubrics, or --data, a folder that has them",
            remedy="Without rubrics, --unit-weights scores against the answers in the assessments.",
        )
    rules = load_track(track)
    known = read_rubrics(rubrics, rules.scales) if rubrics else None
    notes: list[str] = []
    if organizer_compat:
        table = compat_report_scores(rules, known or {}, assessments)
    else:
        labels = _answer_labels(assessments, rules, merge=merge)
        if unit_weights:
            known = _unit_weights(known, labels, notes)
        table = _report_table(rules, known or {}, labels, measures, data)
    sampling = None if organizer_compat else Sampling(samples, seed)
    origin = _origin([assessments], sampling, len({one.topic_id for one in table.topics}), notes)
    prefix = score_prefix(origin.labels, rules.cited_text)
    return scores_result(origin, table, prefix, output)


def _answer_labels(path: Path, track: TrackRules, *, merge: bool) -> list[AnswerAssessment]:
    from sidelight.formats.labels.assessments import (
        ANSWER_ASSESSMENTS,
        read_assessments,
        read_merged_assessments,
    )

    read = read_merged_assessments if merge else read_assessments
    return read(path, ANSWER_ASSESSMENTS, track.scales)


def _unit_weights(
    rubrics: dict[str, Rubric] | None, labels: list[AnswerAssessment], notes: list[str]
) -> dict[str, Rubric]:
    from sidelight.evaluation.scoring.score import rubrics_from_answers, with_unit_weights

    notes.append("every answer of a topic weighs the same")
    if rubrics is not None:
        return with_unit_weights(rubrics)
    notes.append("no rubrics: the answers any run was judged on stand for them")
    return rubrics_from_answers(labels)


def _report_table(
    track: TrackRules,
    rubrics: dict[str, Rubric],
    labels: list[AnswerAssessment],
    measures: list[str] | None,
    data: Path | None,
) -> ScoreTable:
    from sidelight.evaluation.scoring.score import score_reports, submitted_reports

    reports = submitted_reports(data) if measures and data else None
    return score_reports(track, rubrics, labels, find_measures(measures), reports)


@app.command()
def retrieval(
    qrels: Annotated[Path, QRELS],
    run: Annotated[list[Path], RUN],
    measures: RetrievalMeasures = "nDCG@10 RR@10 R@100",
    per_query: Annotated[bool, typer.Option("--per-query", help="Show every query.")] = False,
    output: Output = None,
) -> Result:
    """Score search results; a query without results counts as 0.

    What --output writes per query is what `score compare` and `agree scores` read.
    """
    from sidelight.evaluation.scoring.retrieval import score_retrieval, write_retrieval_scores
    from sidelight.evaluation.scoring.table import undefined_topics
    from sidelight.schemas.grading.judgment import Measure

    scores = score_retrieval(qrels, run, measures)
    undefined = undefined_topics(scores[0].topics)
    if output:
        write_retrieval_scores(scores, output)
    columns = [Measure(name=name, title=name) for name in scores[0].mean]
    rows, runs = [], []
    for item in scores:
        record = {"run": item.run, "mean": item.total.row, "omitted": item.omitted}
        if per_query:
            rows += [(item.run, topic.topic_id, topic.row) for topic in item.topics]
            record["per_query"] = {topic.topic_id: topic.row for topic in item.topics}
        rows.append((item.run, "all", item.total.row))
        runs.append(record)
    table = PlainTable(
        ["run", "query", *(one.name for one in columns)],
        [[run, query, *(one.shown(row[one.name]) for one in columns)] for run, query, row in rows],
    )
    omitted = [
        warning(
            f"{item.run}: no results for {counted(len(item.omitted), 'query')} (counted as 0): "
            f"{', '.join(item.omitted)}"
        )
        for item in scores
        if item.omitted
    ]
    warnings = undefined_warnings(undefined, len(scores[0].per_query), "query")
    return Result({"runs": runs, "undefined": undefined}, [table, *warnings, *omitted])


def _origin(
    assessments: list[Path], sampling: Sampling | None, n_topics: int, notes: list[str]
) -> ScoreOrigin:
    from sidelight.evaluation.scoring.table import label_source

    return ScoreOrigin(
        label_source(assessments[0]), _judge_of(assessments), sampling, n_topics, notes
    )


def _judge_of(assessments: list[Path]) -> str | None:
    """Name the judge of the files by the manifests beside them; two may not share a table."""
    from sidelight.errors import InputError
    from sidelight.evaluation.labelling.judged_runs import read_manifest_beside

    manifests = [read_manifest_beside(path) for path in assessments]
    labels = sorted({manifest.label for manifest in manifests if manifest})
    if len(labels) > 1:
        raise InputError(
            f"the labels and the compound verdicts are by different judges: {'; '.join(labels)}",
            remedy="Take both files from one `sidelight judge` run.",
        )
    return labels[0] if labels else None
