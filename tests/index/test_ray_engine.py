"""Ray on this machine, with two processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import orjson
import pytest
import ray

from sidelight.errors import MachineError
from sidelight.index.build import build_index
from sidelight.index.engine import LocalEngine, RayEngine
from sidelight.index.folder import open_index
from tests.helpers.indexes import engine_work
from tests.helpers.indexes.generated_collection import write_collection
from tests.helpers.indexes.same_index import check_same

# Ray starts and ends beside Java, and the signals that Java lives on stay Java's.
SIGNALS = """
import ctypes, signal, sys
if "imported" in sys.argv:
    import ray
from sidelight.index.lucene.jvm import java_class
from sidelight.index.engine import RayEngine

def handler(number):
    action = (ctypes.c_void_p * 32)()
    ctypes.CDLL(None).sigaction(number, None, action)
    return action[0]

def handlers():
    return [handler(one) for one in (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)]

if __name__ == "__main__":
    java_class("java.lang.String")
    before = handlers()
    assert all(before)
    assert list(RayEngine().map(abs, [-1])) == [1]
    assert handlers() == before, "while it runs"
    import ray
    ray.shutdown()
    assert handlers() == before, "when it has ended"
"""


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """Let the engine start Ray, whose processes find this module; and end it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        patch.delenv("RAY_ADDRESS", raising=False)
        yield
    ray.shutdown()


def test_results_come_in_the_order_of_items_and_errors_whole():
    engine_work.check_results(RayEngine())


def test_a_model_has_all_cores_and_a_killed_item_is_worked_on_again(tmp_path):
    steps = []
    RayEngine().encode(engine_work.count, [100, 200], steps.append)
    cores = int(ray.cluster_resources()["CPU"])
    assert steps == [100 + cores, 200 + cores]
    assert list(RayEngine().map(engine_work.die_once, [tmp_path])) == [True]


def test_an_error_ends_what_else_is_under_way(tmp_path):
    with pytest.raises(MachineError, match="no room"):
        list(RayEngine().map(partial(engine_work.fail_beside_another, tmp_path), range(2)))
    process = Path("/proc", (tmp_path / "begun").read_text())
    deadline = time.monotonic() + 10
    while process.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_without_ray_nothing_begins(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MachineError, match="needs the package 'ray'") as caught:
        list(RayEngine().map(engine_work.work, [1]))
    assert "'.[ray]'" in caught.value.remedy


@pytest.mark.slow
def test_an_item_whose_process_is_always_killed_ends_the_build_with_a_word():
    with pytest.raises(MachineError, match="Ray could not get a part done: The worker died"):
        list(RayEngine().map(engine_work.work, [9]))


@pytest.mark.slow
def test_where_there_are_gpus_each_item_has_one(tmp_path):
    ray.shutdown()
    with ray.init(num_cpus=2, num_gpus=2, include_dashboard=False, log_to_driver=False):
        RayEngine().encode(partial(engine_work.note_gpu, tmp_path), range(2), lambda _: None)
    assert sorted(note.read_text() for note in tmp_path.iterdir()) == ["0", "1"]


@pytest.mark.parametrize(
    ("python", "script"),
    [
        (["-X", "faulthandler"], ["imported"]),
        pytest.param([], [], marks=pytest.mark.slow),
        pytest.param([], ["imported"], marks=pytest.mark.slow),
        pytest.param(["-X", "faulthandler"], [], marks=pytest.mark.slow),
    ],
)
def test_a_java_machine_keeps_its_signals(python, script, tmp_path):
    file = tmp_path / "script.py"
    file.write_text(SIGNALS)
    subprocess.run([sys.executable, *python, str(file), *script], check=True)


class Killer(threading.Thread):
    """Kills the first process of Ray that has a file of a name open below a folder."""

    def __init__(self, folder, name):
        super().__init__(daemon=True)
        self._folder, self._name = folder, name
        self.killed = None

    def run(self):
        while self.killed is None:
            time.sleep(0.02)
            for process in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    if (process / "cmdline").read_bytes().startswith(b"ray::"):
                        self._kill_holder(process)

    def _kill_holder(self, process):
        files = [link.readlink() for link in (process / "fd").iterdir()]
        if any(file.name == self._name and self._folder in file.parents for file in files):
            os.kill(int(process.name), signal.SIGKILL)
            self.killed = int(process.name)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["write.lock", "vectors.part"])
def test_a_build_that_loses_a_process_ends_in_the_same_index(file, encoder, small_shard, tmp_path):
    shards = [*write_collection(tmp_path / "shards", 60, shards=3, seed=7), small_shard]
    build_index(shards, tmp_path / "local", encoder, engine=LocalEngine(1))
    undisturbed = open_index(tmp_path / "local")
    killer = Killer(tmp_path / "ray", file)
    killer.start()
    command = [sys.executable, "-m", "sidelight.cli.main", "index", "build", *map(str, shards)]
    command += ["--output", str(tmp_path / "ray"), "--engine", "ray", "--json"]
    done = subprocess.run(command, check=True, capture_output=True)
    assert killer.killed is not None
    assert orjson.loads(done.stdout)["fingerprint"] == undisturbed.manifest.plan.fingerprint()
    check_same(tmp_path / "ray", undisturbed)
