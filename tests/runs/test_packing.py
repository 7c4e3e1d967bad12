"""Submissions: valid files under their run ids, manual where a person had a hand in them."""

import re

import orjson
import pytest

from sidelight.errors import InvalidFileError, UsageError
from sidelight.runs.directory import pack_runs
from sidelight.tracks import load_track
from tests.helpers.scripted_runs import IDS, run, scripted


def made(folder, name, team="lamp"):
    own = f"submission.team_id={team}", f"submission.run_id={team}-{name}"
    return run(folder / name, scripted, *own).directory


def pack(folder, *runs):
    return pack_runs(runs, folder, load_track(), IDS)


def test_files_are_copied_under_their_run_ids_in_the_order_given(tmp_path):
    second, first = made(tmp_path, "b"), made(tmp_path, "a")
    packing = pack(tmp_path / "out", first, second)
    own = pack_runs([first], tmp_path / "own", load_track(), None)
    assert [(one.code, one.found) for one in own.warnings] == [
        ("topics-other", f"{len(IDS)} that the run was made for")
    ]
    assert [(item.priority, item.run_id, item.type) for item in packing.runs] == [
        (place, f"lamp-{run}-t{task}", "automatic")
        for task in (1, 2)
        for place, run in enumerate("ab", start=1)
    ]
    listed = (tmp_path / "out" / "runs.csv").read_text().splitlines()
    assert listed[0] == "task,priority,run_id,type,sha256,edited"
    assert [line.split(",")[2] for line in listed[1:]] == [item.run_id for item in packing.runs]


def test_a_run_that_was_edited_becomes_manual(tmp_path):
    directory = made(tmp_path, "a")
    for name in ("task1.tsv", "task2.jsonl", "config.yaml"):
        path = directory.path / name
        whole = path.read_text()
        edited = whole.replace("Who 1", "Who one").replace("word word", "new word")
        path.write_text(edited + ("# mine\n" if name == "config.yaml" else ""))
        questions, report = pack(tmp_path / f"out-{name}", directory).runs
        # What else was changed may have made both.
        made_by = {
            "task1.tsv": ("manual", "automatic"),
            "task2.jsonl": ("automatic", "manual"),
        }.get(name, ("manual", "manual"))
        assert (questions.type, report.type) == made_by
        assert {one.edited for one in (questions, report) if one.type == "manual"} == {name}
        lines = (tmp_path / f"out-{name}" / report.run_id).read_bytes().splitlines()
        assert {orjson.loads(line)["metadata"]["type"] for line in lines} == {report.type}
        path.write_text(whole)


def test_an_edited_trace_stays_edited_when_the_run_is_called_again(tmp_path):
    directory = made(tmp_path, "a")
    path = directory.trace(IDS[0])
    path.write_text(path.read_text().replace("Who 1", "Who one"))
    assert "Who one" in (made(tmp_path, "a").path / "task1.tsv").read_text()
    assert made(tmp_path, "a").edited() == {str(path.relative_to(directory.path))}
    # A file that the run made again is none that was edited.
    (made(tmp_path, "b").path / "task1.tsv").write_text("edited")
    assert made(tmp_path, "b").edited() == set()


def test_nothing_is_written_where_a_file_is_invalid_or_a_name_or_folder_is_taken(tmp_path):
    good, bad = made(tmp_path, "a"), made(tmp_path, "b")
    questions = bad.path / "task1.tsv"
    questions.write_text("".join(questions.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(InvalidFileError, match=r"b/task1\.tsv"):
        pack(tmp_path / "out", good, bad)
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    with pytest.raises(UsageError, match="'lamp-a-t1' again"):
        pack(tmp_path / "out", good, good)
    mended = good.path / "task1.tsv"
    with pytest.raises(UsageError, match="expected a run directory; found a file") as refused:
        pack_runs([], tmp_path / "out", load_track(), IDS, judgments=[mended])
    assert "Copy a mended run file over the one in its run directory" in refused.value.remedy
    pack(tmp_path / "out", good)
    with pytest.raises(UsageError, match="expected a new folder"):
        pack(tmp_path / "out", good)


def of(packing, code):
    return [one for one in packing.warnings if one.code == code]


def test_a_run_that_is_equal_to_one_before_is_packed_with_a_warning_for_each_file(tmp_path):
    first, second = made(tmp_path, "a"), made(tmp_path, "b")
    assert pack(tmp_path / "one", first).warnings == ()
    packed = pack(tmp_path / "out", first, second)
    assert [(one.code, one.file, one.expected) for one in packed.warnings] == [
        (
            "run-identical",
            str(second.file(task)),
            f"other results than those of {first.file(task)}",
        )
        for task in load_track().tasks
    ]


def test_more_than_ten_runs_are_packed_with_a_warning(tmp_path):
    runs = [made(tmp_path, f"r{number}") for number in range(11)]
    assert of(pack(tmp_path / "ten", *runs[:10]), "runs-many") == []
    (warning,) = of(pack(tmp_path / "eleven", *runs), "runs-many")
    assert (warning.code, warning.severity, warning.found) == ("runs-many", "warning", "11")


def test_a_submission_under_the_team_id_of_the_settings_has_a_warning(tmp_path):
    runs = made(tmp_path, "a", "sidelight"), made(tmp_path, "b")
    (warning,) = of(pack(tmp_path / "out", *runs), "team-default")
    assert warning.severity == "warning"
    assert warning.found.endswith("in sidelight-a-t1, sidelight-a-t2")


def test_runs_of_two_teams_have_a_warning(tmp_path):
    runs = made(tmp_path, "a", "marlow"), made(tmp_path, "b"), made(tmp_path, "c")
    (warning,) = of(pack(tmp_path / "out", *runs), "team-several")
    assert (warning.severity, warning.found) == ("warning", "lamp, marlow")
    assert of(pack(tmp_path / "own", *runs[1:]), "team-several") == []


def test_a_run_cannot_be_called_like_another_file(tmp_path):
    directory = made(tmp_path, "a")
    files = {path: path.read_text() for path in directory.path.glob("task*")}
    for name in ("runs.csv", "Runs.CSV", ".", ".."):
        for path, text in files.items():
            path.write_text(re.sub(r"lamp-a-t\d", name, text))
        with pytest.raises(UsageError, match="which is the name of another one"):
            pack(tmp_path / "out", directory)
        assert not (tmp_path / "out").exists()
