"""Graded questions: what is written is read again, and what is wrong is told with its line."""

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.labels.qrels import read_question_grades, write_question_grades
from sidelight.schemas.grading.judgment import QuestionGrade, Unjudged
from sidelight.text import one_line
from sidelight.tracks import load_track
from tests.helpers.commands import said

SCALES = load_track("lateral2024").scales
LINE = "1\tdoc-a\t3\trun-a\t1\t4\t0\tWho pays?\n"
GRADES = st.lists(
    st.builds(
        QuestionGrade,
        topic_id=st.sampled_from(["doc-a", "doc-b"]),
        run_tag=st.sampled_from(["run-a", "run-b"]),
        run_question_rank=st.integers(1, 10),
        run_question_text=st.text(max_size=40).map(one_line),
        label=st.sampled_from([*SCALES["question_quality"].names, Unjudged(reason="empty grade")]),
        redundant=st.sampled_from([None, True, False]),
    ),
    unique_by=lambda one: (one.topic_id, one.run_tag, one.run_question_rank),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(GRADES)
def test_what_is_written_is_read_again(tmp_path, grades):
    path = tmp_path / "grades.tsv"
    write_question_grades(path, grades)
    assert read_question_grades(path, SCALES) == grades


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("1\tdoc-a\t3\trun-a\t1\t4\t0\n", ":1: .*8 columns"),
        (LINE + LINE, ":2: .*one grade for rank 1 of run run-a"),
        (LINE.replace("\t4\t", "\t5\t"), "one of 4, 3, 2, 1, 0, -1"),
        (LINE.replace("\t0\t", "\t2\t"), "one of 1, 0"),
        (LINE.replace("\t1\t4", "\t0\t4"), "whole number from 1"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, content, says):
    path = tmp_path / "grades.tsv"
    path.write_text(content)
    with pytest.raises(InvalidFileError, match=says):
        read_question_grades(path, SCALES)


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(tmp_path, content):
    path = tmp_path / "grades.tsv"
    path.write_bytes(content)
    with suppress(InvalidFileError):
        read_question_grades(path, SCALES)


def test_the_published_grades_and_figure_1_with_its_numbers(shared_data, tmp_path):
    path = shared_data / "lateral-2024/question-assessments.tsv"
    grades = read_question_grades(path, SCALES)
    found = Counter(one.label for one in grades)
    assert found == {"4": 2770, "3": 1944, "2": 1024, "1": 925, "0": 735, "-1": 2102}
    assert sum(bool(one.redundant) for one in grades) == 1053
    given = ("--track", "lateral2024", "--grades", path, "--samples", 100, "-o", tmp_path)
    said("score", "quality", *given)
    lines = (tmp_path / "not_stated_questions_boxes_by_topic.csv").read_text().splitlines()
    assert len(lines) == 51
    medians = [float(line.split(",")[5]) for line in lines[1:]]
    assert medians == sorted(medians)
    assert {line.split(",")[2] for line in lines[1:]} == {"19"}
    assert (tmp_path / "not_stated_questions_boxes_by_topic.png").stat().st_size > 10_000


def test_table_1_comes_out_but_for_a_misprint(shared_data):
    shown = said("reproduce", "lateral2024-table1", "--data", shared_data / "lateral-2024")
    assert shown.count("misprint") == 2  # in its row, and below the table
    assert "portiesAutoSystemA: NDCG@10: a misprint" in shown
    assert "NO" not in shown.replace("NOT", "")


def test_grades_are_compared_with_the_direction_of_the_difference(tmp_path):
    (tmp_path / "people").write_text(LINE + LINE.replace("\t1\t4", "\t2\t-1"))
    (tmp_path / "judge").write_text(LINE + LINE.replace("\t1\t4", "\t2\t2"))
    sides = (tmp_path / "people", tmp_path / "judge")
    shown = said("agree", "grades", *sides, "--track", "lateral2024")
    assert "more generous" in shown
    assert "+1.500" in shown
