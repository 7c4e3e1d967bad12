"""Without a terminal a command says once a minute how far it is; a minute is short here."""

import os
import signal
import sys
import threading
import time

import pytest

from sidelight.cli import main as command_line
from sidelight.cli import progress
from sidelight.cli.progress import (
    in_lines,
    interrupts_heard,
    progress_bar,
    progress_lines,
)


@pytest.fixture(autouse=True)
def short_minutes(monkeypatch):
    monkeypatch.setattr(progress, "_FIRST_LINE_S", 0.02)
    monkeypatch.setattr(progress, "_LINE_EVERY_S", 0.02)


def wait(capsys, lines=1):
    """Return what is said, once there are so many lines."""
    told = ""
    for _ in range(500):
        told += capsys.readouterr().err
        if told.count("\n") >= lines:
            break
        time.sleep(0.01)
    return told.splitlines()


def test_a_line_says_how_much_is_done_and_what_is_left(capsys):
    with progress_lines(), progress_bar("labels", total=4000) as advance:
        assert wait(capsys, 2)[-1] == "labels: 0 of 4,000 after 0 s"
        # What was done before does not shorten what is left.
        advance.keep(1000)
        assert wait(capsys, 2)[-1] == "labels: 1,000 of 4,000 after 0 s"
        advance(1000)
        assert wait(capsys, 2)[-1].startswith("labels: 2,000 of 4,000 after 0 s, ")
    with progress_lines(), progress_bar("topics"):
        assert wait(capsys)[-1] == "topics: 0 done after 0 s"
    with progress_lines(), progress_bar("article", total=1) as advance:
        advance.begin("a", "write_report")
        assert wait(capsys)[-1] == "article: 0 s (writing the report)"
        advance.begin("a", "select_evidence", "hybrid")
        assert wait(capsys)[-1] == "article: 0 s (hybrid: selecting evidence)"


def test_a_notebook_without_ipywidgets_gets_lines_and_no_warning(monkeypatch, recwarn):
    told = []
    monkeypatch.setattr(progress.err, "is_jupyter", True)
    monkeypatch.setattr(progress.err, "print", lambda line, **_: told.append(line))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    with progress_bar("labels", total=3):
        time.sleep(0.1)
    assert told[0] == "labels: 0 of 3 after 0 s"
    assert not list(recwarn)


def test_no_time_is_left_while_what_is_under_way_takes_longer_than_what_is_done(monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress_bar("topics", total=24) as advance:
        progress._UNDER_WAY[-1].began = now
        for _ in range(11):
            now += 10
            advance(1)
        assert progress._how_far(1_000.0) == "topics: 11 of 24 after 110 s, 2 min left"
        advance.begin("t1", "search", "own-rerank")
        now += 300
        assert progress._how_far(1_000.0) == "topics: 11 of 24 after 7 min (own-rerank: searching)"


def test_a_part_has_its_own_time_and_the_command_another():
    with in_lines("Write the page"):
        assert progress._how_far(time.monotonic() - 5) == "Write the page: 0 s"
        with progress_bar("labels", total=4000):
            assert progress._how_far(time.monotonic() - 240) == (
                "labels: 0 of 4,000 after 0 s; 4 min since the command started"
            )
    assert progress._how_far(time.monotonic() - 240) == "running for 4 min"
    assert progress._how_far(time.monotonic() - 3 * 3600 - 120) == "running for 3 h 2 min"


def test_an_interruption_is_heard_at_once(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_SOON_S", 0.02)
    before = signal.signal(signal.SIGINT, lambda *_: None)  # something that takes its time to end
    try:
        with interrupts_heard():
            os.kill(os.getpid(), signal.SIGINT)
            assert wait(capsys) == ["Stopping. This may take some seconds."]
        with interrupts_heard():
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    time.sleep(0.1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("interrupt", [signal.default_int_handler, signal.SIG_IGN])
def test_a_termination_ends_a_command_as_ctrl_c_does(interrupt, tmp_path, monkeypatch, capsys):
    def terminated(*_, **__):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(9)

    monkeypatch.setattr("sidelight.cli.run.read_topics", terminated)
    options = ["run", "--topics", str(tmp_path), "--index", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["sidelight", *options])
    before = [signal.signal(signal.SIGINT, interrupt), signal.getsignal(signal.SIGTERM)]
    try:
        with pytest.raises(SystemExit) as end:
            command_line.main()
        assert signal.getsignal(signal.SIGTERM) == before[1]
    finally:
        signal.signal(signal.SIGINT, before[0])
    assert end.value.code == 143
    assert capsys.readouterr().err.endswith(
        "Interrupted. Finished topics and model replies are kept; the same command does the rest.\n"
    )


def test_a_server_and_a_terminal_get_no_lines(capsys, monkeypatch):
    with in_lines(None), progress_lines():
        time.sleep(0.1)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    before = threading.active_count()
    with progress_lines():
        assert threading.active_count() == before
    assert capsys.readouterr().err == ""


def test_every_command_has_the_lines(tmp_path, monkeypatch, capsys):
    def long(*_, **__):
        time.sleep(0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr("sidelight.index.folder.open_index", long)
    monkeypatch.setattr("sys.argv", ["sidelight", "search", "--index", str(tmp_path), "words"])
    with pytest.raises(SystemExit):
        command_line.main()
    assert capsys.readouterr().err.startswith("running for 0 s\n")
