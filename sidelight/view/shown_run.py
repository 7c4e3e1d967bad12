"""Run to be shown, from a run directory or from loose run files.

Labels of a folder, given by people, by a judge, or by the run's self-evaluation.

```text
[human_|auto_]question_assessments.csv    [human_|auto_]report_assessments.csv
[auto_]compound_question_check.csv        auto_support_sentences.csv
funnel.csv
```

Any of them may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from sidelight.config.load import leaves
from sidelight.english.cleaning import find_publisher
from sidelight.errors import InputError
from sidelight.evaluation.labelling.judged_runs import read_manifest_beside
from sidelight.evaluation.scoring.table import label_source
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    ASSESSMENT_KINDS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
    read_merged_assessments,
)
from sidelight.formats.runs.submission import run_format
from sidelight.formats.table import read_table
from sidelight.formats.topics import topic_format
from sidelight.formats.verdict import detect_format
from sidelight.generation.pages import Origins
from sidelight.parts import ROLES
from sidelight.runs.directory import RunDirectory
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Scales,
)
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.task import CitedTextTask, QuestionListTask, QuestionRankingsTask, Task
from sidelight.schemas.topic import Article, Topic
from sidelight.text import clean
from sidelight.tracks import Track
from sidelight.view.report import ShownSupport, Verdicts, WebPage, web_page

_TASK = re.compile(r"(?<![-_ ])[-_ ]*+(?:(?:task|t)[-_ ]*+)?$", re.IGNORECASE)


class Made(NamedTuple):
    """Output of a run on a topic.

    Attributes:
        questions: Rank 1 first; none where no task asks for them.
        report: Sentences with citations; none where no task asks for them.
        evidence: Segments that are known.
        fallbacks: Steps that were done without a model whose replies were no use.
        trace: None where nobody kept a record.
        ranks_documents: Whether a task asks for documents.
    """

    topic: Topic
    questions: tuple[str, ...]
    report: tuple[CitedSentence, ...]
    evidence: tuple[Segment, ...] = ()
    fallbacks: tuple[str, ...] = ()
    trace: Trace | None = None
    ranks_documents: bool = False

    def origins(self) -> Origins:
        """Return what knows where the segments come from."""
        if not isinstance(self.topic, Article):
            return Origins(self.evidence)
        profile = self.trace and self.trace.profile
        publisher = (profile and profile.publisher) or find_publisher(self.topic)
        return Origins(self.evidence, self.topic.host, publisher)


STEPS = "Steps"
"""Fact of a run: the names of those who perform its steps."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run.

    Attributes:
        place: Where it lies, which tells apart two runs of one name.
        facts: What made it: name -> value, in the order shown.
        topics: Ids, in the order of the run.
        make: Returns what it made of a topic.
        failed: Topics that could not be finished.
        question_tag: What assessments call its questions; empty where it has none.
        report_tag: What assessments call its reports; empty where it has none.
        settings: What it was made with: name -> value.
        pages: All pages of the index by document id; None if they are too many to be counted.
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
    settings: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, WebPage] | None = field(default_factory=dict)


def finished_run(run: RunDirectory, segments: Iterable[Segment] = ()) -> ShownRun:
    """Return the run of a directory.

    `segments` are those of the index that was searched, which tell which pages no search found, or
    how many, where it has at most a thousand.

    Raises:
        InputError: It is not finished, or names a part that is neither registered nor allowed.
    """
    manifest = run.read_manifest()
    track = run.read_track()
    settings = run.read_settings()
    questions, report = track.find(QuestionListTask), track.find(CitedTextTask)
    noun = topic_format(track).noun

    def make(topic_id: str) -> Made:
        result = run.result(topic_id)
        return Made(
            topic=result.topic,
            questions=tuple(map(clean, result.result(questions))) if questions else (),
            report=result.result(report) if report else (),
            evidence=result.evidence,
            fallbacks=tuple(dict.fromkeys(fallback.step for fallback in result.fallbacks)),
            trace=result.trace,
            ranks_documents=track.find(QuestionRankingsTask) is not None,
        )

    return ShownRun(
        name=settings.submission.run_id,
        place=run.path.name,
        track=track,
        facts={
            "Track": manifest.track,
            f"{noun.capitalize()}s": str(len(manifest.topics)),
            "Made with": f"sidelight {manifest.sidelight}",
            STEPS: ", ".join(sorted({settings.roles.performer(role) for role in ROLES})),
            "Settings": manifest.settings[:12],
            "Index": manifest.index[:12],
        },
        topics=tuple(manifest.topics),
        make=make,
        failed=tuple(manifest.failed_topics),
        question_tag=_run_tag(run, questions),
        report_tag=_run_tag(run, report),
        settings={
            name: "none" if value is None else str(value)
            for name, value in leaves(settings.of_results()).items()
        },
        pages=_few_pages(segments),
    )


_MOST_PAGES = 1_000  # that are counted in no time


def _few_pages(segments: Iterable[Segment]) -> dict[str, WebPage] | None:
    """Return the pages of an index by document id; None if they are too many to be counted."""
    pages: dict[str, WebPage] = {}
    for segment in segments:
        pages.setdefault(document_id_of(segment.segment_id), web_page(segment.url, segment.title))
        if len(pages) > _MOST_PAGES:
            return None
    return pages


def _run_tag(run: RunDirectory, task: Task | None) -> str:
    return run_format(task).read(run.file(task)).run_tag if task else ""


def handed_in_run(
    paths: Sequence[Path],
    track: Track,
    topics: Sequence[Topic],
    find: Callable[[Sequence[str]], Mapping[str, Segment]] = lambda _: {},
) -> ShownRun:
    """Return the run that some files hold, one for each task: its questions, its reports, or both.

    Of topics that are not in `topics`, a page shows the id alone. `find` returns the segments of
    some ids, as far as they are known, by id.

    Raises:
        InputError: A file holds neither questions nor reports, or two files hold the same.
    """
    read = _read_files(paths, track)
    asked, written = read.get("question_list"), read.get("cited_text")
    questions = asked.results() if asked else {}
    reports = written.results() if written else {}
    known = {topic.topic_id: topic for topic in topics}
    handed_in = dict.fromkeys([*questions, *reports])
    ordered = tuple(one for one in dict.fromkeys([*known, *handed_in]) if one in handed_in)

    def make(topic_id: str) -> Made:
        report = reports.get(topic_id, ())
        cited = list(dict.fromkeys(one for sentence in report for one in sentence.citations))
        found = find(cited)
        return Made(
            topic=known.get(topic_id) or Article(topic_id=topic_id, body=""),
            questions=tuple(map(clean, questions.get(topic_id, ()))),
            report=report,
            evidence=tuple(found[one] for one in cited if one in found),
        )

    return ShownRun(
        name=_common_name([name for run in read.values() for name in run.run_ids[:1]]),
        place=paths[0].name,
        track=track,
        facts={
            "Track": track.name,
            f"{topic_format(track).noun.capitalize()}s": str(len(ordered)),
            "Files": ", ".join(path.name for path in paths),
        },
        topics=ordered,
        make=make,
        question_tag=asked.run_tag if asked else "",
        report_tag=written.run_tag if written else "",
    )


def _common_name(names: Sequence[str]) -> str:
    """Return the common name of a run's files of several tasks, without the task suffix."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    common = _TASK.sub("", "".join(letters[0] for letters in alike))
    return names[0] if len(set(names)) == 1 else common or " and ".join(names)


def _read_files(paths: Sequence[Path], track: Track) -> dict[str, Any]:
    """Return the runs of questions and of reports that files hold, by the kind of their task."""
    tasks: list[Task] = [
        task for task in (track.find(QuestionListTask), track.find(CitedTextTask)) if task
    ]
    read: dict[str, tuple[Path, Any]] = {}
    for path in paths:
        found = detect_format(path)
        task = next((one for one in tasks if one.format == found), None)
        if task is None:
            raise InputError(
                f"{path}: expected a run of questions or reports; found "
                f"{found or 'something else'}",
                remedy="Give a folder that `sidelight run` wrote, or run files as they are handed "
                "in.",
            )
        if task.kind in read:
            raise InputError(
                f"{path}: expected one file for each task of a run; {read[task.kind][0]} is of "
                f"{task.title}, too",
                remedy="Write a page for each run; --compare shows another run beside it.",
            )
        read[task.kind] = path, run_format(task).read(path)
    return {kind: run for kind, (_, run) in read.items()}


@dataclass(frozen=True, slots=True)
class Labels:
    """One source of labels.

    Attributes:
        name: Who gave them.
        questions: On questions, of any number of runs.
        compound: Which submitted questions ask several things; None where nobody looked.
        answers: On reports, of any number of runs.
        support: By run tag, topic id and number of a sentence (as text), how far its citations
            support it.
        lost_at: By topic and answer id, the stage at which the run lost most credit for it.
        is_own: Whether the run was judged by itself, on its topics alone.
        people_decide: Whether compound verdicts are people's, though the other labels are not.
    """

    name: str
    questions: tuple[QuestionAssessment, ...]
    compound: tuple[CompoundAssessment, ...] | None
    answers: tuple[AnswerAssessment, ...]
    support: Mapping[tuple[str, str, str], ShownSupport]
    lost_at: Mapping[tuple[str, str], str]
    is_own: bool = False
    people_decide: bool = False

    @property
    def title(self) -> str:
        """Who gave them; of questions, also who decided which are compound."""
        return self.titles[self.people_decide and bool(self.questions)]

    @property
    def titles(self) -> tuple[str, str]:
        """What reports marked by them say, and what questions may."""
        return self.name, f"{self.name}, compound verdicts by people"

    def support_of(self, run: ShownRun, topic_id: str) -> Verdicts:
        """Return what is said of the sentences of a run's report."""
        return {
            sentence: verdict
            for (run_tag, topic, sentence), verdict in self.support.items()
            if (run_tag, topic) == (run.report_tag, topic_id)
        }

    def joined(self, others: Labels) -> Labels:
        """Return these labels with those of another task by the same source."""
        return replace(
            self,
            questions=self.questions + others.questions,
            compound=others.compound if self.compound is None else self.compound,
            answers=self.answers + others.answers,
            support={**self.support, **others.support},
            lost_at={**self.lost_at, **others.lost_at},
        )

    def with_verdicts(self, by_people: Iterable[CompoundAssessment]) -> Labels:
        """Return these labels with people's verdicts on compound questions before their own.

        They stay as they are where a labelled question would be left without a verdict.
        """
        both = {_asked(one): one for one in (*(self.compound or ()), *by_people)}
        if not self.questions or any(_asked(one) not in both for one in self.questions):
            return self
        return replace(self, compound=tuple(both.values()), people_decide=True)

    def of(self, question_tag: str, report_tag: str) -> Labels:
        """Return the labels of the questions and the answers of a run, by what they call it."""
        return replace(
            self,
            questions=tuple(one for one in self.questions if one.run_tag == question_tag),
            answers=tuple(one for one in self.answers if one.run_tag == report_tag),
        )


def _asked(one: QuestionAssessment | CompoundAssessment) -> tuple[str, str, int]:
    return one.run_tag, one.topic_id, one.run_question_rank


def read_labels(folder: Path, scales: Scales) -> Labels:
    """Read every file of labels in a folder, or one such file, whatever its name.

    Raises:
        InputError: There is none, or two of a kind.
    """
    questions = _find(folder, "question_assessments.csv")
    compound = _find(folder, "compound_question_check.csv")
    answers = _find(folder, "report_assessments.csv")
    support = _find(folder, "support_sentences.csv")
    funnel = _find(folder, "funnel.csv")
    known = questions or answers
    if known is None:
        raise InputError(
            f"{folder}: expected question_assessments.csv or report_assessments.csv, also behind "
            "auto_ or human_; found neither",
            remedy="Give a folder of labels, as the organizers' or one that `sidelight judge` "
            "wrote, or a sheet that you filled by its own name.",
        )
    manifest = read_manifest_beside(known)
    return Labels(
        name=manifest.title if manifest else f"{label_source(known)} labels",
        questions=(
            tuple(read_assessments(questions, QUESTION_ASSESSMENTS, scales)) if questions else ()
        ),
        compound=(
            tuple(read_assessments(compound, COMPOUND_ASSESSMENTS, scales)) if compound else None
        ),
        answers=(
            tuple(read_merged_assessments(answers, ANSWER_ASSESSMENTS, scales)) if answers else ()
        ),
        support=_read_support(support) if support else {},
        lost_at=_read_funnel(funnel) if funnel else {},
    )


def label_folders(folder: Path) -> list[Path]:
    """Return a folder of labels or, where it has none itself, those in it that have."""
    within = [one for one in sorted(folder.glob("*")) if one.is_dir()]
    have = [one for one in (folder, *within) if any(_find(one, name) for name in _NAMES.values())]
    return [folder] if folder in have or not have else have


def misnamed_labels(folder: Path) -> list[str]:
    """Return a line on each file of labels in a folder that `read_labels` passes over."""
    kinds = {path: detect_format(path) or "" for path in sorted(folder.glob("*.csv"))}
    return [
        f"{path}: not read; the name of such a file ends in {_NAMES[kind]}. A --labels of its own "
        "takes it by any name."
        for path, kind in kinds.items()
        if not path.name.endswith(_NAMES.get(kind, ""))
    ]


_NAMES = {one: f"{one}.csv" for one in ASSESSMENT_KINDS} | {
    "compound_assessments": "compound_question_check.csv"
}
_NO_LABELS = (".", "votes_")  # hidden files, and what `agree vote` says of each vote


def _find(folder: Path, name: str) -> Path | None:
    if folder.is_file():
        return folder if _NAMES.get(detect_format(folder) or "") == name else None
    found = sorted(one for one in folder.glob(f"*{name}") if not one.name.startswith(_NO_LABELS))
    if len(found) > 1:
        raise InputError(
            f"{folder}: expected one {name}; found {', '.join(path.name for path in found)}",
            remedy="Keep the labels of each source in a folder of their own.",
        )
    return found[0] if found else None


def _read_support(path: Path) -> dict[tuple[str, str, str], ShownSupport]:
    return {
        (run_tag, topic_id, sentence): ShownSupport(label or "unjudged", reason)
        for run_tag, topic_id, sentence, label, reason in _columns(
            path, "run_tag", "topic_id", "sentence", "all", "reason"
        )
    }


def _read_funnel(path: Path) -> dict[tuple[str, str], str]:
    return {
        (topic_id, answer_id): stage
        for topic_id, answer_id, stage in _columns(path, "topic_id", "answer_id", "lost_at")
        if stage
    }


def _columns(path: Path, *names: str) -> Iterator[tuple[str, ...]]:
    """Yield the cells of some columns, row by row."""
    header, rows = read_table(path)
    if not set(names) <= set(header):
        raise InputError(
            f"{path}: expected the columns {', '.join(names)}; found {', '.join(header)}",
            remedy="Let sidelight write the file anew.",
        )
    for row in rows:
        yield tuple(row.cells[name] for name in names)
