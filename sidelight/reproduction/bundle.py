"""Bundle of a run with its inputs and everything needed to reproduce it.

```text
bundle.json     versions, models, and the hash of every other file
topics.jsonl    the articles
run/            the run directory, without its logs of calls
scores/         assessments and scores, where the run was judged
rubrics/        what it was judged by
evidence/       every search, segment and vector that the run read
replies.jsonl   every reply of a model
prompts/        the text of every prompt
```

The run is repeated while it is recorded, from its index and its replies alone: a run that cannot
be repeated is not bundled.

Verification of a bundle: hashes of all files, and a replay that must produce the same files.

Assessments are taken as they are; the scores that follow from them are recomputed.
"""

from __future__ import annotations

import platform
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from sidelight.errors import InputError, InvalidFileError, MachineError, OfflineError, Problem
from sidelight.files import check_folder, check_output, make_folder, open_regular
from sidelight.formats.topics import read_topics
from sidelight.llm.cache import KeptReply, keep_replies, kept_replies
from sidelight.prompting import find_prompts
from sidelight.reproduction.archive import (
    CONTENTS,
    BundledPrompt,
    Contents,
    describe_files,
    read_archive,
    read_contents,
    write_archive,
)
from sidelight.reproduction.recording import (
    Recording,
    compare_runs,
    compare_scores,
    recording,
    replay_run,
    replaying,
)
from sidelight.runs.directory import RunDirectory
from sidelight.runs.self_evaluation import DRAFTED
from sidelight.versions import VERSION
from sidelight.wiring.run import open_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from sidelight.config.settings import Settings
    from sidelight.index.folder import SearchIndex
    from sidelight.runs.runner import RunSummary
    from sidelight.schemas.run import RunManifest

TOPICS, RUN, SCORES, RUBRICS = "topics.jsonl", "run", "scores", "rubrics"
EVIDENCE, REPLIES, PROMPTS = "evidence", "replies.jsonl", "prompts"


async def make_bundle(  # long: one list of what a bundle holds
    run: RunDirectory,
    topics: Path,
    folder: SearchIndex,
    cache: Path,
    archive: Path,
    rubrics: Path | None = None,
    on_topic: Callable[[str], None] = lambda _: None,
) -> Contents:
    """Repeat a finished run, record what it reads, and pack everything into one file.

    Args:
        run: The run.
        topics: Its topics file.
        folder: Its index.
        cache: Its model replies.
        archive: The `.tar.zst` file to write.
        rubrics: What a judged run was judged by, unless it drafted that itself.
        on_topic: Called with the id of each topic that is repeated.

    Raises:
        InputError: The run is unfinished, was made with another index, was edited, or comes out
            otherwise this time; or it was judged and nobody says by which rubrics.
        OfflineError: The cache lacks a reply.
    """
    settings = run.read_settings()
    judged_by = _rubrics_of(run, rubrics)
    manifest = run.manifest_with(folder.fingerprint())
    if manifest.failed_topics:
        raise InputError(
            f"{run.manifest}: expected a finished run; found {len(manifest.failed_topics)} "
            "failed topics",
            remedy="Call `sidelight run` again first.",
        )
    todo = read_topics(topics, run.read_track())
    found = {topic.topic_id for topic in todo}
    if differing := sorted(found.symmetric_difference(manifest.topics)):
        raise InputError(
            f"{topics}: expected the topics of the run; {differing[0]} is in one of the two only",
            remedy="Give the topics file that the run was made with.",
        )
    record = Recording()
    check_output(archive)
    make_folder(archive.parent)
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".bundle-") as scratch:
        again, packed = RunDirectory(Path(scratch, "again")), Path(scratch, "packed")
        summary = await replay_run(
            todo,
            settings,
            folder.fingerprint(),
            recording(open_sources(settings.retrieval, folder), record),
            cache,
            again.path,
            on_topic,
        )
        problems = [item for item in compare_runs(run, again) if item.severity == "error"]
        if problems:
            raise InvalidFileError(problems)
        record.write(packed / EVIDENCE)
        shutil.copyfile(topics, packed / TOPICS)
        shutil.copytree(again.path, packed / RUN, ignore=shutil.ignore_patterns(".*", "calls"))
        if judged_by is not None:
            unpacked = shutil.ignore_patterns(DRAFTED, "replies", ".*")
            check_folder(run.path / SCORES)
            check_folder(judged_by)
            shutil.copytree(run.path / SCORES, packed / SCORES, ignore=unpacked)
            shutil.copytree(judged_by, packed / RUBRICS)
        _write_replies(packed / REPLIES, cache, summary)
        _write_prompts(packed / PROMPTS)
        contents = _describe(packed, settings, manifest)
        contents.write(packed)
        write_archive(packed, archive)
    return contents


def _rubrics_of(run: RunDirectory, given: Path | None) -> Path | None:
    """Return the rubrics a run was judged by, or None when it was not judged.

    Raises:
        InputError: They are not with the run, and none are given.
    """
    scores = run.path / SCORES
    if not scores.exists():
        return None
    drafted = scores / DRAFTED
    found = drafted if drafted.exists() else given
    if found is None:
        raise InputError(
            f"{scores}: expected the rubrics that the run was judged by; found none",
            remedy="Name their folder with --rubrics.",
        )
    return found


def _write_replies(path: Path, cache: Path, summary: RunSummary) -> None:
    asked = {call.request for log in summary.logs.values() for call in log.calls}
    kept = kept_replies(cache, asked) if asked else []
    with path.open("wb") as stream:
        stream.writelines(f"{reply.model_dump_json()}\n".encode() for reply in kept)


def _write_prompts(folder: Path) -> None:
    folder.mkdir()
    for prompt in find_prompts():
        (folder / f"{prompt.id}.md").write_text(prompt.source, encoding="utf-8")


def _describe(packed: Path, settings: Settings, manifest: RunManifest) -> Contents:
    return Contents(
        sidelight=manifest.sidelight,
        python=platform.python_version(),
        platform=platform.platform(),
        packages=manifest.packages,
        models={model.name: model.revision for model in settings.models.of_run()},
        index=manifest.index,
        prompts={
            prompt.id: BundledPrompt(version=prompt.version, fingerprint=prompt.fingerprint)
            for prompt in find_prompts()
        },
        files=describe_files(packed),
    )


class Verification(NamedTuple):
    """Result of verifying a bundle.

    Attributes:
        contents: What the bundle says of itself.
        problems: What has changed or comes out otherwise; warnings included.
        topics: How many topics were done again.
    """

    contents: Contents
    problems: tuple[Problem, ...]
    topics: int

    @property
    def succeeded(self) -> bool:
        """Tell whether everything is as it was and comes out the same."""
        return all(problem.severity != "error" for problem in self.problems)


async def verify_bundle(
    bundle: Path,
    on_topic: Callable[[str], None] = lambda _: None,
    plugins: Container[str] = (),
) -> Verification:
    """Check all bytes of a bundle and, if they are the ones that were packed, replay it.

    Args:
        bundle: A file made by `make_bundle`, or the folder it was unpacked to.
        on_topic: Called with the id of each topic that was done again.
        plugins: Parts that are not registered and that its run may name, since the user said so.

    Raises:
        InputError: It is no bundle, the archive is damaged, or its run names a part that is neither
            registered nor allowed.
        MachineError: It was made by another version, whose replay need not give the same.
    """
    with _unpacked(bundle) as folder:
        contents = read_contents(folder)
        problems = contents.check(folder)
        if problems:
            return Verification(contents, tuple(problems), 0)
        if contents.sidelight != VERSION:
            raise MachineError(
                f"{bundle}: all bytes are as they were packed; the replay needs sidelight "
                f"{contents.sidelight}, and this is {VERSION}",
                remedy=f"Install it with: pip install sidelight=={contents.sidelight}",
            )
        problems = _other_prompts(folder, contents)
        topics = 0
        if not problems:
            problems, topics = await _replay(folder, contents, on_topic, plugins)
        return Verification(contents, tuple(problems), topics)


@contextmanager
def _unpacked(bundle: Path) -> Iterator[Path]:
    if bundle.is_dir():
        yield bundle
        return
    with tempfile.TemporaryDirectory(prefix="sidelight-") as scratch:
        read_archive(bundle, Path(scratch))
        yield Path(scratch)


def _read_replies(path: Path) -> Iterator[KeptReply]:
    with open_regular(path) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield KeptReply.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]["msg"]
                raise InputError(
                    f"{path}:{number}: expected a kept reply; found: {first}"
                ) from error


def _other_prompts(folder: Path, contents: Contents) -> list[Problem]:
    """Return prompts that this installation words otherwise than the one that made the bundle."""
    here = {
        prompt.id: BundledPrompt(version=prompt.version, fingerprint=prompt.fingerprint)
        for prompt in find_prompts()
    }
    return [
        Problem(
            "prompt-changed",
            str(folder / CONTENTS),
            None,
            f"the prompt {name} as it is installed here",
            "another wording",
            f"Install sidelight {contents.sidelight} unchanged.",
        )
        for name in sorted(here.keys() | contents.prompts.keys())
        if here.get(name) != contents.prompts.get(name)
    ]


async def _replay(
    folder: Path,
    contents: Contents,
    on_topic: Callable[[str], None],
    plugins: Container[str],
) -> tuple[list[Problem], int]:
    recorded = RunDirectory(folder / RUN, plugins)
    settings = recorded.read_settings()
    topics = read_topics(folder / TOPICS, recorded.read_track())
    with tempfile.TemporaryDirectory(prefix="sidelight-") as scratch:
        again, cache = RunDirectory(Path(scratch, "run")), Path(scratch, "cache")
        keep_replies(cache, _read_replies(folder / REPLIES))
        try:
            await replay_run(
                topics,
                settings,
                contents.index,
                replaying(Recording.read(folder / EVIDENCE)),
                cache,
                again.path,
                on_topic,
            )
        except OfflineError as error:
            missing = "every reply that the replay needs"
            remedy = "The replay goes another way than the run went; compare the versions."
            return [
                Problem("reply-missing", str(folder / REPLIES), None, missing, str(error), remedy)
            ], 0
        problems = compare_runs(recorded, again)
    if (folder / SCORES).exists():
        problems += compare_scores(folder / SCORES, folder / RUBRICS, recorded)
    return problems, len(topics)
