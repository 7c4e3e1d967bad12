"""Verification of a bundle: hashes of all files, and a replay that must produce the same files.

Assessments are taken as they are; the scores that follow from them are recomputed.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from sidelight.errors import InputError, MachineError, OfflineError, Problem
from sidelight.files import open_regular
from sidelight.formats.topics import read_topics
from sidelight.llm.cache import KeptReply, keep_replies
from sidelight.prompting import find_prompts
from sidelight.reproduction.archive import (
    CONTENTS,
    BundledPrompt,
    Contents,
    read_archive,
    read_contents,
)
from sidelight.reproduction.bundle import EVIDENCE, REPLIES, RUBRICS, RUN, SCORES, TOPICS
from sidelight.reproduction.recording import (
    Recording,
    compare_runs,
    compare_scores,
    replay_run,
    replaying,
)
from sidelight.runs.directory import RunDirectory
from sidelight.versions import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator


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
                yield KeptReply.model_validate_json(line, strict=True)
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
