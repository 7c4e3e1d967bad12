"""Real runs, killed at any moment and taken up again, end in the bytes of one left alone."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sidelight.index.folder import IndexFolder
from sidelight.sample import sample_path
from tests.helpers.commands import complaints
from tests.helpers.prompted_runs import SHORT, run


class Undisturbed(NamedTuple):
    """A run that nothing disturbed.

    Attributes:
        options: What it was run with, but for the folder.
        files: Its files by name.
    """

    options: list[str]
    files: dict[str, bytes]

    def start(self, out: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "sidelight.cli.main",
                "run",
                *self.options,
                "--output",
                str(out),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def files(out: Path) -> dict[str, bytes]:
    """The files of a run but for its lock."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


@pytest.fixture(scope="module")
def undisturbed(
    mini_web_index: IndexFolder, tmp_path_factory: pytest.TempPathFactory
) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    topics = folder / "topics.jsonl"
    lines = (sample_path() / "topics.jsonl").read_text().splitlines(keepends=True)
    topics.write_text("".join(lines[:3]))
    # One topic after another, so that a kill finds some finished and others not.
    options = ["--topics", str(topics), "--index", str(mini_web_index.path), "--parallel", "1"]
    options += SHORT
    assert len(run(*options, "--output", folder / "run")["done"]) == 3
    return Undisturbed(options, files(folder / "run"))


def moments(kills: int, duration_s: float) -> Iterator[float]:
    """Yield moments without end: in random order, one in each of as many equal parts of a run."""
    rng = random.Random(kills)
    while True:
        parts = rng.sample(range(kills), kills)
        yield from (duration_s * (part + rng.random()) / kills for part in parts)


@pytest.mark.slow
def test_runs_killed_at_sixty_moments_end_in_the_same_bytes(
    undisturbed: Undisturbed, tmp_path: Path
) -> None:
    kills, killed = 60, 0
    started = time.monotonic()
    _, errors = undisturbed.start(tmp_path / "timed").communicate()
    assert complaints(errors) == ""
    left = moments(kills, time.monotonic() - started)
    while killed < kills:
        out = tmp_path / f"after-{killed}"
        while True:
            process = undisturbed.start(out)
            try:
                process.wait(next(left) if killed < kills else None)
            except subprocess.TimeoutExpired:
                process.kill()
            _, errors = process.communicate()
            if process.returncode != -signal.SIGKILL:
                break
            killed += 1
        assert (process.returncode, complaints(errors)) == (0, "")
        assert files(out) == undisturbed.files


def test_ctrl_c_ends_a_run_with_a_word_and_it_goes_on_to_the_same_bytes(
    undisturbed: Undisturbed, tmp_path: Path
) -> None:
    process = undisturbed.start(tmp_path)
    while not list(tmp_path.glob("traces/*.json")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    shown, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (shown, errors) == ("", "Interrupted. The same command goes on where it was.\n")
    left = files(tmp_path)
    assert {"config.yaml", "traces"} == {name.partition("/")[0] for name in left}
    assert left.items() <= undisturbed.files.items()
    summary = run(*undisturbed.options, "--output", tmp_path)
    assert len(summary["kept"]) == len(left) - 1
    assert files(tmp_path) == undisturbed.files
