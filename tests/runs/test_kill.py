"""Real runs, killed at any moment and taken up again, end in the bytes of one left alone."""

import random
import signal
import subprocess
import time
from typing import NamedTuple

import pytest

from sidelight.sample import sample_path
from tests.helpers.commands import complaints
from tests.helpers.models.fault_server import FaultServer
from tests.helpers.prompted_runs import SHORT, files, run, write_inputs, write_narratives
from tests.helpers.vectors import start


def timed(options, out):
    """Return how long a run takes that nothing disturbs."""
    started = time.monotonic()
    run(*options, "--output", out)
    return time.monotonic() - started


def killed_and_taken_up(options, out, moments, most):
    """Kill a run at the next moments, at most so often, and let it end; return how often."""
    for killed in range(most):
        process = start("run", *options, "--output", out)
        while not (out / "config.yaml").exists():  # before there is nothing to take up
            assert process.poll() is None
            time.sleep(0.02)
        try:
            process.wait(next(moments))
        except subprocess.TimeoutExpired:
            process.kill()
        _, errors = process.communicate()
        if process.returncode != -signal.SIGKILL:
            assert (process.returncode, complaints(errors)) == (0, "")
            return killed
    run(*options, "--output", out)
    return most


class Undisturbed(NamedTuple):
    """A run that nothing disturbed: what it was run with but for the folder, and its files."""

    options: list[str]
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def undisturbed(mini_web_index, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    topics = folder / "topics.jsonl"
    lines = (sample_path() / "topics.jsonl").read_text().splitlines(keepends=True)
    topics.write_text("".join(lines[:2]))
    # One topic after another, so that a kill finds some finished and others not.
    options = ["--topics", str(topics), "--index", str(mini_web_index.path), "--parallel", "1"]
    options += SHORT
    assert len(run(*options, "--output", folder / "run")["done"]) == 2
    return Undisturbed(options, files(folder / "run"))


def test_ctrl_c_ends_a_run_with_a_word_and_it_goes_on_to_the_same_bytes(undisturbed, tmp_path):
    process = start("run", *undisturbed.options, "--output", tmp_path)
    while not list(tmp_path.glob("traces/*.json")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    shown, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert shown == ""
    # On a busy machine lines before say how far it is, and that the work in progress is waited for.
    left = files(tmp_path)
    assert errors.endswith(
        f"{len(left) - 1} of 2 topics are finished.\n"
        "Interrupted. Finished topics and model replies are kept; the same command does the rest.\n"
    )
    assert errors.count("\n") <= errors.count("topics:") + 3
    assert {"config.yaml", "traces"} == {name.partition("/")[0] for name in left}
    assert left.items() <= undisturbed.files.items()
    summary = run(*undisturbed.options, "--output", tmp_path)
    assert len(summary["kept"]) == len(left) - 1
    assert files(tmp_path) == undisturbed.files


def moments(kills, duration_s):
    """Yield moments without end: in random order, one in each of as many equal parts of a run."""
    rng = random.Random(kills)
    while True:
        parts = rng.sample(range(kills), kills)
        yield from (duration_s * (part + rng.random()) / kills for part in parts)


@pytest.mark.slow
def test_runs_killed_at_sixty_moments_end_in_the_same_bytes(undisturbed, tmp_path):
    kills, killed = 60, 0
    left = moments(kills, timed(undisturbed.options, tmp_path / "timed"))
    while killed < kills:
        out = tmp_path / f"after-{killed}"
        killed += killed_and_taken_up(undisturbed.options, out, left, kills - killed)
        assert files(out) == undisturbed.files


@pytest.mark.parametrize(
    ("write", "kills"),
    [
        pytest.param(write_inputs, 100, marks=pytest.mark.slow),
        (write_narratives, 1),
        pytest.param(write_narratives, 100, marks=pytest.mark.slow),
    ],
)
def test_killed_runs_with_a_model_end_in_the_same_bytes(mini_web_index, tmp_path, write, kills):
    options = [*write(tmp_path, 1), "--index", str(mini_web_index.path)]
    with FaultServer(latency_s=0.02) as server:
        options += ["--base-url", server.base_url]
        left = moments(kills, timed(options, tmp_path / "undisturbed"))
        killed = 0
        while killed < kills:
            out = tmp_path / f"after-{killed}"
            killed += killed_and_taken_up(options, out, left, kills - killed)
            assert files(out) == files(tmp_path / "undisturbed")
