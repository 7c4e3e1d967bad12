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


def test_tracks_are_found_by_path_by_name_and_by_kind(tmp_path):
    mine, rag = load_track(changed(tmp_path, name="mine")), load_track("rag2025")
    assert (mine.name, mine.tasks) == ("mine", rag.tasks)
    assert rag.task("answer") is rag.cited_text is rag.find(CitedTextTask)
    assert rag.of_kind(RankingTask).depth == 100
    assert rag.find(QuestionListTask) is None
    with pytest.raises(UsageError, match="has no task of the kind QuestionListTask"):
        _ = rag.question_list
    with pytest.raises(UsageError, match="expected one of retrieval, answer"):
        rag.task("task1")
    for task, words in ((load_track().cited_text, (225, 100)), (rag.cited_text, (360, 160))):
        assert (task.enough_words, task.thin_words) == words
    assert run_file_names() >= {"task1.tsv", "task2.jsonl", "retrieval.trec", "answers.jsonl"}
    for name in ["nowhere.yaml", "dragun2026", "os:system", "null\0.yaml"]:
        with pytest.raises(UsageError, match=f"track .*{re.escape(name.partition(chr(0))[0])}"):
            load_track(name)


def of_measure(written):
    return lambda track: track["tasks"][0]["measures"][0].update(format=written)


def second_task(key, value=None):
    """Give the second task another value, or that of the first."""
    return lambda track: track["tasks"][1].update({key: value or track["tasks"][0][key]})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda track: track.update(tasks=[]), "tasks = []: "),
        (lambda track: track.update(topic_ids=None), "topic_ids = None: "),
        (lambda track: track.update(surprise=1), "surprise = 1: "),
        (lambda track: track.update(usual_runs=0), "usual_runs = 0: expected a number above 0"),
        (second_task("name"), "two tasks have one name"),
        (second_task("file_name"), "two tasks have one file_name"),
        (second_task("run_id_suffix"), "two tasks have one run_id_suffix"),
        (second_task("run_id_pattern", "["), "not a regular expression"),
        (second_task("max_words", 10**12), "max_words"),
        *((of_measure(written), "format") for written in ("s", "99999999f", ".4f}")),
    ],
)
def test_what_is_wrong_with_a_track_is_named(tmp_path, change, says):
    content = yaml.safe_load((OWN / "dragun2025.yaml").read_text(encoding="utf-8"))
    change(content)
    with pytest.raises(UsageError, match=rf"mine\.yaml: expected a track; .*{re.escape(says)}"):
        load_track(changed(tmp_path, **content))


def test_a_format_of_another_kind_and_a_track_without_articles_are_refused(tmp_path):
    tasks = yaml.safe_load((OWN / "rag2025.yaml").read_text(encoding="utf-8"))["tasks"]
    tasks[0]["format"] = "questions_tsv"
    task = load_track(changed(tmp_path, tasks=tasks)).tasks[0]
    with pytest.raises(UsageError, match="is a ranking; the format questions_tsv holds"):
        run_format(task)
    with pytest.raises(UsageError, match="task on articles; TREC 2025 RAG has none"):
        CliRunner().invoke(
            app, ["serve", "--index", "nowhere", "--set", "track=rag2025"], catch_exceptions=False
        )
