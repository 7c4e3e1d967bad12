from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.data_folder import DataPart
from sidelight.sample import sample_path
from tests.helpers.commands import said

SAMPLE = sample_path()
RUBRICS = ("--rubrics", SAMPLE / "human_rubrics")
PAIRS = ("--assessments", SAMPLE / "human_assessments" / "question_assessments.csv")
ANSWERS = ("--assessments", SAMPLE / "human_assessments" / "report_assessments.csv")
COMPOUND = ("--compound", SAMPLE / "human_assessments" / "compound_question_check.csv")


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (("score", "task1"), (*RUBRICS, *PAIRS, *COMPOUND)),
        (("score", "task2"), (*RUBRICS, *ANSWERS)),
        (("score", "diff", "task1"), (*RUBRICS, *PAIRS, *COMPOUND)),
        (("score", "diff", "task2"), (*RUBRICS, *ANSWERS)),
    ],
)
def test_the_folder_stands_for_the_options(command, named) -> None:
    shown = said(*command, "--data", SAMPLE, "--json")
    assert json.loads(shown) == json.loads(said(*command, *named, "--json"))


def test_score_alone_scores_both_tasks(tmp_path: Path) -> None:
    said("score", "--data", SAMPLE, "-o", tmp_path)
    for task, kind in (("task1", "question"), ("task2", "report")):
        said("score", task, "--data", SAMPLE, "-o", tmp_path / "single")
        name = f"human_{kind}_generation_per_topic_results.csv"
        assert (tmp_path / name).read_text() == (tmp_path / "single" / name).read_text()


def test_options_before_a_command_are_refused() -> None:
    with pytest.raises(UsageError, match="score task1 --data DIR"):
        said("score", "--data", SAMPLE, "task1")


def test_an_option_wins(tmp_path: Path) -> None:
    one_row = tmp_path / "labels.csv"
    one_row.write_text("".join(ANSWERS[1].read_text().splitlines(keepends=True)[:2]))
    shown = json.loads(said("score", "task2", "--data", SAMPLE, "--assessments", one_row, "--json"))
    assert len(shown["runs"]) == 1


@pytest.mark.parametrize("part", ["human_rubrics", "human_assessments/report_assessments.csv"])
def test_what_the_folder_lacks_is_named(tmp_path: Path, part: str) -> None:
    folder = tmp_path / "data"
    shutil.copytree(SAMPLE, folder)
    (folder / part).rename(tmp_path / "gone")
    with pytest.raises(InputError, match=f"{folder / part}: expected"):
        said("score", "task2", "--data", folder)


def test_neither_option_nor_folder() -> None:
    with pytest.raises(UsageError, match="expected --assessments, or --data"):
        said("score", "task2", *RUBRICS)


@pytest.mark.slow
def test_headroom(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    shown = said("score", "headroom", "task1", "--data", SAMPLE, "-o", tmp_path, "--json")
    named = (*RUBRICS, *PAIRS, *COMPOUND)
    same = said("score", "headroom", "task1", *named, "-o", tmp_path, "--json")
    assert json.loads(shown) == json.loads(same)


def test_judge_takes_the_rubrics(tmp_path: Path) -> None:
    run = SAMPLE / DataPart.REPORT_RUNS / "lantern-t2"
    common = ("judge", run, "--task", "task2", "--words-only")
    said(*common, "--data", SAMPLE, "-o", tmp_path / "a")
    said(*common, *RUBRICS, "-o", tmp_path / "b")
    name = "auto_report_assessments.csv"
    assert (tmp_path / "a" / name).read_text() == (tmp_path / "b" / name).read_text()


@pytest.mark.parametrize("labels", [PAIRS[1], ANSWERS[1]])
def test_agreement_with_people(labels: Path) -> None:
    shown = json.loads(said("agree", "labels", labels, "--data", SAMPLE, "--json"))
    named = json.loads(said("agree", "labels", labels, labels, *RUBRICS, "--json"))
    assert shown == named
    assert shown["schemes"][0]["by_importance"]


def test_agreement_on_compound_questions_needs_no_rubrics() -> None:
    shown = json.loads(said("agree", "labels", COMPOUND[1], "--data", SAMPLE, "--json"))
    assert shown["schemes"][0]["raw"] == 1


def test_one_side_alone_agrees_with_nobody() -> None:
    with pytest.raises(UsageError, match="expected a second file, or --data"):
        said("agree", "labels", PAIRS[1])


@pytest.mark.parametrize(("task", "kind"), [("task1", "question"), ("task2", "report")])
def test_scores_by_people(tmp_path: Path, task: str, kind: str) -> None:
    said("score", task, "--data", SAMPLE, "-o", tmp_path)
    file = tmp_path / f"human_{kind}_generation_per_topic_results.csv"
    common = ("score", "compare", "--samples", "100", "--json")
    assert said(*common, "--data", SAMPLE, "--task", task) == said(*common, file)


def test_scores_alone_agree_with_nobody(tmp_path: Path) -> None:
    said("score", "task1", "--data", SAMPLE, "-o", tmp_path)
    file = tmp_path / "human_question_generation_per_topic_results.csv"
    with pytest.raises(UsageError, match="expected a second file, or --data"):
        said("agree", "scores", file)


def test_compare_needs_scores_or_a_task() -> None:
    with pytest.raises(UsageError, match="expected a per-topic results file, or --data and --task"):
        said("score", "compare", "--data", SAMPLE)
