"""Per-topic measurements of every arm: run statistics, and scores by a judge.

Judging runs in a process of its own, which generation never shares.

Effects of an experiment's arms: difference from the base arm with intervals, and their plots.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sidelight.ablation.runs import ARMS, Arm
from sidelight.checks.support import SUPPORT_SCALE
from sidelight.errors import InputError, UsageError
from sidelight.evaluation import figures
from sidelight.evaluation.labelling.examples import read_examples
from sidelight.evaluation.labelling.judged_runs import (
    MANIFEST_NAME,
    JudgingManifest,
    read_manifest_beside,
)
from sidelight.evaluation.labelling.support import assess_support
from sidelight.evaluation.metrics.base import Computed, TopicRecord, declared
from sidelight.evaluation.scoring.compare import (
    PairedComparison,
    TopicValues,
    compare_runs,
    topic_values,
)
from sidelight.evaluation.scoring.measures import STAGE_MEASURES, Stage, read_stage_credit
from sidelight.evaluation.scoring.table import (
    Interval,
    TopicScore,
    bootstrap_intervals,
    per_topic_name,
    read_topic_scores,
    score_prefix,
    tabulate,
)
from sidelight.files import MAX_TABLE_BYTES, atomic_write, read_limited
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.runs.submission import run_format
from sidelight.llm.prompted import CallRecord
from sidelight.registry import code_of, needs
from sidelight.runs.directory import RunDirectory
from sidelight.runs.log import usage_by_prompt
from sidelight.runs.self_evaluation import FUNNEL_FILE, collect, evaluate_run, read_finished
from sidelight.schemas.grading.judgment import JudgedSentence, Measure
from sidelight.schemas.task import CitedTextTask, QuestionListTask, Task
from sidelight.schemas.topic import asked_in, host_of
from sidelight.text import counted, first_of
from sidelight.text_vectors import SentenceEncoder, TextVectors
from sidelight.tracks import Track, load_track
from sidelight.versions import process_apart
from sidelight.wiring.judges import JudgeInputs, judge_class, make_judge, open_encoder

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_STAMP = "judged.sha256"


def judge_arms(
    names: Sequence[str],
    folder: Path,
    index: Path,
    rubrics: Path,
    judge: str,
    examples: Path | None = None,
    plugins: Sequence[str] = (),
    on_kept: Callable[[int], None] = lambda _: None,
    on_arm: Callable[[str], None] = lambda _: None,
) -> None:
    """Judge every arm's run that is not judged yet.

    A separate process reads the rubrics and the labelled `examples`, after all runs are finished.
    `judge` names a judge that asks no model. `on_kept` gets the number of arms that are judged
    already, `on_arm` the name of each arm that is done.
    """
    given = rubrics, judge, examples
    todo = [name for name in names if not _is_judged(folder / ARMS / name, *given)]
    on_kept(len(names) - len(todo))
    if not todo:
        return
    work = partial(_judge_arm, folder=folder, index=index, given=given, plugins=plugins)
    with process_apart() as process:
        for name in todo:
            process.submit(work, name).result()
            on_arm(name)


@cache
def _encoder() -> SentenceEncoder:
    """Return the encoder that the judging process keeps from arm to arm, with what it encoded."""
    encoder = open_encoder()
    return encoder._replace(encode=TextVectors(encoder.encode))


_examples = cache(read_examples)  # once for all arms


def check_judge(
    arms: Sequence[Arm], folder: Path, rubrics: Path, judge: str, examples: Path | None
) -> None:
    """Refuse arms that were judged otherwise, before any is run.

    Another judge gave their labels, or the same with other examples, or by other rubrics.
    """
    now = judge_class(judge, ("articles", "encoder", "examples"))
    judged: list[JudgingManifest] = []
    learns = examples is not None and "examples" in needs(now)
    seen = _examples(examples).run_tags if examples and learns else frozenset()
    for arm in arms:
        before = read_manifest_beside(RunDirectory(folder / ARMS / arm.name).scores / MANIFEST_NAME)
        if before and (
            before.judge != getattr(now, "name", before.judge) or {*before.example_run_tags} != seen
        ):
            found = f"{judge} {f'with examples of {examples}' if learns else 'without examples'}"
            raise _other_judge(arm.name, folder, before, found)
        judged += [before] if before else []
    if judged:
        with process_apart() as process:
            other = process.submit(_with_other_rubric, judged, rubrics).result()
        if other:
            raise InputError(
                f"{rubrics}: expected the rubrics of the labels in {folder / ARMS}/*/scores; found "
                f"others of {first_of(other)}",
                remedy=f"Give those, or delete {folder / ARMS}/*/scores to judge all arms again.",
            )


def _with_other_rubric(judged: Sequence[JudgingManifest], rubrics: Path) -> list[str]:
    bank = read_rubrics(rubrics, load_track().scales)
    return sorted({topic_id for one in judged for topic_id in one.with_other_rubric(bank)})


def _other_judge(arm: str, folder: Path, before: JudgingManifest, found: str) -> UsageError:
    tags = before.example_run_tags
    given = f"--examples that have labels of {first_of(tags)}" if tags else "no --examples"
    return UsageError(
        f"{folder / ARMS / arm}: expected the judge of its scores, {before.label}; found {found}",
        remedy=f"Give that judge as before, with {given}; or delete {folder / ARMS}/*/scores to "
        "judge all arms again.",
    )


def _judge_arm(
    name: str,
    folder: Path,
    index: Path,
    given: tuple[Path, str, Path | None],
    plugins: Sequence[str],
) -> None:
    from sidelight.index.folder import open_index

    rubrics, judge, examples = given
    directory, opened = RunDirectory(folder / ARMS / name, plugins), open_index(index)
    run = read_finished(directory, opened.fingerprint(), rubrics)
    labelled = _examples(examples) if examples else None
    made = make_judge(judge, JudgeInputs(run.rubrics, labelled, _encoder, run.articles))
    before = read_manifest_beside(directory.scores / MANIFEST_NAME)
    if before and before.label != made.title:  # another version, say
        raise _other_judge(name, folder, before, made.title)
    material = collect(run, opened.docstore.get_many, made.words_at_once)
    asyncio.run(evaluate_run(made, material, directory.scores))
    atomic_write(directory.scores / _STAMP, _stamp(directory.path, *given))


def _is_judged(run: Path, rubrics: Path, judge: str, examples: Path | None) -> bool:
    stamp = RunDirectory(run).scores / _STAMP
    return stamp.exists() and read_limited(stamp).decode() == _stamp(run, rubrics, judge, examples)


def _stamp(run: Path, rubrics: Path, judge: str, examples: Path | None) -> str:
    """Return a hash of all that the judging of a run depends on."""
    digest = sha256(judge.encode() + code_of("judge", judge).encode())
    for path in (run / "manifest.json", *sorted(rubrics.glob("*.json"))):
        digest.update(read_limited(path))
    if examples:
        digest.update(_examples(examples).fingerprint.encode())
    return digest.hexdigest()


# Of every run, judged or not.
_OF_REPORTS = ("support_precision", "support_recall", "words", "citations", "sources")


class ArmCost(NamedTuple):
    """Cost of an arm's run over all its attempts, without replayed calls, and its faults.

    Attributes:
        prompt_tokens: Read by its calls.
        completion_tokens: Written by them.
        errors: What the strict check finds wrong with the files.
        failed: Topics that could not be finished.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    errors: int
    failed: int

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens


def measure_arm(
    arm: Arm, folder: Path, *, judged: bool, further: Sequence[Measure] = ()
) -> list[TopicScore]:
    """Return an arm's measures on every topic of its run, under the arm's name.

    If the run was judged, the first are the measures that its track shows among all tasks, and the
    credit of the stages of the funnel. Then come the support of sentences by all they cite,
    computed without an encoder, the size of the report, and the `further` measures. UsageError is
    raised if a further measure needs what is not known of arms.
    """
    run = RunDirectory(folder / ARMS / arm.folder_name, arm.settings.plugins())
    manifest = run.read_manifest()
    track = run.read_track()
    of_tasks = _of_tasks(run, track) if judged else {}
    record = partial(
        _record,
        run,
        track,
        asyncio.run(_held_against_sources(run, track.cited_text)),
        read_stage_credit(run.scores / FUNNEL_FILE) if judged else None,
    )
    measures = [*(STAGE_MEASURES if judged else ()), *map(declared, _OF_REPORTS)]
    table = tabulate(
        manifest.topics,
        [arm.name],
        [(arm.name, topic_id) for topic_id in manifest.topics],
        lambda _, topic_id: record(topic_id),
        measures,
        further,
    )
    by_topic = {score.topic_id: score.values for score in table.topics}
    return [
        TopicScore(arm.name, topic_id, of_tasks.get(topic_id, {}) | by_topic[topic_id])
        for topic_id in manifest.topics
    ]


def cost_of(arm: Arm, folder: Path) -> ArmCost:
    """Return what an arm cost."""
    run = RunDirectory(folder / ARMS / arm.folder_name, arm.settings.plugins())
    manifest = run.read_manifest()
    calls = [
        CallRecord.model_validate_json(line, strict=True)
        for path in sorted(run.calls.glob("*.jsonl"))
        for line in read_limited(path, MAX_TABLE_BYTES).splitlines()
    ]
    usage = usage_by_prompt(calls).values()
    track, topic_ids = run.read_track(), manifest.topics
    problems = [
        problem
        for task in track.tasks
        for problem in run_format(task).check(run.file(task), task, topic_ids, None)
    ]
    return ArmCost(
        calls=sum(sums.calls - sums.cached for sums in usage),
        prompt_tokens=sum(sums.prompt_tokens for sums in usage),
        completion_tokens=sum(sums.completion_tokens for sums in usage),
        errors=sum(problem.severity == "error" for problem in problems),
        failed=len(manifest.failed_topics),
    )


def results_of(arm: Arm, folder: Path) -> dict[str, str]:
    """Return, by task, a hash of what an arm's file holds but for the run id, which is its own."""
    made = {task.name: results for task, results in _results(arm, folder)}
    return {name: sha256(repr(results).encode()).hexdigest() for name, results in made.items()}


_MADE_OF: dict[type[Task], str] = {CitedTextTask: "sentence", QuestionListTask: "question"}


def shared_with(base: Arm, arm: Arm, folder: Path) -> dict[str, tuple[int, int]]:
    """Return, for sentences and questions, how many of an arm's the base has, and how many it has.

    They are compared by their words, and by topic.
    """
    shared, of_base = {}, {task.name: made for task, made in _results(base, folder)}
    for task, ours in _results(arm, folder):
        if noun := _MADE_OF.get(type(task)):
            pairs = [(made, of_base[task.name].get(one, ())) for one, made in ours.items()]
            said = [[{getattr(one, "text", one) for one in it} for it in pair] for pair in pairs]
            shared[noun] = sum(len(a & b) for a, b in said), sum(len(a) for a, _ in said)
    return shared


def _results(arm: Arm, folder: Path) -> Iterator[tuple[Task, Mapping[str, Any]]]:
    """Yield what an arm's run of each task holds, by topic."""
    run = RunDirectory(folder / ARMS / arm.folder_name, arm.settings.plugins())
    for task in run.read_track().tasks:
        yield task, run_format(task).read(run.file(task)).results()


def tasks_of(arm: Arm, folder: Path) -> tuple[dict[str, str], str]:
    """Return the task of measures that a track names, and that of all others: the reports."""
    track = RunDirectory(folder / ARMS / arm.folder_name, arm.settings.plugins()).read_track()
    named = {one.among_tasks: task.name for task in track.tasks for one in task.measures}
    return named, track.cited_text.name


def judges_of(
    names: Iterable[str], arm: Arm, folder: Path, further: Sequence[Measure]
) -> dict[str, str]:
    """Return, by measure, who gave the labels it is computed from; others are left out.

    `names` are measures that `measure_arm` returned. `arm` may be any: all arms have one judge.
    """
    run = RunDirectory(folder / ARMS / arm.folder_name, arm.settings.plugins())
    manifest, track = read_manifest_beside(run.scores / MANIFEST_NAME), run.read_track()
    judge = {"sentences": make_judge("embedded", JudgeInputs(encoder=None)).title}
    known: dict[str, str] = {}
    if manifest:
        judge["stages"] = manifest.title_of(track.cited_text.name)
        of_tasks = ((one, task) for task in track.tasks for one in task.measures)
        known = {one.among_tasks: manifest.title_of(task.name) for one, task in of_tasks}
    measures = (*STAGE_MEASURES, *map(declared, _OF_REPORTS), *further)
    needs = {one.name: Computed(one).needs for one in measures}
    known |= {name: judge[what] for name in needs for what in needs[name] & judge.keys()}
    return {name: known[name] for name in names if name in known}


def rubrics_of(arm: Arm, folder: Path) -> dict[str, str]:
    """Return, by topic id, the SHA-256 of the rubric an arm was judged by; none if it was not."""
    scores = RunDirectory(folder / ARMS / arm.folder_name).scores
    manifest = read_manifest_beside(scores / MANIFEST_NAME)
    return manifest.rubrics if manifest else {}


def _record(
    run: RunDirectory,
    track: Track,
    sentences: Mapping[str, Sequence[JudgedSentence]],
    funnel: Mapping[str, Mapping[str, float]] | None,
    topic_id: str,
) -> TopicRecord:
    result = run.result(topic_id)
    return TopicRecord(
        scales={**track.scales, SUPPORT_SCALE.name: SUPPORT_SCALE},
        sentences=sentences.get(topic_id, ()),
        report=result.result(track.cited_text),
        hosts={segment.segment_id: host_of(segment.url) for segment in result.evidence},
        stages=None if funnel is None else funnel.get(topic_id, dict.fromkeys(Stage, 0.0)),
    )


async def _held_against_sources(
    run: RunDirectory, task: CitedTextTask
) -> dict[str, list[JudgedSentence]]:
    """Return the sentences of a run's reports by topic, judged by words."""
    results = [run.result(topic_id) for topic_id in run.read_manifest().topics]
    texts = {one.segment_id: one.text for result in results for one in result.evidence}
    asked = {result.topic_id: asked_in(result.topic) for result in results}

    def texts_of(segment_ids: Collection[str]) -> Mapping[str, str]:
        return {name: texts[name] for name in segment_ids if name in texts}

    found: dict[str, list[JudgedSentence]] = defaultdict(list)
    judge = make_judge("embedded", JudgeInputs(encoder=None))
    runs = [run_format(task).read(run.file(task))]
    for item in await assess_support(judge, runs, texts_of, asked):
        found[item.topic_id].append(item)
    return found


def _of_tasks(run: RunDirectory, track: Track) -> dict[str, dict[str, float]]:
    """Return the scores that a judged run keeps, by topic, named as among tasks."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for task in track.tasks:
        for score in read_topic_scores(run.scores / per_topic_name(score_prefix("auto", task))):
            found[score.topic_id] |= {
                one.among_tasks: score.values[one.name] for one in task.measures if one.among_tasks
            }
    return found


class ArmMean(NamedTuple):
    """An arm's mean over topics, with its 95% interval; None with fewer than 3 topics.

    Where a measure is undefined on all topics there is neither.
    """

    mean: float | None
    interval: Interval | None


class MeasureEffects(NamedTuple):
    """One measure over all arms.

    Attributes:
        values: By arm, in the order of the grid, its value on each topic.
        effects: By arm but the base: its mean minus the base's. Chance is corrected for the number
            of arms by Holm's method.
        same: By arm that is left out of these, the earlier arm whose results it shares.
    """

    measure: Measure
    values: TopicValues
    means: dict[str, ArmMean]
    effects: dict[str, PairedComparison]
    same: dict[str, str]


def find_effects(
    scores: Sequence[TopicScore],
    base: str,
    twins: Mapping[str, Mapping[str, str]],
    *,
    samples: int,
    seed: int,
) -> list[MeasureEffects]:
    """Return what arms do by every measure, in the order of the scores' measures.

    `twins` are, by measure, arms with the results of an earlier one for the measure's task. They
    are tested and counted only by measures that differ: others would count one result twice.
    `samples` is the number of bootstrap samples and of random sign patterns, `seed` that of both.
    """
    found, names = [], list(dict.fromkeys(score.run_tag for score in scores))
    for measure in scores[0].values:
        values = topic_values(scores, measure, Path("the arms"))
        same = {
            name: twin
            for name, twin in twins.get(measure, {}).items()
            if values.values.get(name) == values.values[twin]
        }
        # In the order of the grid, as all tables have them.
        of_arms = {name: values.values[name] for name in names if name not in same}
        values = values._replace(values=of_arms)
        matrix = np.array(list(values.values.values()))
        intervals = bootstrap_intervals(matrix, samples=samples, seed=seed)
        means = {
            name: ArmMean(float(row.mean()), interval) if values.defined else ArmMean(None, None)
            for name, row, interval in zip(values.values, matrix, intervals, strict=True)
        }
        effects = {}
        if len(values.values) > 1 and values.defined:
            pairs = compare_runs(values, baseline=base, samples=samples, seed=seed)
            by_name = {pair.first: pair for pair in pairs}
            effects = {name: by_name[name] for name in of_arms if name != base}
        found.append(MeasureEffects(values.measure, values, means, effects, same))
    return found


_ROW = 0.32  # inches
_PANELS = 4  # beside each other at most
_SIGNIFICANT = 0.05


def draw_effects(found: MeasureEffects, base: str, paths: Sequence[Path]) -> None:
    """Draw each arm's difference from the base arm with its 95% interval, the best on top.

    Filled points differ from the base at the 5% level after Holm's correction.
    """
    measure = found.measure
    arms = sorted(found.effects, key=lambda name: measure.sign * found.effects[name].difference)
    with figures.open_figure((6.4, 1.3 + _ROW * len(arms)), paths) as figure:
        axes = figure.subplots()
        axes.axvline(0, color=figures.GREY, linewidth=1)
        for place, name in enumerate(arms):
            effect = found.effects[name]
            if effect.interval is not None:
                axes.plot(effect.interval, (place, place), color=figures.DARK_BLUE, linewidth=1.5)
            known = effect.p_holm < _SIGNIFICANT
            axes.plot(
                effect.difference,
                place,
                "o",
                color=figures.DARK_BLUE,
                markerfacecolor=figures.DARK_BLUE if known else "white",
                gid=f"effect-{place}",
            )
        axes.set_yticks(
            range(len(arms)), [figures.short_name(name) for name in arms], fontsize="small"
        )
        axes.set_ylim(-0.7, len(arms) - 0.3)
        better = "" if measure.direction == "none" else f" ({measure.direction} is better)"
        axes.set_xlabel(f"difference in {measure.name} from {base}{better}", fontsize="small")
        axes.tick_params(axis="x", labelsize="small")
        figures.tidy_axes(axes, "x")
        figure.suptitle(
            f"{measure.name}: 95% intervals over "
            f"{counted(len(found.values.topic_ids), 'topic')}; filled: p < .05 (Holm)",
            fontsize="small",
        )


def draw_slopes(found: MeasureEffects, base: str, paths: Sequence[Path]) -> None:
    """Draw, for each arm, every topic's value in the base arm and in the arm."""
    arms = list(found.effects)
    rows = ceil(len(arms) / _PANELS)
    columns = ceil(len(arms) / rows)
    with figures.open_figure((1.9 * columns + 0.6, 2.4 * rows + 0.5), paths) as figure:
        panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
        for axes, name in zip(panels, arms, strict=False):
            _draw_panel(axes, found, base, name)
        for axes in panels[len(arms) :]:
            axes.set_visible(False)
        figure.suptitle(
            f"{found.measure.name} per topic: dark lines gain, orange lines lose", fontsize="small"
        )


def _draw_panel(axes: Axes, found: MeasureEffects, base: str, name: str) -> None:
    sign = found.measure.sign
    values = found.values.values
    for before, after in zip(values[base], values[name], strict=True):
        gain = sign * (after - before)
        colour = figures.DARK_BLUE if gain > 0 else figures.ORANGE if gain < 0 else figures.GREY
        axes.plot((0, 1), (before, after), color=colour, alpha=0.6, linewidth=1)
    axes.set_xticks((0, 1), ("base", "arm"), fontsize="x-small")
    axes.set_xlim(-0.15, 1.15)
    effect = found.effects[name]
    axes.set_title(
        f"{figures.short_name(name)}\n{effect.won} won, {effect.lost} lost", fontsize="x-small"
    )
    axes.tick_params(axis="y", labelsize="x-small")
    figures.tidy_axes(axes, "y")
