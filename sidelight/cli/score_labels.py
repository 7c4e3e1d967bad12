"""Commands `score` for labels of nuggets, support, battles, quality and usefulness."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sidelight.cli import console, options
from sidelight.cli.progress import progress_bar
from sidelight.cli.tables import judge_in_caption
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judge import Judge
from sidelight.files import atomic_write
from sidelight.formats.banks.nuggets import (
    read_nugget_assignments,
    read_nuggets,
    write_nugget_assignments,
)
from sidelight.formats.labels import qrels as labelled
from sidelight.formats.labels.assessments import write_support_sentences
from sidelight.formats.runs.rag import read_cited_texts
from sidelight.formats.runs.submission import reports_by_topic, told_twins
from sidelight.formats.table import latex_table, write_table
from sidelight.formats.topics import topic_format
from sidelight.formats.verdict import read_as, read_runs, read_topics, track_of
from sidelight.llm.prompted import PromptedModel
from sidelight.schemas.grading.judgment import USEFULNESS_SCALE, JudgedSentence
from sidelight.schemas.grading.rubric import NuggetAssignment, NuggetBank
from sidelight.schemas.topic import Narrative, asked_in, parse_question_id
from sidelight.text import counted, first_of, one_line
from sidelight.tracks import DEFAULT_TRACK, load_track
from sidelight.tracks import Track as TrackRules
from sidelight.wiring.judges import JudgeInputs, open_encoder
from sidelight.wiring.models import ask, models_by_name

if TYPE_CHECKING:
    from sidelight.evaluation.battles import Battle
    from sidelight.evaluation.scoring.table import Interval, ScoreTable, TopicScore
    from sidelight.schemas.run import CitedSentence, ReportRun


class ScoreOrigin(NamedTuple):
    """What a reader must know about scores.

    `labels` says who labelled: `human`, `auto` or `not stated`; `judge` is the judge as its
    manifest names it. Without `sampling` there are no intervals. `n_topics` counts the topics that
    the scores are over, and `notes` say what else the scores depend on.
    """

    labels: str
    judge: str | None
    sampling: options.Sampling | None
    n_topics: int
    notes: Sequence[str] = ()


_PEOPLE = "people"
GradedBy = Annotated[
    str | None,
    typer.Option(
        "--graded-by",
        help=f"Who gave the labels, where no file beside them says so: {_PEOPLE}, or a judge.",
    ),
]


def _origin_of(
    files: Sequence[Path], named: str | None, sampling: options.Sampling, n_topics: int
) -> ScoreOrigin:
    """Return who gave the labels of some files: `named`, or the judges named beside the files."""
    judges = dict.fromkeys(judge for path in files if (judge := labelled.read_judge(path)))
    if named == _PEOPLE and judges:
        raise UsageError(f"{files[0]}: these labels are not by people: {', '.join(judges)}")
    if named == _PEOPLE:
        return ScoreOrigin("human", None, sampling, n_topics)
    judge = named or ", ".join(judges)
    return ScoreOrigin("auto" if judge else "not stated", judge or None, sampling, n_topics)


def scores_result(  # long: files, table and JSON of one result
    origin: ScoreOrigin,
    table: ScoreTable,
    prefix: str,
    output: Path | None,
    labels: Sequence[Path] = (),
) -> console.Result:
    """Return a table of scores, what a reader must know about it, and its files.

    The names of the files begin with `prefix`; there are none if `output` is None. Files of
    `labels` that are written already are listed first.
    """
    from sidelight.evaluation.scoring.table import MIN_TOPICS, run_intervals, write_score_files

    sampling, n_topics = origin.sampling, origin.n_topics
    intervals = run_intervals(table, **sampling._asdict()) if sampling else None
    ends = {tag: one and one._asdict() for tag, one in (intervals or {}).items()}
    header, rows = _run_table(table, intervals, n_topics)

    def write() -> Iterator[Path]:
        yield from labels
        if output is not None:
            latex = output / f"{prefix}_per_run_results.tex"
            yield from write_score_files(table, output, prefix, intervals)
            how = f". {sampling.intervals}" if sampling and n_topics >= MIN_TOPICS else ""
            told = f"Scores ({prefix}) over {counted(n_topics, 'topic')}; {labels_by}{how}."
            atomic_write(latex, latex_table(header, rows, judge_in_caption(told), latex.stem))
            yield latex

    source = "source not stated" if origin.labels == "not stated" else origin.labels
    labels_by = f"labels: {source}" + (f" ({origin.judge})" if origin.judge else "")
    notes, lacking = list(origin.notes), defaultdict[tuple[str, ...], list[str]](list)
    for run_tag, topic_ids in table.omitted.items():
        lacking[topic_ids].append(run_tag)
    warnings = console.undefined_warnings(table.undefined, n_topics, "topic")
    if all(run.n_topics == 0 for run in table.runs):
        lacking.clear()
        told = f"no score is defined: no run has a label on any of {counted(n_topics, 'topic')}"
        warnings = [console.warning(told)]
    elif sampling and n_topics >= MIN_TOPICS:
        notes = [f"intervals: bootstrap over {counted(n_topics, 'topic')}, {sampling}", *notes]
        warnings += console.few_warnings(n_topics, "topic")
    elif sampling:
        notes = [f"no intervals: fewer than {MIN_TOPICS} topics ({n_topics})", *notes]
    return console.Result(
        {
            "labels": origin.labels,
            "judge": origin.judge,
            "notes": list(origin.notes),
            "n_rubric_topics": n_topics,
            "bootstrap": sampling._asdict() if sampling else None,
            "runs": [
                {"run_tag": run.run_tag, **run.row}
                | ({"interval": ends[run.run_tag]} if intervals else {})
                for run in table.runs
            ],
            "topics": [
                {"run_tag": topic.run_tag, "topic_id": topic.topic_id, **topic.row}
                for topic in table.topics
            ],
            "omitted": table.omitted,
            "undefined": table.undefined,
        },
        [
            console.PlainTable(header, rows),
            labels_by,
            *(f"note: {note}" for note in notes),
            *(
                console.warning(
                    f"{', '.join(run_tags)}: no submission, or no label, on "
                    f"{counted(len(topic_ids), 'topic')} (counted as 0): {', '.join(topic_ids)}"
                )
                for topic_ids, run_tags in lacking.items()
            ),
            *warnings,
            console.Files(write, "files"),
        ],
    )


def not_scored(run_tags: Iterable[str]) -> list[str]:
    """Return a note that names runs without labels, if there are any."""
    named = ", ".join(sorted(run_tags))
    return [f"not scored, because they have no labels: {named}"] if named else []


def _run_table(
    table: ScoreTable, intervals: dict[str, Interval | None] | None, n_topics: int
) -> tuple[list[str], list[list[str]]]:
    """Return a header and a row for each run: its main measure, its interval, other measures."""
    main, *others = table.measures
    counted = table.runs[0].n_topics is not None
    rows = []
    for run in table.runs:
        shown = run.row
        cells = [main.shown(shown[main.name])]
        if intervals:
            cells.append(options.interval_cell(intervals[run.run_tag]))
        cells += [one.shown(shown[one.name]) for one in others]
        cells += [f"{run.n_topics}/{n_topics}"] if counted else []
        rows.append([run.run_tag, *cells])
    names = [main.name, *(["95% interval"] if intervals else []), *(one.name for one in others)]
    names += ["n_topics"] if counted else []
    return ["run", *(name.replace("_", " ") for name in names)], rows


_NUGGETS_PREFIX = "nuggets"


@options.takes_groups
@console.interrupted(console.IF_ASKED)
def nuggets(  # long: half of it are options
    files: Annotated[
        list[Path],
        typer.Argument(help="Runs of answers; without --nuggets, files of nugget assignments."),
    ],
    *,
    nuggets: Annotated[
        Path | None, options.nuggets_option("Score runs by these nuggets (JSONL), on their topics.")
    ] = None,
    topics: Annotated[
        Path | None,
        options.topics_option(
            "Topics file: judging needs the queries or narratives, unless the nuggets have them."
        ),
    ] = None,
    track: options.TrackWithNuggets = None,
    graded_by: GradedBy = None,
    by: options.LabelOptions,
) -> console.Result:
    """Score answers by nuggets: strict vital first, then vital, strict all, all, and coverage."""
    from sidelight.evaluation.scoring.measures import score_nuggets

    rules = options.track_of_scale("nuggets", track)
    banks, judge, written = None, None, list[Path]()
    if nuggets is None:
        if by.model or by.words_only:
            raise UsageError("--model and --words-only judge runs, and judging needs --nuggets")
        what, kinds = "nugget assignments, or a run and --nuggets", ("nugget_assignments",)
        read = partial(read_nugget_assignments, scales=rules.scales)
        assigned = [one for path in files for one in read_as(path, read, what, kinds)]
        notes = [note for path in files for note in labelled.read_judge_notes(path)]
    else:
        read_banks = partial(read_nuggets, importance=rules.scales["nugget_importance"])
        banks = read_as(nuggets, read_banks, "nuggets", ("nuggets", "nugget_assignments"))
        theirs = track_of(files[0], rules)
        runs = read_runs(files, theirs.cited_text)
        judge, assigned = _assigned(runs, theirs, banks, topics, by)
        notes = told_twins({run.run_tag: run.results() for run in runs})
        # An article is no query: what it says counts, as in `sidelight judge`.
        unasked = {one.topic_id for one in assigned if not one.query}
        if unasked and topic_format(theirs).noun != "article":
            notes.append(_UNASKED.format(n=counted(len(unasked), "topic"), track=theirs.title))
        if by.output is not None:
            labels = by.output / f"{_NUGGETS_PREFIX}_assignments.jsonl"
            write_nugget_assignments(labels, assigned)
            labelled.write_judge(labels, judge, notes)
            written = [labels]
    table = score_nuggets(assigned, rules.scales, banks, options.find_measures(by.measures))
    n_topics = len({topic.topic_id for topic in table.topics})
    origin = _origin_of([] if nuggets else files, judge or graded_by, by.sampling, n_topics)
    prefix = f"{origin.labels.replace(' ', '_')}_{_NUGGETS_PREFIX}"
    return scores_result(origin._replace(notes=notes), table, prefix, by.output, written)


_UNASKED = (
    "the queries of {n} are not known, so that a nugget that repeats the words of a query is found "
    "too often: scores are too high. Name the topics of {track} by --topics, or give each line of "
    "nuggets a `query`"
)


def _assigned(
    runs: Sequence[ReportRun],
    track: TrackRules,
    banks: Mapping[str, NuggetBank],
    topics: Path | None,
    by: options.LabelOptions,
) -> tuple[str, list[NuggetAssignment]]:
    """Return who labels runs, the embedded judge or a model, and the labels."""
    from sidelight.evaluation.labelling.judges import EmbeddedJudge
    from sidelight.evaluation.nuggets import create
    from sidelight.learned.models import AnswerModel

    access, model = by.access(), by.model
    asked = read_topics(topics, track) if topics else ()
    queries = {one.topic_id: asked_in(one) for one in asked}
    if model is None:
        encoder = None if by.words_only else open_encoder()
        assigner = partial(create.assign_learned, AnswerModel(encoder))
        judge = EmbeddedJudge(encoder=encoder).title
        return judge, asyncio.run(create.assign_runs(runs, banks, queries, assigner))

    async def work(models: Mapping[str, PromptedModel]) -> list[NuggetAssignment]:
        assigner = partial(create.assign_prompted, Assessor(models[model]))
        return await create.assign_runs(runs, banks, queries, assigner)

    judge = f"{model}, prompt {create.ASSIGN_PROMPT.fingerprint[:8]}"
    return judge, asyncio.run(ask(models_by_name([model], by.at_once), access, work))


_SUPPORT_PREFIX = "auto_support"


@options.takes_groups
@console.interrupted(console.IF_ASKED)
def support(  # long: half of it are options
    runs: Annotated[
        list[Path], typer.Argument(help="Runs of cited texts; the file name is the run tag.")
    ],
    *,
    index: Annotated[
        Path,
        options.index_option(
            "Index folder with the cited segments, or their file: docid and segment, or "
            "references_ids and references_texts (JSONL)."
        ),
    ],
    topics: Annotated[
        Path | None,
        options.topics_option(
            "Topics file (JSONL); the embedded judge also reads its queries or narratives. "
            "Default: all topics of the runs."
        ),
    ] = None,
    track: options.Track = DEFAULT_TRACK,
    leave_out: Annotated[
        bool, typer.Option("--leave-out-unjudged", help="Leave out unjudged sentences; default: 0.")
    ] = False,
    by: options.LabelOptions,
) -> console.Result:
    """Score reports by how far the segments they cite support their sentences."""
    from sidelight.checks.support import SUPPORT_PROMPT
    from sidelight.evaluation.labelling.support import assess_support
    from sidelight.evaluation.scoring.measures import score_support, support_measures

    rules = track_of(runs[0], load_track(track))
    read = read_runs(runs, rules.cited_text)
    known = read_topics(topics, rules) if topics else None
    access = by.access()
    inputs = JudgeInputs(encoder=None, articles=dict)  # support is judged by words alone
    setup = options.judge_by(by.model, by.at_once, inputs)
    sentences = [one for run in read for report in run.reports for one in report.responses]
    texts, lacking = _cited(sentences, index)

    async def work(judge: Judge) -> tuple[str, list[JudgedSentence]]:
        asked = {topic.topic_id: asked_in(topic) for topic in known or ()}
        found = await assess_support(judge, read, lambda _: texts, asked, lambda: advance(1))
        return judge.title, found

    with progress_bar("sentences", total=len(sentences)) as advance:
        judge, verdicts = asyncio.run(setup.perform(access, work))
    if by.model:
        judge = f"{by.model}, prompt {SUPPORT_PROMPT.fingerprint[:8]}"
    topic_ids = None if known is None else [topic.topic_id for topic in known]
    measures = support_measures(leave_out=leave_out)
    table = score_support(read, verdicts, topic_ids, measures, options.find_measures(by.measures))
    notes = [
        "the first citation of a sentence decides; `all`: its citations together",
        *lacking,
        *([] if by.model else [_SELF_SUPPORTED]),
        f"sentences that could not be judged {'are left out' if leave_out else 'count as 0'}",
        *told_twins({run.run_tag: run.results() for run in read}),
    ]
    n_topics = len({topic.topic_id for topic in table.topics})
    written = [] if by.output is None else [by.output / f"{_SUPPORT_PREFIX}_sentences.csv"]
    for path in written:
        write_support_sentences(path, verdicts)
    origin = ScoreOrigin("auto", judge, by.sampling, n_topics, notes)
    return scores_result(origin, table, _SUPPORT_PREFIX, by.output, written)


_SELF_SUPPORTED = (
    "a run without a model checks itself with this judge, and a copied sentence supports itself: "
    "values near 1 do not say that its sentences are of use"
)


def _cited(sentences: Iterable[CitedSentence], index: Path) -> tuple[dict[str, str], list[str]]:
    """Return the texts of the segments that are cited, and a line on those that are lacking."""
    from sidelight.index.folder import open_index

    cited = sorted({name for sentence in sentences for name in sentence.citations})
    if index.is_file():
        known = read_cited_texts(index)
    else:
        found = open_index(index).docstore.find(cited)
        known = {name: one.text for name, one in found.items()}
    texts = {name: known[name] for name in cited if name in known}
    if cited and not texts:
        raise InputError(
            f"{index}: expected the segments that the runs cite, such as {one_line(cited[0])}; "
            f"found none of {len(cited)}",
            remedy="Give the index that the runs were made with.",
        )
    lacking = f"{len(cited) - len(texts)} of {counted(len(cited), 'cited segment')} are not in "
    lacking += f"{index}: sentences that cite them are unjudged"
    return texts, [lacking] if len(texts) < len(cited) else []


@options.takes_groups
@console.interrupted(console.REPLIES_KEPT)
def battles(  # long: half of it are options
    runs: Annotated[list[Path], typer.Argument(help="Runs of answers, two or more.")],
    *,
    topics: Annotated[Path, options.topics_option("Topics file of the track.")],
    model: Annotated[str, options.model_option("Ask this model which answer is better.")],
    track: options.TrackWithNuggets = None,
    output: options.Output = None,
    calls: options.ModelCalls,
    cache: options.Cache = None,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
    sampling: options.Sampling,
) -> console.Result:
    """Rate runs by battles: each pair of answers is compared twice, in both orders."""
    from sidelight.evaluation.battles import hold_battles, rate

    rules = track_of(runs[0], options.track_of_scale("nuggets", track))
    read = read_runs(runs, rules.cited_text)
    reports_by_topic(read)  # which says what is there twice
    asked = read_topics(topics, rules)
    queries = {one.topic_id: one.narrative for one in asked if isinstance(one, Narrative)}
    access = calls.access(options.reply_folder(cache, output))

    async def work(models: Mapping[str, PromptedModel]) -> list[Battle]:
        return await hold_battles(read, queries, models[model], lambda: advance(1))

    total = len(queries) * len(list(combinations(read, 2)))
    with progress_bar("battles", total=total) as advance:
        held = asyncio.run(ask(models_by_name([model], at_once), access, work))
    ratings = rate(held, **sampling._asdict())
    undecided = sum(battle.won is None for battle in held)
    if output is not None:
        write_table(output / "battles.csv", ("topic_id", "first", "second", "won", "reason"), held)
    rows = [
        (
            one.run_tag,
            f"{one.rating:.0f}",
            options.interval_cell(one.interval),
            *map(str, (one.won, one.tied, one.lost)),
        )
        for one in ratings
    ]
    return console.Result(
        {
            "model": model,
            "undecided": undecided,
            "bootstrap": sampling._asdict(),
            "runs": [
                one._asdict() | {"interval": one.interval and list(one.interval)} for one in ratings
            ],
        },
        [
            console.PlainTable(("run", "rating", "95% interval", "won", "tied", "lost"), rows),
            f"{counted(len(held), 'battle')} judged by {model}; {undecided} undecided",
            *map(console.warning, told_twins({run.run_tag: run.results() for run in read})),
        ],
    )


Assessors = Annotated[
    Path | None,
    typer.Option("--assessors", help="CSV of topic_id and assessor: adds boxplots by assessor."),
]


@options.takes_groups
def quality(
    *,
    grades: Annotated[Path, typer.Option("--grades", help="Graded questions, eight columns.")],
    graded_by: GradedBy = None,
    assessors: Assessors = None,
    output: options.Output = None,
    track: options.Track,
    sampling: options.Sampling,
) -> console.Result:
    """Score question runs by the grades of their questions.

    --output also gets boxplots of the main measure by topic and by assessor, with their numbers.
    """
    from sidelight.evaluation.scoring.graded import score_question_quality
    from sidelight.evaluation.scoring.table import score_prefix

    rules = options.track_of_scale("question_quality", track)
    table = score_question_quality(rules, labelled.read_question_grades(grades, rules.scales))
    n_topics = len({score.topic_id for score in table.topics})
    origin = _origin_of([grades], graded_by, sampling, n_topics)
    other = options.other_topics(rules, (score.topic_id for score in table.topics))
    origin = origin._replace(notes=[*not_scored(table.unlabelled), *other])
    prefix = score_prefix(origin.labels, rules.question_list)
    result = scores_result(origin, table, prefix, output)
    if output is None:
        return result
    boxes = partial(_write_boxes, output, prefix, table.topics, table.main.name, assessors)
    return result._replace(shown=[*result.shown, console.Files(boxes)])


def usefulness(  # long: a list of what is told
    *,
    qrels: Annotated[Path, options.QRELS],
    run: Annotated[list[Path], options.RUN],
    assessors: Assessors = None,
    output: options.Output = None,
) -> console.Result:
    """Score documents by their usefulness, over the questions that can tell runs apart.

    A question does not count if fewer than three documents are useful, or all runs are perfect.
    """
    from sidelight.evaluation.scoring.graded import (
        MEASURES,
        MIN_QUESTIONS,
        filter_questions,
        sparsely_judged,
        tabulate_kept,
    )
    from sidelight.evaluation.scoring.retrieval import score_retrieval
    from sidelight.evaluation.scoring.table import write_score_files

    labels = labelled.read_qrels(qrels)
    grades = {int(name) for name in USEFULNESS_SCALE.names}
    if other := [name for name, its in labels.items() if not grades.issuperset(its.values())]:
        raise InputError(
            f"{qrels}: expected grades of usefulness, {' '.join(USEFULNESS_SCALE.names)}; found "
            f"others on {first_of(other)}",
            remedy="Labels on another scale are for `score retrieval`.",
        )
    scores = score_retrieval(qrels, run, MEASURES)
    found = filter_questions(labels, scores)
    table = tabulate_kept(scores, found.kept)
    sparse = sparsely_judged(labels)

    def write() -> Iterator[Path]:
        if output:
            yield from write_score_files(table, output, "usefulness")
            yield from _write_boxes(output, "usefulness", table.topics, table.main.name, assessors)

    names = [measure.name for measure in table.measures]
    rows = [
        [one.run_tag, *(f"{one.values[name]:.3f}" for name in names), str(one.n_topics)]
        for one in table.runs
    ]
    shown: list[console.Shown] = [
        console.PlainTable(["run", *names, "questions"], rows),
        (
            f"{counted(len(labels), 'question')} judged, {len(found.kept)} counted; left "
            f"out: {len(found.few_useful)} with too few useful documents, "
            f"{len(found.all_perfect)} on which all runs are perfect"
        ),
    ]
    if sparse:
        told = ", ".join(f"{topic_id} ({count})" for topic_id, count in sparse.items())
        shown.append(f"articles with under {MIN_QUESTIONS} judged questions: {told}")
    return console.Result(
        {
            "questions": {"judged": len(labels), **found._asdict()},
            "few_questions": sparse,
            "runs": [{"run": one.run_tag, **one.row} for one in table.runs],
        },
        [
            *shown,
            *map(console.warning, told_twins({one.run: one.results for one in scores})),
            console.Files(write, "files"),
        ],
    )


def _write_boxes(
    output: Path, prefix: str, topics: Sequence[TopicScore], measure: str, assessors: Path | None
) -> list[Path]:
    """Write boxes by topic, and by assessor where it is known who assessed; return the files."""
    from sidelight.evaluation.scoring.graded import by_group, by_topic, read_groups

    groups = _with_questions(read_groups(assessors), topics) if assessors else {}
    scores = by_topic(topics, measure)
    written = _boxplot(output / f"{prefix}_boxes_by_topic", scores, groups, measure)
    if groups:
        grouped = by_group(scores, groups)
        names = {name: name for name in grouped}
        written += _boxplot(output / f"{prefix}_boxes_by_assessor", grouped, names, measure)
    return written


def _with_questions(groups: Mapping[str, str], topics: Sequence[TopicScore]) -> dict[str, str]:
    """Return who assessed each topic; a question is its article's assessor's."""
    found = {}
    for score in topics:
        parsed = parse_question_id(score.topic_id)
        name = score.topic_id if score.topic_id in groups or not parsed else parsed[0]
        if name in groups:
            found[score.topic_id] = groups[name]
    return found


def _boxplot(
    stem: Path, scores: Mapping[str, Sequence[float]], groups: Mapping[str, str], measure: str
) -> list[Path]:
    from sidelight.evaluation.figures import draw_boxes
    from sidelight.evaluation.scoring.graded import boxes, write_boxes

    found = boxes(scores, groups)
    table, *figures = (stem.with_name(stem.name + ending) for ending in (".csv", ".svg", ".png"))
    write_boxes(table, found)
    return [table, *console.drawn([(partial(draw_boxes, found, measure), figures)])]
