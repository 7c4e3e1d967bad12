"""The strict check of a run file, and what is checked in files of every format.

A file that passes it passes the track's validator too, so what that one refuses is an error here,
whatever a tolerant reader would make of it. A format is one record, found by its registered name.

`official_questions` and `official_reports` give the verdict of the track's own validator, which is
more lenient than ours: an independent implementation of its rules, written to agree with it on
every file. What it takes for a line, a rank or a string is taken here, oddities included. It reads
with Python's universal newlines, keeps a byte order mark, takes any `str.isdigit` text for a rank
and `True` for 1, and never looks at what a citation says.

Whether very deeply nested JSON can be parsed depends on Python's version and stack, in both.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, overload

from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.files import open_regular
from sidelight.formats.lines import (
    GIVE_TOPICS,
    OTHER_TOPICS,
    Findings,
    TextFile,
    read_bytes,
    readable,
)
from sidelight.registry import load, names
from sidelight.schemas.run import (
    CitedSentence,
    QuestionRun,
    ReportRun,
    Result,
    RunIdentity,
    RunType,
    SubmittedReport,
)
from sidelight.schemas.task import CitedTextTask, QuestionListTask, Task
from sidelight.schemas.topic import Topic
from sidelight.text import counted, first_of, quoted
from sidelight.tracks import run_file_names

C = TypeVar("C", bound="Task")
C_co = TypeVar("C_co", bound="Task", covariant=True)

# C0 but for the tab, C1, and the two Unicode separators that some readers take for a line end.
CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class CheckedRun(Generic[C_co]):
    """A run file under its strict check.

    Attributes:
        topic_ids: The topics to cover.
        known_segments: The ids that exist; None when that is not known.
        findings: What is wrong with the file.
    """

    path: Path
    task: C_co
    topic_ids: Collection[str]
    known_segments: Container[str] | None
    findings: Findings


@dataclass(frozen=True, slots=True)
class StrictCheck(Generic[C]):
    """The strict check of a format.

    `look` adds what is wrong with a run to its findings, or raises `InvalidFileError` to end there.
    """

    look: Callable[[CheckedRun[C]], None]

    def __call__(
        self,
        path: Path,
        task: C,
        topic_ids: Collection[str],
        known_segments: Container[str] | None = None,
    ) -> list[Problem]:
        """Return all that is wrong with a run; one without errors passes the track's validator."""
        findings = Findings(path)
        try:
            self.look(CheckedRun(path, task, topic_ids, known_segments, findings))
        except InvalidFileError as error:
            findings.problems += error.problems
        return findings.problems


class LineIds(NamedTuple):
    """Who one line says it is from."""

    line: int
    team_id: str
    run_id: str


_ENDING = re.compile(r"(?<=.)(\.(jsonl?|tsv|csv|txt|run|trec))?(\.gz)?$")


def file_tag(path: Path) -> str:
    """Return what the run of a file is called: the file's name without the ending of its type."""
    return _ENDING.sub("", path.name, count=1)


def run_tag_of(path: Path, run_ids: Iterable[str]) -> str:
    """Return what assessments call a run: see `file_tag`.

    In a run directory every run's files have the same names, so there the run id inside speaks.
    """
    inside = set(run_ids)
    return inside.pop() if path.name in run_file_names() and len(inside) == 1 else file_tag(path)


def report_run(path: Path, reports: Iterable[SubmittedReport]) -> ReportRun:
    """Return the reports of a file as a run, under the name that `run_tag_of` gives it."""
    found = tuple(reports)
    run_ids = (report.metadata.run_id for report in found)
    return ReportRun(run_tag=run_tag_of(path, run_ids), reports=found)


def check_encoding(file: TextFile, findings: Findings) -> None:
    """Find what a line-based reader could stumble over: BOM, CR LF, blank lines."""
    if file.has_bom:
        findings.error(
            "byte-order-mark",
            1,
            expected="UTF-8 without a byte order mark",
            found="one; the track's validator reads it as a part of the first line",
            remedy="Save the file as plain UTF-8.",
        )
    if file.crlf_lines:
        findings.warning(
            "crlf",
            None,
            expected="lines that end in LF",
            found=f"{file.crlf_lines} that end in CR LF",
            remedy="Save the file with Unix line ends.",
        )
    for line, text in file.lines:
        if not text.strip():
            findings.error(
                "blank-line",
                line,
                expected="no blank line; some readers stop at one",
                found=quoted(text),
                remedy="Remove the line.",
            )


class Change(NamedTuple):
    """What is different in a mended copy: its kind, and what is said of it, with file and line."""

    kind: str
    said: str


# Kinds of changes after which a person has to mend.
NOT_MENDED = LEFT_OUT, LEFT_AS_IS = "line left out:", "sentences left as they are:"


def changes_shown(
    path: Path, file: TextFile, changes: Iterable[tuple[int, str, str]], dropped: Findings
) -> list[Change]:
    """Return what is different in a mended copy of a file, by the lines of the original.

    No copy has a byte order mark, CR LF, blank lines, or the lines that `dropped` says cannot be
    read. `changes` are all others: line, kind, and what was done, which is said after the kind.
    """
    whole = ["byte order mark removed"] if file.has_bom else []
    if file.crlf_lines:
        whole.append(f"CR LF is now LF at the end of {counted(file.crlf_lines, 'line')}")
    whole += ["final newline added"] * (not read_bytes(path).endswith(b"\n"))
    gone = [(line, "blank line", "removed") for line, text in file.lines if not text.strip()]
    lost = {one.line or 0: one for one in reversed(dropped.problems)}  # the first of each line
    for line, one in lost.items():
        kind = "headings left out:" if one.code == "header-line" else LEFT_OUT
        gone.append((line, kind, f"expected {one.expected}; found {one.found}. {one.remedy}"))
    return [Change(one, f"{path}: {one}") for one in whole] + [
        Change(kind, f"{path}:{line}: {kind} {what}")
        for line, kind, what in sorted([*gone, *changes], key=itemgetter(0))
    ]


def check_characters(text: str, line: int, findings: Findings) -> None:
    """Find characters that end a line, or cannot be seen, inside a text."""
    match = CONTROL.search(text)
    if match:
        findings.error(
            "control-character",
            line,
            expected="plain text on one line",
            found=f"U+{ord(match.group()):04X} in {quoted(text)}",
            remedy="Remove the character or put a space in its place.",
        )


def check_ids(run: CheckedRun[Task], ids: Sequence[LineIds]) -> None:
    """Check that all lines are from one run, and that it is named as the track asks."""
    if not ids:
        return
    first, task, findings = ids[0], run.task, run.findings
    for name in ("team_id", "run_id"):
        seen = {getattr(first, name)}
        for item in ids:
            if getattr(item, name) not in seen:
                seen.add(getattr(item, name))
                findings.error(
                    f"{name.replace('_', '-')}-inconsistent",
                    item.line,
                    expected=f"the {name} of line {first.line}, {quoted(getattr(first, name))}",
                    found=quoted(getattr(item, name)),
                    remedy="Put one run in a file.",
                )
    check_characters(first.team_id, first.line, findings)
    if not re.fullmatch(task.run_id_pattern, first.run_id):
        findings.error(
            "run-id-pattern",
            first.line,
            expected=f"a run_id that matches {task.run_id_pattern}",
            found=quoted(first.run_id),
            remedy="Rename the run.",
        )
    if not first.run_id.startswith(first.team_id):
        findings.warning(
            "run-id-prefix",
            first.line,
            expected=f"a run_id that begins with the team_id, {quoted(first.team_id)}",
            found=quoted(first.run_id),
            remedy="Give all runs of a team a common prefix.",
        )
    if first.run_id not in {run_tag_of(run.path, [first.run_id]), run.path.name}:
        findings.warning(
            "file-name",
            None,
            expected=f"a file named like its run_id, {quoted(first.run_id)}",
            found=quoted(run.path.name),
            remedy="Assessments call a run by its file name: rename the file only before it is "
            "judged.",
        )


def topics_of_lines(run: CheckedRun[Task], numbers: Iterable[int | None]) -> Counter[str]:
    """Return on how many of some lines each topic is the first that is named, damaged or not."""
    raw = read_bytes(run.path).split(b"\n")
    any_topic = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, run.topic_ids))})(?!\w)")
    texts = (raw[one - 1].decode("utf-8", "replace") for one in {*numbers} if one is not None)
    return Counter(found[0] for found in map(any_topic.search, texts) if found)


def check_topics(run: CheckedRun[Task], first_lines: Mapping[str, int]) -> None:
    """Check that a file covers the topics, all and no other, by the first line of each in it.

    A topic of a line that cannot be read is not missing: that line is to be mended.
    """
    if first_lines and run.topic_ids and first_lines.keys().isdisjoint(run.topic_ids):
        run.findings.error(
            "topic-unknown",
            None,
            expected=f"some of {len(run.topic_ids)} topics, such as {quoted(min(run.topic_ids))}",
            found=f"none of them, but {first_of([*map(quoted, first_lines)])}",
            remedy=f"Give the topics that the run is on{GIVE_TOPICS}.",
        )
        return
    for topic_id, line in first_lines.items():
        run.findings.topics([topic_id], run.topic_ids, line)
    damaged = topics_of_lines(run, (one.line for one in run.findings.problems))
    missing = [one for one in run.topic_ids if one not in first_lines and one not in damaged]
    if missing:
        run.findings.error(
            "topic-missing",
            None,
            expected=f"all {len(run.topic_ids)} topics",
            found=f"no line for {first_of(missing)}",
            remedy=f"Add the topics, as one that is left out scores zero{OTHER_TOPICS}.",
        )


T = TypeVar("T", bound="Task")
R = TypeVar("R", bound=Result)
N = TypeVar("N", bound="Run")
Objection: TypeAlias = tuple[int | None, str]
"""What a track's own validator objects to, behind the line; None where it names no line."""


class Delivery(NamedTuple, Generic[R]):
    """What a run holds on one topic: questions, sentences or hits, by the kind of its task.

    It has the whole topic, because some files repeat more of that than the id.
    """

    topic: Topic
    result: R


class Run(Protocol):
    """A run file as read."""

    @property
    def run_tag(self) -> str:
        """What assessments call it."""
        ...

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The run ids inside, in order of appearance."""
        ...

    @property
    def types(self) -> frozenset[RunType]:
        """How the file says it was made; none where it does not say."""
        ...

    def results(self) -> Mapping[str, Result]:
        """Return what it holds on each topic, by id."""
        ...


@dataclass(frozen=True, slots=True)
class RunFormat(Generic[T, R, N]):
    """How the runs of one kind of task are kept in a file.

    Attributes:
        write: Writes a run, complete in one step; raises `InputError` for what no file can hold.
        read: Reads any run that can be understood, whether or not a track would accept it.
        check: Returns all that is wrong with a run by the strict rules, given the task, the topics
            to cover, and the segments there are (None when that is not known).
        as_manual: Returns the content of a valid file, saying that a person had a hand in it where
            the format says such things.
        official: Returns what the track's own validator objects to; None where it has none.
        mend: Writes a copy with what can be mended, and returns the changes; None where nothing is
            known to be.
        json_keys: All occur in such a file, even in a broken one, `a.b` for a key of the object
            `a`; none where it is not JSON.
        fits_line: Tells whether most lines of such a file look like this one; None for JSON.
    """

    kind: str
    write: Callable[[Path, RunIdentity, Iterable[Delivery[R]]], None]
    read: Callable[[Path], N]
    check: Callable[[Path, T, Collection[str], Container[str] | None], list[Problem]]
    as_manual: Callable[[Path], bytes]
    official: Callable[[Path, T, Collection[str]], list[Objection]] | None = None
    mend: Callable[[Path, T, Path], list[Change]] | None = None
    json_keys: tuple[str, ...] = ()
    fits_line: Callable[[str], bool] | None = None


@overload
def run_format(task: QuestionListTask) -> RunFormat[Any, tuple[str, ...], QuestionRun]: ...
@overload
def run_format(task: CitedTextTask) -> RunFormat[Any, tuple[CitedSentence, ...], ReportRun]: ...
@overload
def run_format(task: Task) -> RunFormat[Any, Any, Run]: ...
def run_format(task: Task) -> RunFormat[Any, Any, Any]:
    """Return the format of a task's files; raise UsageError if it is for another kind of task."""
    found: RunFormat[Any, Any, Any] = load("format", task.format)
    if found.kind != task.kind:
        raise UsageError(
            f"the task {task.name} is a {task.kind}; the format {task.format} holds runs of the "
            f"kind {found.kind}"
        )
    return found


def run_formats() -> dict[str, RunFormat[Any, Any, Run]]:
    """Return all registered formats by name."""
    return {name: load("format", name) for name in names("format")}


def check_own_tags(runs: Iterable[Run]) -> None:
    """Refuse runs of which two are called alike: their labels could not be told apart."""
    counts = Counter(run.run_tag for run in runs)
    if repeated := [tag for tag, count in counts.items() if count > 1]:
        raise InputError(
            f"expected runs with names of their own; found {first_of(repeated)} given twice",
            remedy="Give each run once. Files in run directories are called by the run id in them, "
            "submission.run_id, and others by their file names: rename one.",
        )


def reports_by_topic(
    runs: Iterable[ReportRun],
) -> dict[tuple[str, str], tuple[CitedSentence, ...]]:
    """Return the sentences of each report of some runs, by run tag and topic id.

    InputError is raised if a run has two reports for a topic, or two runs have one tag.
    """
    reports: dict[tuple[str, str], tuple[CitedSentence, ...]] = {}
    found = list(runs)
    check_own_tags(found)
    for run in found:
        for report in run.reports:
            key = (run.run_tag, report.metadata.topic_id)
            if key in reports:
                raise InputError(f"run {run.run_tag} has two reports for topic {key[1]}")
            reports[key] = report.responses
    return reports


def find_twins(made: Mapping[str, object]) -> dict[str, str]:
    """Return, for each run with the results of an earlier one, the first run that has them.

    `made` has the results of each run by its name, or hashes of them.
    """
    first = {name: next(one for one in made if made[one] == made[name]) for name in made}
    return {name: twin for name, twin in first.items() if name != twin}


def texts_alone(results: object) -> object:
    """Return results without the order of questions or sentences, and without citations."""
    if isinstance(results, Mapping):
        return {topic_id: texts_alone(its) for topic_id, its in results.items()}
    if not isinstance(results, tuple):
        return results
    texts = [one.text if isinstance(one, CitedSentence) else one for one in results]
    if all(isinstance(one, str) for one in texts):
        return sorted(texts)
    return tuple(map(texts_alone, results))


NEAR_TWIN = "the same texts on every topic, in another order or with other citations"


def twins_of(
    made: Mapping[str, object], texts: Mapping[str, object]
) -> dict[str, tuple[str, bool]]:
    """Return, for each run like an earlier one, the first such run, and whether all is equal.

    `texts` has the results of each run as `texts_alone` leaves them. See `find_twins`.
    """
    exact = find_twins(made)
    near = find_twins({run: its for run, its in texts.items() if run not in exact})
    return {run: (first, run in exact) for run, first in (exact | near).items()}


def told_twins(made: Mapping[str, object]) -> list[str]:
    """Say which runs have the results, or the texts, of an earlier one; see `twins_of`."""
    texts = {run: texts_alone(results) for run, results in made.items()}
    return [
        f"{run} and {first} are "
        + ("identical: equal on every topic" if is_equal else f"near twins: {NEAR_TWIN}")
        for run, (first, is_equal) in twins_of(made, texts).items()
    ]


_FIELD_COUNT = 5
_METADATA_KEYS = frozenset({"team_id", "run_id", "topic_id", "type", "use_starter_kit"})


def official_questions(
    path: Path, task: QuestionListTask, topic_ids: Collection[str]
) -> list[Objection]:
    """Return what the track's validator objects to in a Task 1 file; empty means VALID."""
    lines, errors = _universal_lines(path)
    teams: set[str] = set()
    runs: set[str] = set()
    ranks: defaultdict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != _FIELD_COUNT:
            errors.append((number, f"{len(fields)} fields in place of {_FIELD_COUNT}"))
            continue
        topic_id, team_id, run_id, rank, question = fields
        teams.add(team_id)
        runs.add(run_id)
        ranks[topic_id] |= _ranks_in(rank)
        if len(question) > task.max_characters:
            errors.append((number, f"a question of {len(question)} characters"))
    if len(teams) > 1:
        errors.append((None, f"{len(teams)} team ids in one file"))
    if len(runs) > 1:
        errors.append((None, f"{len(runs)} run ids in one file"))
    errors += [
        (None, f"topic {topic_id}: ranks other than 1 to {task.count}, each at least once")
        for topic_id, found in ranks.items()
        if found != set(range(1, task.count + 1))
    ]
    return errors + _coverage(set(ranks), topic_ids)


def official_reports(
    path: Path, task: CitedTextTask, topic_ids: Collection[str]
) -> list[Objection]:
    """Return what the track's validator objects to in a Task 2 file; empty means VALID."""
    lines, errors = _universal_lines(path)
    topics: set[str] = set()
    constants: dict[str, Any] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            content = json.loads(line.strip())
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
            errors.append((number, f"not JSON: {error}"))
            continue
        objections, metadata = _metadata(content)
        errors += [(number, objection) for objection in objections]
        if objections:
            continue
        if metadata["topic_id"] in topics:
            errors.append((number, f"a second report for {quoted(metadata['topic_id'])}"))
        topics.add(metadata["topic_id"])
        errors += [
            (number, f"another {key} than before")
            for key in sorted(_METADATA_KEYS - {"topic_id"})
            if constants.setdefault(key, metadata[key]) != metadata[key]
        ]
        errors += [(number, objection) for objection in _responses(content["responses"], task)]
    return errors + _coverage(topics, topic_ids)


def _universal_lines(path: Path) -> tuple[list[str], list[Objection]]:
    """Return the lines as Python's text mode splits them, and an error where it cannot decode."""
    with readable(path), open_regular(path) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return [], [(None, f"not UTF-8: byte {error.start + 1}")]
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), []


def _ranks_in(field: str) -> set[int]:
    """Return the rank in a field, or 0, which no topic may have, where there is none."""
    try:
        return {int(field) if field.isdigit() else 0}
    except ValueError:  # a superscript is a digit to isdigit but not to int
        return {0}


def _coverage(found: set[str], topic_ids: Collection[str]) -> list[Objection]:
    missing = [topic_id for topic_id in topic_ids if topic_id not in found]
    unknown = [quoted(topic_id) for topic_id in sorted(found - set(topic_ids))]
    told = (("missing", missing), ("not of the track", unknown))
    held = "the run is held against the topics of the track, or a given file of topics"
    return [
        (None, f"{counted(len(ids), 'topic')} {what}: {first_of(ids)}; {held}")
        for what, ids in told
        if ids
    ]


def _metadata(content: Any) -> tuple[list[str], dict[str, Any]]:
    """Return objections to the outer shape of a line, and its metadata if there are none."""
    if not isinstance(content, dict) or not {"metadata", "responses"} <= content.keys():
        return ["not an object with metadata and responses"], {}
    metadata = content["metadata"]
    if not isinstance(metadata, dict) or metadata.keys() != _METADATA_KEYS:
        return ["metadata other than its five keys"], {}
    objections = [
        f"{key} is not a string"
        for key in ("team_id", "run_id", "topic_id", "type")
        if not isinstance(metadata[key], str)
    ]
    if metadata["type"] not in ("automatic", "manual"):
        objections.append(f"type {quoted(metadata['type'])}")
    flag = metadata["use_starter_kit"]
    if not isinstance(flag, int) or flag not in (0, 1):
        objections.append(f"use_starter_kit {quoted(flag)}")
    return objections, metadata


def _responses(responses: Any, task: CitedTextTask) -> list[str]:
    if not isinstance(responses, list):
        return ["responses is not a list"]
    objections = []
    words = 0
    for number, response in enumerate(responses, start=1):
        if not isinstance(response, dict) or not {"text", "citations"} <= response.keys():
            objections.append(f"response {number} is not an object with text and citations")
            continue
        text, citations = response["text"], response["citations"]
        if isinstance(text, str):
            words += len(text.split())
        else:
            objections.append(f"the text of response {number} is not a string")
        if not isinstance(citations, list) or not all(isinstance(item, str) for item in citations):
            objections.append(f"the citations of response {number} are not a list of strings")
        elif len(citations) > (task.max_citations or len(citations)):
            objections.append(f"response {number} has {len(citations)} citations")
    if words > task.max_words:
        objections.append(f"{words} words")
    return objections
