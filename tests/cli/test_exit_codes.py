"""Whatever a command is given in place of a file, it ends as the documentation says."""

import inspect
import os
import signal
import sys
from pathlib import Path

import pytest

from sidelight.cli import main as command_line
from sidelight.cli.console import KEPT
from sidelight.prompting import find_prompts
from sidelight.sample import sample_path
from tests.helpers.commands import COMMANDS

# Written to or filled, not read; and a file that wants another option beside it.
_RESULTS = {"output", "cache", "judgments", "template"}
# The folder of the demo is made by it; what the doctor finds missing is the machine's.
_OTHERS = {("demo",), ("doctor",)}

# Of required parameters that are no paths, what a command takes before it reads a file.
_VALUES = {
    "track": "lateral2024",
    "prompt_id": find_prompts()[0].id,
    "url": "http://localhost:8081",
}
# With every path given at once these end as wrong usage before a file is read.
_USED_WRONGLY = {("search",), ("index", "remote"), ("nuggets",)}


def paths_of(words):
    """Return the names of the parameters that are paths."""
    parameters = inspect.signature(COMMANDS[words].callback, eval_str=True).parameters
    return {name for name, one in parameters.items() if "Path" in str(one.annotation)}


def files_of(words):
    return paths_of(words) - _RESULTS


READERS = sorted(one for one in COMMANDS.keys() - _OTHERS if files_of(one))


def given(words, path, folder):
    """Return the command line with that path for all that is to be read."""
    line, paths = list(words), paths_of(words)
    for one in COMMANDS[words].params:
        option = [] if one.param_type_name == "argument" else [one.opts[0]]
        if one.name in paths:
            value = folder / "out" if one.name in _RESULTS else path
            if one.required or one.name not in _RESULTS:
                line += [*option, str(value)]
        elif one.required:
            named = "named=" + str(path) if one.name == "groups" else "task1"
            line += [*option, _VALUES.get(one.name, named)]
    return line


def ended(line, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["sidelight", *line])
    with pytest.raises(SystemExit) as end:
        command_line.main()
    return int(end.value.code or 0)


def filled(name, content=b""):
    """Return what makes a file of that name."""

    def make(folder):
        (folder / name).write_bytes(content)
        return folder / name

    return make


def linked(name, target):
    def make(folder):
        (folder / name).symlink_to(target)
        return folder / name

    return make


def a_folder(folder):
    (folder / "empty").mkdir()
    return folder / "empty"


def a_pipe(folder):
    os.mkfifo(folder / "pipe.jsonl")
    return folder / "pipe.jsonl"


def a_file_nobody_may_read(folder):
    if os.geteuid() == 0:
        pytest.skip("the superuser reads everything")
    (folder / "closed.jsonl").touch(0)
    return folder / "closed.jsonl"


DEEP = b'{"a": ' + b"[" * 989 + b"]" * 989 + b"}\n"
NO_INPUT = {
    "missing": lambda folder: folder / "nowhere" / "nothing.jsonl",
    "a folder": a_folder,
    "an empty file": filled("empty.jsonl"),
    "bytes of anything": filled("any.bin", bytes(range(256)) * 8),
}
# No regular file, or none that can be opened or read.
HOSTILE = {
    "a pipe": a_pipe,
    "an endless device": lambda _: Path("/dev/zero"),
    "a value nested 990 deep": filled("deep.jsonl", DEEP),
    "a link to nothing": linked("link.jsonl", "nothing.jsonl"),
    "a link to itself": linked("loop.jsonl", "loop.jsonl"),
    "a file nobody may read": a_file_nobody_may_read,
    "a path of 1900 folders": lambda _: Path(*["a"] * 1900, "file.jsonl"),
    "a name of 300 bytes": lambda folder: folder / ("a" * 300),
    "a name that is not UTF-8": filled("a\udcff.jsonl", b"{}\n"),
}


@pytest.fixture
def in_time():
    """Ends a test that hangs."""

    def end(*_):
        pytest.fail("the command hangs")  # no OSError, which a command would map to an exit code

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(120)  # `index build` starts a machine for Java first
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def is_quick(words, kind):
    """Tell whether a case is one of the default tests' share."""
    # `index build` starts a machine for Java before it reads a line.
    deep = kind == "a value nested 990 deep" and words != ("index", "build")
    return kind in NO_INPUT or kind == "a pipe" or deep


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize(
    ("words", "kind"),
    [
        pytest.param(
            words,
            kind,
            marks=() if is_quick(words, kind) else pytest.mark.fuzz,
            id=f"{' '.join(words)}-{kind}",
        )
        for kind in NO_INPUT | HOSTILE
        for words in READERS
    ],
)
def test_what_no_command_can_read_is_refused_in_words(words, kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = (NO_INPUT | HOSTILE)[kind](tmp_path)
    code = ended(given(words, path, tmp_path), monkeypatch)
    shown, told = capsys.readouterr()
    assert "Traceback" not in shown + told
    if kind in NO_INPUT:
        assert code in {1, 2}, told
        assert "error" in told.casefold() or "invalid" in shown, told
    else:
        assert code in {1, 2, 3}, told
        assert path.name.partition("\udcff")[0] in shown + told or words in _USED_WRONGLY


ASKERS = sorted(
    words
    for words, command in COMMANDS.items()
    if any("--model" in one.opts and one.required for one in command.params)
)


@pytest.mark.parametrize("model", ["", "a\udcff"], ids=["empty", "not utf-8"])
@pytest.mark.parametrize("words", ASKERS, ids=" ".join)
def test_a_model_that_no_server_can_serve_is_wrong_usage(
    words, model, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "documents.jsonl"
    path.write_text('{"docid": "a", "segment": "The quarry was sold."}\n', encoding="utf-8")
    code = ended([*given(words, path, tmp_path), "--model", model], monkeypatch)
    assert code in {1, 2}, "".join(capsys.readouterr())


def test_a_missing_configuration_is_wrong_usage_and_missing_topics_are_input(
    tmp_path, monkeypatch, capsys
):
    topics = str(sample_path() / "topics.jsonl")
    run = ["run", "--index", str(tmp_path), "--topics"]
    assert ended([*run, topics, "--config", "nowhere.yaml"], monkeypatch) == 2
    assert "there is no configuration file nowhere.yaml" in capsys.readouterr().err
    assert ended([*run, "nowhere.jsonl"], monkeypatch) == 1
    assert "nowhere.jsonl" in capsys.readouterr().err
    assert ended(["read", "nowhere.txt", "--index", str(tmp_path)], monkeypatch) == 1
    assert capsys.readouterr().err.endswith("nowhere.txt: no such file\nCheck the path.\n")
    assert ended([*run, str(tmp_path)], monkeypatch) == 1
    assert "found a folder" in capsys.readouterr().err
    assert ended([*run, topics, "--topic", "none"], monkeypatch) == 2
    assert ended(["run", "--no-such-option"], monkeypatch) == 2


def test_a_file_where_results_go_is_said_to_be_one(tmp_path, monkeypatch, capsys):
    (tmp_path / "taken").write_text("")
    assert ended(["demo", "-o", str(tmp_path / "taken")], monkeypatch) == 1
    told = f"error: {tmp_path / 'taken'}: expected a folder; found a file\nName another path.\n"
    assert told in capsys.readouterr().err


def test_a_mistyped_path_gets_the_nearest_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("hybrid", "bm25"):
        Path("runs", name).mkdir(parents=True)
    filled("topics.jsonl")(tmp_path)
    folder = ["score", "--data", "runs/hybrd"]
    for words in (["view", "runs/hybrd"], ["search", "x", "--index", "runs/hybrd"], folder):
        assert ended(words, monkeypatch) == 1
        assert "Check the path; did you mean runs/hybrid?" in capsys.readouterr().err
    assert ended(["validate", "topic.jsonl"], monkeypatch) == 1
    assert "did you mean topics.jsonl?" in capsys.readouterr().out


@pytest.mark.parametrize("words", sorted(COMMANDS), ids=" ".join)
def test_an_interrupted_command_says_what_happens_next(words):
    said, described = command_line._what_next(list(words)), " ".join(COMMANDS[words].help.split())
    kept = getattr(COMMANDS[words].callback, KEPT, None)
    assert said.endswith(".")
    assert "the same command" in said
    assert ("After an interruption" in described) == (kept is not None)
    assert kept is None or kept == said
    assert kept is None or f"After an interruption, {kept[0].lower()}{kept[1:]}" in described


def test_what_is_kept_is_said_of_judges_with_a_model_and_without():
    for words in ("judge", "evaluate", "score support", "assess questions"):
        said = command_line._what_next(words.split())
        assert said == (
            "Without a model, the same command starts from the beginning. Model replies are kept; "
            "the same command asks only for the rest."
        )
    assert "Without a model" not in command_line._what_next(["nuggets"])  # which always asks one


def test_ctrl_c_ends_with_130(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sidelight.index.folder.open_index", interrupt)
    monkeypatch.setattr("sidelight.index.build.build_index", interrupt)
    begun = (
        "Finished parts are kept; the same command builds the rest. A complete index stays as it "
        "is."
    )
    for line, told in (
        (
            "search --index somewhere words",
            "No file is half written; the same command starts again.",
        ),
        (f"index build {__file__} -o index", begun),
    ):
        assert ended(line.split(), monkeypatch) == 130
        assert capsys.readouterr().err == f"Interrupted. {told}\n"
