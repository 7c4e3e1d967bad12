"""`sidelight score`: runs against rubrics, and search results against relevance labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli import score_diff, score_headroom
from sidelight.cli.console import err, out, print_json, print_table
from sidelight.cli.score_compare import compare
from sidelight.cli.score_options import (
    DEFAULT_SAMPLES,
    DEFAULT_TRACK,
    Assessments,
    Compound,
    Json,
    Merge,
    Rubrics,
    Samples,
    Sampling,
    Seed,
    Track,
    interval_cell,
)

if TYPE_CHECKING:
    from sidelight.evaluation.score import ScoreTable
    from sidelight.evaluation.uncertainty import Interval

app = typer.Typer(help="Score runs.", no_args_is_help=True)
app.command()(compare)
app.add_typer(score_diff.app, name="diff")
app.add_typer(score_headroom.app, name="headroom")

Output = Annotated[Path | None, typer.Option("--output", "-o", help="Folder for the result files.")]
Compat = Annotated[
    bool,
    typer.Option(
        "--organizer-compat",
        help="Reproduce the organizers' script, whose denominators are what is present.",
    ),
]


@app.command()
def task1(
    *,
    rubrics: Rubrics,
    assessments: Assessments,
    compound: Compound = None,
    output: Output = None,
    track: Track = DEFAULT_TRACK,
    organizer_compat: Compat = False,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score question runs by the rubric questions they cover."""
    from sidelight.errors import UsageError
    from sidelight.evaluation.organizer_compat import compat_question_scores
    from sidelight.evaluation.score import score_questions
    from sidelight.formats.assessments import read_compound_assessments, read_question_assessments
    from sidelight.formats.rubrics import read_rubrics
    from sidelight.tracks import load_track

    known = read_rubrics(rubrics)
    if organizer_compat:
        if compound is None:
            raise UsageError("--organizer-compat needs --compound, as the organizers' script does")
        table = compat_question_scores(known, assessments, compound)
    else:
        table = score_questions(
            known,
            read_question_assessments(assessments),
            read_compound_assessments(compound) if compound else None,
            questions_per_topic=load_track(track).questions_per_topic,
        )
    notes = [] if compound else ["compound questions were not filtered out: no --compound"]
    files = [path for path in (assessments, compound) if path]
    sampling = None if organizer_compat else Sampling(samples, seed)
    _deliver(table, files, "question", output, notes, sampling, len(known), as_json=as_json)


@app.command()
def task2(
    *,
    assessments: Assessments,
    rubrics: Annotated[
        Path | None,
        typer.Option("--rubrics", help="Folder of rubrics; may be left out with --unit-weights."),
    ] = None,
    output: Output = None,
    merge: Merge = False,
    unit_weights: Annotated[
        bool, typer.Option("--unit-weights", help="Let every answer of a topic weigh the same.")
    ] = False,
    organizer_compat: Compat = False,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score reports by the rubric answers they support."""
    from sidelight.errors import UsageError
    from sidelight.evaluation.organizer_compat import compat_report_scores
    from sidelight.evaluation.score import score_reports
    from sidelight.evaluation.unit_weights import rubrics_from_answers, with_unit_weights
    from sidelight.formats.assessments import read_answer_assessments
    from sidelight.formats.rubrics import read_rubrics

    if organizer_compat and (merge or unit_weights):
        raise UsageError("--organizer-compat excludes --merge and --unit-weights")
    if rubrics is None and not unit_weights:
        raise UsageError(
            "expected --rubrics",
            remedy="Without rubrics, --unit-weights scores against the answers in the assessments.",
        )
    known = read_rubrics(rubrics) if rubrics else {}
    notes = []
    if organizer_compat:
        table = compat_report_scores(known, assessments)
    else:
        labels = read_answer_assessments(assessments, merge=merge)
        if unit_weights:
            notes.append("every answer of a topic weighs the same")
            known = with_unit_weights(known) if rubrics else rubrics_from_answers(labels)
        if not rubrics:
            notes.append("no rubrics: the answers any run was judged on stand for them")
        table = score_reports(known, labels)
    sampling = None if organizer_compat else Sampling(samples, seed)
    _deliver(table, [assessments], "report", output, notes, sampling, len(known), as_json=as_json)


@app.command()
def retrieval(
    qrels: Annotated[Path, typer.Option("--qrels", help="Relevance labels, four columns.")],
    run: Annotated[list[Path], typer.Option("--run", help="Search results, six columns; repeat.")],
    measures: Annotated[
        str, typer.Option("--measures", help="Names of ir_measures, separated by spaces.")
    ] = "nDCG@10 RR@10 R@100",
    per_query: Annotated[bool, typer.Option("--per-query", help="Show every query.")] = False,
    as_json: Json = False,
) -> None:
    """Score search results; a query without results counts as 0."""
    from sidelight.evaluation.retrieval import score_retrieval

    scores = score_retrieval(qrels, run, measures)
    if as_json:
        print_json(
            {
                "runs": [
                    {"run": item.run, "mean": item.mean, "omitted": item.omitted}
                    | ({"per_query": item.per_query} if per_query else {})
                    for item in scores
                ]
            }
        )
        return
    names = list(scores[0].mean)
    rows = []
    for item in scores:
        if per_query:
            rows += [(item.run, query, values) for query, values in item.per_query.items()]
        rows.append((item.run, "all", item.mean))
    print_table(
        ["run", "query", *names],
        [[run, query, *(f"{values[name]:.4f}" for name in names)] for run, query, values in rows],
    )
    for item in scores:
        if item.omitted:
            err.print(
                f"{item.run}: no results for {len(item.omitted)} queries, which count as 0: "
                f"{', '.join(item.omitted)}",
                style="yellow",
                markup=False,
            )


def _deliver(
    table: ScoreTable,
    assessments: list[Path],
    task: str,
    output: Path | None,
    notes: list[str],
    sampling: Sampling | None,
    n_topics: int,
    *,
    as_json: bool,
) -> None:
    """Write the result files, and print the table with what a reader must know about it."""
    from sidelight.evaluation.score_files import label_source, write_score_files
    from sidelight.evaluation.uncertainty import MIN_TOPICS, run_intervals

    source = label_source(assessments[0])
    judge = _judge_of(assessments)
    intervals = run_intervals(table, **sampling._asdict()) if sampling else None
    written: tuple[Path, ...] = ()
    if output is not None:
        written = write_score_files(table, output, f"{source}_{task}_generation", intervals)
    if as_json:
        print_json(
            {
                "labels": source,
                "judge": judge,
                "notes": notes,
                "n_rubric_topics": n_topics,
                "bootstrap": sampling._asdict() if sampling else None,
                "runs": [
                    {"run_tag": run.run_tag, **run.values} | _interval_json(run.run_tag, intervals)
                    for run in table.runs
                ],
                "topics": [
                    {"run_tag": topic.run_tag, "topic_id": topic.topic_id, **topic.values}
                    for topic in table.topics
                ],
                "omitted": table.omitted,
                "files": [str(path) for path in written],
            }
        )
        return
    _print_runs(table, intervals, n_topics)
    out.print(f"labels: {source}{f' ({judge})' if judge else ''}", markup=False)
    if sampling and n_topics >= MIN_TOPICS:
        notes = [f"intervals: bootstrap over {n_topics} topics, {sampling}", *notes]
    elif sampling:
        notes = [f"no intervals: {n_topics} topics are fewer than {MIN_TOPICS}", *notes]
    for note in notes:
        out.print(f"note: {note}", markup=False)
    for run_tag, topics in table.omitted.items():
        err.print(
            f"{run_tag}: no judgment for {len(topics)} topics, which count as 0: "
            f"{', '.join(topics)}",
            style="yellow",
            markup=False,
        )
    for path in written:
        out.print(f"  {path}", markup=False)


def _interval_json(
    run_tag: str, intervals: dict[str, Interval | None] | None
) -> dict[str, dict[str, float] | None]:
    if intervals is None:
        return {}
    interval = intervals[run_tag]
    return {"interval": interval._asdict() if interval else None}


def _print_runs(
    table: ScoreTable, intervals: dict[str, Interval | None] | None, n_topics: int
) -> None:
    """Print a row for each run: its main measure, the interval of that, the other measures."""
    main, *others = table.runs[0].values
    rows = []
    for run in table.runs:
        cells = [f"{run.values[main]:.4f}"]
        if intervals:
            cells.append(interval_cell(intervals[run.run_tag]))
        cells += [_cell(name, run.values[name], n_topics) for name in others]
        rows.append([run.run_tag, *cells])
    names = [main, *(["95% interval"] if intervals else []), *others]
    print_table(["run", *(name.replace("_", " ") for name in names)], rows)


def _judge_of(assessments: list[Path]) -> str | None:
    """Name the judge of the files by the manifests beside them; two may not share a table."""
    from sidelight.errors import InputError
    from sidelight.evaluation.manifest import read_manifest_beside

    manifests = [read_manifest_beside(path) for path in assessments]
    labels = sorted({manifest.label for manifest in manifests if manifest})
    if len(labels) > 1:
        raise InputError(
            f"the labels and the compound verdicts are by different judges: {'; '.join(labels)}",
            remedy="Take both files from one `sidelight judge` run.",
        )
    return labels[0] if labels else None


def _cell(name: str, value: float, n_topics: int) -> str:
    if name == "n_topics":
        return f"{value}/{n_topics}"
    return f"{value:.1%}" if name == "unjudged" else f"{value:.4f}"
