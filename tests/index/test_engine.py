import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sidelight.errors import InvalidFileError, MachineError, Problem
from sidelight.index.engine import LocalEngine

# Notes the processes it works in, and waits to be left alone by its parent.
ORPHAN = """
import os, sys, time
from pathlib import Path
from sidelight.index.engine import LocalEngine

def work(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(60)

if __name__ == "__main__":
    list(LocalEngine(2).map(work, [sys.argv[1]] * 2))
"""


def work(item: int) -> tuple[int, int]:
    if item == 8:
        raise InvalidFileError([Problem("code", "file", 8, "this", "that", "Mend it.")])
    if item == 9:
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item, os.getpid()


def test_one_item_or_one_process_needs_no_other_process():
    assert list(LocalEngine(4).map(work, [3])) == [(9, os.getpid())]
    assert {place for _, place in LocalEngine(1).map(work, range(5))} == {os.getpid()}


def test_results_come_in_the_order_of_items_and_errors_whole():
    results = LocalEngine(2).map(work, [*range(7), 8])
    found = [next(results) for _ in range(7)]
    assert [square for square, _ in found] == [n * n for n in range(7)]
    assert os.getpid() not in {place for _, place in found}
    with pytest.raises(InvalidFileError) as caught:
        next(results)
    assert caught.value.problems[0].line == 8
    assert "Mend it." in str(caught.value)


def test_a_process_that_is_killed_ends_the_build_with_a_word():
    with pytest.raises(MachineError, match="was killed"):
        list(LocalEngine(2).map(work, [9, 9]))


def test_processes_end_with_the_one_that_started_them(tmp_path):
    script, seen = tmp_path / "orphan.py", tmp_path / "seen"
    script.write_text(ORPHAN)
    seen.mkdir()
    parent = subprocess.Popen([sys.executable, str(script), str(seen)])
    while len(list(seen.iterdir())) < 2:
        assert parent.poll() is None
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    children = [int(path.name) for path in seen.iterdir()]
    for _ in range(500):
        if not any(Path(f"/proc/{child}").exists() for child in children):
            return
        time.sleep(0.02)
    pytest.fail("processes went on alone")
