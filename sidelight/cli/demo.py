"""Command `demo`: index, run, judge and score the bundled mini web."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from shutil import which
from typing import TYPE_CHECKING, Annotated, NamedTuple

from sidelight.cli.console import Note, PlainTable, Result, Shown, interrupted, out
from sidelight.cli.options import output_option
from sidelight.cli.progress import in_lines, progress_bar
from sidelight.cli.view import PAGE, write_page
from sidelight.config.load import load_settings
from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.labelling.examples import read_examples
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart
from sidelight.formats.runs.cited_sentences import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.formats.topics import read_articles
from sidelight.formats.verdict import judge_file
from sidelight.index.text.corpus import read_documents, write_segments
from sidelight.runs.directory import RunDirectory
from sidelight.sample import sample_path
from sidelight.text import counted
from sidelight.tracks import load_track
from sidelight.wiring.judges import JudgeInputs, make_judge
from sidelight.wiring.run import make_run

if TYPE_CHECKING:
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import IndexFolder
    from sidelight.runs.self_evaluation import RunScores

# Bundled runs, written by hand, that stand beside ours. The judge learns from people's labels of
# the strong one, whose scores are therefore people's own.
_STRONG, _WEAK = "lantern", "tidepool"
_BESIDE = {_STRONG: f"{_STRONG} (strong, by hand)", _WEAK: f"{_WEAK} (weak, by hand)"}
_EXCERPT = 3


@interrupted("Finished parts are kept; the same command does the rest.")
def demo(
    folder: Annotated[Path, output_option("Folder for the demo's files; safe to delete.")] = Path(
        "sidelight-demo"
    ),
) -> Result:
    """Run everything on the bundled fictional mini web, and end with a page to look at."""
    from sidelight.index.build import build_index
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import open_folder

    started = time.monotonic()
    data = sample_path()
    segments, index, encoder = folder / "segments.jsonl", folder / "index", Encoder()
    with _step("Cut documents into segments"):
        documents = read_documents(data / "documents.jsonl")
        n_segments = write_segments(segments, documents, lambda _: None)
    with _step(f"Index {counted(n_segments, 'segment')} (Lucene and FAISS)"):
        build_index([segments], index, encoder, progress=progress_bar)
    opened = open_folder(index)
    with _step("Investigate five articles"):
        directory = _run(opened, data / "topics.jsonl", folder / "run")
    with _step("Validate both files, strictly and as the track does"):
        _validate(directory, data / "topics.jsonl")
    with _step("Judge and score beside a strong and a weak sample run"):
        judge, table = asyncio.run(_judge(directory, data, folder / "scores", encoder))
    page = folder / PAGE
    with _step("Write the page"):
        rubrics = data / DataPart.RUBRICS
        write_page(directory.path, page, rubrics=rubrics, labels=[folder / "scores"])
    files = [
        *(directory.file(task) for task in load_track().tasks),
        directory.traces,
        folder / "scores",
    ]
    return Result(
        {
            "judge": judge,
            "runs": [one._asdict() for one in table],
            "files": list(map(str, files)),
            "page": str(page),
        },
        [
            *_excerpt(directory, data / "topics.jsonl", opened),
            *scores_shown(table, judge),
            f"\nDone in {time.monotonic() - started:.0f} s. Files:",
            *(f"  {path}" for path in files),
            "Open in a browser:",
            f"  {page}",
            *_next(index),
        ],
    )


def _next(index: Path) -> list[Shown]:
    """Return what to type next, and first what makes the shell find this program, if need be."""
    activate = Path(sys.executable).with_name("activate")
    found = which("sidelight") is not None or not activate.is_file()
    shown: list[Shown] = [] if found else [f"  . {quote(os.path.relpath(activate))}"]
    return [
        "Your own article, with these sources:",
        *shown,
        f"  sidelight read FILE --index {index}",
    ]


def scores_shown(table: list[_Row], judge: str) -> list[Shown]:
    """Return the table of scores, and what a reader must know about it."""
    first, second = load_track().question_list.title, load_track().cited_text.title
    return [
        PlainTable(
            ["run", first, f"{second} supportive", f"{second} contradictory"],
            [
                [_BESIDE.get(one.run, one.run), *(f"{value:.3f}" for value in one[1:])]
                for one in table
            ],
        ),
        (
            f"judge: {judge}; it learned from people's labels of bundled runs, and {_STRONG} is "
            "scored by those labels themselves"
        ),
        (
            "supportive: share of the rubrics' answers that a report states; contradictory: of "
            "which it says the opposite, so less is better"
        ),
        "development figures: weights were fitted on these rubrics",
    ]


@contextmanager
def _step(title: str) -> Iterator[None]:
    started = time.monotonic()
    out.print(f"{title} ... ", end="", markup=False)
    with in_lines(title):
        yield
    out.print(f"{time.monotonic() - started:.1f} s", markup=False)


def _run(index: IndexFolder, topics: Path, destination: Path) -> RunDirectory:
    settings = load_settings(None, ["submission.run_id=sidelight-demo"])
    articles = read_articles(topics)
    with progress_bar("articles", total=len(articles)) as advance:
        summary = make_run(
            articles,
            settings,
            index,
            destination,
            on_topic=lambda _: advance(1),
            on_step=advance.begin,
        )
    if not summary.succeeded:
        raise InputError(f"the demo's run failed; see {summary.directory.failures}")
    return summary.directory


def _excerpt(directory: RunDirectory, topics: Path, index: IndexFolder) -> list[Shown]:
    """Return the first questions and sentences on the first article."""
    article = read_articles(topics)[0]
    questions = read_question_run(directory.file(load_track().question_list)).questions
    report = read_report_run(directory.file(load_track().cited_text)).reports[0]
    shown: list[Shown] = [
        Note(f"\n{article.title}", "bold"),
        *(f"  {question.rank}. {question.text}" for question in questions[:_EXCERPT]),
    ]
    for sentence in report.responses[:_EXCERPT]:
        hosts = [segment.host for segment in index.docstore.get_many(sentence.citations)]
        shown.append(f"  - {sentence.text} [{', '.join(hosts)}]")
    return [*shown, ""]


def _validate(directory: RunDirectory, topics: Path) -> None:
    topic_ids = [article.topic_id for article in read_articles(topics)]
    for task in load_track().tasks:
        for official in (False, True):
            verdict = judge_file(directory.file(task), load_track(), topic_ids, official=official)
            if not verdict.valid:
                raise InvalidFileError(verdict.problems)


class _Row(NamedTuple):
    """A run's scores in both tasks."""

    run: str
    questions: float
    supportive: float
    contradictory: float


async def _judge(
    directory: RunDirectory, data: Path, destination: Path, encoder: Encoder
) -> tuple[str, list[_Row]]:
    """Judge our run and the weak one; return who judged, and a row for each and the strong one."""
    from sidelight.evaluation.labelling.judged_runs import judge_runs
    from sidelight.evaluation.labelling.run_kinds import read_task_runs
    from sidelight.evaluation.scoring.score import people_question_scores, people_report_scores
    from sidelight.evaluation.scoring.table import score_prefix, write_score_files
    from sidelight.runs.self_evaluation import RunScores, score_assessments

    track = load_track()
    rubrics = read_rubrics(data / DataPart.RUBRICS, track.scales)
    inputs = JudgeInputs(rubrics, read_examples(data), encoder=encoder.sentence_encoder)
    judge = make_judge("embedded", inputs)
    question_runs, report_runs = data / DataPart.QUESTION_RUNS, data / DataPart.REPORT_RUNS
    for task, theirs in ((track.question_list, question_runs), (track.cited_text, report_runs)):
        weak = theirs / f"{_WEAK}{task.run_id_suffix}"
        given = read_task_runs(task, [directory.file(task), weak], rubrics)
        manifest = await judge_runs(judge, given, destination)
    scores = score_assessments(destination, rubrics, track)
    by_people = people_question_scores(track, data), people_report_scores(track, data)
    people = RunScores(track, *by_people)
    for source, one in (("auto", scores), ("human", people)):
        write_score_files(one.questions, destination, score_prefix(source, track.question_list))
        write_score_files(one.reports, destination, score_prefix(source, track.cited_text))
    rows = [*_rows(scores), *(row for row in _rows(people) if row.run == _STRONG)]
    return manifest.label, sorted(rows, key=lambda row: -row.questions)


def _rows(scores: RunScores) -> list[_Row]:
    """Join the two tables by team: a run tag is a team or run name and the suffix of the task."""
    asked, reported = scores.track.question_list, scores.track.cited_text
    support = {
        run.run_tag.removesuffix(reported.run_id_suffix): run.values for run in scores.reports.runs
    }
    of_reports = [
        one.name
        for one in reported.measures
        if one.computes in {"report_support", "report_contradiction"}
    ]
    by_team = {
        run.run_tag.removesuffix(asked.run_id_suffix): run.values[scores.questions.main.name]
        for run in scores.questions.runs
    }
    return [
        _Row(name, asked, *(support[name][one] for one in of_reports))
        for name, asked in by_team.items()
    ]
