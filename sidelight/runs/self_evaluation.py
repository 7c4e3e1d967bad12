"""Self-evaluation of a finished run: assessments, scores, and the funnel of lost credit.

A run is judged by given rubrics or by those it drafted itself, from what is stored: its files, its
rubrics, and per topic the texts that it read and wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling import run_kinds
from sidelight.evaluation.labelling.judge import A, AssessmentProtocol, Judge, RubricCase
from sidelight.evaluation.labelling.judged_runs import (
    MANIFEST_NAME,
    JudgingManifest,
    assess_runs,
    judge_runs,
    read_manifest_beside,
)
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)
from sidelight.evaluation.scoring import DEFAULT_SAMPLES
from sidelight.evaluation.scoring.measures import FunnelRow, Stage, funnel_rows, write_funnel
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.table import (
    ScoreTable,
    listed,
    run_intervals,
    score_prefix,
    write_score_files,
)
from sidelight.formats.banks.rubrics import read_rubrics, write_rubric
from sidelight.formats.labels.assessments import read_assessments
from sidelight.formats.table import to_frame
from sidelight.runs.directory import RunDirectory, TopicResult
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.investigation.angle import Angle
from sidelight.schemas.run import CitedSentence, ReportMetadata, SubmittedReport
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.task import CitedTextTask, Task
from sidelight.schemas.topic import Article
from sidelight.tracks import Track, load_track

DRAFTED = "rubrics"
"""Folder of drafted rubrics within the folder of the scores that they lead to."""


def given_rubrics(folder: Path, topic_ids: Iterable[str]) -> dict[str, Rubric]:
    """Return the rubrics in a folder for some topics; raise InputError if there are none."""
    wanted = set(topic_ids)
    found = {
        topic_id: rubric
        for topic_id, rubric in read_rubrics(folder, load_track().scales).items()
        if topic_id in wanted
    }
    if not found:
        raise InputError(f"{folder} holds no rubric for any topic of the run")
    return found


def drafted_rubrics(results: Iterable[TopicResult | None]) -> dict[str, Rubric]:
    """Return what a run expected to be asked before it searched, as rubrics.

    A draft has questions and weights and no answers. What is then asked of a report is whether it
    tells the answer at all, so every question gets one answer that says so.
    """
    rubrics = {}
    for result in results:
        if result and (angles := result.trace.rubric):
            rubrics[result.topic_id] = Rubric(
                topic_id=result.topic_id,
                questions=tuple(
                    _drafted_question(result.topic_id, rank, angle)
                    for rank, angle in enumerate(angles, start=1)
                ),
            )
    if not rubrics:
        raise InputError("the run drafted no rubric", remedy="Give rubrics with --rubrics DIR.")
    return rubrics


def _drafted_question(topic_id: str, rank: int, angle: Angle) -> RubricQuestion:
    scale = load_track().scales["importance"]
    importance = min(scale.labels, key=lambda label: abs(label.credit - angle.weight))
    return RubricQuestion(
        question_id=f"{topic_id}-{rank}",
        rank=rank,
        text=angle.question,
        importance=importance,
        answers=(RubricAnswer(answer_id=f"da-{rank}", text=f"The answer to: {angle.question}"),),
    )


class FinishedRun(NamedTuple):
    """A run and the rubrics it is judged by.

    Attributes:
        results: What is stored about each topic; None for one that failed.
        rubrics: By topic id, of the run's topics that have one.
        drafted: Whether the run drafted the rubrics itself.
    """

    directory: RunDirectory
    results: Mapping[str, TopicResult | None]
    rubrics: Mapping[str, Rubric]
    drafted: bool

    @property
    def track(self) -> Track:
        """The track of the run."""
        return self.directory.read_track()

    @property
    def topics_without_rubric(self) -> set[str]:
        """Topics without a rubric, which are not judged."""
        return set(self.results) - set(self.rubrics)

    def articles(self) -> dict[str, Article]:
        """Return topic id -> article, of the topics that are articles and did not fail."""
        return {
            topic_id: result.topic
            for topic_id, result in self.results.items()
            if result is not None and isinstance(result.topic, Article)
        }

    def files(self) -> list[run_kinds.TaskRuns]:
        """Return the run's files, each as the one run of its task."""
        track, directory = self.track, self.directory
        return [
            run_kinds.read_task_runs(task, [directory.file(task)], self.rubrics)
            for task in (track.question_list, track.cited_text)
        ]


def read_finished(
    directory: RunDirectory, index_fingerprint: str, rubrics: Path | None
) -> FinishedRun:
    """Read a finished run, and the folder of its rubrics; None takes those that it drafted.

    InputError is raised if the run is not finished, was made with another index, or has no rubric.
    """
    manifest = directory.manifest_with(index_fingerprint)
    results = {
        **dict.fromkeys(manifest.failed_topics),
        **{topic_id: directory.result(topic_id) for topic_id in manifest.topics},
    }
    known = given_rubrics(rubrics, results) if rubrics else drafted_rubrics(results.values())
    return FinishedRun(directory, results, known, drafted=rubrics is None)


class RunScores(NamedTuple):
    """The scores of a run's questions and of its reports, by the measures of a track."""

    track: Track
    questions: ScoreTable
    reports: ScoreTable


def score_assessments(folder: Path, rubrics: Mapping[str, Rubric], track: Track) -> RunScores:
    """Return the scores that the assessments in a folder give."""

    def read(protocol: AssessmentProtocol[Any, A]) -> list[A]:
        return read_assessments(folder / protocol.file_name, protocol.kind, track.scales)

    asked, compound = read(QUESTION_SIMILARITY), read(COMPOUND_QUESTIONS)
    return RunScores(
        track,
        score_questions(track, rubrics, asked, compound),
        score_reports(track, rubrics, read(REPORT_ANSWERS)),
    )


def write_scores(scores: RunScores, folder: Path) -> list[Path]:
    """Write the files that `sidelight score` writes, and return their paths."""
    track = scores.track
    written: list[Path] = []
    for table, prefix in (
        (scores.questions, score_prefix("auto", track.question_list)),
        (scores.reports, score_prefix("auto", track.cited_text)),
    ):
        intervals = run_intervals(table, samples=DEFAULT_SAMPLES, seed=0)
        written += write_score_files(table, folder, prefix, intervals)
    return written


class StageReport(NamedTuple):
    """Text of one stage, to be judged as if it were a report."""

    stage: Stage
    rubric: Rubric
    report: SubmittedReport


def stage_reports(
    results: Iterable[TopicResult | None],
    task: CitedTextTask,
    rubrics: Mapping[str, Rubric],
    lookup: Callable[[Sequence[str]], Sequence[Segment]],
    words_at_once: int,
) -> list[StageReport]:
    """Return what is judged besides the files of a run, for the topics that have a rubric.

    `lookup` returns the segments of some ids, in the order asked for; `words_at_once` is how many
    words the judge is shown at once (see `Judge`).
    """
    return [
        StageReport(stage, rubrics[result.topic_id], _as_report(result.topic_id, texts))
        for result in results
        if result is not None and result.topic_id in rubrics
        for stage, texts in _stage_texts(result, task, lookup, words_at_once)
    ]


def _stage_texts(
    result: TopicResult,
    task: CitedTextTask,
    lookup: Callable[[Sequence[str]], Sequence[Segment]],
    words: int,
) -> Iterator[tuple[Stage, list[str]]]:
    """Yield what a topic's stages hold: hits that were not taken, those that were, every draft.

    Pages that were shown to no role are no hits. A draft that became the report as it was is left
    out: the report is judged anyway.
    """
    selected = {segment.segment_id for segment in result.evidence}
    refused = result.trace.refused()
    others = sorted(
        segment_id
        for segment_id in result.trace.found() - selected
        if document_id_of(segment_id) not in refused
    )
    for texts in _packed([segment.text for segment in lookup(others)], words):
        yield Stage.RETRIEVED, texts
    for texts in _packed([segment.text for segment in result.evidence], words):
        yield Stage.SELECTED, texts
    final = [sentence.text for sentence in result.result(task)]
    for draft in result.trace.drafts():
        texts = [sentence.text for sentence in draft.sentences]
        if texts != final:
            yield Stage.WRITTEN, texts


def _packed(texts: Iterable[str], words: int) -> Iterator[list[str]]:
    """Put texts together up to a number of words; each stands alone where it is 0."""
    pack: list[str] = []
    size = 0
    for text in texts:
        length = len(text.split())
        if pack and size + length > words:
            yield pack
            pack, size = [], 0
        pack.append(text)
        size += length
    if pack:
        yield pack


def _as_report(topic_id: str, texts: Iterable[str]) -> SubmittedReport:
    return SubmittedReport(
        metadata=ReportMetadata(team_id="", run_id="", topic_id=topic_id),
        responses=tuple(CitedSentence(text=text) for text in texts),
    )


FUNNEL_FILE = "funnel.csv"


class Material(NamedTuple):
    """What is judged: a run with its rubrics, and what it read and wrote on its way to reports."""

    run: FinishedRun
    stages: Sequence[StageReport]

    @property
    def n_labels(self) -> int:
        """Labels that a judge gives."""
        of_stages = sum(len(REPORT_ANSWERS.units(case)) for _, case in _cases(self.stages))
        return of_stages + sum(file.n_labels for file in self.run.files())


_Row = dict[str, float | None]


class SelfEvaluation(NamedTuple):
    """Result of a run's evaluation: who judged what, scores, and a row for each rubric answer."""

    manifest: JudgingManifest
    scores: RunScores
    funnel: Sequence[FunnelRow]

    def __repr__(self) -> str:
        lines = [
            f"  {task.name}: {listed(named(one.row))}"
            for task, table, named in self._by_task()
            for one in table.runs
        ]
        return "\n".join([f"<judged by {self.manifest.title}>", *lines])

    def to_frame(self) -> Any:
        """Return the scores as a `pandas.DataFrame`, a row for each topic and measure."""
        rows = []
        for task, table, named in self._by_task():
            of_task = {"task": task.name, "judge": self.manifest.title_of(task.name)}
            for one in table.topics:
                about = {"run": one.run_tag, "topic": one.topic_id, **of_task}
                for name, value in named(one.row).items():
                    rows.append({**about, "measure": name, "value": value})
        return to_frame(rows)

    def _by_task(self) -> Iterator[tuple[Task, ScoreTable, Callable[[_Row], _Row]]]:
        """Yield each task with its scores, and what names measures as among all tasks."""
        track = self.scores.track
        for task, table in (
            (track.question_list, self.scores.questions),
            (track.cited_text, self.scores.reports),
        ):
            called = {one.name: one.among_tasks or one.name for one in task.measures}
            yield task, table, partial(_renamed, called)


def _renamed(called: Mapping[str, str], row: _Row) -> _Row:
    return {called.get(name, name): value for name, value in row.items()}


def collect(
    run: FinishedRun, lookup: Callable[[Sequence[str]], Sequence[Segment]], words_at_once: int
) -> Material:
    """Read what is judged of a run; see `stage_reports`."""
    stages = stage_reports(
        run.results.values(), run.track.cited_text, run.rubrics, lookup, words_at_once
    )
    return Material(run, stages)


async def assess_all(judge: Judge, material: Material) -> None:
    """Judge what `evaluate_run` judges and keep nothing, for judges that only count."""
    for file in material.run.files():
        await assess_runs(judge, file)
    await run_kinds.assess(judge, REPORT_ANSWERS, _cases(material.stages), run_kinds.ignore)


async def evaluate_run(
    judge: Judge, material: Material, folder: Path, on_labels: run_kinds.OnLabels = run_kinds.ignore
) -> SelfEvaluation:
    """Judge a run, score it and find where credit was lost; write assessments, scores and funnel.

    `on_labels` is called with the number of labels whenever some are added. UsageError is raised if
    `folder` holds scores by rubrics that the run drafted, and other rubrics are given; InputError
    if it holds labels of another judge.
    """
    run = material.run
    check_folder(run, folder)
    for topic_id, rubric in run.rubrics.items() if run.drafted else ():
        write_rubric(folder / DRAFTED / f"{quote(topic_id, safe='')}.json", rubric)
    judge.prepare(stage.report for stage in material.stages)
    for file in run.files():
        manifest = await judge_runs(judge, file, folder, on_labels)
    # In the place of the run tag, these have the stage.
    staged = await run_kinds.assess(judge, REPORT_ANSWERS, _cases(material.stages), on_labels)
    track = run.track
    answers = read_assessments(folder / REPORT_ANSWERS.file_name, REPORT_ANSWERS.kind, track.scales)
    staged += [replace(item, run_tag=Stage.JUDGED) for item in answers]
    funnel = funnel_rows(run.rubrics, staged, REPORT_ANSWERS.scale)
    write_funnel(folder / FUNNEL_FILE, funnel)
    scores = score_assessments(folder, run.rubrics, track)
    write_scores(scores, folder)
    of_both = read_manifest_beside(folder / MANIFEST_NAME) or manifest
    return SelfEvaluation(manifest=of_both, scores=scores, funnel=funnel)


def check_folder(run: FinishedRun, folder: Path) -> None:
    """Raise UsageError where scores by other rubrics lie that a run drafted itself."""
    if not run.drafted and (folder / DRAFTED).exists():
        raise UsageError(
            f"{folder} holds scores by rubrics that the run drafted itself",
            remedy=f"Choose another folder with -o, or delete {folder}.",
        )


def _cases(stages: Iterable[StageReport]) -> Iterable[tuple[str, RubricCase[SubmittedReport]]]:
    return ((stage, RubricCase(rubric, report)) for stage, rubric, report in stages)
