"""Validates one file of any kind.

Kinds of files: what reads and checks each, and which kind a file is by its content.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple, Self, TypeVar

import orjson

from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.files import atomic_binary
from sidelight.formats.banks.exams import read_exams
from sidelight.formats.banks.nuggets import check_nuggets, read_nugget_assignments, read_nuggets
from sidelight.formats.banks.rubrics import check_rubric, read_rubric
from sidelight.formats.labels import qrels
from sidelight.formats.labels.assessments import ASSESSMENT_KINDS, read_assessments
from sidelight.formats.labels.graded_passages import is_graded, read_graded
from sidelight.formats.lines import Findings, read_bytes
from sidelight.formats.runs.rag import read_cited_texts
from sidelight.formats.runs.submission import (
    NEAR_TWIN,
    Change,
    Objection,
    Run,
    RunFormat,
    run_format,
    run_formats,
    texts_alone,
    twins_of,
)
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.formats.table import columns_of, read_table
from sidelight.formats.topics import read_articles as articles_in
from sidelight.formats.topics import read_pooled_questions, topic_format, topic_formats
from sidelight.registry import names
from sidelight.schemas.grading.judgment import LabelScale, Unjudged
from sidelight.schemas.task import Task
from sidelight.schemas.topic import Article, Topic, parse_question_id
from sidelight.text import counted, quoted
from sidelight.tracks import Track, load_track

V = TypeVar("V")
QUESTION_GRADES = "question_grades"
"""What `detect_format` calls a file of graded questions."""

_NEAR_SHARE = 0.5  # of the topics of the shorter of two runs, on which they have the same texts
_MENDABLE = {"model-leftovers", "crlf", "csv-quoting"}  # warnings
_LOOKED_AT = 50  # lines; a kind is what most of them look like
_REPORT_IDS = ("team_id", "run_id", "topic_id")
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")
# Spaces or commas where tabs should be: a topic, two names that are no numbers, a rank, and words.
# Lines of search results that are broken have `Q0`.
_SPACED = re.compile(
    r'^[^,\s]++([, ]) *+(?:(?!Q0 |"?\d++"?\1)[^,\s]++\1 *+){2}+"?\d{1,2}"?\1 *+\S++ '
)


class Labels(NamedTuple):
    """How many rows a file of labels has, how many of them are judged, and what labels there are.

    A row is judged where it has a label. `topic_ids` are those of the rows.
    """

    rows: int
    judged: int
    allowed: tuple[str, ...]
    topic_ids: frozenset[str]

    @classmethod
    def of(cls, read: Sequence[Any], scale: LabelScale) -> Self:
        """Count what was read from a file."""
        judged = sum(not isinstance(one.label, Unjudged) for one in read)
        return cls(len(read), judged, scale.writings, frozenset(one.topic_id for one in read))


class FileKind(NamedTuple):
    """What `sidelight validate` does with one kind of file.

    Attributes:
        name: In what `validate --json` prints: of a run, its task.
        unit: What `read` gives, in the singular.
        check: The strict check, where a track has rules beyond what can be read.
        official: The verdict of the track's own validator, where there is one.
        cites: Whether it names segments of the collection.
        scale: That of the labels which it holds, where it holds labels.
    """

    name: str
    title: str
    unit: str
    read: Callable[[Path], Iterable[Any]]
    check: Callable[[Path, Collection[str], Container[str] | None], list[Problem]] | None = None
    official: Callable[[Path, Collection[str]], list[Objection]] | None = None
    cites: bool = False
    scale: LabelScale | None = None


_TREC_RUN = FileKind("trec_run", "TREC run", "query", read_trec_run)
_QRELS = FileKind("qrels", "qrels file", "query", qrels.read_qrels)
_CITED = FileKind("segments", "segments file", "segment", read_cited_texts)
# Tables that commands write, and the columns that tell them.
_TABLES = {
    "votes": ("votes file", ("majority",)),
    "support_sentences": ("support of sentences", ("run_tag", "topic_id", "sentence", "all")),
    "battles": ("battles file", ("topic_id", "first", "second", "won")),
    "audit_changes": ("verdicts that an audit changed", ("probe", "run_tag", "before", "after")),
    "left_out": ("questions left out of a pool", ("topic_id", "run_tag", "rank", "reason")),
    "results": ("table of results", ()),  # whose columns are its measures
}
_SHARED = {
    "bank": FileKind("bank", "bank of questions or nuggets", "query", read_exams),
    "graded": FileKind("graded", "graded passages file", "query", read_graded),
    "trec_run": _TREC_RUN,
    "question_trec_run": _TREC_RUN,
    "qrels": _QRELS,
    "judgments": _QRELS,
    "segments": _CITED,
    "references": _CITED,
    "pooled_questions": FileKind("pooled", "pooled questions", "topic", read_pooled_questions),
    **{
        name: FileKind(name, title, "row", lambda path: read_table(path)[1])
        for name, (title, _) in _TABLES.items()
    },
}


def kinds_of(track: Track) -> dict[str, FileKind]:
    """Return the kinds of files that can be validated for a track, by format.

    These are its runs and topics, and what all tracks share. Where two tasks have one format, the
    first counts.
    """
    runs: dict[str, FileKind] = {}
    for task in track.tasks:
        runs.setdefault(task.format, _run_kind(task))
    topics = FileKind("topics", "topics file", "topic", partial(read_topics, track=track))
    return {**runs, track.topics: topics, **_graded(track), **_SHARED, **_strict(track), **runs}


def _graded(track: Track) -> dict[str, FileKind]:
    """Return the rubrics and the labels that can be read by the scales of a track."""
    scales = track.scales
    kinds = {}
    if "importance" in scales:
        kinds["rubric"] = FileKind(
            "rubric",
            "rubric",
            "question",
            lambda path: read_rubric(path, scales).questions,
            lambda path, topic_ids, _: check_rubric(path, scales, topic_ids),
        )
    if importance := scales.get("nugget_importance"):
        kinds["nuggets"] = FileKind(
            "nuggets",
            "nuggets file",
            "topic",
            partial(read_nuggets, importance=importance),
            lambda path, topic_ids, _: check_nuggets(path, importance, topic_ids),
        )
        kinds["nugget_assignments"] = FileKind(
            "nugget_assignments",
            "nugget assignments file",
            "answer",
            partial(read_nugget_assignments, scales=scales),
        )
    if quality := scales.get("question_quality"):
        kinds[QUESTION_GRADES] = FileKind(
            QUESTION_GRADES,
            "graded questions file",
            "question",
            partial(qrels.read_question_grades, scales=scales),
            scale=quality,
        )
    for name, kind in ASSESSMENT_KINDS.items():
        if kind.scale in scales:
            read = partial(read_assessments, kind=kind, scales=scales)
            kinds[name] = FileKind(name, kind.title, "label", read, scale=scales[kind.scale])
    return kinds


def _strict(track: Track) -> dict[str, FileKind]:
    """Return what all tracks share and this one has rules for."""
    grades = track.scales.get("relevance")
    task = track.judgments
    found: dict[str, FileKind] = {}
    if grades is not None:
        found["qrels"] = found["judgments"] = _QRELS._replace(
            check=lambda path, topic_ids, _: qrels.check_qrels(path, grades, topic_ids)
        )
    if task is not None:
        found["judgments"] = _QRELS._replace(
            name=task.name,
            title=f"{task.title} run",
            unit="topic",
            check=lambda path, topic_ids, known: qrels.check_judgments(
                path, task, topic_ids, known
            ),
        )
    return found


def _run_kind(task: Task) -> FileKind:
    found = run_format(task)
    official = found.official
    return FileKind(
        task.name,
        f"{task.title} run",
        "topic",
        lambda path: found.read(path).results(),
        lambda path, topic_ids, known: found.check(path, task, topic_ids, known),
        None if official is None else lambda path, topic_ids: official(path, task, topic_ids),
        cites=found.kind != "question_list",
    )


def detect_format(path: Path) -> str | None:
    """Return the name of the format a file is likely meant to have, or None.

    That is a registered format of runs or topics, the name of a kind of assessments, or a key of
    `kinds_of`. It looks at what a broken file still has: keys, column
    names, the number of columns.
    """
    with suppress(InvalidFileError):
        if is_graded(path):  # which may be larger than all others
            return "graded"
    text = read_bytes(path).removeprefix(BOM_UTF8).decode("utf-8", errors="replace").strip()
    pieces = re.split("[\r\n]+", text, maxsplit=_LOOKED_AT)[:_LOOKED_AT]
    lines = [line for line in pieces if line.strip()]
    if not lines:
        return None
    formats = run_formats()
    if text.startswith("{"):
        return _json_format(text, formats)
    header = columns_of(lines[0])
    if table := _table_format(path, header):
        return table
    [(best, _)] = Counter(_line_format(line, formats) for line in lines).most_common(1)
    return "judgments" if best == "trec_run" and qrels.holds_judgments(lines) else best


def track_of(path: Path, usual: Track) -> Track:
    """Return `usual`, or another track if only that one has a task with the file's format.

    Of a folder, the first run file counts.
    """
    found = next(iter(run_files(path).values()), None) if path.is_dir() else detect_format(path)
    tracks = [usual, *map(load_track, names("track"))]
    have = (one for one in tracks if found in [task.format for task in one.tasks])
    return next(have, usual)


def run_files(folder: Path) -> dict[Path, str]:
    """Return the files of questions and texts in a folder, by their format.

    They lie in it, in the folders in it or, as in an organizers' data folder, in those in `runs`.
    """
    patterns = ("[!.]*", "[!.]*/[!.]*", "runs/[!.]*/[!.]*")
    paths = sorted(path for pattern in patterns for path in folder.glob(pattern))
    kinds = {name: one.kind for name, one in run_formats().items()}
    found = {path: detect_format(path) or "" for path in paths if path.is_file()}
    shown = {"question_list", "cited_text"}
    return {path: name for path, name in found.items() if kinds.get(name) in shown}


def read_runs(paths: Iterable[Path], task: Task) -> list[Any]:
    """Return the runs of a task, as its format reads them; errors tell a wrong file's kind."""
    read, what = run_format(task).read, f"a run of {task.title}"
    named, runs = list(paths), []
    for path in files_of_task(named, task):
        try:
            runs.append(read_as(path, read, what, (task.format,)))
        except InvalidFileError as error:
            if path not in named:  # a folder was, which others may go on with
                error.remedy = (
                    "Move the file out of the folder to go on without it, or mend it: sidelight "
                    f"validate {quote(str(path))} --fix FOLDER"
                )
            raise
    return runs


def files_of_task(paths: Iterable[Path], task: Task) -> list[Path]:
    """Return the files to read as runs of a task.

    Of a run directory that is the file of the task, and of another folder all its run files that
    have the format of the task.
    """
    files: list[Path] = []
    for path in paths:
        own = path / task.file_name
        within = run_files(path) if path.is_dir() and not own.is_file() else {own: task.format}
        found = [one for one, its in within.items() if one.is_file() and its == task.format]
        if path.is_dir() and not found:
            others = f"only {counted(len(within), 'run')} of other tasks" if within else "no run"
            raise InputError(
                f"{path}: expected runs of {task.title}; found {others}",
                remedy="Give the folder or the files of these runs, or name another task.",
            )
        for one in empty_files(path, [] if own.is_file() else found):
            remedy = "Name the others, or move it away, to go on without it."
            raise InputError(f"{one}: expected a run; found an empty file", remedy=remedy)
        files += found or [path]
    return files


def empty_files(path: Path, runs: Iterable[Path]) -> list[Path]:
    """Return a file if it is empty; of a folder, the empty ones named like its runs."""
    endings = {one.suffix for one in runs}
    like = [path, *(one for one in sorted(path.glob("[!.]*")) if one.suffix in endings)]
    return [one for one in like if one.is_file() and not one.stat().st_size]


def read_topics(path: str | Path, track: Track | None = None) -> tuple[Topic, ...]:
    """Read the topics of a topics file, in its order; a `track` of None is the default track."""
    track = track or load_track()
    what = f"the topics of {track.title}"
    return tuple(read_as(Path(path), topic_format(track).read, what, topic_formats()))


def read_articles(path: Path) -> tuple[Article, ...]:
    """Read the articles of a topics file, in its order; errors tell a wrong file's kind."""
    return read_as(path, articles_in, "articles", ("articles_jsonl",))


def read_as(path: Path, read: Callable[[Path], V], what: str, formats: Collection[str]) -> V:
    """Read a file; where it is broken and of none of its formats, raise what it is instead."""
    try:
        return read(path)
    except InvalidFileError:
        found = detect_format(path)
        if found is None or found in formats:
            raise
    kind = kinds_of(load_track()).get(found)
    raise InputError(
        f"{path}: expected {what}; found {f'a {kind.title}' if kind else found}",
        remedy="Give the right file, or name the track or the task that this one is of.",
    )


def _table_format(path: Path, header: tuple[str, ...]) -> str | None:
    kinds = (name for name, kind in ASSESSMENT_KINDS.items() if kind.matches(header))
    # Without its column of labels, or with another name for it.
    near = (name for name, kind in ASSESSMENT_KINDS.items() if {*kind.columns} <= {*header})
    tables = (name for name, (_, its) in _TABLES.items() if its and set(its) <= set(header))
    scores = path.name.endswith(("_per_topic_results.csv", "_per_run_results.csv"))
    written = scores or path.with_suffix(".tex").exists()
    results = "results" if written and path.suffix == ".csv" else None
    return next(kinds, None) or next(tables, results) or next(near, None)


def _json_format(text: str, formats: Mapping[str, RunFormat[Any, Any, Run]]) -> str | None:
    keys = {
        "rubric": ("rubrics",),
        "bank": ("query_id", "query_text"),
        "nugget_assignments": ("qid", "run_id", "nuggets"),
        "nuggets": ("qid", "nuggets"),
        "segments": ("docid", "segment"),
        "references": ("references_ids", "references_texts"),
        **{name: found.json_keys for name, found in formats.items() if found.json_keys},
        **{name: found.json_keys for name, found in topic_formats().items() if found.json_keys},
    }
    fits = [
        name
        for name, needed in keys.items()
        if all(re.search(rf'"{key.rpartition(".")[2]}"\s*:', text) for key in needed)
    ]
    first: object = None  # a key may stand elsewhere, where another format has it
    with suppress(ValueError):
        first = orjson.loads(text.partition("\n")[0])
    if not fits and sum(_has(first, f"metadata.{one}") for one in _REPORT_IDS) > 1:
        return "reports_jsonl"  # without its sentences, or with another name for them
    return min(fits, key=lambda name: not all(_has(first, key) for key in keys[name]), default=None)


def _has(value: object, key: str) -> bool:
    """Tell whether an object has a key, or an object in it, as `metadata.run_desc`."""
    name, _, rest = key.partition(".")
    return isinstance(value, dict) and name in value and (not rest or _has(value[name], rest))


def _line_format(line: str, formats: Mapping[str, RunFormat[Any, Any, Run]]) -> str | None:
    for name, found in formats.items():
        if found.fits_line is not None and found.fits_line(line):
            return name
    if line.count("\t") == len(qrels.QUESTION_GRADE_CELLS) - 1:
        return QUESTION_GRADES
    if line.count("\t") == 2 and parse_question_id(line.partition("\t")[0]):
        return "pooled_questions"
    cells = line.split()
    if len(cells) == len(qrels.QRELS_COLUMNS) and _NUMBER.fullmatch(cells[3]):
        return "qrels"
    return "questions_tsv" if "\t" not in line and _SPACED.match(line) else None


# A folder, whose files have kinds of their own; what it holds is told by who reads it.
RUN_DIRECTORY = FileKind("run", "run directory", "topic", lambda _: ())


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out about a file; `file` is its name as the user gave it.

    Attributes:
        kind: What it is; None when that cannot be told, or is nothing the track has.
        size: How many of its kind's units it holds; 0 when it is invalid.
    """

    file: str
    kind: FileKind | None
    problems: tuple[Problem, ...]
    size: int | Labels = 0

    @property
    def valid(self) -> bool:
        """Tell whether there is no error; warnings are allowed."""
        return all(problem.severity != "error" for problem in self.problems)


def judge_file(
    path: Path,
    track: Track,
    topic_ids: Collection[str],
    *,
    known_segments: Container[str] | None = None,
    official: bool = False,
) -> Verdict:
    """Find out what a file is and whether it is valid; one that cannot be read is invalid.

    With `official`, the rules of the track's own validator apply in place of our strict ones;
    UsageError is raised for a file that is no run.
    """
    findings = Findings(path)
    kinds = kinds_of(track)
    try:
        name = detect_format(path)
    except InputError as error:
        want, _, told = error.message.removeprefix(f"{path}: ").rpartition("; found ")
        want = want.removeprefix("expected ") or "a file that can be read"
        findings.error("unreadable", None, expected=want, found=told, remedy=error.remedy)
        return Verdict(str(path), None, tuple(findings.problems))
    kind = kinds.get(name) if name else None
    if kind is None:
        theirs = {one: kinds_of(load_track(one)).get(name or "") for one in names("track")}
        others = {one: like.title for one, like in theirs.items() if like}
        # Tracks that have nuggets weigh them alike; their topics may be those of any track.
        if name == "nuggets" and any(f'"{one}"'.encode() in read_bytes(path) for one in topic_ids):
            kind = next(filter(None, theirs.values()), None)
    if kind is None:
        found, remedy = _looks_like(path)
        what = name
        if others:
            what = f"a {next(iter(others.values()))} of {' or '.join(others)}"
            remedy = f"Add {' or '.join(f'--track {one}' for one in others)}"
            remedy += ", or their topics by --topics." if name == "nuggets" else "."
        findings.error(
            "kind-unknown",
            None,
            expected=f"one of {', '.join(dict.fromkeys(one.title for one in kinds.values()))}",
            found=f"what looks like {what}" if what else found,
            remedy=remedy,
        )
        return Verdict(str(path), None, tuple(findings.problems))
    if official:
        if kind.official is None:
            raise UsageError(
                f"{path}: --official is for runs whose track has a validator of its own; this is "
                f"a {kind.title}",
                remedy="Leave out --official.",
            )
        findings.problems += official_problems(path, kind.official(path, topic_ids))
        size: int | Labels = len(topic_ids)
    else:
        size = _check_strictly(path, kind, topic_ids, known_segments, findings)
    verdict = Verdict(str(path), kind, tuple(findings.problems), size)
    return verdict if verdict.valid else replace(verdict, size=0)


def _looks_like(path: Path) -> tuple[str, str]:
    """Say what a file of no known kind is, and what to do about it."""
    text = read_bytes(path).removeprefix(BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return (
            "a JSON array; a run has one object a line",
            "Write each object of the array on a line of its own, without commas between them.",
        )
    found = "nothing that looks like one" if text else "an empty file"
    return found, "Compare the file with docs/formats.md."


def mend_file(
    path: Path, track: Track, folder: Path, topic_ids: Collection[str]
) -> tuple[Path, list[Change]] | None:
    """Write a run with what can be mended without inventing anything; see `RunFormat.mend`.

    The result is the mended file, which has its old name in `folder`, and what was changed; it is
    None for a file of another kind. A run that is valid on `topic_ids`, and without warnings that
    can be mended, is copied as it is; of an invalid one in which nothing can be mended there is no
    copy, and the result is the run itself. `folder` must be another one than that of the run.
    """
    name = detect_format(path)
    task = next((one for one in track.tasks if one.format == name), None)
    mend = run_format(task).mend if task else None
    if mend is None:
        return None
    if folder.resolve() == path.parent.resolve():
        raise UsageError(f"--fix {folder}: expected another folder than that of {path}")
    copy = folder / path.name
    verdict = judge_file(path, track, topic_ids)
    if verdict.valid and _MENDABLE.isdisjoint(one.code for one in verdict.problems):
        with atomic_binary(copy) as stream:
            stream.write(path.read_bytes())
        return copy, []
    changes = mend(path, task, copy)
    if verdict.valid or changes:
        return copy, changes
    copy.unlink()
    return path, []


def official_problems(path: Path, objections: Iterable[Objection]) -> list[Problem]:
    """Return what a track's own validator objects to, as problems of the file."""
    findings = Findings(path)
    for line, objection in objections:
        findings.error(
            "official",
            line,
            expected="what the track's validator accepts",
            found=objection,
            remedy="The same command without --official says more, and what to do.",
        )
    return findings.problems


def _check_strictly(
    path: Path,
    kind: FileKind,
    topic_ids: Collection[str],
    known_segments: Container[str] | None,
    findings: Findings,
) -> int | Labels:
    if kind.check is not None:
        findings.problems += kind.check(path, topic_ids, known_segments)
    try:
        if kind.scale is None:
            return sum(1 for _ in kind.read(path))
        labels = Labels.of([*kind.read(path)], kind.scale)
    except InvalidFileError as error:
        if not findings.problems:
            findings.problems += error.problems
        return 0
    findings.topics(labels.topic_ids, topic_ids)
    if not labels.judged:
        findings.warning(
            "unjudged",
            None,
            expected="rows that are judged",
            found=f"none of {counted(labels.rows, 'row')}",
            remedy=f"Fill in the labels: one of {', '.join(labels.allowed)}.",
        )
    return labels


def repeated(runs: Sequence[tuple[str, str, Run | None]]) -> list[list[Problem]]:
    """Return for each run warnings if an earlier one has its run_id, its results or its texts.

    Texts that are the same on most topics are enough: a run is often handed in again, mended or
    damaged. Each run has the name of its task, which alone it is compared in, and that of its file.
    """
    told: dict[str, list[Problem]] = {file: [] for _, file, _ in runs}

    def warn(code: str, file: str, expected: str, found: str, remedy: str) -> None:
        told[file].append(Problem(code, file, None, expected, found, remedy, "warning"))

    owners: dict[tuple[str, str], str] = {}
    made, texts = (defaultdict[str, dict[str, dict[str, object]]](dict) for _ in range(2))
    for task, file, run in runs:
        if run is None:
            continue
        for run_id in run.run_ids:
            if owner := owners.get((task, run_id)):
                expected, remedy = f"two run_ids for {owner} and {file}", "Leave out or rename one."
                warn("run-id-twice", file, expected, quoted(run_id), remedy)
            owners.setdefault((task, run_id), file)
        results: Mapping[str, object] = run.results()
        made[task][file] = {**results}
        texts[task][file] = {topic: texts_alone(its) for topic, its in results.items()}
    for task, files in made.items():
        twins = twins_of(files, texts[task]).items()
        alike = {
            file: (one, "all topics equal" if same else NEAR_TWIN) for file, (one, same) in twins
        }
        for first, file in combinations([file for file in files if file not in alike], 2):
            theirs, its = texts[task][first], texts[task][file]
            n_same = sum(theirs.get(topic) == text for topic, text in its.items())
            if n_same > _NEAR_SHARE * min(len(its), len(theirs)):
                total = counted(len({*its, *theirs}), "topic")
                alike.setdefault(file, (first, f"the same texts on {n_same} of {total}"))
        for file, (first, how) in alike.items():
            expected, remedy = f"other results than those of {first}", "Leave out a run."
            if how == "all topics equal":
                warn("run-identical", file, expected, how, remedy)
            else:
                warn("run-near-twin", file, expected, how, remedy)
    return [told.pop(file, []) for _, file, _ in runs]
