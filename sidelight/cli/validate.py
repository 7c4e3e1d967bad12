"""Commands `validate`, `pack`, `bundle` and `verify`: check files and runs, and pack them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import orjson
import typer

from sidelight.cli import options
from sidelight.cli.console import (
    Files,
    Note,
    PlainTable,
    Result,
    Shown,
    out,
    problem_notes,
)
from sidelight.cli.progress import progress_bar
from sidelight.errors import InputError, InvalidFileError, Problem, UsageError
from sidelight.files import atomic_write
from sidelight.formats.data_folder import DataPart
from sidelight.formats.lines import GIVE_TOPICS, OTHER_TOPICS, open_text
from sidelight.formats.runs.submission import NOT_MENDED, Change, Run, run_formats
from sidelight.formats.verdict import (
    Verdict,
    detect_format,
    judge_file,
    mend_file,
    read_topics,
    repeated,
)
from sidelight.registry import did_you_mean
from sidelight.runs.directory import LIST, RunDirectory, judge_run, pack_runs
from sidelight.text import counted, first_of
from sidelight.tracks import DEFAULT_TRACK, Track, load_track, run_file_names

if TYPE_CHECKING:
    from sidelight.index.text.docstore import SegmentTexts

_MAX_SHOWN, _MAX_ALIKE = 20, 3
_VARIED = {"official", "key-missing", "key-unknown", "value"}  # each stands for different faults
_LISTS_ALL = "--json lists them all"
_STRICTER = "These checks are stricter than the track's; --official gives the track's own verdict."
_BY_FORM = "Segment ids were checked by their form only; --index INDEX looks them up."
_SHOWN, _NOTES = {".html", ".tex", ".svg", ".png"}, (LIST, "manifest.json", ".judge.json")

# By what people call a file, or a line of it, the model that it is read or checked by.
_SCHEMAS = {
    "config": "sidelight.config.settings:Settings",
    "grid": "sidelight.ablation.runs:Grid",
    "topics": "sidelight.formats.topics:_TopicLine",
    "narratives": "sidelight.formats.topics:_NarrativeLine",
    "reports": "sidelight.formats.runs.cited_sentences:_ExactReport",
    "answers": "sidelight.formats.runs.rag:_Answer",
    "rubric": "sidelight.formats.banks.rubrics:_RubricFile",
    "nuggets": "sidelight.formats.banks.nuggets:_TopicLine",
    "nugget-assignments": "sidelight.formats.banks.nuggets:_AnswerLine",
    "bank": "sidelight.formats.banks.exams:_BankLine",
    "track": "sidelight.tracks:Track",
    "manifest": "sidelight.schemas.run:RunManifest",
    "trace": "sidelight.runs.directory:TopicResult",
}


def schema(
    name: Annotated[
        str,
        typer.Argument(
            help=f"One of {', '.join(_SCHEMAS)}.",
            autocompletion=lambda incomplete: [
                one for one in _SCHEMAS if one.startswith(incomplete)
            ],
        ),
    ],
) -> None:
    """Print the JSON Schema of a file, or of each line where it has one object a line."""
    if name not in _SCHEMAS:
        raise UsageError(
            f"there is no schema of {name!r}; expected one of {', '.join(_SCHEMAS)}"
            + did_you_mean(name, _SCHEMAS)
        )
    document = resolve_name(_SCHEMAS[name]).model_json_schema()
    titles = r'("title": ")(?:_?Exact|_)?([^"\[]*)(?:\[[^"]*)?'  # the public part of a model's name
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    out.print(re.sub(titles, r"\1\2", text), markup=False)


def validate(  # long: half of it are its options
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Runs, topics, rubrics, banks, labels, qrels and others; run directories; folders."
        ),
    ],
    track: options.Track = DEFAULT_TRACK,
    topics: options.CoveredTopics = None,
    index: options.CitedIndex = None,
    official: Annotated[
        bool,
        typer.Option(
            "--official",
            help="Give the verdict of the track's own validator, on its topics or --topics.",
        ),
    ] = False,
    fix: Annotated[
        Path | None,
        typer.Option("--fix", help="Folder for mended copies of run files; lists each change."),
    ] = None,
    output: Annotated[
        Path | None,
        options.output_option("Folder for a text on each given file alone, to send out."),
    ] = None,
    allow_plugin: options.AllowPlugin = None,
) -> Result:
    """Check files, each by what it holds; exit with 1 if one is invalid.

    A run directory is checked with all its files, by the rules of its own track. --fix mends ranks,
    order, misspelt and unknown fields, spare commas, surplus citations and, by whole sentences, the
    word limit; it invents nothing, so that a missing question stays missing, and a line that it
    cannot mend is left out. Changes are listed by the lines of the file that was given. A valid
    file is copied as it is, but for line ends, CSV quotes and leftovers of a model; of an invalid
    one in which nothing can be mended there is no copy.
    """
    rules = load_track(track)
    covered, known_segments = _known(rules, topics, index)
    check_run = partial(judge_run, known_segments=known_segments, official=official)
    check = partial(judge_file, known_segments=known_segments, official=official)
    verdicts: list[Verdict] = []
    mended: dict[str, list[Change]] = {}
    letters: list[_Letter] = []
    named: list[Path] = []
    beside: dict[Path, tuple[str, ...]] = {}  # the topics that lie with files in a folder
    notes: list[str] = []
    for path in files:
        found = _files_in(path) or [path]
        named += found
        for own, those in _topics_in(path, found, rules) if topics is None else ():
            beside |= dict.fromkeys((one for one in found if own.parent in one.parents), those)
            notes.append(f"Topics of the files in {own.parent}: {own}; --topics names others.")
    if fix is not None:  # the copies of a run's files are files
        named = [file for path in named for file in _task_files(path) or [path]]
    within = _within(named) if fix else {}
    for path in named:
        # The track's own validator knows nothing of run directories.
        own_topics = covered or beside.get(path)
        topic_ids = own_topics or (() if official else _made_for(path)) or rules.topic_ids
        if _is_run(path):
            verdicts += (its := check_run(RunDirectory(path, allow_plugin or ()), covered))
            letters += [_Letter(one, (), one) for one in its]
            continue
        copy, changes = path, list[Change]()
        if fix is not None and path.is_file():
            with suppress(InputError):  # what cannot be read is shown by the check
                if mending := _mended(path, rules, fix / within[path].parent, topic_ids):
                    copy, changes = mending
                    mended[str(copy)] = changes
        verdicts.append(check(copy, rules, topic_ids))
        # A team has the file that it sent, and not the copy.
        apart = output is not None and copy != path
        given = check(path, rules, topic_ids) if apart else verdicts[-1]
        # As with --official, not by the topics that a run directory was made for.
        letters.append(_Letter(given, changes, verdicts[-1], own_topics or rules.topic_ids))
    verdicts = [
        replace(one, problems=_without_topics(one.problems)) if covered else one for one in verdicts
    ]
    several = verdicts if len(verdicts) > 1 else []
    runs = [(one.kind.name if one.kind else "", one.file, _run_in(one)) for one in several]
    for place, again in enumerate(repeated(runs)):
        verdicts[place] = replace(verdicts[place], problems=(*verdicts[place].problems, *again))
    as_given = [verdict.file for verdict in verdicts if fix and verdict.file not in mended]
    n_invalid = sum(not verdict.valid for verdict in verdicts)
    told = "--fix mends run files that can be read; not mended"
    notes += [f"{told}: {', '.join(as_given)}"] * bool(as_given)
    kept = [one.file for one in verdicts if not one.valid and mended.get(one.file) == []]
    told = "--fix mended nothing, as it adds no content and guesses nothing; the errors above say"
    notes += [f"{told} what to do: {', '.join(kept)}"] * bool(kept)
    notes += [f"{len(verdicts) - n_invalid} valid, {n_invalid} invalid"] * (len(verdicts) > 1)
    has_own = any(one.kind and one.kind.official for one in several if not one.valid)
    notes += [_STRICTER] * (has_own and not official)
    cites = any(one.kind and one.kind.cites for one in verdicts)
    notes += [_BY_FORM] * (cites and index is None and not official)
    return Result(
        {"files": [_as_dict(one, mended.get(one.file)) for one in verdicts]},
        [
            *_shown(verdicts, mended.values()),
            *notes,
            *([Files(partial(_write_letters, output, letters, runs), "texts")] if output else ()),
        ],
        exit_code=1 if n_invalid else 0,
    )


def _mended(
    path: Path, rules: Track, folder: Path, topic_ids: Collection[str]
) -> tuple[Path, list[Change]] | None:
    """Return what `mend_file` does; UsageError where that would undo what somebody changed."""
    copy = folder / path.name
    if copy.is_file() and copy.stat().st_mtime_ns > path.stat().st_mtime_ns:
        with TemporaryDirectory() as apart:  # nothing is overwritten to find out
            made = mend_file(path, rules, Path(apart), topic_ids)
            if made and made[0].read_bytes() != copy.read_bytes():
                raise UsageError(
                    f"{copy} is not what --fix makes of {path}: it was changed since, or made "
                    "otherwise",
                    remedy="Check it as it is, delete it, or name another folder with --fix.",
                )
    return mend_file(path, rules, folder, topic_ids)


def _within(paths: Sequence[Path]) -> dict[Path, Path]:
    """Return each path with what it is within the folder that holds all: names may be equal."""
    whole = [path.absolute().parent.resolve() / path.name for path in paths]
    top = os.path.commonpath([path.parent for path in whole])
    return {path: own.relative_to(top) for path, own in zip(paths, whole, strict=True)}


def _without_topics(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems without the advice to give topics, for who has given them, or cannot."""
    return tuple(
        replace(one, remedy=one.remedy.replace(GIVE_TOPICS, "").replace(OTHER_TOPICS, ""))
        for one in problems
    )


def _is_run(path: Path) -> bool:
    run = RunDirectory(path)
    if run.config.exists() or run.traces.exists():
        return True
    # A judge writes a manifest beside its labels.
    return run.manifest.exists() and b'"judge":' not in run.manifest.read_bytes()


def _task_files(path: Path) -> list[Path]:
    """Return the files of tasks in a run directory."""
    files = (path / name for name in sorted(run_file_names()))
    return [file for file in files if _is_run(path) and file.is_file()]


def _files_in(path: Path) -> list[Path]:
    """Return files and run directories in a folder and its folders; of all else, the path alone.

    What commands put beside runs, labels and scores for people to look at is left out: pages,
    figures, LaTeX, lists of runs and notes on who judged.
    """
    if not path.is_dir() or _is_run(path):
        return [path]
    found = sorted(path.glob("[!.]*"))
    named = (one for one in found if one.suffix not in _SHOWN and not one.name.endswith(_NOTES))
    within = (one for one in named if one.is_file() or not one.is_symlink())
    return [file for one in within for file in _files_in(one) if not file.is_dir() or _is_run(file)]


def _topics_in(
    folder: Path, found: Sequence[Path], rules: Track
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield the topics files in a folder with their topics, those in folders within it later."""
    files = [one for one in found if one.name == DataPart.TOPICS and folder in one.parents]
    for file in sorted(files, key=lambda one: len(one.parts)):
        with suppress(InputError):  # what is wrong with it is shown by the check
            yield file, tuple(one.topic_id for one in read_topics(file, rules))


def _known(
    rules: Track, topics: Path | None, index: Path | None
) -> tuple[tuple[str, ...] | None, SegmentTexts | None]:
    """Return the topics to cover and the segments there are, as far as options name them."""
    covered = tuple(one.topic_id for one in read_topics(topics, rules)) if topics else None
    if index is None:
        return covered, None
    from sidelight.index.folder import open_index  # which takes torch along

    return covered, open_index(index).docstore


def _made_for(path: Path) -> tuple[str, ...]:
    """Return the topics of the run directory that wrote a file; none for any other file."""
    run = RunDirectory(path.parent)
    try:
        return run.topic_ids() if path.name in run.read_manifest().files else ()
    except InputError:
        return ()


def _run_in(verdict: Verdict) -> Run | None:
    """Return what is in a file of a task, without the lines that cannot be read; None of others."""
    path, kind = Path(verdict.file), verdict.kind
    kept_as = run_formats().get(detect_format(path) or "") if kind and kind.check else None
    if kept_as is None:
        return None
    try:
        return kept_as.read(path)
    except InvalidFileError as error:
        spoilt = {one.line for one in error.problems}
    with TemporaryDirectory() as folder, suppress(InvalidFileError):
        copy = Path(folder) / path.name
        lines = (one.text for one in open_text(path).lines if one.number not in spoilt)
        copy.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="")
        return kept_as.read(copy)
    return None


def _as_dict(verdict: Verdict, changes: Sequence[Change] | None) -> dict[str, object]:
    size = verdict.size
    judged = {} if isinstance(size, int) else {"rows": size.rows, "judged": size.judged}
    mended = {} if changes is None else {"changes": [one.said for one in changes]}
    return {
        "file": verdict.file,
        "kind": verdict.kind.name if verdict.kind else None,
        "valid": verdict.valid,
        "problems": [problem.as_dict() for problem in verdict.problems],
        **judged,
        **mended,
    }


def _shown(verdicts: Sequence[Verdict], mended: Iterable[Sequence[Change]]) -> list[Shown]:
    """Return changes, problems and verdicts; what is wrong with several files is told once.

    Of changes and problems of one kind only the first are shown.
    """
    shown: list[Shown] = []
    indent = ""
    if len(verdicts) == 1:
        state, title, size = _told(verdicts[0])
        colour, indent = "green" if state == "valid" else "red", "  "
        shown.append(Note(f"{verdicts[0].file}: {state} {title}{size}", colour))
    for changes in mended:
        for what, is_left in (("not mended", True), ("mended", False)):
            some = [one for one in changes if (one.kind in NOT_MENDED) == is_left]
            first = _first_of_each(some, f"; {_LISTS_ALL}")
            shown += [f"{indent}{what}: {said}" for said in first]
    by_kind_of: dict[tuple[str, str], list[tuple[Problem, Note]]] = {}
    problems = [problem for one in verdicts for problem in one.problems]
    for problem, note in problem_notes(problems, on_stderr=False):
        told = problem, note._replace(text=f"{indent}{note.text}")
        by_kind_of.setdefault((problem.file, problem.code), []).append(told)
    for (file, code), notes in by_kind_of.items():
        most = _MAX_SHOWN if code in _VARIED else _MAX_ALIKE
        shown += [note for _, note in notes[:most]]
        if left := notes[most:]:
            lines = dict.fromkeys(f"line {one.line}" for one, _ in left if one.line is not None)
            where = f"{first_of([*lines], _MAX_SHOWN)}; " if lines else ""
            shown.append(f"{indent}{file}: and {len(left)} more [{code}]: {where}{_LISTS_ALL}")
    if len(verdicts) > 1:
        each = ((one.file, *_told(one)) for one in verdicts)
        rows = [(file, title, f"{state}{size}") for file, state, title, size in each]
        shown.append(PlainTable(("file", "kind", "state"), rows))
    return shown


class _Letter(NamedTuple):
    """What a team is told of a file: what it sent, what was mended, and what became of it.

    `topic_ids` are those that the track's own check is made by; it is left out without any.
    """

    given: Verdict
    changes: Sequence[Change]
    copy: Verdict
    topic_ids: Collection[str] = ()

    def text(self, again: Iterable[Problem]) -> str:
        """Return what the track says, what was mended, what is left to mend, and warnings.

        All is by given lines, and without advice on options of the command, which a team lacks.
        """
        apart = self.given.file != self.copy.file
        left = [*(self._left() if apart else self.given.problems), *again]
        left = [
            replace(one, remedy="") if one.code == "official" else one
            for one in _without_topics(left)
        ]
        copied = _told(self.copy)[0]
        official = self.given.kind.official if self.topic_ids and self.given.kind else None
        if official:
            is_valid = not official(Path(self.copy.file), self.topic_ids)
            copied = f"{'valid' if is_valid else 'invalid'} by the track's own check"
        by_team = [one.said for one in self.changes if one.kind in NOT_MENDED]
        parts = {
            f"Mended in the copy {self.copy.file} ({copied}):": [
                *_first_of_each([one for one in self.changes if one.kind not in NOT_MENDED])
            ],
            "To be mended by you:": by_team + [str(one) for one in left if one.severity == "error"],
            "Advice:": [str(one) for one in left if one.severity == "warning"],
        }
        state, title, size = _told(self.given)
        lines = [f"{self.given.file}: {state} {title}{size}"]
        if official:
            stricter = "" if self.given.valid else " What follows is by stricter checks."
            says = f"valid.{stricter}"
            lines = [f"{self.given.file}: {title}{size}"]
            if objections := official(Path(self.given.file), self.topic_ids):
                told = [f"{f'line {line}: ' if line else ''}{what}" for line, what in objections]
                says = f"invalid, {counted(len(told), 'error')}: {first_of(told)}"
            lines.append(f"The track's own check: {says}")
        for heading, told in parts.items():
            lines += [heading, *(f"  {one}".rstrip() for one in told)] if told else []
        return "".join(f"{line}\n" for line in lines)

    def _left(self) -> list[Problem]:
        """Return what is wrong with the given file and still with its copy.

        Of what is missing a copy may lack more, for lines that were left out of it.
        """

        def about(one: Problem) -> tuple[str, str]:
            return one.code, one.expected if one.code.endswith("-missing") else one.found

        left = set(map(about, self.copy.problems))
        return [one for one in self.given.problems if about(one) in left]


def _first_of_each(changes: Iterable[Change], hint: str = "") -> Iterator[str]:
    """Yield the first changes of each kind, and how many more there are, with a hint on those."""
    by_kind: dict[str, list[str]] = {}
    for one in changes:
        by_kind.setdefault(one.kind.strip(":"), []).append(one.said)
    for kind, said in by_kind.items():
        yield from said[:_MAX_ALIKE]
        if len(said) > _MAX_ALIKE:
            yield f"and {len(said) - _MAX_ALIKE} more, {kind}{hint}"


def _sender(run: Any) -> str:
    """Return the team of a run, or its run id where its file names no team."""
    said = [*getattr(run, "questions", ()), *(one.metadata for one in getattr(run, "reports", ()))]
    return next((one.team_id for one in said), "") or run.run_ids[0]


def _write_letters(
    folder: Path, letters: Sequence[_Letter], runs: Sequence[tuple[str, str, Run | None]]
) -> Iterator[Path]:
    """Write all that is known of each file alone, under the name of the file; yield the paths.

    `runs` are those of files that were read. Which others of its own a team's run is like is said,
    too.
    """
    known = {file: run for _, file, run in runs}
    within = _within([Path(one.given.file) for one in letters])
    of_team: dict[str, list[tuple[str, str, Run | None]]] = {}
    for given in (one.given for one in letters if len(letters) > 1):
        run = known[given.file] if given.file in known else _run_in(given)
        if run and run.run_ids and given.kind:
            of_team.setdefault(_sender(run), []).append((given.kind.name, given.file, run))
    again: dict[str, list[Problem]] = {}
    for theirs in (order for sent in of_team.values() for order in (sent, sent[::-1])):
        for (_, file, _), told in zip(theirs, repeated(theirs), strict=True):
            again.setdefault(file, []).extend(told)
    for one in letters:
        text = folder / f"{within[Path(one.given.file)]}.txt"
        atomic_write(text, one.text(again.get(one.given.file, ())))
        yield text


def _told(verdict: Verdict) -> tuple[str, str, str]:
    """Return whether a file is valid, what it is, and how much it holds where that is known."""
    kind, size = verdict.kind, verdict.size
    if verdict.valid and kind:
        if not isinstance(size, int) and size.judged < size.rows:
            return "valid", kind.title, f", {size.judged} of {counted(size.rows, 'row')} judged"
        rows = size if isinstance(size, int) else size.rows
        return "valid", kind.title, f", {counted(rows, kind.unit)}"
    if any(one.code == "unreadable" for one in verdict.problems):
        return "invalid", "file that cannot be read", ""
    return "invalid", kind.title if kind else "file of unknown kind", ""


def pack(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Run directories, or files of relevance judgments; the most important first."
        ),
    ],
    output: Annotated[Path, options.output_option("New folder to submit from.")],
    track: options.Track = DEFAULT_TRACK,
    topics: options.CoveredTopics = None,
    index: options.CitedIndex = None,
) -> Result:
    """Validate runs, strictly and as the track does, and put their files together for upload.

    A run file that was edited after it was made is submitted as manual; so are all files of a run
    of which anything else was edited.
    """
    rules = load_track(track)
    covered, known_segments = _known(rules, topics, index)
    packing = pack_runs(
        [RunDirectory(run) for run in runs if not run.is_file()],
        output,
        rules,
        covered,
        known_segments,
        [run for run in runs if run.is_file()],
    )
    columns = ("task", "priority", "run_id", "type")
    rows = [[str(getattr(item, name)) for name in columns] for item in packing.runs]
    return Result(
        {
            "runs": [item._asdict() for item in packing.runs],
            "warnings": [problem.as_dict() for problem in packing.warnings],
        },
        [
            *(note for _, note in problem_notes(packing.warnings)),
            PlainTable(columns, rows),
            *(
                f"{item.run_id} is submitted as manual: edited after the run: {item.edited}"
                for item in packing.runs
                if item.edited
            ),
            f"  {output}",
        ],
    )


def bundle(
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    topics: Annotated[Path, options.topics_option("Topics file of the run.")],
    index: Annotated[Path, options.index_option("Index folder of the run.")],
    output: Annotated[Path, options.output_option("The .tar.zst file to write.")],
    rubrics: Annotated[
        Path | None, options.rubrics_option("What a judged run was judged by, if it was given.")
    ] = None,
    cache: options.RunCache = None,
    allow_plugin: options.AllowPlugin = None,
) -> None:
    """Repeat a run from its replies and pack it with all it read; `verify` needs nothing else."""
    import asyncio

    from sidelight.index.folder import open_index
    from sidelight.reproduction.bundle import make_bundle

    directory = RunDirectory(run, allow_plugin or ())
    total = len(read_topics(topics, directory.read_track()))
    with progress_bar("topics", total=total) as advance:
        contents = asyncio.run(
            make_bundle(
                directory,
                topics,
                open_index(index),
                cache or directory.cache,
                output,
                rubrics,
                lambda _: advance(1),
            )
        )
    size = output.stat().st_size / 1e6
    out.print(
        f"The repeated run is identical. {counted(len(contents.files), 'file')}, {size:.1f} MB:"
    )
    out.print(f"  {output}", markup=False)
    if plugins := directory.read_settings().plugins():
        allowed = " ".join(f"--allow-plugin {quote(name)}" for name in plugins)
        told = (
            "Parts that are not in the bundle; who verifies it needs their modules on PYTHONPATH:"
        )
        out.print(f"{told}\n  sidelight verify {quote(str(output))} {allowed}", markup=False)


def verify(
    bundle: Annotated[Path, typer.Argument(help="Bundle, or the folder it was unpacked to.")],
    allow_plugin: options.AllowPlugin = None,
) -> Result:
    """Check every byte of a bundle, and make its run again without index or model."""
    import asyncio

    from sidelight.reproduction.bundle import verify_bundle

    with progress_bar("topics", total=None) as advance:
        verification = asyncio.run(verify_bundle(bundle, lambda _: advance(1), allow_plugin or ()))
    files = len(verification.contents.files)
    shown: list[Shown] = [note for _, note in problem_notes(verification.problems)]
    if verification.succeeded:
        shown.append(
            f"{bundle}: verified. {counted(files, 'file')} unchanged; "
            f"{counted(verification.topics, 'topic')} made again with identical files."
        )
    return Result(
        {
            "verified": verification.succeeded,
            "problems": [problem.as_dict() for problem in verification.problems],
            "topics": verification.topics,
            "files": files,
        },
        shown,
        exit_code=0 if verification.succeeded else 1,
    )
