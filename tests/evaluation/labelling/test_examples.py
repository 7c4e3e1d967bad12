from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import InputError
from sidelight.evaluation.labelling.examples import read_examples
from sidelight.formats.runs.question_list import write_question_run
from sidelight.schemas.run import SubmittedQuestion
from tests.helpers.labels.toy import HAVE, rubric, write_csv, write_rubrics


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_rubrics(tmp_path / "human_rubrics", rubric("a", (HAVE, 1)))
    runs = tmp_path / "runs" / "question_generation_runs"
    runs.mkdir(parents=True)
    for tag in ("one", "two", "unlabelled"):
        write_question_run(
            runs / tag,
            [
                SubmittedQuestion(
                    topic_id=topic, team_id="x", run_id=tag, rank=1, text=f"Who {tag}?"
                )
                for topic in ("a", "b")
            ],
        )
    (runs / ".DS_Store").write_bytes(b"\x00")
    assessments = tmp_path / "human_assessments"
    assessments.mkdir()
    write_csv(
        assessments / "question_assessments.csv",
        "topic_id,rubric_question_rank,run_tag,run_question_rank,run_question_text,annotation",
        ("a", 1, "one", 1, "other spelling", "similar"),
        ("a", 1, "two", 1, "Who two?", "different"),
        ("a", 1, "one", 9, "not in the run", "similar"),
        ("a", 1, "elsewhere", 1, "run file not here", "similar"),
        ("b", 1, "one", 1, "topic without a rubric", "similar"),
    )
    return tmp_path


def test_labels_find_their_submission_by_rank_not_by_text(folder: Path) -> None:
    examples = read_examples(folder)
    assert [(label.run_tag, label.label) for label in examples.question_labels] == [
        ("one", "similar"),
        ("two", "different"),
    ]
    assert examples.questions["one", "a", 1].text == "Who one?"
    assert examples.run_tags == {"one", "two"}
    assert examples.answer_labels == ()


def test_runs_without_labels_are_no_examples(folder: Path) -> None:
    assert {key[0] for key in read_examples(folder).questions} == {"one", "two"}


def test_examples_can_be_chosen(folder: Path) -> None:
    assert read_examples(folder, ["two"]).run_tags == {"two"}


def test_a_chosen_run_must_have_labels(folder: Path) -> None:
    with pytest.raises(InputError, match="found none for unlabelled"):
        read_examples(folder, ["two", "unlabelled"])


def test_a_folder_without_labelled_runs_is_an_error(tmp_path: Path) -> None:
    write_rubrics(tmp_path / "human_rubrics", rubric("a", (HAVE, 1)))
    with pytest.raises(InputError, match="found none for any run"):
        read_examples(tmp_path)
