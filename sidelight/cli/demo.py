"""`sidelight demo`: the whole loop on the bundled mini web."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.cli.console import out, print_table
from sidelight.cli.options.results import output_option
from sidelight.cli.terminal.progress import progress_bar
from sidelight.cli.view import PAGE, write_page
from sidelight.formats.data_folder import DataPart
from sidelight.text import counted
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import IndexFolder
    from sidelight.runs.directory import RunDirectory

# The weakest bundled run stands beside ours; the other two are labelled and teach the judge.
_RIVAL = "tidepool"
_EXCERPT = 3


def demo(
    folder: Annotated[Path, output_option("Where the demo works; safe to delete.")] = Path(
        "sidelight-demo"
    ),
) -> None:
    """Run everything on the bundled fictional mini web, and end with a page to look at."""
    from sidelight.index.build import build_index
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import open_folder
    from sidelight.index.text.segmenter import read_documents, write_segments
    from sidelight.sample import sample_path

    started = time.monotonic()
    data = sample_path()
    segments, index, encoder = folder / "segments.jsonl", folder / "index", Encoder()
    with _step("Cut documents into segments"):
        n_segments = write_segments(segments, read_documents(data / "documents.jsonl"), _ignore)
    with _step(f"Index {counted(n_segments, 'segment')} (Lucene and FAISS)"):
        build_index([segments], index, encoder, progress=progress_bar)
    opened = open_folder(index)
    with _step("Investigate five articles"):
        directory = _run(opened, data / "topics.jsonl", folder / "run")
    with _step("Validate both files, strictly and as the track does"):
        _validate(directory, data / "topics.jsonl")
    with _step("Judge and score beside a sample run (embedded judge, no model)"):
        table = asyncio.run(_judge(directory, data, folder / "scores", encoder))
    page = folder / PAGE
    with _step("Write the page"):
        rubrics = data / DataPart.RUBRICS
        write_page(directory.path, page, rubrics=rubrics, labels=[folder / "scores"])
    _show_excerpt(directory, data / "topics.jsonl", opened)
    first, second = (task.title for task in load_track().tasks)
    print_table(["run", first, f"{second} supportive", f"{second} contradictory"], table)
    out.print("scored by the embedded judge; its scores compare only with its own", markup=False)
    out.print(f"\nDone in {time.monotonic() - started:.0f} s. Files:", markup=False)
    for path in (
        *(directory.file(task) for task in load_track().tasks),
        directory.traces,
        folder / "scores",
    ):
        out.print(f"  {path}", markup=False)
    out.print("Open in a browser:", markup=False)
    out.print(f"  {page}", markup=False)


def _ignore(_: int) -> None:
    """Show no progress for a step that takes a moment."""


@contextmanager
def _step(title: str) -> Iterator[None]:
    started = time.monotonic()
    out.print(f"{title} ... ", end="", markup=False)
    yield
    out.print(f"{time.monotonic() - started:.1f} s", markup=False)


def _run(index: IndexFolder, topics: Path, destination: Path) -> RunDirectory:
    from sidelight.build.run import make_run
    from sidelight.config.load import load_settings
    from sidelight.errors import InputError
    from sidelight.formats.topics.articles import read_articles

    settings = load_settings(None, ["submission.run_id=sidelight-demo"])
    summary = make_run(read_articles(topics), settings, index, destination)
    if not summary.succeeded:
        raise InputError(f"the demo's run failed; see {summary.directory.failures}")
    return summary.directory


def _show_excerpt(directory: RunDirectory, topics: Path, index: IndexFolder) -> None:
    """Print the first questions and sentences on the first article."""
    from sidelight.formats.runs.cited_text import read_report_run
    from sidelight.formats.runs.question_list import read_question_run
    from sidelight.formats.topics.articles import read_articles

    article = read_articles(topics)[0]
    out.print(f"\n{article.title}", style="bold", markup=False)
    questions = read_question_run(directory.file(load_track().question_list)).questions
    for question in questions[:_EXCERPT]:
        out.print(f"  {question.rank}. {question.text}", markup=False)
    report = read_report_run(directory.file(load_track().cited_text)).reports[0]
    for sentence in report.responses[:_EXCERPT]:
        hosts = [segment.host for segment in index.docstore.get_many(sentence.citations)]
        out.print(f"  - {sentence.text} [{', '.join(hosts)}]", markup=False)
    out.print(markup=False)


def _validate(directory: RunDirectory, topics: Path) -> None:
    from sidelight.errors import InvalidFileError
    from sidelight.formats.topics.articles import read_articles
    from sidelight.formats.verdict import judge_file

    topic_ids = [article.topic_id for article in read_articles(topics)]
    for task in load_track().tasks:
        for official in (False, True):
            verdict = judge_file(directory.file(task), load_track(), topic_ids, official=official)
            if not verdict.valid:
                raise InvalidFileError(verdict.problems)


async def _judge(
    directory: RunDirectory, data: Path, destination: Path, encoder: Encoder
) -> list[list[str]]:
    """Judge our run and a bundled one with the labels of the others, and return a row for each."""
    from sidelight.build.judges import JudgeInputs, make_judge
    from sidelight.evaluation.labelling.comparing.text_comparison import SentenceEncoder
    from sidelight.evaluation.labelling.examples import read_examples
    from sidelight.evaluation.labelling.judged_runs import judge_runs
    from sidelight.evaluation.labelling.run_kinds import read_task_runs
    from sidelight.evaluation.scoring.files import score_prefix, write_score_files
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.runs.self_evaluation.scores import score_assessments
    from sidelight.tracks import load_track

    track = load_track()
    rubrics = read_rubrics(data / DataPart.RUBRICS, track.scales)
    sentences = SentenceEncoder(encoder.name, encoder.encode_sentences)
    inputs = JudgeInputs(rubrics, read_examples(data), encoder=lambda: sentences)
    judge = make_judge("embedded", inputs)
    question_runs, report_runs = data / DataPart.QUESTION_RUNS, data / DataPart.REPORT_RUNS
    for task, theirs in ((track.question_list, question_runs), (track.cited_text, report_runs)):
        rival = theirs / f"{_RIVAL}{task.run_id_suffix}"
        given = read_task_runs(task, [directory.file(task), rival], rubrics)
        await judge_runs(judge, given, destination)
    scores = score_assessments(destination, rubrics, track.name)
    write_score_files(scores.questions, destination, score_prefix("auto", track.question_list))
    write_score_files(scores.reports, destination, score_prefix("auto", track.cited_text))
    return _rows(scores.questions, scores.reports)


def _rows(questions: ScoreTable, reports: ScoreTable) -> list[list[str]]:
    """Join the two tables by team: a run tag is a team or run name and the suffix of the task."""
    asked, told = (task.run_id_suffix for task in load_track().tasks)
    support = {run.run_tag.removesuffix(told): run.values for run in reports.runs}
    rows = []
    for run in questions.runs:
        name = run.run_tag.removesuffix(asked)
        values = [run.values[questions.main.name]]
        values += [support[name][measure.name] for measure in reports.measures[:2]]
        rows.append([name, *(f"{value:.3f}" for value in values)])
    return rows
