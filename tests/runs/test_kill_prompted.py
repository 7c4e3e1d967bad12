"""Runs with a model, killed at any moment and taken up again, end as those left alone do."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidelight.index.folder import IndexFolder
from tests.helpers.commands import complaints
from tests.helpers.models.fault_server import FaultServer
from tests.helpers.prompted_runs import files, write_inputs, write_narratives


@pytest.mark.parametrize(
    ("write", "kills"),
    [
        pytest.param(write_inputs, 100, marks=pytest.mark.slow),
        (write_narratives, 2),
        pytest.param(write_narratives, 100, marks=pytest.mark.slow),
    ],
)
def test_killed_runs_end_in_the_same_bytes(
    mini_web_index: IndexFolder,
    tmp_path: Path,
    write: Callable[[Path, int], tuple[str, ...]],
    kills: int,
) -> None:
    command = [sys.executable, "-m", "sidelight.cli.main", "run", *write(tmp_path, 1)]
    command += ["--index", str(mini_web_index.path)]
    rng = random.Random(kills)
    with FaultServer(latency_s=0.02) as server:
        command += ["--base-url", server.base_url]

        def start(out: Path) -> subprocess.Popen[str]:
            given = [*command, "--output", str(out)]
            pipe = subprocess.PIPE
            return subprocess.Popen(given, stdout=pipe, stderr=pipe, text=True)

        started = time.monotonic()
        _, errors = start(tmp_path / "undisturbed").communicate()
        assert complaints(errors) == ""
        duration_s = time.monotonic() - started
        killed = 0
        while killed < kills:
            out = tmp_path / f"after-{killed}"
            while True:
                process = start(out)
                try:
                    process.wait(rng.uniform(0, duration_s) if killed < kills else None)
                except subprocess.TimeoutExpired:
                    process.kill()
                _, errors = process.communicate()
                if process.returncode != -signal.SIGKILL:
                    break
                killed += 1
            assert (process.returncode, complaints(errors)) == (0, "")
            assert files(out) == files(tmp_path / "undisturbed")
