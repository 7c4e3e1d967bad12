"""Submissions: valid files under their run ids, manual where a person had a hand in them."""

import orjson
import pytest

from sidelight.errors import InvalidFileError, UsageError
from sidelight.runs.directory import pack_runs
from sidelight.tracks import load_track
from tests.helpers.scripted_runs import IDS, run, scripted


def made(folder, name):
    return run(folder / name, scripted, f"submission.run_id=sidelight-{name}").directory


def pack(folder, *runs):
    return pack_runs(runs, folder, load_track(), IDS)


def types(file):
    return {orjson.loads(line)["metadata"]["type"] for line in file.read_bytes().splitlines()}


def test_files_are_copied_under_their_run_ids_in_the_order_given(tmp_path):
    second, first = made(tmp_path, "b"), made(tmp_path, "a")
    packing = pack(tmp_path / "out", first, second)
    assert packing.warnings == ()
    own = pack_runs([first], tmp_path / "own", load_track(), None)
    assert [(one.code, one.found) for one in own.warnings] == [
        ("topics-other", f"{len(IDS)} that the run was made for")
    ]
    assert [(item.priority, item.run_id, item.type) for item in packing.runs] == [
        (place, f"sidelight-{run}-t{task}", "automatic")
        for task in (1, 2)
        for place, run in enumerate("ab", start=1)
    ]
    listed = (tmp_path / "out" / "runs.csv").read_text().splitlines()
    assert listed[0] == "task,priority,run_id,type,sha256,edited"
    assert [line.split(",")[2] for line in listed[1:]] == [item.run_id for item in packing.runs]


@pytest.mark.parametrize("name", ["task1.tsv", "task2.jsonl", "config.yaml", "trace"])
def test_a_run_that_was_edited_becomes_manual(tmp_path, name):
    directory = made(tmp_path, "a")
    path = directory.trace(IDS[0]) if name == "trace" else directory.path / name
    text = path.read_text()
    path.write_text(text.replace("Who 1", "Who one").replace("word word", "new word"))
    path.write_text(path.read_text() + ("# mine\n" if name == "config.yaml" else ""))
    questions, report = pack(tmp_path / "out", directory).runs
    assert (questions.type, report.type) == ("manual", "manual")
    assert report.edited == str(path.relative_to(directory.path))
    assert types(tmp_path / "out" / report.run_id) == {"manual"}
    assert types(directory.path / "task2.jsonl") == {"automatic"}


def test_an_edited_trace_stays_edited_when_the_run_is_called_again(tmp_path):
    directory = made(tmp_path, "a")
    path = directory.trace(IDS[0])
    path.write_text(path.read_text().replace("Who 1", "Who one"))
    assert "Who one" in (made(tmp_path, "a").path / "task1.tsv").read_text()
    assert made(tmp_path, "a").edited() == {str(path.relative_to(directory.path))}
    # A file that the run made again is none that was edited.
    (made(tmp_path, "b").path / "task1.tsv").write_text("edited")
    assert made(tmp_path, "b").edited() == set()


def test_nothing_is_written_when_a_file_is_invalid(tmp_path):
    good, bad = made(tmp_path, "a"), made(tmp_path, "b")
    (bad.path / "task1.tsv").write_text(
        "".join((bad.path / "task1.tsv").read_text().splitlines(keepends=True)[1:])
    )
    with pytest.raises(InvalidFileError, match=r"b/task1\.tsv"):
        pack(tmp_path / "out", good, bad)
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_two_runs_of_one_name_and_a_full_folder_are_refused(tmp_path):
    directory = made(tmp_path, "a")
    with pytest.raises(UsageError, match="'sidelight-a-t1' again"):
        pack(tmp_path / "out", directory, directory)
    pack(tmp_path / "out", directory)
    with pytest.raises(UsageError, match="expected a new folder"):
        pack(tmp_path / "out", directory)


def test_more_than_ten_runs_are_packed_with_a_warning(tmp_path):
    runs = [made(tmp_path, f"r{number}") for number in range(11)]
    assert pack(tmp_path / "ten", *runs[:10]).warnings == ()
    (warning,) = pack(tmp_path / "eleven", *runs).warnings
    assert (warning.code, warning.severity, warning.found) == ("runs-many", "warning", "11")


@pytest.mark.parametrize("name", ["runs.csv", "Runs.CSV", ".", ".."])
def test_a_run_cannot_be_called_like_another_file(name, tmp_path, monkeypatch):
    directory = made(tmp_path, "a")
    for file in (directory.path / "task1.tsv", directory.path / "task2.jsonl"):
        file.write_text(
            file.read_text().replace("sidelight-a-t1", name).replace("sidelight-a-t2", name)
        )
    with pytest.raises(UsageError, match="which is the name of another one"):
        pack(tmp_path / "out", directory)
    assert not (tmp_path / "out").exists()
