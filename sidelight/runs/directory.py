"""Run directory: finished topics, the manifest, and the run files made from them.

A topic is finished when `traces/<topic_id>.json` exists, which appears in one step. Everything
else is a function of the finished topics, so an interrupted run that is resumed ends in the same
bytes as one that was never interrupted.

Submission packing: checked files under their run ids, in the order of their priority.

A run directory is packed only when it is a finished run with valid files.
"""

from __future__ import annotations

import csv
import hashlib
import tempfile
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, overload
from urllib.parse import quote

import orjson
from pydantic import ValidationError

from sidelight import files
from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.formats.lines import Findings, read_bytes, read_lines
from sidelight.formats.runs.submission import run_format
from sidelight.formats.verdict import (
    RUN_DIRECTORY,
    Verdict,
    judge_file,
    official_problems,
    repeated,
)
from sidelight.registry import registered
from sidelight.runs.log import Fallback, told_fallbacks
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.run import CitedSentence, Result, RunManifest
from sidelight.schemas.segment import Segment
from sidelight.schemas.task import CitedTextTask, QuestionListTask, Task
from sidelight.schemas.topic import Topic
from sidelight.text import first_of
from sidelight.tracks import Track, load_track, run_file_names

if TYPE_CHECKING:
    from sidelight.config.settings import Settings
    from sidelight.llm.prompted import CallRecord


class TopicFailure(Value):
    """A topic that could not be finished."""

    topic_id: str
    error: str
    message: str


class TopicResult(Value):
    """A finished topic.

    Attributes:
        fingerprint: Hash of everything the result depends on.
        evidence: The segments taken as evidence, by id; texts cite no others.
        results: By the name of the task, what its file holds.
        fallbacks: Steps that were done without a model because its replies were no use, by step.
    """

    topic_id: str
    fingerprint: str
    topic: Topic
    evidence: tuple[Segment, ...]
    results: dict[str, Result]
    fallbacks: tuple[Fallback, ...] = ()
    trace: Trace

    @overload
    def result(self, task: QuestionListTask) -> tuple[str, ...]: ...
    @overload
    def result(self, task: CitedTextTask) -> tuple[CitedSentence, ...]: ...
    @overload
    def result(self, task: Task) -> Result: ...
    def result(self, task: Task) -> Result:
        """Return a task's results on the topic; raise InputError if there are none."""
        if task.name not in self.results:
            raise InputError(
                f"the trace of topic {self.topic_id}: expected results of {task.name}; found none",
                remedy="Delete the trace and run again.",
            )
        return self.results[task.name]


class RunDirectory:
    """The folder of one run.

    `plugins` are unregistered parts that its files may name because the user allowed them; see
    `registered`.
    """

    def __init__(self, path: Path, plugins: Container[str] = ()) -> None:
        self.path = path
        self._plugins = plugins
        self.manifest = path / "manifest.json"
        self.failures = path / "failures.jsonl"
        self.config = path / "config.yaml"
        self.traces = path / "traces"
        self.calls = path / "calls"
        self.cache = path / "cache"
        self.scores = path / "scores"

    def __repr__(self) -> str:
        return f"<run directory {self.path}>"

    def file(self, task: Task) -> Path:
        """Return where the run of a task is."""
        return self.path / task.file_name

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder within the context; raise UsageError if another process works on it.

        The lock ends with the process, too. What a killed process left half written is removed.
        """
        busy = UsageError(
            f"another process is working on {self.path}",
            remedy="Wait for it, or choose another folder with --output",
        )
        with files.locked_folder(self.path, busy):
            for half_written in self._half_written():
                half_written.unlink()
            yield

    def _half_written(self) -> Iterator[Path]:
        """Yield what a killed process left of our own files; others' hidden files stay."""
        own = {self.manifest.name, self.failures.name, self.config.name, *run_file_names()}
        for folder, names in ((self.path, own), (self.traces, None), (self.scores, None)):
            for path in folder.glob(".*.tmp"):
                found = files.half_written_name(path)
                if found is not None and (names is None or found in names):
                    yield path

    def claim(self, settings: Settings) -> Callable[[], None]:
        """Check that the folder was made with these settings, and return what records them.

        A folder in which no topic is finished yet may be given other settings. UsageError is raised
        if it belongs to a run with other settings, or the code of a plugin has changed since.
        """
        from sidelight.config.load import check_same, dump_settings

        wanted = dump_settings(settings)
        if not self.config.exists() or not any(self.traces.glob("*.json")):
            return partial(files.atomic_write, self.config, wanted)
        check_same(self.config, wanted, "a run")
        return lambda: None

    def finished(self, topic_id: str, fingerprint: str) -> TopicResult | None:
        """Return the result of a topic, or None when it is still to do.

        UsageError is raised if it was finished with another index, article or version.
        """
        path = self.trace(topic_id)
        if not path.exists():
            return None
        other = UsageError(
            f"{path} was made from another index, article or version of sidelight",
            remedy=f"Choose another folder with --output, or delete {self.path}",
        )
        try:
            result = self.result(topic_id)
        except InputError as error:
            raise other from error
        if result.fingerprint != fingerprint:
            raise other
        return result

    def n_finished(self, topics: Sequence[Topic]) -> int:
        """Return how many of some topics are finished, whatever they were made with."""
        return sum(self.trace(topic.topic_id).exists() for topic in topics)

    def result(self, topic_id: str) -> TopicResult:
        """Return what was stored about a finished topic, whatever index or article it is from.

        InputError is raised if it is not finished, or another version of sidelight finished it.
        """
        path = self.trace(topic_id)
        try:
            return TopicResult.model_validate_json(files.read_limited(path), strict=True)
        except (OSError, ValidationError) as error:
            raise InputError(
                f"{path}: expected a topic finished by this version of sidelight",
                remedy="Call `sidelight run` again, with another folder for --output.",
            ) from error

    def finish(self, result: TopicResult) -> None:
        """Store the result of a topic, in one step."""
        text = files.as_json(result.model_dump(mode="json"))
        files.atomic_write(self.trace(result.topic_id), text)

    def read_manifest(self) -> RunManifest:
        """Return what made the run; raise InputError if there is no manifest that can be read."""
        try:
            return RunManifest.model_validate_json(files.read_limited(self.manifest), strict=True)
        except (OSError, ValidationError) as error:
            if self.config.exists() and not self.manifest.exists():
                raise InputError(
                    f"{self.path}: expected a finished run; found one that did not end",
                    remedy="Give the `sidelight run` command once more: it does what is left.",
                ) from error
            raise InputError(
                f"{self.path}: expected a finished run; found no {self.manifest.name} that this "
                "version of sidelight can read",
                remedy="Give a folder that `sidelight run` wrote, after it has ended. Run files "
                f"are for `view`, `judge` and `score`. {_OF_OTHERS}",
            ) from error

    def known_topics(self) -> set[str]:
        """Return the ids of the topics in the files of a finished run; of any other, none."""
        try:
            return set(self.read_manifest().topics)
        except InputError:
            return set()

    def topic_ids(self) -> tuple[str, ...]:
        """Return the ids of the topics that the run was made for, failed ones last."""
        manifest = self.read_manifest()
        return (*manifest.topics, *manifest.failed_topics)

    def read_track(self) -> Track:
        """Return the track of the run; raise InputError if it is neither registered nor allowed."""
        where = f"{self.manifest}: track"
        return load_track(registered("track", self.read_manifest().track, where, self._plugins))

    def read_settings(self) -> Settings:
        """Return the settings that the results of the run depend on.

        InputError is raised if they name a part that is neither registered nor allowed, or a
        server or a model that judges, which only the user may name.
        """
        from sidelight.config.load import load_settings

        settings = load_settings(self.config)
        needed = [name for name in settings.plugins() if name not in self._plugins]
        for setting, (kind, name) in settings.parts().items():
            registered(kind, name, f"{self.config}: {setting}", self._plugins, needed)
        if settings.servers or settings.models.judge:
            raise InputError(
                f"{self.config}: expected only settings that results depend on; found "
                f"{'servers' if settings.servers else 'models.judge'}",
                remedy="Take it out of the file; name servers and judges with --config.",
            )
        return settings

    def manifest_with(self, index_fingerprint: str) -> RunManifest:
        """Return what made the run; raise InputError if it was made with another index."""
        manifest = self.read_manifest()
        if manifest.index != index_fingerprint:
            raise InputError(
                f"{self.path} was made with another index than the one given",
                remedy="Give the index of the run with --index.",
            )
        return manifest

    def publish_manifest(self, manifest: RunManifest) -> None:
        """Store the manifest of the run; an equal file is left untouched."""
        text = files.as_json(manifest.model_dump(mode="json"))
        publish(self.manifest, partial(files.atomic_write, text=text))

    def append_call(self, topic_id: str, call: CallRecord) -> None:
        """Add a call to the topic's log, which grows over all attempts at the topic.

        Unlike every other file it holds times, so it differs between two runs of the same.
        """
        path = self.calls / f"{quote(topic_id, safe='')}.jsonl"
        path.parent.mkdir(exist_ok=True)
        with files.open_to_append(path) as log:
            log.write(call.model_dump_json().encode() + b"\n")

    def edited(self) -> set[str]:
        """Return the files, by path, that are no longer as the manifest lists them.

        Traces that the manifest itself calls edited stay among them.
        """
        if not self.manifest.exists():
            return set()
        manifest = self.read_manifest()
        changed = {
            name
            for name, digest in manifest.files.items()
            if (self.path / name).is_file() and files.sha256_file(self.path / name) != digest
        }
        return changed.union(manifest.edited)

    def edited_traces(self) -> list[str]:
        """Return the finished topics' files that someone changed; all others are made anew."""
        return sorted(name for name in self.edited() if (self.path / name).parent == self.traces)

    def write_failures(self, failures: Sequence[TopicFailure]) -> None:
        """Write one line per failed topic; an empty file when there is none."""
        lines = (
            orjson.dumps(failure.model_dump(), option=orjson.OPT_SORT_KEYS).decode() + "\n"
            for failure in failures
        )
        publish(self.failures, partial(files.atomic_write, text="".join(lines)))

    def trace(self, topic_id: str) -> Path:
        """Return where a finished topic is kept."""
        return self.traces / f"{quote(topic_id, safe='')}.json"


def publish(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make a file, and leave the old one untouched when it would be the same."""
    fresh = path.with_name(f".{path.name}.new")
    write(fresh)
    if path.exists() and files.sha256_file(path) == files.sha256_file(fresh):
        fresh.unlink()
    else:
        fresh.replace(path)


LIST = "runs.csv"
_OF_OTHERS = (
    "Files of other teams are published as docs/reproduction.md says under “What should an "
    "organizer keep?”."
)
_MENDED = "Copy a mended run file over the one in its run directory, and pack that."


class PackedRun(NamedTuple):
    """One file of a submission.

    Attributes:
        priority: 1 for the run that is to be judged first.
        run_id: The name of the run, and of this file.
        type: `manual` when a person had a hand in it; judgments do not state it.
        edited: Files of the run directory that were changed after they were made.
    """

    task: str
    priority: int
    run_id: str
    type: str = "not stated"
    sha256: str = ""
    edited: str = ""


class Packing(NamedTuple):
    """A submission and what to know about it."""

    runs: tuple[PackedRun, ...]
    warnings: tuple[Problem, ...]


def pack_runs(  # long: one check after another before anything is written
    runs: Sequence[RunDirectory],
    folder: Path,
    track: Track,
    topic_ids: Collection[str] | None,
    known_segments: Container[str] | None = None,
    judgments: Sequence[Path] = (),
) -> Packing:
    """Write the files of some runs, and `runs.csv` with their priorities, into a new folder.

    A file that was changed after it was made becomes a manual run, and so do all of a run whose
    other files were changed: the track calls a run automatic only where no person had a hand in it.
    Nothing is written when a file is invalid, strictly or for the track's own validator.

    `runs`, and the files of relevance judgments in `judgments`, have the most important first. They
    must cover `topic_ids`; if that is None, each run must cover the topics that it was made for,
    with a warning where these are not the track's. `folder` must be empty or missing.
    """
    from sidelight.config.load import load_settings
    from sidelight.config.settings import SubmissionSettings

    if folder.exists() and any(folder.iterdir()):
        raise UsageError(
            f"{folder}: expected a new folder; found files", remedy="Choose another folder."
        )
    problems: list[Problem] = []
    for run in runs:
        wanted = run.topic_ids() if topic_ids is None else topic_ids
        if topic_ids is None and set(wanted) != set(track.topic_ids):
            problems.append(_other_topics(run, len(wanted), track))
        problems += _without_model(run)
        for task in track.tasks:
            problems += _check(run.file(task), task, wanted, known_segments)
    released = track.topic_ids if topic_ids is None else topic_ids
    for path in judgments:
        verdict = judge_file(path, track, released, known_segments=known_segments)
        problems += verdict.problems
        if verdict.valid and (verdict.kind is None or verdict.kind.name != _judged(track, path)):
            raise UsageError(
                f"{path}: expected relevance judgments, or a run directory; found another file",
                remedy=_MENDED,
            )
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise InvalidFileError(errors)
    tasks = [(task.name, run.file(task), run_format(task)) for run in runs for task in track.tasks]
    read = [(name, str(path), kept_as.read(path)) for name, path, kept_as in tasks]
    problems += [problem for again in repeated(read) for problem in again]
    if track.usual_runs is not None and len(runs) > track.usual_runs:
        expected, found = f"at most {track.usual_runs} runs per task", str(len(runs))
        remedy = "Ask the organizers first; they judge runs in the order of priority."
        where = str(folder / LIST)
        problems.append(Problem("runs-many", where, None, expected, found, remedy, "warning"))
    files.make_folder(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
        staged = Path(scratch, folder.name)
        staged.mkdir()
        packed = [
            item
            for priority, run in enumerate(runs, start=1)
            for item in _write(run, track, priority, staged)
        ]
        for priority, path in enumerate(judgments, start=1):
            run_id = read_lines(path)[0].text.split()[-1]  # the file is known to be valid
            named = PackedRun(_judged(track, path), priority, run_id)
            packed.append(_put(staged, path, read_bytes(path), named))
        packed.sort()
        with (staged / LIST).open("w", encoding="utf-8", newline="") as stream:
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerows([PackedRun._fields, *packed])
        staged.replace(folder)
    teams = sorted({load_settings(run.config).submission.team_id for run in runs})
    if len(teams) > 1:
        found, remedy = first_of(teams), "Run anew with --set submission.team_id=TEAM."
        one = "one team id for all runs"
        problems.append(Problem("team-several", str(folder), None, one, found, remedy, "warning"))
    usual: str = SubmissionSettings.model_fields["team_id"].default
    if taken := [item.run_id for item in packed if item.run_id.startswith(usual)]:
        own, found = "the id of your team", f"{usual!r}, the default, in {first_of(taken)}"
        remedy = "Run anew with --set submission.team_id=TEAM --set submission.run_id=TEAM-NAME."
        problems.append(Problem("team-default", str(folder), None, own, found, remedy, "warning"))
    return Packing(tuple(packed), tuple(problems))


def _judged(track: Track, path: Path) -> str:
    if track.judgments is None:
        raise UsageError(
            f"{path}: expected a run directory; found a file, and {track.title} takes no judgments",
            remedy=f"{_MENDED} {_OF_OTHERS}",
        )
    return track.judgments.name


def _check(
    file: Path, task: Task, topic_ids: Collection[str], known_segments: Container[str] | None
) -> Iterator[Problem]:
    """Yield what is wrong with a file, strictly and for the track's own validator."""
    kept_as = run_format(task)
    strict = kept_as.check(file, task, topic_ids, known_segments)
    yield from strict
    # Of a file that is invalid anyway, the track's validator says the same again, and less of it.
    if kept_as.official and all(problem.severity != "error" for problem in strict):
        yield from official_problems(file, kept_as.official(file, task, topic_ids))


def _write(run: RunDirectory, track: Track, priority: int, folder: Path) -> Iterator[PackedRun]:
    """Write the files of a run, which are known to be valid, under their run ids."""
    edited = run.edited()
    read = {task.name: run_format(task).read(run.file(task)) for task in track.tasks}
    says = frozenset(kind for one in read.values() for kind in one.types)
    others = edited - {run.file(task).name for task in track.tasks}
    for task in track.tasks:
        (run_id,), file = read[task.name].run_ids, run.file(task)
        by_hand = sorted(edited & {file.name} | others)
        made = "manual" if by_hand or "manual" in says else "automatic"
        content = run_format(task).as_manual(file) if by_hand else read_bytes(file)
        packed = PackedRun(task.name, priority, run_id, made, edited=" ".join(by_hand))
        yield _put(folder, run.path, content, packed)


def _put(folder: Path, source: Path, content: bytes, packed: PackedRun) -> PackedRun:
    """Write a file under its run id, which no other may have; return `packed` with its hash."""
    path = folder / packed.run_id
    if packed.run_id.casefold() in {LIST, ".", ".."}:
        raise UsageError(
            f"{source}: expected a run id that can name a file; found {packed.run_id!r}, which is "
            "the name of another one",
            remedy="Choose another: --set submission.run_id=...",
        )
    if path.exists():
        raise UsageError(
            f"{source}: expected run ids that no other run has; found {packed.run_id!r} again",
            remedy="Give each run its own: --set submission.run_id=...",
        )
    path.write_bytes(content)
    return packed._replace(sha256=hashlib.sha256(content).hexdigest())


def _other_topics(run: RunDirectory, count: int, track: Track) -> Problem:
    expected = f"the {len(track.topic_ids)} topics of {track.title}"
    found = f"{count} that the run was made for"
    remedy = "Check that these are the topics to submit, or name others with --topics."
    return Problem("topics-other", str(run.path), None, expected, found, remedy, "warning")


def _without_model(run: RunDirectory) -> list[Problem]:
    """Return a warning for each thing that a run did otherwise than its settings say."""
    expected = "all steps done as the settings say"
    remedy = "Test the server (`sidelight doctor`), and make the run anew in another folder."
    return [
        Problem("run-fallback", str(run.path), None, expected, told, remedy, "warning")
        for told in told_fallbacks(run.read_manifest().fallbacks)
    ]


def judge_run(
    run: RunDirectory,
    topic_ids: Collection[str] | None,
    *,
    known_segments: Container[str] | None = None,
    official: bool = False,
) -> list[Verdict]:
    """Find out whether a run directory is a finished run, and whether its files are valid.

    The run has to cover `topic_ids`; if that is None, the topics that it was made for, with a
    warning where these are not the track's. With `official`, the rules of the track's own validator
    apply to the files, and its topics. The verdict on the folder comes first, then those on the
    files of its tasks.
    """
    findings = Findings(run.path)
    try:
        manifest = run.read_manifest()
    except InputError as error:
        want, told = "a finished run", "a folder without a manifest that this version reads"
        findings.error("run-unfinished", None, expected=want, found=told, remedy=error.remedy)
        return [Verdict(str(run.path), RUN_DIRECTORY, tuple(findings.problems))]
    for topic_id in manifest.failed_topics:
        findings.error(
            "run-failed-topic",
            None,
            expected="all topics finished",
            found=f"{topic_id} failed",
            remedy=f"{run.failures.name} says why. Mend that, and call `sidelight run` again.",
        )
    for name in sorted(run.edited()):
        findings.warning(
            "run-edited",
            None,
            expected="files as the run made them",
            found=f"{name} changed since",
            remedy="`pack` submits it as manual; if it is no run file, all files of the run.",
        )
    findings.problems += _without_model(run)
    track = run.read_track()
    made_for = track.topic_ids if official else run.topic_ids()
    wanted = made_for if topic_ids is None else topic_ids
    if topic_ids is None and not official and set(wanted) != set(track.topic_ids):
        findings.problems.append(_other_topics(run, len(wanted), track))
    verdicts = [
        judge_file(run.file(task), track, wanted, known_segments=known_segments, official=official)
        for task in track.tasks
    ]
    return [
        Verdict(str(run.path), RUN_DIRECTORY, tuple(findings.problems), len(manifest.topics)),
        *verdicts,
    ]
