"""Commands `score`: score runs by labels, and compare runs, scorers and the best runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from math import ceil
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sidelight.cli import console, options, score_labels
from sidelight.cli.tables import decimal
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring import DEFAULT_SAMPLES
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, labels_by_judge
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
    read_merged_assessments,
)
from sidelight.formats.labels.qrels import read_judge
from sidelight.formats.runs.submission import file_tag, run_format, run_formats, told_twins
from sidelight.formats.verdict import detect_format
from sidelight.registry import did_you_mean
from sidelight.schemas.grading.judgment import AnswerAssessment, Measure
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.task import CitedTextTask, Task
from sidelight.text import counted, first_of
from sidelight.tracks import DEFAULT_TRACK, load_track, run_file_names
from sidelight.tracks import Track as TrackRules

if TYPE_CHECKING:
    from sidelight.evaluation.scoring.compare import PairedComparison
    from sidelight.evaluation.scoring.organizers import ScoreDiff
    from sidelight.evaluation.scoring.score import TopicHeadroom
    from sidelight.evaluation.scoring.table import ScoreTable, TopicScore


def compare(
    per_topic: Annotated[
        list[Path] | None,
        typer.Argument(help="Per-topic results files of `score` or, of a run each, `evaluate`."),
    ] = None,
    data: options.Data = None,
    task: Annotated[str | None, options.TASK] = None,
    measure: options.MeasureName = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Compare the other runs with this one only.")
    ] = None,
    samples: options.Samples = DEFAULT_SAMPLES,
    seed: options.Seed = 0,
    output: options.Output = None,
    as_json: console.Json = False,
) -> None:
    """Compare scores of runs: difference, p-value, least detectable one; texts: view --compare."""
    sampling = options.Sampling(samples, seed)
    of = load_track().task(task) if task else None
    if per_topic:
        found = topic_scores(per_topic, of, measure)
    elif data and of:
        found = [([*options.score_by_people(data, of, measure)], data)]
    else:
        raise UsageError("expected a per-topic results file, or --data and --task")
    results = [compared(*one, measure, baseline, sampling, output) for one in found]
    if len(results) > 1:
        console.deliver_each(iter(results), wants_json=as_json)
    else:
        console.deliver(results[0], wants_json=as_json)


def topic_scores(
    files: Sequence[Path], task: Task | None = None, measure: str | None = None
) -> list[tuple[list[TopicScore], Path]]:
    """Return the scores of some files by task, with what errors call the files of each.

    The measure that ranks runs tells the tasks apart. Those other than `task`, and those without
    `measure`, are left out where one is given.
    """
    from sidelight.evaluation.scoring.table import read_topic_scores

    sources: dict[str, list[Path]] = defaultdict(list)
    scores: dict[str, list[TopicScore]] = defaultdict(list)
    for path in map(_per_topic_file, files):
        read = read_topic_scores(path)
        main = next(iter(read[0].values))
        if again := sorted({one.run_tag for one in scores[main]} & {one.run_tag for one in read}):
            raise InputError(
                f"{path}: expected runs that no other file has; found {first_of(again)} again",
                remedy="Compare runs with run ids of their own (submission.run_id).",
            )
        sources[main].append(path)
        scores[main] += read
    chosen = [main for main in scores if task is None or task.measure(main)]
    if task and not chosen:
        told = f"{', '.join(map(str, files))}: expected scores of {task.name}"
        raise InputError(f"{told}; found {', '.join(scores)}", remedy="Leave out --task.")
    having = [main for main in chosen if measure in scores[main][0].values]
    if len(having) > 1:
        raise UsageError(f"several tasks have the measure {measure}", remedy="Choose a --task.")
    return [(scores[one], Path(", ".join(map(str, sources[one])))) for one in having or chosen]


_PER_TOPIC = "*_per_topic_results.csv"


def _per_topic_file(path: Path) -> Path:
    """Return a file, or the only one with scores per topic in a folder."""
    _refuse_run(path, "scores per topic", _PER_TOPIC)
    there = sorted(path.glob(_PER_TOPIC))
    if len(there) > 1:
        told = f"{path}: expected one file of scores per topic; found {len(there)}"
        raise InputError(told, remedy=f"Name those to compare: {' '.join(map(str, there))}")
    return there[0] if there else path


def _refuse_run(path: Path, expected: str, made: str) -> None:
    """Raise InputError where a run, or its folder, is given in place of what is made of it.

    `made` is the pattern by which files of what is expected are called.
    """
    is_folder = any((path / name).is_file() for name in run_file_names())
    if not is_folder and not (path.is_file() and detect_format(path) in run_formats()):
        return
    folder = path if is_folder else path.parent
    if there := sorted(map(str, folder.glob(f"scores/{made}"))):
        remedy = f"Give what was made of it: {' or '.join(there)}"
    elif (folder / "config.yaml").is_file():
        remedy = (
            f"Judge and score it first: sidelight evaluate {folder} --index INDEX --rubrics RUBRICS"
        )
    else:
        remedy = f"Judge it first: sidelight judge {path} --task TASK --rubrics RUBRICS -o LABELS"
    found = "a run directory" if is_folder else "a run"
    raise InputError(f"{path}: expected {expected}; found {found}", remedy=remedy)


def compared(  # long: a list of what is told
    topics: Sequence[TopicScore],
    source: Path,
    measure: str | None,
    baseline: str | None,
    sampling: options.Sampling,
    output: Path | None = None,
) -> console.Result:
    """Compare the runs of some scores; `source`, where these are from, is named in errors."""
    from sidelight.evaluation.scoring.compare import compare_runs, topic_values
    from sidelight.evaluation.scoring.table import CONFIDENCE

    scores = topic_values(topics, measure, source)
    if not scores.defined:
        raise InputError(
            f"{source}: expected a measure of which there are values; found "
            f"{scores.measure.name}, undefined on all of {counted(len(scores.topic_ids), 'topic')}",
            remedy="Choose another one with --measure.",
        )
    pairs = compare_runs(scores, baseline=baseline, **sampling._asdict())
    table = console.table_of(f"{scores.measure.name}_run_pairs", pairs, _PAIR_COLUMNS)
    table = table._replace(
        caption=f"{scores.measure.name}: differences between runs over "
        f"{counted(len(scores.topic_ids), 'topic')}. {sampling.intervals}. Two-sided paired "
        f"randomisation test, Holm's correction for {counted(len(pairs), 'pair')}."
    )
    shows = [pair.p_holm < 1 - CONFIDENCE for pair in pairs]
    n_topics, n_shown, cut = len(scores.topic_ids), sum(shows), []
    if len(pairs) > _MOST_PAIRS:
        order = sorted(
            range(len(pairs)), key=lambda n: (pairs[n].p_value, -abs(pairs[n].difference))
        )
        rows, left = [table.rows[n] for n in order[:_MOST_PAIRS]], order[_MOST_PAIRS:]
        table = table._replace(rows=rows, latex=(table.header, table.rows))
        cut.append(
            f"note: these are the {_MOST_PAIRS} pairs with the smallest p, the largest difference "
            f"first; {len(left):,} more, {sum(shows[n] for n in left):,} of them with a difference "
            "shown at the corrected 5% level, are not printed: --output DIR writes every pair, and "
            "--json prints it"
        )
    undefined = {scores.measure.name: scores.undefined} if scores.undefined else {}
    return console.Result(
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
            *cut,
            f"note: {scores.measure.name} on {counted(n_topics, 'topic')}; {sampling}",
            (
                "note: p: paired randomisation test, two-sided; Holm: corrected for "
                f"{counted(len(pairs), 'pair')}"
            ),
            (
                "note: detectable: smallest true difference found with a power of 80% at the "
                "corrected 5% level"
            ),
            *_undetectable(pairs, n_topics),
            f"differences shown at the corrected 5% level: {n_shown} of {len(pairs)}",
            *_too_few_samples([pair.p_value for pair in pairs], sampling.samples),
            *console.undefined_warnings(undefined, n_topics, "topic"),
            *console.few_warnings(n_topics, "topic"),
            console.Files(lambda: console.write_results(output, [table]), "files"),
        ],
    )


def _undetectable(pairs: Sequence[PairedComparison], n_topics: int) -> Iterator[str]:
    """Say why pairs have no detectable difference, where some have none."""
    alike = [pair.tied == n_topics for pair in pairs if pair.detectable is None]
    if not all(alike):
        on, of = counted(n_topics, "topic"), counted(len(pairs), "pair")
        yield f"note: detectable -: a test on {on}, corrected for {of}, can show no difference"
    if any(alike):
        yield "note: detectable -: the two runs differ on no topic"


def _too_few_samples(p_values: Sequence[float], samples: int) -> Iterator[console.Note]:
    """Warn where the smallest p-value is the smallest that can be drawn, and shows nothing."""
    from sidelight.evaluation.scoring.table import CONFIDENCE

    least, n_pairs = 1 / (samples + 1), len(p_values)
    if min(p_values, default=1.0) == least and n_pairs * least >= 1 - CONFIDENCE:
        enough = ceil(2 * n_pairs / (1 - CONFIDENCE))
        yield console.warning(
            f"warning: with {samples} samples no corrected p-value of {counted(n_pairs, 'pair')} "
            f"can be below {n_pairs * least:.4f}; {enough} samples are enough"
        )


_MOST_PAIRS = 30  # that a screen holds
_FOUR_DIGITS = partial(decimal, spec=".4f", lacking="-")
_PAIR_COLUMNS = (
    console.Column("pair", ("first", "second"), itemgetter(0, 1), " - ".join),
    console.Column("difference", "difference", attrgetter("difference"), "{:+.4f}".format),
    console.Column(
        "95% interval",
        ("interval_low", "interval_high"),
        attrgetter("interval"),
        options.interval_cell,
    ),
    console.Column("p", "p_value", attrgetter("p_value"), "{:.4f}".format),
    console.Column("p (Holm)", "p_holm", attrgetter("p_holm"), "{:.4f}".format),
    *(
        console.Column(name, name, attrgetter(name), partial(decimal, spec="d", lacking="-"))
        for name in ("won", "lost", "tied")
    ),
    console.Column("detectable", "detectable", attrgetter("detectable"), _FOUR_DIGITS),
)

diff_app = console.Commands(
    help="Explain how our scores differ from the organizers' script.", no_args_is_help=True
)

_MAX_NAMED = 3


class LabelFiles(NamedTuple):
    """Where rubrics are, and the labels of runs."""

    data: options.Data = None
    rubrics: options.Rubrics = None
    assessments: options.Assessments = None

    def known(self, track: TrackRules) -> dict[str, Rubric]:
        """Return the rubrics."""
        return options.known_rubrics(self.rubrics, self.data, track)

    def labels(self, part: DataPart) -> Path:
        """Return the file of the labels, which is a part of the data folder."""
        return options.required(self.assessments, self.data, part, "--assessments")


@diff_app.command("task1")
@options.takes_groups
def diff_questions(
    *, given: LabelFiles, compound: options.Compound = None, track: options.Track = DEFAULT_TRACK
) -> console.Result:
    """Explain the differences in scores of question runs."""
    from sidelight.evaluation.scoring.organizers import diff_question_scores

    rules = load_track(track)
    diff = diff_question_scores(
        rules,
        given.known(rules),
        given.labels(DataPart.QUESTION_ASSESSMENTS),
        options.required(compound, given.data, DataPart.COMPOUND_CHECK, "--compound"),
    )
    return _explained(diff)


@diff_app.command("task2")
@options.takes_groups
def diff_reports(
    *, given: LabelFiles, merge: options.Merge = False, track: options.Track = DEFAULT_TRACK
) -> console.Result:
    """Explain the differences in scores of reports."""
    from sidelight.evaluation.scoring.organizers import diff_report_scores

    rules = load_track(track)
    diff = diff_report_scores(
        rules, given.known(rules), given.labels(DataPart.REPORT_ASSESSMENTS), merge=merge
    )
    return _explained(diff)


def _explained(diff: ScoreDiff) -> console.Result:
    shown: list[console.Shown] = [
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
                _FOUR_DIGITS(gap.theirs),
                f"{gap.ours:.4f}",
                # Each cause, and of what it is about the first few.
                "; ".join(
                    f"{one.cause} ({first_of(ids, _MAX_NAMED)})" for one, ids in gap.causes.items()
                ),
            ]
            for gap in diff.gaps
        ]
        shown.append(
            console.PlainTable(["run", "topic", "measure", "theirs", "ours", "causes"], rows)
        )
    handlings = dict.fromkeys(stop.handling for stop in diff.stops)
    handlings |= dict.fromkeys(handling for gap in diff.gaps for handling in gap.causes)
    shown += [
        f"{one.cause}: the organizers' script {one.theirs}; sidelight {one.ours}"
        for one in handlings
    ]
    if diff.agrees:
        shown.append("no difference")
    document = {
        "stops": [
            {**stop.handling._asdict(), "place": stop.place, "found": stop.found}
            for stop in diff.stops
        ],
        "our_error": diff.our_error,
        "gaps": [
            gap._asdict()
            | {"causes": [{**one._asdict(), "ids": ids} for one, ids in gap.causes.items()]}
            for gap in diff.gaps
        ],
    }
    return console.Result(document, shown)


headroom_app = console.Commands(
    help="Show each topic's best run below its ceiling.", no_args_is_help=True
)

UnitWeights = Annotated[
    bool, typer.Option("--unit-weights", help="Let every answer of a topic weigh the same.")
]
HeadroomOutput = Annotated[Path, options.output_option("Folder for the table and the figure.")]


@headroom_app.command("task1")
@options.takes_groups
def headroom_questions(
    *,
    output: HeadroomOutput,
    given: LabelFiles,
    compound: options.Compound = None,
    track: options.Track = DEFAULT_TRACK,
) -> console.Result:
    """Show the headroom of question runs."""
    from sidelight.evaluation.scoring.score import question_headroom

    assessments = given.labels(DataPart.QUESTION_ASSESSMENTS)
    compound = options.from_data(compound, given.data, DataPart.COMPOUND_CHECK)
    rules = load_track(track)
    topics = question_headroom(
        rules,
        given.known(rules),
        read_assessments(assessments, QUESTION_ASSESSMENTS, rules.scales),
        read_assessments(compound, COMPOUND_ASSESSMENTS, rules.scales) if compound else None,
    )
    return _headroom(topics, rules.question_list, assessments, output)


@headroom_app.command("task2")
@options.takes_groups
def headroom_reports(
    *,
    output: HeadroomOutput,
    given: LabelFiles,
    unit_weights: UnitWeights = False,
    track: options.Track = DEFAULT_TRACK,
) -> console.Result:
    """Show the headroom of reports."""
    from sidelight.evaluation.scoring.score import report_headroom

    assessments = given.labels(DataPart.REPORT_ASSESSMENTS)
    rules = load_track(track)
    known = _report_rubrics(given.rubrics, given.data, rules, unit_weights=unit_weights)
    labels, notes = read_assessments(assessments, ANSWER_ASSESSMENTS, rules.scales), list[str]()
    if unit_weights:
        known = _unit_weights(known, labels, notes)
    topics = report_headroom(rules, known or {}, labels)
    return _headroom(topics, rules.cited_text, assessments, output, notes)


def _headroom(
    topics: list[TopicHeadroom],
    task: Task,
    assessments: Path,
    output: Path,
    notes: Sequence[str] = (),
) -> console.Result:
    """Return the numbers, and the files of them and of a figure, which needs matplotlib."""
    from sidelight.evaluation.figures import draw_headroom
    from sidelight.evaluation.scoring.table import label_source, score_prefix

    source = label_source(assessments)
    title = f"{task.scores_name.replace('_', ' ').capitalize()}, {source} labels"
    columns = [
        console.Column("topic", "topic_id", attrgetter("topic_id")),
        *(
            console.Column(name, name, attrgetter(name), _FOUR_DIGITS)
            for name in ("ceiling", "best")
        ),
        # `;` separates runs in the file, where they stand before the mean.
        console.Column("", "best_runs", lambda topic: ";".join(topic.best_runs)),
        console.Column("mean", "mean", attrgetter("mean"), _FOUR_DIGITS),
        console.Column(
            "contradiction",
            # Questions have none, and one column less.
            "mean_contradiction" if isinstance(task, CitedTextTask) else "",
            attrgetter("mean_contradiction"),
            _FOUR_DIGITS,
        ),
        console.Column("best runs", "", attrgetter("best_runs"), ", ".join),
    ]
    table = console.table_of(
        f"{score_prefix(source, task)}_headroom",
        topics,
        columns,
        lambda paths: draw_headroom(topics, title, paths),
    )
    return console.Result(
        {"labels": source, "notes": notes, "topics": [topic._asdict() for topic in topics]},
        [
            table,
            f"labels: {source}",
            *(f"note: {note}" for note in notes),
            console.Files(lambda: console.write_results(output, [table]), "files"),
        ],
    )


app = console.Commands(no_args_is_help=True)
app.command()(score_labels.support)
app.command()(score_labels.nuggets)
app.command()(score_labels.battles)
app.command()(compare)
app.command()(score_labels.quality)
app.command()(score_labels.usefulness)
app.add_typer(diff_app, name="diff")
app.add_typer(headroom_app, name="headroom")

Compat = Annotated[
    bool,
    typer.Option(
        "--organizer-compat",
        help="Reproduce the organizers' script, whose denominators are what is present.",
    ),
]


@app.callback(invoke_without_command=True)
def score(
    context: typer.Context,
    data: options.Data = None,
    output: options.Output = None,
    as_json: console.Json = False,
) -> None:
    """Score runs; with --data, of all tasks with labels. Each command below has more options."""
    if context.invoked_subcommand is None:
        parts: dict[DataPart, Callable[..., console.Result]] = {
            DataPart.QUESTION_ASSESSMENTS: questions,
            DataPart.REPORT_ASSESSMENTS: reports,
        }
        there = [part for part in parts if options.from_data(None, data, part)] or list(parts)
        for lacking in parts.keys() - there:
            by_judge = labels_by_judge(data, lacking) if data else ""
            instead = f"; by a judge, for --assessments: {by_judge}" if by_judge else ""
            console.err.print(f"not scored, not in {data}: {lacking}{instead}", markup=False)
        results = (parts[part](data=data, output=output) for part in there)
        console.deliver_each(results, wants_json=as_json)
    elif data or output or as_json:
        raise UsageError(
            f"the options go after the command: score {context.invoked_subcommand} --data DIR"
        )


_LABELS = "labels (a CSV row for each thing judged, by people or by `sidelight judge`)"


@app.command("task1")
@options.takes_groups
def questions(
    *,
    given: LabelFiles,
    compound: options.Compound = None,
    output: options.Output = None,
    track: options.Track = DEFAULT_TRACK,
    measures: options.MoreMeasures = None,
    organizer_compat: Compat = False,
    sampling: options.Sampling,
) -> console.Result:
    """Score question runs by the rubric questions they cover."""
    from sidelight.evaluation.scoring.organizers import compat_question_scores
    from sidelight.evaluation.scoring.score import score_questions

    rules = load_track(track)
    known, assessments = given.known(rules), given.labels(DataPart.QUESTION_ASSESSMENTS)
    _refuse_run(assessments, _LABELS, "*_question_assessments.csv")
    compound = options.from_data(compound, given.data, DataPart.COMPOUND_CHECK)
    verdicts = None
    if organizer_compat:
        if compound is None:
            raise UsageError("--organizer-compat needs --compound, as the organizers' script does")
        if measures:
            raise UsageError("--organizer-compat cannot be combined with --measure")
        table = compat_question_scores(rules, known, assessments, compound)
    else:
        if compound:
            verdicts = read_assessments(compound, COMPOUND_ASSESSMENTS, rules.scales)
        labels = read_assessments(assessments, QUESTION_ASSESSMENTS, rules.scales)
        table = score_questions(rules, known, labels, verdicts, options.find_measures(measures))
    notes = []
    if not compound:
        notes.append("compound questions were not filtered out: no verdicts on them (--compound)")
    notes += _unjudged(table, "pairs", "which count as very different, as do all outside a pool")
    notes += _other_rubrics(assessments, known)
    files = [path for path in (assessments, compound) if path]
    drawn = None if organizer_compat else sampling
    submitted = {item.run_tag for item in verdicts or ()}
    task = rules.question_list
    return _result(task, files, table, len(known), drawn, notes, given.data, output, submitted)


@app.command("task2")
@options.takes_groups
def reports(
    *,
    data: options.Data = None,
    rubrics: Annotated[
        Path | None,
        options.rubrics_option("Folder of rubrics; may be left out with --unit-weights."),
    ] = None,
    assessments: options.Assessments = None,
    output: options.Output = None,
    merge: options.Merge = False,
    unit_weights: UnitWeights = False,
    track: options.Track = DEFAULT_TRACK,
    measures: options.MoreMeasures = None,
    organizer_compat: Compat = False,
    sampling: options.Sampling,
) -> console.Result:
    """Score reports by the rubric answers they support."""
    from sidelight.evaluation.scoring.organizers import compat_report_scores
    from sidelight.evaluation.scoring.score import score_reports, submitted_reports

    if organizer_compat and (merge or unit_weights):
        raise UsageError("--organizer-compat cannot be combined with --merge or --unit-weights")
    if organizer_compat and measures:
        raise UsageError("--organizer-compat cannot be combined with --measure")
    assessments = options.required(assessments, data, DataPart.REPORT_ASSESSMENTS, "--assessments")
    _refuse_run(assessments, _LABELS, "*_report_assessments.csv")
    rules = load_track(track)
    known = _report_rubrics(rubrics, data, rules, unit_weights=unit_weights)
    notes = _other_rubrics(assessments, known or {})
    if organizer_compat:
        table = compat_report_scores(rules, known or {}, assessments)
    else:
        read = read_merged_assessments if merge else read_assessments
        labels = read(assessments, ANSWER_ASSESSMENTS, rules.scales)
        if unit_weights:
            known = _unit_weights(known, labels, notes)
        submitted = submitted_reports(data) if measures and data else None
        more = options.find_measures(measures)
        table = score_reports(rules, known or {}, labels, more, submitted)
    notes += _unjudged(table, "answers", "which earn nothing")
    drawn = None if organizer_compat else sampling
    n_topics = len({one.topic_id for one in table.topics})
    return _result(rules.cited_text, [assessments], table, n_topics, drawn, notes, data, output)


def _unjudged(table: ScoreTable, what: str, told: str) -> list[str]:
    """Return a note on what lacks a label, where a run has any such."""
    measure = table.computed_by(f"unjudged_{what}")
    if measure and any(run.n_topics and run.values[measure.name] for run in table.runs):
        return [f"{measure.name}: mean over topics of the share of {what} without a label, {told}"]
    return []


def _report_rubrics(
    rubrics: Path | None, data: Path | None, track: TrackRules, *, unit_weights: bool
) -> dict[str, Rubric] | None:
    """Return the rubrics, which only unit weights can do without."""
    path = (
        options.from_data(rubrics, data, DataPart.RUBRICS)
        if unit_weights
        else options.required(rubrics, data, DataPart.RUBRICS, "--rubrics", _WITHOUT_RUBRICS)
    )
    return read_rubrics(path, track.scales) if path else None


_WITHOUT_RUBRICS = "Without rubrics, --unit-weights scores against the answers in the assessments."


def _unit_weights(
    rubrics: dict[str, Rubric] | None, labels: list[AnswerAssessment], notes: list[str]
) -> dict[str, Rubric]:
    from sidelight.evaluation.scoring.score import rubrics_from_answers, with_unit_weights

    notes.append("every answer of a topic weighs the same")
    if rubrics is not None:
        return with_unit_weights(rubrics)
    notes.append("no rubrics: scored against all answers that any run was judged on")
    return rubrics_from_answers(labels)


@app.command()
def retrieval(
    qrels: Annotated[Path, options.QRELS],
    run: Annotated[list[Path], options.RUN],
    measures: options.RetrievalMeasures = "nDCG@10 RR@10 R@100",
    per_query: Annotated[bool, typer.Option("--per-query", help="Show each query.")] = False,
    output: options.Output = None,
) -> console.Result:
    """Score search results; a query without results counts as 0.

    What --output writes per query is what `score compare` and `agree scores` read.
    """
    from sidelight.evaluation.scoring.retrieval import retrieval_table, score_retrieval
    from sidelight.evaluation.scoring.table import undefined_topics, write_score_files

    scores = score_retrieval(qrels, run, measures)
    undefined = undefined_topics(scores[0].topics)
    if output:
        write_score_files(retrieval_table(scores), output, "retrieval")
    columns = [Measure(name=name, title=name) for name in scores[0].total.values]
    rows, runs = [], []
    for item in scores:
        record = {"run": item.run, "mean": item.total.row, "omitted": item.omitted}
        if per_query:
            rows += [(item.run, topic.topic_id, topic.row) for topic in item.topics]
            record["per_query"] = {topic.topic_id: topic.row for topic in item.topics}
        rows.append((item.run, "all", item.total.row))
        runs.append(record)
    table = console.PlainTable(
        ["run", "query", *(one.name for one in columns)],
        [[run, query, *(one.shown(row[one.name]) for one in columns)] for run, query, row in rows],
    )
    omitted = [console.warning(told) for item in scores for told in item.warnings]
    warnings = console.undefined_warnings(undefined, len(scores[0].topics), "query")
    warnings += map(console.warning, told_twins({one.run: one.results for one in scores}))
    return console.Result({"runs": runs, "undefined": undefined}, [table, *warnings, *omitted])


def _result(
    task: Task,
    files: list[Path],
    table: ScoreTable,
    n_topics: int,
    sampling: options.Sampling | None,
    notes: list[str],
    data: Path | None,
    output: Path | None,
    submitted: AbstractSet[str] = frozenset(),
) -> console.Result:
    """Return scores by files of labels, the assessments first; see `scores_result`.

    `submitted` are runs that are known to have been submitted, besides those of `data`.
    """
    from sidelight.evaluation.scoring.table import label_source, score_prefix

    source = label_source(files[0])
    told = [*_run_notes(source, data, task, table, submitted), *notes]
    judge = _judge_of(files, source, task)
    origin = score_labels.ScoreOrigin(source, judge, sampling, n_topics, told)
    return score_labels.scores_result(origin, table, score_prefix(source, task), output)


def _run_notes(
    source: str, data: Path | None, task: Task, table: ScoreTable, submitted: AbstractSet[str]
) -> list[str]:
    """Name labelled runs that the data folder lacks, those without labels, and equal ones."""
    is_text = isinstance(task, CitedTextTask)
    part = DataPart.REPORT_RUNS if is_text else DataPart.QUESTION_RUNS
    folder = options.from_data(None, data, part)
    files = {file_tag(path): path for path in folder.glob("[!.]*")} if folder else {}
    tags, results = sorted(run.run_tag for run in table.runs), {}
    for tag in tags:
        with suppress(InputError):  # who scores labels need not be able to read the runs
            if tag in files:
                results[tag] = run_format(task).read(files[tag]).results()
    lost = set(tags) - files.keys() if folder and source == "human" else ()
    said = [f"{one}: there is no such run in {folder}{did_you_mean(one, files)}" for one in lost]
    without = (submitted | files.keys() | {*table.unlabelled}) - set(tags)
    return sorted(said) + score_labels.not_scored(without) + told_twins(results)


def _other_rubrics(assessments: Path, given: Mapping[str, Rubric]) -> list[str]:
    """Return a note on topics whose labels were given by other rubrics, as the manifest says."""
    from sidelight.evaluation.labelling.judged_runs import read_manifest_beside

    manifest = read_manifest_beside(assessments)
    other = manifest.with_other_rubric(given) if manifest else ()
    return [f"labels were given by another rubric: {first_of(other)}"] if other else []


def _judge_of(files: Sequence[Path], source: str, task: Task) -> str | None:
    """Name the judges of pairs and of compound verdicts by what lies beside their files.

    `source` is who labelled the first file. Two judges may not share a table; labels that several
    voted on are by all of them together, which is one judge.
    """
    from sidelight.evaluation.labelling.judged_runs import read_manifest_beside

    manifests = [read_manifest_beside(path) for path in files]
    judged = [one.title_of(task.name) if one else None for one in manifests]
    voted = [read_judge(path) for path in files]
    named = [vote or judge for vote, judge in zip(voted, judged, strict=True)]
    if len({*named}) == 1:
        return named[0]
    if all(named) and not any(voted):
        raise InputError(
            "the labels and the compound verdicts are by different judges: "
            f"{'; '.join(sorted(filter(None, named)))}",
            remedy="Take both files from one `sidelight judge` run.",
        )
    pairs, verdicts = named
    pairs = pairs or ("people" if source == "human" else "a judge that no file names")
    return f"pairs by {pairs}, compound verdicts by {verdicts or 'people'}"
