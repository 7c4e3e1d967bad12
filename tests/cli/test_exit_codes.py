"""Whatever a command is given in place of a file, it ends as the documentation says."""

from __future__ import annotations

import inspect
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidelight.cli import main as command_line
from sidelight.prompting import find_prompts
from sidelight.sample import sample_path
from tests.helpers.commands import COMMANDS

# Written to or filled, not read.
_RESULTS = {"output", "cache", "judgments"}
# The folder of the demo is made by it; what the doctor finds missing is the machine's.
_OTHERS = {("demo",), ("doctor",)}

# Of required parameters that are no paths, what a command takes before it reads a file.
_VALUES = {
    "track": "lateral2024",
    "prompt_id": find_prompts()[0].id,
    "url": "http://localhost:8081",
}
# With every path given at once these end as wrong usage before a file is read.
_USED_WRONGLY = {("search",), ("index", "remote")}


def paths_of(words: tuple[str, ...]) -> set[str]:
    """Return the names of the parameters that are paths."""
    parameters = inspect.signature(COMMANDS[words].callback, eval_str=True).parameters
    return {name for name, one in parameters.items() if "Path" in str(one.annotation)}


def files_of(words: tuple[str, ...]) -> set[str]:
    return paths_of(words) - _RESULTS


READERS = sorted(one for one in COMMANDS.keys() - _OTHERS if files_of(one))


def given(words: tuple[str, ...], path: Path, folder: Path) -> list[str]:
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


def ended(line: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["sidelight", *line])
    with pytest.raises(SystemExit) as end:
        command_line.main()
    return int(end.value.code or 0)


def missing(folder: Path) -> Path:
    return folder / "nowhere" / "nothing.jsonl"


def a_folder(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def an_empty_file(folder: Path) -> Path:
    (folder / "empty.jsonl").write_text("")
    return folder / "empty.jsonl"


def bytes_of_anything(folder: Path) -> Path:
    (folder / "any.bin").write_bytes(bytes(range(256)) * 8)
    return folder / "any.bin"


def a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.jsonl")
    return folder / "pipe.jsonl"


def an_endless_device(_: Path) -> Path:
    return Path("/dev/zero")


def a_value_nested_990_deep(folder: Path) -> Path:
    (folder / "deep.jsonl").write_text('{"a": ' + "[" * 989 + "]" * 989 + "}\n")
    return folder / "deep.jsonl"


def a_link_to_nothing(folder: Path) -> Path:
    (folder / "link.jsonl").symlink_to("nothing.jsonl")
    return folder / "link.jsonl"


def a_link_to_itself(folder: Path) -> Path:
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    return folder / "loop.jsonl"


def a_file_nobody_may_read(folder: Path) -> Path:
    if os.geteuid() == 0:
        pytest.skip("the superuser reads everything")
    (folder / "closed.jsonl").write_text("{}\n")
    (folder / "closed.jsonl").chmod(0)
    return folder / "closed.jsonl"


def a_path_of_1900_folders(_: Path) -> Path:
    return Path(*["a"] * 1900, "file.jsonl")


def a_name_of_300_bytes(folder: Path) -> Path:
    return folder / ("a" * 300)


def a_name_that_is_not_utf8(folder: Path) -> Path:
    (folder / "a\udcff.jsonl").write_text("{}\n")
    return folder / "a\udcff.jsonl"


NO_INPUT = [missing, a_folder, an_empty_file, bytes_of_anything]
# No regular file, or none that can be opened or read.
HOSTILE = [
    a_pipe,
    an_endless_device,
    a_value_nested_990_deep,
    a_link_to_nothing,
    a_link_to_itself,
    a_file_nobody_may_read,
    a_path_of_1900_folders,
    a_name_of_300_bytes,
    a_name_that_is_not_utf8,
]


@pytest.fixture
def in_time() -> Iterator[None]:
    """Ends a test that hangs."""

    def end(*_: object) -> None:
        pytest.fail("the command hangs")  # no OSError, which a command would map to an exit code

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(120)  # `index build` starts a machine for Java first
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def is_quick(words: tuple[str, ...], make: Callable[[Path], Path]) -> bool:
    """Tell whether a case is one of the default tests' share.

    `index build` starts a machine for Java before it reads a line; what it makes of lines is
    tested with the reader of shards.
    """
    if make in NO_INPUT or make is a_pipe:
        return True
    return make is a_value_nested_990_deep and words != ("index", "build")


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize(
    ("words", "make"),
    [
        pytest.param(
            words,
            make,
            marks=() if is_quick(words, make) else pytest.mark.fuzz,
            id=f"{' '.join(words)}-{make.__name__}",
        )
        for make in (*NO_INPUT, *HOSTILE)
        for words in READERS
    ],
)
def test_what_no_command_can_read_is_refused_in_words(
    words: tuple[str, ...],
    make: Callable[[Path], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path)
    code = ended(given(words, path, tmp_path), monkeypatch)
    shown, told = capsys.readouterr()
    assert "Traceback" not in shown + told
    if make in NO_INPUT:
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
    words: tuple[str, ...],
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "documents.jsonl"
    path.write_text('{"docid": "a", "segment": "The quarry was sold."}\n', encoding="utf-8")
    code = ended([*given(words, path, tmp_path), "--model", model], monkeypatch)
    assert code in {1, 2}, "".join(capsys.readouterr())


def test_a_missing_configuration_is_wrong_usage_and_missing_topics_are_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    topics = str(sample_path() / "topics.jsonl")
    run = ["run", "--index", str(tmp_path), "--topics"]
    assert ended([*run, topics, "--config", "nowhere.yaml"], monkeypatch) == 2
    assert "there is no configuration file nowhere.yaml" in capsys.readouterr().err
    assert ended([*run, "nowhere.jsonl"], monkeypatch) == 1
    assert "nowhere.jsonl" in capsys.readouterr().err
    assert ended([*run, str(tmp_path)], monkeypatch) == 1
    assert "s a directory" in capsys.readouterr().err
    assert ended([*run, topics, "--topic", "none"], monkeypatch) == 2
    assert ended(["run", "--no-such-option"], monkeypatch) == 2


def test_a_file_where_results_go_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("")
    assert ended(["demo", "-o", str(tmp_path / "taken")], monkeypatch) == 1
    assert f"error: {tmp_path / 'taken'}: " in capsys.readouterr().err


@pytest.mark.parametrize("words", sorted(COMMANDS), ids=" ".join)
def test_an_interrupted_command_says_what_happens_next(
    words: tuple[str, ...],
) -> None:
    said = command_line._what_next(list(words))
    assert said.endswith(".")
    assert ("goes on" in said) == (
        "the same command goes on" in " ".join(COMMANDS[words].help.split())
    )


def test_ctrl_c_ends_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sidelight.index.folder.open_index", interrupt)
    line = ["search", "--index", "somewhere", "words"]
    assert ended(line, monkeypatch) == 130
    told = "Interrupted. No file is half written; the same command begins anew.\n"
    assert capsys.readouterr().err == told
    monkeypatch.setattr("sidelight.index.build.build_index", interrupt)
    assert ended(["index", "build", "shard.jsonl", "-o", "index"], monkeypatch) == 130
    told = "Interrupted. The same command resumes; done once, it does nothing.\n"
    assert capsys.readouterr().err == told
