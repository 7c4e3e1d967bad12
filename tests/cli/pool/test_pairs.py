"""Sheets for people, of the bundled runs."""

import csv
import json

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.runs.question_list import read_question_run
from sidelight.sample import sample_path
from sidelight.tracks import load_track
from tests.helpers.commands import said, told


def test_pairs_of_the_sample_runs(tmp_path, cross_encoder):
    runs = sorted((sample_path() / "runs" / "question_generation_runs").iterdir())
    output = tmp_path / "pairs.csv"
    given = ("--rubrics", sample_path() / "human_rubrics", "--reranker", cross_encoder)
    found = told("pool", "pairs", *runs, "-o", output, *given)
    # Forty rubric questions, three runs of ten questions.
    assert (found["cells"], found["all_pairs"]) == (120, 1200)
    with output.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == found["pairs"]
    assert {row["chosen_by"] for row in rows} <= {"embedder", "reranker", "embedder+reranker"}
    both = sum(row["chosen_by"] == "embedder+reranker" for row in rows)
    assert found["pairs"] == both + 2 * (found["cells"] - both)
    assert {row["annotation"] for row in rows} == {""}
    assert found["labels"] == ["very-similar", "similar", "different", "very-different"]
    assert {row["labels"] for row in rows} == {"very-similar, similar, different, very-different"}
    rubric = read_rubrics(sample_path() / "human_rubrics", load_track().scales)
    run = {(one.topic_id, one.rank): one.text for one in read_question_run(runs[0]).questions}
    for row in rows:
        question = rubric[row["topic_id"]].questions[int(row["rubric_question_rank"]) - 1]
        assert row["rubric_question"] == question.text
        if row["run_tag"] == runs[0].name:
            assert row["run_question"] == run[row["topic_id"], int(row["run_question_rank"])]
    # What people fill in is scored as it comes back from a spreadsheet.
    with output.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], delimiter=";")
        writer.writeheader()
        writer.writerows(row | {"annotation": "Very similar"} for row in rows)
    found = told("score", "task1", *given[:2], "--assessments", output)
    assert [one["score"] for one in found["runs"]] == [1.0] * 3
    assert "count as very different, as do all outside a pool" in " ".join(found["notes"])


def test_a_sheet_that_is_written_again_keeps_its_labels(tmp_path):
    runs = sorted((sample_path() / "runs" / "question_generation_runs").iterdir())
    sheet = tmp_path / "pairs.csv"
    command = ("pool", "pairs", "--rubrics", sample_path() / "human_rubrics", "-o", sheet)
    told(*command, runs[0])
    with sheet.open(newline="") as stream:
        rows = list(csv.DictReader(stream))

    def fill_in(column):
        with sheet.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, {**rows[0], column: ""}, restval="", delimiter=";")
            writer.writeheader()
            writer.writerows([{**rows[0], column: "Similar"}, *rows[1:]])

    fill_in("annotation")
    told(*command, *runs[:2])
    with sheet.open(newline="") as stream:
        again = list(csv.DictReader(stream, delimiter=";"))
    labels = {row["annotation"]: row for row in again}
    assert len(again) == 2 * len(rows)
    assert labels.keys() == {"", "Similar"}
    assert labels["Similar"] == {**rows[0], "annotation": "Similar"}
    # Fewer runs: rows without a label, too, are of somebody's work. Then a column of people's own.
    lost = [(runs[1], len(rows), lambda: None), (runs[0], 1, lambda: fill_in("my notes"))]
    for others, count, prepare in lost:
        prepare()
        before = sheet.read_bytes()
        says = rf"found {count} rows? that it does not have(?s:.*) another --output"
        with pytest.raises(InputError, match=says):
            told(*command, others)
        assert sheet.read_bytes() == before


def test_pairs_of_rubrics_of_other_topics_are_refused(tmp_path):
    run, *_ = sorted((sample_path() / "runs" / "question_generation_runs").iterdir())
    rubric, *_ = sorted((sample_path() / "human_rubrics").iterdir())
    text = rubric.read_text().replace("msmarco_v2.1_doc_", "another_")
    (tmp_path / rubric.name).write_text(text)
    with pytest.raises(InputError, match="no run holds anything on a topic that has a rubric"):
        told("pool", "pairs", run, "--rubrics", tmp_path, "-o", tmp_path / "pairs.csv")
    assert not (tmp_path / "pairs.csv").exists()


def test_a_damaged_run_in_a_folder_can_be_moved_away_or_mended(tmp_path):
    rubrics = ("--rubrics", sample_path() / "human_rubrics", "-o", tmp_path / "pairs.csv")
    damaged = tmp_path / "in" / "damaged"
    damaged.parent.mkdir()
    run = (sample_path() / "runs" / "question_generation_runs" / "tidepool-t1").read_text()
    damaged.write_text(run.replace("\t2\t", " 2 ", 1))
    with pytest.raises(InvalidFileError) as caught:
        said("pool", "pairs", damaged.parent, *rubrics)
    assert "Move the file out of the folder" in caught.value.remedy
    assert f"sidelight validate {damaged} --fix FOLDER" in caught.value.remedy
    with pytest.raises(InvalidFileError) as caught:  # who named it knows that it is one of the runs
        said("pool", "pairs", damaged, *rubrics)
    assert not caught.value.remedy


def test_answers_of_rubrics_beside_reports(tmp_path):
    report = sample_path() / "runs" / "report_generation_runs" / "lantern-t2"
    run = tmp_path / "lantern-t2"
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    lines[0]["responses"][0]["text"] = "=cmd|' /C calc'!A0 " + lines[0]["responses"][0]["text"]
    run.write_text("".join(json.dumps(line) + "\n" for line in lines))
    output, rubrics = tmp_path / "answers.csv", sample_path() / "human_rubrics"
    found = told("pool", "answers", run, "--rubrics", rubrics, "-o", output)
    assert "annotation: one of supports, partial, contradicts, none," in said(
        *("pool", "answers", run, "--rubrics", rubrics, "-o", output)
    )
    with output.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    bank = read_rubrics(rubrics, load_track().scales)
    assert [(row["topic_id"], row["answer_id"], row["answer"]) for row in rows] == [
        (topic_id, answer.answer_id, answer.text)
        for topic_id in sorted(bank)
        for question in bank[topic_id].questions
        for answer in question.answers
    ]
    assert (found["answers"], found["reports"], found["known"]) == (len(rows), 5, 0)
    other = tmp_path / "other.csv"
    assert f"; {len(rows)} of them have labels in {sample_path()}" in said(
        *("pool", "answers", run, "--data", sample_path(), "-o", other)
    )
    assert {row["labels"] for row in rows} == {"supports, partial, contradicts, none"}
    # A cell that a spreadsheet would compute is none.
    assert not [row for row in rows if row["report"].startswith("=")]
    assert len([row for row in rows if row["report"].startswith("cmd|")]) > 0
    output.write_text(output.read_text().replace("\r", "").replace(",\n", ",supports\n"))
    (scored,) = told("score", "task2", "--rubrics", rubrics, "--assessments", output)["runs"]
    assert (scored["run_tag"], scored["supportive_score"]) == ("lantern-t2", 1.0)
    elsewhere = tmp_path / "other"
    elsewhere.write_text(run.read_text().replace("msmarco_v2.1_doc_", "unknown_"))
    with pytest.raises(InputError, match="no run holds anything on a topic that has a rubric"):
        told("pool", "answers", elsewhere, "--rubrics", rubrics, "-o", output)
