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
"""

from __future__ import annotations

import platform
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.errors import InputError, InvalidFileError
from sidelight.files import check_folder, check_output, files_below, make_folder
from sidelight.formats.topics import read_topics
from sidelight.llm.cache import kept_replies
from sidelight.prompting import find_prompts
from sidelight.reproduction.archive import BundledPrompt, Contents, describe_files, write_archive
from sidelight.reproduction.recording import Recording, compare_runs, recording, replay_run
from sidelight.runs.directory import RunDirectory
from sidelight.runs.self_evaluation import DRAFTED
from sidelight.wiring.investigation import open_sources

if TYPE_CHECKING:
    from collections.abc import Callable

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
            otherwise this time; or it was judged and nobody says by which rubrics, or a link is
            among its scores or its rubrics.
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
        if judged_by is not None:
            _copy(run.path / SCORES, packed / SCORES, DRAFTED, "replies", ".*")
            _copy(judged_by, packed / RUBRICS)
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
    # A folder that somebody names may be a link; what lies in a run is the run's own.
    found = drafted if drafted.exists() else given and given.resolve()
    if found is None:
        raise InputError(
            f"{scores}: expected the rubrics that the run was judged by; found none",
            remedy="Name their folder with --rubrics.",
        )
    return found


def _copy(folder: Path, to: Path, *left_out: str) -> None:
    """Copy a folder, but for what names leave out, without following a link in it.

    Raises:
        InputError: A link is among what is copied: who gets a bundle gets nothing from elsewhere.
        RefusedFileError: A pipe or a device lies in the folder.
    """
    check_folder(folder)
    ignored = shutil.ignore_patterns(*left_out)
    copied = Path(shutil.copytree(folder, to, symlinks=True, ignore=ignored))
    below = [folder / path.relative_to(copied) for path in files_below(copied)]
    if link := next((path for path in (folder, *below) if path.is_symlink()), None):
        raise InputError(
            f"{link}: expected a plain file or folder; found a link to {link.readlink()}",
            remedy="Put what it leads to in its place, if everybody may have it; else remove it.",
        )


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
