"""Commands `score compare`, `diff` and `headroom`: compare runs, scorers and the best runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli.console import (
    Files,
    PlainTable,
    Result,
    ResultTable,
    Shown,
    few_warnings,
    undefined_warnings,
    write_results,
)
from sidelight.cli.options.inputs import (
    Commands,
    Data,
    Output,
    Rubrics,
    Samples,
    Seed,
    Track,
    output_option,
)
from sidelight.cli.options.judges import (
    TASK,
    Assessments,
    Compound,
    MeasureName,
    Merge,
    Sampling,
    from_data,
    interval_cell,
    required,
    score_by_people,
)
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring import DEFAULT_SAMPLES
from sidelight.formats.data_folder import DataPart
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK, load_track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.scoring.compare import PairedComparison
    from sidelight.evaluation.scoring.headroom import TopicHeadroom
    from sidelight.evaluation.scoring.organizers import Causes, ScoreDiff
    from sidelight.schemas.task import Task


def compare(  # long: half of it are options
    per_topic: Annotated[
        Path | None, typer.Argument(help="Per-topic results file of `score`.")
    ] = None,
    data: Data = None,
    task: Annotated[str | None, TASK] = None,
    measure: MeasureName = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Compare the other runs with this one only.")
    ] = None,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    output: Output = None,
) -> Result:
    """Compare runs pair by pair: difference, chance of it, and what could have been seen."""
    from sidelight.evaluation.scoring.compare import compare_runs, topic_values
    from sidelight.evaluation.scoring.table import read_topic_scores

    if per_topic:
        scores = topic_values(read_topic_scores(per_topic), measure, per_topic)
    elif data and task:
        by_people = score_by_people(data, load_track().task(task), measure)
        scores = topic_values(by_people, measure, data)
    else:
        raise UsageError("expected a per-topic results file, or --data and --task")
    if not scores.defined:
        raise InputError(
            f"{per_topic or data}: expected a measure of which there are values; found "
            f"{scores.measure.name}, undefined on all of {counted(len(scores.topic_ids), 'topic')}",
            remedy="Choose another one with --measure.",
        )
    pairs = compare_runs(scores, baseline=baseline, samples=samples, seed=seed)
    sampling = Sampling(samples, seed)
    table = _pairs_table(pairs, f"{scores.measure.name}_run_pairs")
    n_topics = len(scores.topic_ids)
    undefined = {scores.measure.name: scores.undefined} if scores.undefined else {}
    return Result(
        {
            "measure": scores.measure.name,
            "n_topics": n_topics,
            "sampling": sampling._asdict(),
            "undefined": list(scores.undefined),
            "pairs": [
                pair._asdict() | {"interval": pair.interval and pair.interval._asdict()}
                for pair in pairs
            ],
        },
        [
            table,
            f"note: {scores.measure.name} on {counted(n_topics, 'topic')}; {sampling}",
            (
                "note: p: paired randomisation test, two-sided; Holm: corrected for "
                f"{counted(len(pairs), 'pair')}"
            ),
            (
                "note: detectable: true difference that is shown with a power of 80% at the "
                "corrected 5% level"
            ),
            "note: detectable -: no test on so few topics could show one",
            *undefined_warnings(undefined, n_topics, "topic"),
            *few_warnings(n_topics, "topic"),
            Files(lambda: write_results(output, [table]), "files"),
        ],
    )


def _pairs_table(pairs: Sequence[PairedComparison], name: str) -> ResultTable:
    return ResultTable(
        name,
        [
            "pair",
            "difference",
            "95% interval",
            "p",
            "p (Holm)",
            "won",
            "lost",
            "tied",
            "detectable",
        ],
        [
            [
                f"{pair.first} - {pair.second}",
                f"{pair.difference:+.4f}",
                interval_cell(pair.interval),
                f"{pair.p_value:.4f}",
                f"{pair.p_holm:.4f}",
                str(pair.won),
                str(pair.lost),
                str(pair.tied),
                "-" if pair.detectable is None else f"{pair.detectable:.4f}",
            ]
            for pair in pairs
        ],
        [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": pair.difference,
                "interval_low": pair.interval and pair.interval.low,
                "interval_high": pair.interval and pair.interval.high,
                "p_value": pair.p_value,
                "p_holm": pair.p_holm,
                "won": pair.won,
                "lost": pair.lost,
                "tied": pair.tied,
                "detectable": pair.detectable,
            }
            for pair in pairs
        ],
    )


diff_app = Commands(
    help="Explain how our scores differ from the organizers' script.", no_args_is_help=True
)

_MAX_NAMED = 3


@diff_app.command("task1")
def diff_questions(
    *,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    compound: Compound = None,
    track: Track = DEFAULT_TRACK,
) -> Result:
    """Explain the differences in scores of question runs."""
    from sidelight.evaluation.scoring.organizers import diff_question_scores
    from sidelight.formats.banks.rubrics import read_rubrics

    rules = load_track(track)
    diff = diff_question_scores(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        required(assessments, data, DataPart.QUESTION_ASSESSMENTS, "--assessments"),
        required(compound, data, DataPart.COMPOUND_CHECK, "--compound"),
    )
    return _explained(diff)


@diff_app.command("task2")
def diff_reports(
    *,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    merge: Merge = False,
    track: Track = DEFAULT_TRACK,
) -> Result:
    """Explain the differences in scores of reports."""
    from sidelight.evaluation.scoring.organizers import diff_report_scores
    from sidelight.formats.banks.rubrics import read_rubrics

    rules = load_track(track)
    diff = diff_report_scores(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        required(assessments, data, DataPart.REPORT_ASSESSMENTS, "--assessments"),
        merge=merge,
    )
    return _explained(diff)


def _explained(diff: ScoreDiff) -> Result:
    shown: list[Shown] = [
        f"{stop.place}: [{stop.handling.cause}] {stop.found}" for stop in diff.stops
    ]
    if diff.stops:
        shown.append("The organizers' script stops there and gives no score.")
    if diff.our_error:
        shown.append(f"sidelight gives no score: {diff.our_error}")
    if diff.gaps:
        rows = [
            [
                gap.run_tag,
                gap.topic_id or "mean",
                gap.measure.replace("_", " "),
                "-" if gap.theirs is None else f"{gap.theirs:.4f}",
                f"{gap.ours:.4f}",
                _causes_cell(gap.causes),
            ]
            for gap in diff.gaps
        ]
        shown.append(PlainTable(["run", "topic", "measure", "theirs", "ours", "causes"], rows))
    handlings = dict.fromkeys(stop.handling for stop in diff.stops)
    handlings |= dict.fromkeys(handling for gap in diff.gaps for handling in gap.causes)
    shown += [
        f"{one.cause}: the organizers' script {one.theirs}; sidelight {one.ours}"
        for one in handlings
    ]
    if diff.agrees:
        shown.append("no difference")
    return Result(_as_dict(diff), shown)


def _as_dict(diff: ScoreDiff) -> dict[str, Any]:
    return {
        "stops": [
            {**stop.handling._asdict(), "place": stop.place, "found": stop.found}
            for stop in diff.stops
        ],
        "our_error": diff.our_error,
        "gaps": [
            gap._asdict()
            | {
                "causes": [
                    {**handling._asdict(), "ids": ids} for handling, ids in gap.causes.items()
                ]
            }
            for gap in diff.gaps
        ],
    }


def _causes_cell(causes: Causes) -> str:
    """Name the causes, and of what each is about the first few."""
    cells = []
    for handling, ids in causes.items():
        more = len(ids) - _MAX_NAMED
        named = ", ".join(ids[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
        cells.append(f"{handling.cause} ({named})")
    return "; ".join(cells)


headroom_app = Commands(help="Show each topic's best run below its ceiling.", no_args_is_help=True)

HeadroomOutput = Annotated[Path, output_option("Folder for the table and the figure.")]


@headroom_app.command("task1")
def headroom_questions(
    *,
    output: HeadroomOutput,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    compound: Compound = None,
    track: Track = DEFAULT_TRACK,
) -> Result:
    """Show the headroom of question runs."""
    from sidelight.evaluation.scoring.headroom import question_headroom
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.labels.assessments import (
        COMPOUND_ASSESSMENTS,
        QUESTION_ASSESSMENTS,
        read_assessments,
    )

    assessments = required(assessments, data, DataPart.QUESTION_ASSESSMENTS, "--assessments")
    compound = from_data(compound, data, DataPart.COMPOUND_CHECK)
    rules = load_track(track)
    topics = question_headroom(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        read_assessments(assessments, QUESTION_ASSESSMENTS, rules.scales),
        read_assessments(compound, COMPOUND_ASSESSMENTS, rules.scales) if compound else None,
    )
    return _headroom(topics, rules.question_list, assessments, output)


@headroom_app.command("task2")
def headroom_reports(
    *,
    output: HeadroomOutput,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    track: Track = DEFAULT_TRACK,
) -> Result:
    """Show the headroom of reports."""
    from sidelight.evaluation.scoring.headroom import report_headroom
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments

    assessments = required(assessments, data, DataPart.REPORT_ASSESSMENTS, "--assessments")
    rules = load_track(track)
    topics = report_headroom(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        read_assessments(assessments, ANSWER_ASSESSMENTS, rules.scales),
    )
    return _headroom(topics, rules.cited_text, assessments, output)


def _headroom(topics: list[TopicHeadroom], task: Task, assessments: Path, output: Path) -> Result:
    """Return the numbers, and the files of them and of a figure, which needs matplotlib."""
    from sidelight.evaluation.figures import draw_headroom
    from sidelight.evaluation.scoring.table import label_source, score_prefix

    source = label_source(assessments)
    title = f"{task.scores_name.replace('_', ' ').capitalize()}, {source} labels"
    table = ResultTable(
        f"{score_prefix(source, task)}_headroom",
        ["topic", "ceiling", "best", "mean", "contradiction", "best runs"],
        [
            [
                topic.topic_id,
                f"{topic.ceiling:.4f}",
                f"{topic.best:.4f}",
                f"{topic.mean:.4f}",
                "-" if topic.mean_contradiction is None else f"{topic.mean_contradiction:.4f}",
                ", ".join(topic.best_runs),
            ]
            for topic in topics
        ],
        [_record(topic) for topic in topics],
        lambda paths: draw_headroom(topics, title, paths),
    )
    return Result(
        {"labels": source, "topics": [topic._asdict() for topic in topics]},
        [table, f"labels: {source}", Files(lambda: write_results(output, [table]), "files")],
    )


def _record(topic: TopicHeadroom) -> dict[str, object]:
    """Return a row of the CSV; `;` separates the best runs, and questions have one column less."""
    record = topic._asdict() | {"best_runs": ";".join(topic.best_runs)}
    if topic.mean_contradiction is None:
        del record["mean_contradiction"]
    return record
