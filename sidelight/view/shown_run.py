"""Run to be shown, from a run directory or from loose run files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.formats.runs.submission import run_format
from sidelight.formats.topics import topic_format
from sidelight.formats.verdict import detect_format
from sidelight.schemas.task import CitedTextTask, QuestionListTask, QuestionRankingsTask
from sidelight.schemas.topic import Article
from sidelight.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sidelight.runs.directory import RunDirectory
    from sidelight.schemas.investigation.trace import Trace
    from sidelight.schemas.run import CitedSentence
    from sidelight.schemas.segment import Segment
    from sidelight.schemas.task import Task
    from sidelight.schemas.topic import Topic
    from sidelight.tracks import Track


_TASK = re.compile(r"(?<![-_ ])[-_ ]*+(?:(?:task|t)[-_ ]*+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Made:
    """Output of a run on a topic.

    Attributes:
        topic: The topic.
        questions: Rank 1 first; none where no task asks for them.
        report: Sentences with citations; none where no task asks for them.
        evidence: Segments that are known.
        fallbacks: Steps that were done without a model whose replies were no use.
        trace: What was done; None where nobody kept a record.
        ranks_documents: Whether a task asks for documents.
    """

    topic: Topic
    questions: tuple[str, ...]
    report: tuple[CitedSentence, ...]
    evidence: tuple[Segment, ...] = ()
    fallbacks: tuple[str, ...] = ()
    trace: Trace | None = None
    ranks_documents: bool = False


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run.

    Attributes:
        name: What it is called.
        place: Where it lies, which tells apart two runs of one name.
        track: Whose tasks it did.
        facts: What made it: name -> value, in the order shown.
        topics: Ids, in the order of the run.
        make: Returns what it made of a topic.
        failed: Topics that could not be finished.
        question_tag: What assessments call its questions; empty where it has none.
        report_tag: What assessments call its reports; empty where it has none.
    """

    name: str
    place: str
    track: Track
    facts: Mapping[str, str]
    topics: tuple[str, ...]
    make: Callable[[str], Made]
    failed: tuple[str, ...] = ()
    question_tag: str = ""
    report_tag: str = ""


def finished_run(run: RunDirectory) -> ShownRun:
    """Return the run of a directory.

    Raises:
        InputError: It is not finished, or names a part that is neither registered nor allowed.
    """
    manifest = run.read_manifest()
    track = run.read_track()
    questions, report = track.find(QuestionListTask), track.find(CitedTextTask)
    noun = topic_format(track).noun

    def make(topic_id: str) -> Made:
        result = run.result(topic_id)
        return Made(
            topic=result.topic,
            questions=tuple(map(clean, result.result(questions))) if questions else (),
            report=result.result(report) if report else (),
            evidence=result.evidence,
            fallbacks=tuple(fallback.step for fallback in result.fallbacks),
            trace=result.trace,
            ranks_documents=track.find(QuestionRankingsTask) is not None,
        )

    return ShownRun(
        name=run.read_settings().submission.run_id,
        place=run.path.name,
        track=track,
        facts={
            "Track": manifest.track,
            f"{noun.capitalize()}s": str(len(manifest.topics)),
            "Made with": f"sidelight {manifest.sidelight}",
            "Settings": manifest.settings[:12],
            "Index": manifest.index[:12],
        },
        topics=tuple(manifest.topics),
        make=make,
        failed=tuple(manifest.failed_topics),
        question_tag=_run_tag(run, questions),
        report_tag=_run_tag(run, report),
    )


def _run_tag(run: RunDirectory, task: Task | None) -> str:
    return run_format(task).read(run.file(task)).run_tag if task else ""


@dataclass
class _Files:
    """Run files of one run, while they are read."""

    names: list[str] = field(default_factory=list)
    questions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reports: dict[str, tuple[CitedSentence, ...]] = field(default_factory=dict)
    question_tag: str = ""
    report_tag: str = ""


def handed_in_run(
    paths: Sequence[Path],
    track: Track,
    topics: Sequence[Topic],
    look_up: Callable[[Sequence[str]], Sequence[Segment]] = lambda _: (),
) -> ShownRun:
    """Return the run that some files hold: its questions, its reports, or both.

    Args:
        paths: One file for each task.
        track: Whose tasks they are of.
        topics: What is known of them; a page says of others only their ids.
        look_up: Returns the segments of some ids, those that are known.

    Raises:
        InputError: A file holds neither questions nor reports.
        InvalidFileError: A file cannot be understood.
    """
    files = _Files()
    for path in paths:
        _read_into(files, path, track)
    handed_in = dict.fromkeys([*files.questions, *files.reports])
    known = {topic.topic_id: topic for topic in topics}
    ordered = tuple(sorted(handed_in, key=_place([*known, *handed_in])))

    def make(topic_id: str) -> Made:
        report = files.reports.get(topic_id, ())
        cited = list(dict.fromkeys(one for sentence in report for one in sentence.citations))
        return Made(
            topic=known.get(topic_id) or Article(topic_id=topic_id, body=""),
            questions=tuple(map(clean, files.questions.get(topic_id, ()))),
            report=report,
            evidence=tuple(look_up(cited)),
        )

    return ShownRun(
        name=_common_name(files.names),
        place=paths[0].name,
        track=track,
        facts={
            "Track": track.name,
            f"{topic_format(track).noun.capitalize()}s": str(len(ordered)),
            "Files": ", ".join(path.name for path in paths),
        },
        topics=ordered,
        make=make,
        question_tag=files.question_tag,
        report_tag=files.report_tag,
    )


def _common_name(names: Sequence[str]) -> str:
    """Return the common name of a run's files of several tasks, without the task suffix."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    common = _TASK.sub("", "".join(letters[0] for letters in alike))
    return names[0] if len(set(names)) == 1 else common or " and ".join(names)


def _place(ids: Sequence[str]) -> Callable[[str], int]:
    places: dict[str, int] = {}
    for place, one in enumerate(ids):
        places.setdefault(one, place)
    return places.__getitem__


def _read_into(files: _Files, path: Path, track: Track) -> None:
    found = detect_format(path)
    questions, report = track.find(QuestionListTask), track.find(CitedTextTask)
    if questions and found == questions.format:
        asked = run_format(questions).read(path)
        files.questions, files.question_tag = dict(asked.results()), asked.run_tag
        files.names += asked.run_ids[:1]
    elif report and found == report.format:
        written = run_format(report).read(path)
        files.reports, files.report_tag = dict(written.results()), written.run_tag
        files.names += written.run_ids[:1]
    else:
        raise InputError(
            f"{path}: expected a run of questions or reports; found {found or 'something else'}",
            remedy="Give a folder that `sidelight run` wrote, or run files as they are handed in.",
        )
