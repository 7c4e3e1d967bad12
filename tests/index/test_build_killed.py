"""Real builds, killed at any moment and taken up again, end in the index of one left alone."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from sidelight.index.build import build_index
from sidelight.index.engine import LocalEngine
from sidelight.index.folder import IndexFolder, open_index
from tests.helpers.indexes.generated_collection import write_collection
from tests.helpers.indexes.same_index import check_same

# In the order in which a build makes them.
STAGES = [
    "plan.json",
    "parts/*.part/report.json",
    "parts/others",
    "docstore*",
    "lucene*",
    "vectors.part",
    "vectors",
]


class Undisturbed(NamedTuple):
    """An index that was built in one go, and what it was built from."""

    shards: list[Path]
    folder: IndexFolder


@pytest.fixture(scope="module")
def undisturbed(small_shard, encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    shards = [*write_collection(folder / "shards", 12, shards=1, seed=4), small_shard]
    build_index(shards, folder / "index", encoder, engine=LocalEngine(1))
    return Undisturbed(shards, open_index(folder / "index"))


def start(undisturbed: Undisturbed, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sidelight.cli.main", "index", "build"]
    command += [*map(str, undisturbed.shards), "--output", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "stage", [STAGES[1], *(pytest.param(stage, marks=pytest.mark.slow) for stage in STAGES)]
)
def test_a_build_killed_in_a_stage_ends_the_same(stage, undisturbed, encoder, tmp_path):
    process = start(undisturbed, tmp_path)
    while not list(tmp_path.glob(stage)):
        assert process.poll() is None
        time.sleep(0.002)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    build_index(undisturbed.shards, tmp_path, encoder, engine=LocalEngine(1))
    check_same(tmp_path, undisturbed.folder)


@pytest.mark.slow
def test_builds_killed_at_fifty_moments_end_the_same(undisturbed, tmp_path):
    begun = time.monotonic()
    assert start(undisturbed, tmp_path / "timed").wait() == 0
    duration = time.monotonic() - begun
    rng = random.Random(50)
    killed = number = 0
    while killed < 50:
        folder = tmp_path / str(number)
        ended = False
        while not ended:
            process = start(undisturbed, folder)
            try:
                # A build that goes on has less to do: so late a kill would often miss it.
                ended = process.wait(duration * rng.uniform(0.2, 1.0)) == 0
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            else:
                assert ended
        check_same(folder, undisturbed.folder)
        number += 1
