"""What engines are given to do; light, since every process of theirs imports this module."""

import os
import signal
import time

from sidelight.errors import InvalidFileError, MachineError, Problem


def work(item):
    """Square a number; 8 is a broken file, and 9 kills its process."""
    if item == 8:
        raise InvalidFileError([Problem("code", "file", 8, "this", "that", "Mend it.")])
    if item == 9:
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item, os.getpid()


def die_once(folder):
    """Kill the process that comes first; tell whether another did before."""
    again = (folder / "died").exists()
    if not again:
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return again


def fail_beside_another(folder, item):
    """As the second item, fail when the first is under way."""
    begun = folder / "begun"
    if item == 0:
        begun.write_text(str(os.getpid()))
        time.sleep(60)
    while not begun.exists() or not begun.read_text():
        time.sleep(0.01)
    raise MachineError("no room", remedy="Make some.")


def count(item, on_segments):
    """Tell of an item, and of the cores that Ray has for it."""
    import ray

    on_segments(item)
    on_segments(int(ray.get_runtime_context().get_assigned_resources()["CPU"]))


def note_gpu(folder, item, on_segments):
    """Note which GPU is this item's, and wait for the other one."""
    (folder / str(item)).write_text(os.environ["CUDA_VISIBLE_DEVICES"])
    while len(list(folder.iterdir())) < 2:
        time.sleep(0.01)


def check_results(engine):
    """Results come in the order of items, from other processes, and errors whole."""
    import pytest

    found = list(engine.map(work, range(7)))
    assert [square for square, _ in found] == [n * n for n in range(7)]
    assert os.getpid() not in {place for _, place in found}
    with pytest.raises(InvalidFileError, match="Mend it") as caught:
        list(engine.map(work, [7, 8]))
    assert type(caught.value) is InvalidFileError
    assert caught.value.problems[0].line == 8
