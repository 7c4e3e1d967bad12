"""Commands `judge`, `evaluate` and `audit`: label runs, score a run, and probe a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli import console, options
from sidelight.cli.progress import duration, progress_bar
from sidelight.cli.tables import decimal
from sidelight.config.load import load_settings
from sidelight.errors import InputError, ReplyError
from sidelight.evaluation.labelling.asking import TOKENS_PER_CALL, TOKENS_PER_LABEL
from sidelight.formats.data_folder import DataPart, look_for
from sidelight.formats.labels.assessments import COMPOUND_ASSESSMENTS, read_assessments
from sidelight.formats.runs.submission import told_twins
from sidelight.llm.base import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND
from sidelight.runs.directory import RunDirectory
from sidelight.schemas.task import QuestionListTask, Task
from sidelight.text import counted, first_of
from sidelight.tracks import DEFAULT_TRACK, load_track
from sidelight.tracks import Track as TrackRules
from sidelight.versions import process_apart
from sidelight.wiring.judges import JudgeInputs, judge_model, open_encoder, set_up_judge
from sidelight.wiring.models import AskedModels

if TYPE_CHECKING:
    from sidelight.evaluation.audit.audit import Audit
    from sidelight.evaluation.labelling.asking import Estimate as CostEstimate
    from sidelight.evaluation.labelling.judged_runs import JudgingManifest
    from sidelight.evaluation.labelling.run_kinds import TaskRuns
    from sidelight.runs.self_evaluation import FinishedRun, SelfEvaluation


WITHOUT_EXAMPLES = (
    "Judged without labelled examples: not comparable with scores by a judge that learned from some"
)


def check_judging(
    rubrics: Path | None,
    topic_ids: Sequence[str],
    examples: Path | None = None,
    example_runs: Sequence[str] = (),
) -> set[str]:
    """Find what is wrong with the inputs of judging before a run is made.

    The process that writes must not read them, so another process does. Returns the topics without
    a rubric; none where `rubrics` is None. It raises InputError if no rubric is for a topic of the
    run.
    """
    with process_apart() as process:
        asked = process.submit(_read_judging, rubrics, topic_ids, examples, example_runs)
        return asked.result()


def _read_judging(
    rubrics: Path | None,
    topic_ids: Sequence[str],
    examples: Path | None,
    example_runs: Sequence[str],
) -> set[str]:
    from sidelight.runs.self_evaluation import given_rubrics

    options.read_labelled(examples, list(example_runs))
    return set() if rubrics is None else {*topic_ids} - {*given_rubrics(rubrics, topic_ids)}


def summarise(evaluation: SelfEvaluation, run: FinishedRun, folder: Path) -> dict[str, Any]:
    """Return what self-evaluation of a run came to, and the folder of its files, JSON-ready."""
    from sidelight.evaluation.scoring.measures import stage_totals

    totals, rules = stage_totals(evaluation.funnel), run.track
    return {
        "judge": evaluation.manifest.title,
        "examples": list(evaluation.manifest.example_run_tags),
        "rubrics": "drafted" if run.drafted else "given",
        "n_topics": evaluation.manifest.n_topics,
        "topics_without_rubric": sorted(run.topics_without_rubric),
        rules.question_list.name: evaluation.scores.questions.runs[0].row,
        rules.cited_text.name: evaluation.scores.reports.runs[0].row,
        "funnel": [total._asdict() for total in totals],
        "folder": str(folder),
    }


def evaluation_shown(outcome: dict[str, Any], rules: TrackRules) -> list[console.Shown]:
    """Return the scores and the funnel, with what a reader must know about them."""
    questions = partial(_shown, rules.question_list, outcome)
    reports = partial(_shown, rules.cited_text, outcome)
    rows = [
        (
            total["stage"],
            f"{total['credit']:.4f}",
            f"{total['change']:+.4f}",
            str(total["unjudged"]),
        )
        for total in outcome["funnel"]
    ]
    shown: list[console.Shown] = [
        (
            f"Judged on {counted(outcome['n_topics'], 'topic')} by {outcome['judge']}: questions "
            f"{questions('question_coverage')}, reports {reports('report_support')} supportive, "
            f"{reports('report_contradiction')} contradictory; unjudged "
            f"{questions('unjudged_pairs')} and {reports('unjudged_answers')}."
        ),
        console.PlainTable(("credit of the reports", "share", "change", "answers unjudged"), rows),
    ]
    if outcome["rubrics"] == "drafted":
        shown.append(
            "The rubrics are the run's own drafts: this says how far it did what it set out to do, "
            "not how good it is."
        )
    if not outcome["examples"]:
        shown.append(f"{WITHOUT_EXAMPLES}.")
    if without := outcome["topics_without_rubric"]:
        shown.append(console.warning(f"no rubric, not judged: {', '.join(without)}"))
    return [*shown, f"  {outcome['folder']}"]


def _shown(task: Task, outcome: dict[str, Any], computation: str) -> str:
    """Return the score of the run by the first measure of a task with a computation."""
    measure = next(one for one in task.measures if one.computes == computation)
    return measure.shown(outcome[task.name][measure.name])


def estimate_result(estimate: CostEstimate, at_once: int) -> console.Result:
    """Return what judging would come to, and what that rests on."""
    return console.Result(
        estimate.model_dump(),
        [
            counted(estimate.calls, "call"),
            (
                f"{counted(estimate.prompt_tokens, 'token')} read (characters / "
                f"{CHARACTERS_PER_TOKEN}; a server's prefix cache computes a fraction of them)"
            ),
            (
                f"{counted(estimate.completion_tokens, 'token')} written "
                f"({TOKENS_PER_CALL} a call and {TOKENS_PER_LABEL} a label)"
            ),
            (
                f"{duration(3600 * estimate.hours)} one call at a time, "
                f"at {TOKENS_PER_SECOND} tokens a second; at least "
                f"{duration(3600 * estimate.hours_at_once)} with {at_once} concurrent calls"
            ),
        ],
    )


@options.takes_groups
@console.interrupted(console.IF_ASKED)
def judge(  # long: half of it are options
    runs: options.Runs,
    *,
    task: options.RunTask,
    track: options.Track = DEFAULT_TRACK,
    data: options.Data = None,
    rubrics: options.Rubrics = None,
    output: Annotated[Path, options.output_option("Folder for the assessments.")],
    by: options.JudgeOptions,
    min_confidence: Annotated[
        float,
        typer.Option(
            "--min-confidence",
            min=0,
            max=1,
            help="Embedded: leave labels unjudged whose credit is less likely than this.",
        ),
    ] = 0.0,
    estimate: options.Estimate = False,
) -> console.Result:
    """Label runs without people, and say how well the judge agrees with people."""
    from sidelight.evaluation.labelling.judged_runs import (
        MANIFEST_NAME,
        assess_runs,
        judge_runs,
        read_manifest_beside,
    )
    from sidelight.evaluation.labelling.run_kinds import read_task_runs

    rules = load_track(track)
    known = options.known_rubrics(rubrics, data, rules)
    given = read_task_runs(rules.task(task), runs, known)
    examples, lacking = by.labelled(data, given.task, given.runs)
    setup = by.setup(known, data, examples, min_confidence)
    if estimate:
        cost = setup.estimate(partial(assess_runs, given=given), given.n_labels)
        return estimate_result(cost, by.at_once)
    access = by.access(output)
    with progress_bar("labels", total=given.n_labels) as advance:
        work = partial(judge_runs, given=given, folder=output, on_labels=advance)
        manifest = asyncio.run(setup.perform(access, work))
    written = read_manifest_beside(output / MANIFEST_NAME) or manifest
    ending = [f"  {output}"]
    if kept := sorted(written.runs[task].keys() - manifest.runs[task].keys()):
        runs_kept = counted(len(kept), "run")
        ending.insert(0, f"kept the labels of {runs_kept} judged before: {', '.join(kept)}")
    if track == DEFAULT_TRACK:  # commands that score are called like its tasks
        score = f"Next: sidelight score {task} "
        score += f"--data {data}" if data else f"--rubrics {rubrics}"
        kinds = [protocol.file_name for protocol in given.kind.protocols]
        score += f" --assessments {output / kinds[-1]}"
        if isinstance(given.task, QuestionListTask):
            said, compound = _compound_by_people(data, output / kinds[0], rules)
            ending += said
            score += f" --compound {compound}"
        ending.append(f"{score} -o {output / 'scores'}")
    return _result(manifest, given, ending, lacking)


def _compound_by_people(
    data: Path | None, judged: Path, track: TrackRules
) -> tuple[list[str], Path]:
    """Say how often people's verdicts differ; return those to score by: people's if of all."""
    with suppress(InputError):  # the labels are given, whatever lies in the folder
        if data and (people := look_for(data, DataPart.COMPOUND_CHECK)):
            key_of = COMPOUND_ASSESSMENTS.key_of
            one, other = (
                {
                    key_of(row): row.label
                    for row in read_assessments(path, COMPOUND_ASSESSMENTS, track.scales)
                }
                for path in (people, judged)
            )
            both = one.keys() & other.keys()
            if n := sum(one[key] != other[key] for key in both):
                told = (
                    f"people's compound verdicts differ on {n} of {counted(len(both), 'question')}"
                )
                return [f"{told}: --compound {people}"], people if both == {*other} else judged
    return [], judged


_WORSE = (
    "warning: with these examples the judge of {} agrees less with people than without: they are "
    "too few. To judge without them, give --rubrics in place of --data, and no --examples"
)


def _result(
    manifest: JudgingManifest, given: TaskRuns, ending: list[str], lacking: str
) -> console.Result:
    task, unjudged = given.task.name, manifest.n_unjudged[given.task.name]
    more = f"; {counted(unjudged, 'verdict')} could not be judged" if unjudged else ""
    runs, on = counted(len(given.runs), "run"), counted(manifest.n_topics, "topic")
    shown: list[console.Shown] = [f"{runs} judged on {on} by {manifest.titles[task]}{more}."]
    of_other_task = "answers" if isinstance(given.task, QuestionListTask) else "questions"
    for what, agreement in manifest.agreement.items():
        if what == of_other_task:
            continue
        new_runs = "unknown with one run"
        if agreement.raw_new_runs is not None:
            new_runs = (
                f"raw {agreement.raw_new_runs:.3f}, kappa {decimal(agreement.kappa_new_runs)} "
                f"({counted(agreement.n_runs, 'run')})"
            )
        shown.append(
            f"agreement with people on {what}: raw {agreement.raw:.3f}, "
            f"kappa {decimal(agreement.kappa)} ({counted(agreement.n_labels, 'label')}, "
            f"{counted(agreement.n_topics, 'topic')}, each held out); with runs held out as well: "
            f"{new_runs}; without examples: kappa {decimal(agreement.kappa_without)}"
        )
        if (agreement.kappa or 0) < (agreement.kappa_without or 0):
            shown.append(console.warning(_WORSE.format(what)))
    shown += map(console.warning, told_twins({run.run_tag: run.results() for run in given.runs}))
    if copies := [run for run, share in manifest.runs[task].items() if share == 1.0]:
        shown.append(
            console.warning(
                f"warning: {first_of(copies)}: on a topic or more all of its text is that of an "
                "example, whose labels the judge was shown; --example-run names the examples to use"
            )
        )
    for run_tag, topics in manifest.over_limits[task].items():
        topic_id, over = next(iter(topics.items()))
        more = f" (and {counted(len(topics) - 1, 'topic')} more)" if len(topics) > 1 else ""
        shown.append(
            console.warning(
                f"warning: run {run_tag}, topic {topic_id}: {over}; the rest was not judged{more}"
            )
        )
    alike: dict[str, list[str]] = {}
    for run_tag, reasons in manifest.left_out[task].items():
        for told in reasons.split("; "):
            alike.setdefault(told, []).append(run_tag)
    shown += [
        console.warning(f"warning: run{'s' * (len(tags) > 1)} {first_of(tags)}: {told}")
        for told, tags in alike.items()
    ]
    if not manifest.example_run_tags:
        how = "judged without examples"
        if isinstance(given.task, QuestionListTask) and not manifest.instrument:
            how = "judged without examples, questions by fixed thresholds"
        shown.append(console.warning(f"{how}: {lacking}"))
    code = 0
    if manifest.instrument and unjudged:
        shown.append(console.warning(f"some verdicts are missing: {console.ASKS_AGAIN}"))
        code = ReplyError.exit_code if unjudged == given.n_labels else 0
    return console.Result(manifest.model_dump(), [*shown, *ending], exit_code=code)


_CHANGES = "{}_audit_changes.csv"  # of a task


@options.takes_groups
@console.interrupted(console.IF_ASKED)
def audit(  # long: half of it are options
    runs: options.Runs,
    *,
    task: options.RunTask,
    track: options.Track = DEFAULT_TRACK,
    data: options.Data = None,
    rubrics: options.Rubrics = None,
    output: Annotated[Path, options.output_option("Folder for the verdicts that changed.")],
    by: options.JudgeOptions,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0, max=1, help="Share of verdicts a probe may change."),
    ] = 0.02,
) -> console.Result:
    """Test a judge: do order, length, authors, hidden instructions or denials change verdicts?"""
    from sidelight.evaluation.audit.audit import audit as probe
    from sidelight.evaluation.audit.audit import write_changes
    from sidelight.evaluation.labelling.run_kinds import read_task_runs

    rules = load_track(track)
    known = options.known_rubrics(rubrics, data, rules)
    articles = options.articles_of(by.topics, data)
    given = read_task_runs(rules.task(task), runs, known)
    setup = by.setup(known, data, by.labelled(data, given.task, given.runs)[0])
    access = by.access(output)
    with progress_bar("labels") as advance:
        work = partial(
            probe,
            given=given,
            tolerance=tolerance,
            articles={name: one.body for name, one in (articles() if articles else {}).items()},
            on_labels=advance,
        )
        found = asyncio.run(setup.perform(access, work))
    changes = output / _CHANGES.format(given.task.name)
    write_changes(changes, found.changes)
    return audit_result(found, changes)


def audit_result(found: Audit, changes: Path) -> console.Result:
    """Return how many verdicts each probe changed, and whether the judge held."""
    from sidelight.evaluation.audit.text_attacks import ATTACKS

    header = ("probe", "verdicts", "changed", "share", "95% interval", "gained", "lost", "unjudged")
    rows = [
        [
            one.probe,
            *map(str, (one.n_verdicts, one.n_changed)),
            decimal(one.share_changed, ".1%"),
            "[{:.1%}, {:.1%}]".format(*one.interval) if one.interval else "-",
            *map(str, (one.n_gained, one.n_lost, one.n_unjudged)),
            decimal(one.credit_change, "+.4f"),
            "-" if one.most is None else decimal(one.left, ".1%"),
        ]
        for one in found.results
    ]
    tried = {one.probe for one in found.results if one.most is not None}
    not_tried = [one.name for one in ATTACKS if one.name not in tried] if tried else []
    why = "not tried, because no articles or answers to change were found (give --topics)"
    return console.Result(
        {
            "judge": found.judge,
            "probes": [
                {
                    **one.model_dump(),
                    "share_changed": one.share_changed,
                    "interval": one.interval
                    and dict(zip(("low", "high"), one.interval, strict=True)),
                    "verdict": one.verdict,
                }
                for one in found.results
            ],
            "not_tried": not_tried,
            "changes": str(changes),
        },
        [
            console.PlainTable((*header, "credit", "left"), rows),
            f"judge: {found.judge}",
            *(f"{one.probe} {one.verdict}" for one in found.results),
            *([f"{why}: {', '.join(not_tried)}"] if not_tried else []),
            f"  {changes}",
        ],
    )


@options.takes_groups
@console.interrupted(console.IF_ASKED)
def evaluate(  # long: half of it are options
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    *,
    index: Annotated[Path, options.index_option("The index that the run was made with.")],
    name: options.JudgeName = "embedded",
    rubrics: options.RunRubrics = None,
    model_name: options.JudgeModel = None,
    allow_self_judging: options.SelfJudging = False,
    examples: options.ExampleFolder = None,
    example_run: options.ExampleRuns = None,
    words_only: options.WordsOnly = False,
    config: options.Config = None,
    overrides: options.Overrides = None,
    calls: options.ModelCalls,
    output: Annotated[
        Path | None, options.output_option("Folder for the scores; RUN/scores if not given.")
    ] = None,
    cache: options.Cache = None,
    allow_plugin: options.AllowPlugin = None,
    estimate: options.Estimate = False,
) -> console.Result:
    """Judge a finished run with its own files, score it, and say where it lost credit.

    Without --rubrics it uses those that the run drafted; it drafts none.
    """
    from sidelight.index.folder import open_index
    from sidelight.runs.self_evaluation import (
        assess_all,
        check_folder,
        collect,
        evaluate_run,
        read_finished,
    )

    settings = load_settings(config, options.with_judge(overrides or [], model_name))
    directory = RunDirectory(run, allow_plugin or ())
    directory.read_track()  # an unfinished run has no settings to look at
    made_with = directory.read_settings()
    options.check_drafts(made_with, rubrics)
    folder = open_index(index)
    finished = read_finished(directory, folder.fingerprint(), rubrics)
    labelled = options.read_labelled(examples, example_run)
    model = judge_model(
        name,
        settings,
        made_with.models.writer,
        examples=labelled is not None,
        allow_self=allow_self_judging,
    )
    setup = set_up_judge(
        name,
        JudgeInputs(
            finished.rubrics,
            labelled,
            encoder=None if words_only else open_encoder,
            articles=finished.articles,
        ),
        AskedModels((model,), settings.servers) if model else None,
    )
    material = collect(finished, folder.docstore.get_many, setup.words_at_once)
    if estimate:
        cost = setup.estimate(partial(assess_all, material=material), material.n_labels)
        return estimate_result(cost, setup.asked.at_once)
    destination = output or directory.scores
    check_folder(finished, destination)
    access = calls.access(cache or destination / options.REPLIES)
    with progress_bar("labels", total=material.n_labels) as advance:
        work = partial(evaluate_run, material=material, folder=destination, on_labels=advance)
        evaluation = asyncio.run(setup.perform(access, work))
    outcome = summarise(evaluation, finished, destination)
    return console.Result(outcome, evaluation_shown(outcome, finished.track))
