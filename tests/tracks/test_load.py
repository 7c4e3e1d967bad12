"""Tracks: found by name or path, and refused with the place of what is wrong."""

import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

import sidelight.tracks
from sidelight.cli.main import app
from sidelight.errors import UsageError
from sidelight.formats.runs.submission import run_format
from sidelight.schemas.task import CitedTextTask, QuestionListTask, RankingTask
from sidelight.tracks import load_track, run_file_names

OWN = Path(sidelight.tracks.__file__).parent


def changed(folder, **changes):
    """Write a copy of a track with other values, and return its path."""
    content = yaml.safe_load((OWN / "rag2025.yaml").read_text(encoding="utf-8"))
    content.update(changes)
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return str(path)


def test_a_path_is_as_good_as_a_name(tmp_path):
    mine = load_track(changed(tmp_path, name="mine"))
    assert mine.name == "mine"
    assert mine.tasks == load_track("rag2025").tasks


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tasks": []}, "tasks: "),
        ({"topic_ids": None}, "topic_ids: "),
        ({"surprise": 1}, "surprise: "),
        ({"usual_runs": 0}, "usual_runs: "),
    ],
)
def test_what_is_wrong_with_a_track_is_said_with_its_place(tmp_path, changes, message):
    with pytest.raises(UsageError, match=r"mine\.yaml: expected a track; ") as caught:
        load_track(changed(tmp_path, **changes))
    assert message in caught.value.message


@pytest.mark.parametrize("attribute", ["name", "file_name", "run_id_suffix"])
def test_two_tasks_that_cannot_be_told_apart_are_refused(tmp_path, attribute):
    first, second = yaml.safe_load((OWN / "rag2025.yaml").read_text(encoding="utf-8"))["tasks"]
    second[attribute] = first[attribute]
    with pytest.raises(UsageError, match=f"two tasks have one {attribute}"):
        load_track(changed(tmp_path, tasks=[first, second]))


def test_a_pattern_that_is_none_is_refused(tmp_path):
    tasks = yaml.safe_load((OWN / "rag2025.yaml").read_text(encoding="utf-8"))["tasks"]
    tasks[0]["run_id_pattern"] = "["
    with pytest.raises(UsageError, match="not a regular expression"):
        load_track(changed(tmp_path, tasks=tasks))


@pytest.mark.parametrize(
    ("key", "value"), [("max_words", 10**12), ("max_citations", 0), ("max_uncited", -1)]
)
def test_a_limit_beyond_all_measure_is_refused(tmp_path, key, value):
    tasks = yaml.safe_load((OWN / "dragun2025.yaml").read_text(encoding="utf-8"))["tasks"]
    tasks[1][key] = value
    with pytest.raises(UsageError, match=key):
        load_track(changed(tmp_path, tasks=tasks))


@pytest.mark.parametrize("credit", [1e308, float("inf"), -1.0])
def test_a_credit_beyond_all_measure_is_refused(tmp_path, credit):
    scales = yaml.safe_load((OWN / "dragun2025.yaml").read_text(encoding="utf-8"))["scales"]
    scales["importance"]["labels"][0]["credit"] = credit
    with pytest.raises(UsageError, match="credit"):
        load_track(changed(tmp_path, scales=scales))


@pytest.mark.parametrize("written", ["s", "99999999f", ".4f}"])
def test_numbers_are_printed_with_digits_behind_the_point(tmp_path, written):
    tasks = yaml.safe_load((OWN / "dragun2025.yaml").read_text(encoding="utf-8"))["tasks"]
    tasks[0]["measures"][0]["format"] = written
    with pytest.raises(UsageError, match="format"):
        load_track(changed(tmp_path, tasks=tasks))


@pytest.mark.parametrize("name", ["nowhere.yaml", "dragun2026", "os:system", "null\0.yaml"])
def test_a_track_that_is_nowhere_is_a_usage_error(name):
    with pytest.raises(UsageError, match=f"track .*{re.escape(name.partition(chr(0))[0])}"):
        load_track(name)


def test_a_format_of_another_kind_is_refused(tmp_path):
    tasks = yaml.safe_load((OWN / "rag2025.yaml").read_text(encoding="utf-8"))["tasks"]
    tasks[0]["format"] = "questions_tsv"
    task = load_track(changed(tmp_path, tasks=tasks)).tasks[0]
    with pytest.raises(UsageError, match="is a ranking; the format questions_tsv holds"):
        run_format(task)


def test_tasks_are_found_by_name_and_by_kind():
    rag = load_track("rag2025")
    assert rag.task("answer") is rag.cited_text is rag.find(CitedTextTask)
    assert rag.of_kind(RankingTask).depth == 100
    assert rag.find(QuestionListTask) is None
    with pytest.raises(UsageError, match="has no task of the kind QuestionListTask"):
        _ = rag.question_list
    with pytest.raises(UsageError, match="expected one of retrieval, answer"):
        rag.task("task1")


def test_the_limits_tell_when_a_text_is_long_enough():
    dragun, rag = load_track("dragun2025").cited_text, load_track("rag2025").cited_text
    assert (dragun.enough_words, dragun.thin_words) == (225, 100)
    assert (rag.enough_words, rag.thin_words) == (360, 160)


def test_run_directories_name_files_as_the_tracks_say():
    assert run_file_names() >= {"task1.tsv", "task2.jsonl", "retrieval.trec", "answers.jsonl"}


def test_the_web_app_takes_articles_only():
    with pytest.raises(UsageError, match="articles can be pasted; TREC 2025 RAG has no task"):
        CliRunner().invoke(
            app, ["serve", "--index", "nowhere", "--set", "track=rag2025"], catch_exceptions=False
        )
