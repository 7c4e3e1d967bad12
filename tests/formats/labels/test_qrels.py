from __future__ import annotations

import re
from pathlib import Path

import pytest

from sidelight.errors import InvalidFileError
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.formats.verdict import judge_file
from sidelight.tracks import load_track


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "qrels"
    path.write_text(text)
    return path


def test_reads_grades_and_keeps_ids_as_text(tmp_path):
    path = write(tmp_path, "007 0 a 2\n7 0 a -1\n7\t0\tb\t0\n7 0 b 0\n")
    assert read_qrels(path) == {"007": {"a": 2}, "7": {"a": -1, "b": 0}}


def test_reads_public_qrels_and_those_of_the_track_are_valid(shared_data):
    for name, queries, pairs in (
        ("rag-2025/qrels.nist.txt", 22, 10_284),
        ("cranfield/qrels.txt", 225, 1_837),
    ):
        qrels = read_qrels(shared_data / name)
        assert (len(qrels), sum(map(len, qrels.values()))) == (queries, pairs)
    track = load_track("rag2025")
    for name in ("nist", "umbrela2"):
        path = shared_data / "rag-2025" / f"qrels.{name}.txt"
        assert judge_file(path, track, track.topic_ids).valid


@pytest.mark.parametrize(
    ("line", "code"),
    [
        *(("1 0 b", "column-count"), ("1\x00 0 b 1", "null-character")),
        *((f"1 0 b {grade}", "grade") for grade in ("1.0", "٣", "1_0", "101", "-3", "9" * 5000)),
        ("1 0 a 1", "grade-conflict"),
    ],
)
def test_a_line_that_is_no_grade_is_an_error(tmp_path, line, code):
    with pytest.raises(InvalidFileError) as caught:
        read_qrels(write(tmp_path, f"1 0 a 2\n{line}\n"))
    assert [(item.code, item.line) for item in caught.value.problems] == [(code, 2)]


def test_labels_and_search_results_are_told_apart(tmp_path):
    run, labels = "1 Q0 a 1 0.5 x\n1 Q0 b 2 0.4 x\n", "1 0 a 2\n1 0 b 1\n"
    results, grades = "search results (a TREC run), 6", "relevance labels (qrels), 4"
    for text, read, wanted, found in (
        (run, read_qrels, grades, results),
        (labels, read_trec_run, results, grades),
    ):
        with pytest.raises(
            InvalidFileError, match=re.escape(f"expected {wanted} columns, ")
        ) as told:
            read(write(tmp_path, text))
        assert f"found {found}: " in str(told.value)
        assert len(told.value.problems) == 1


def test_labels_handed_in_have_the_grades_and_topics_of_the_track(tmp_path):
    path = write(tmp_path, "14 0 a 4\n14 0 b 5\nnone 0 c -1\n")
    track = load_track("rag2025")
    verdict = judge_file(path, track, track.topic_ids)
    found = sorted((one.code, one.line) for one in verdict.problems)
    assert found == [("grade-unknown", 2), ("grade-unknown", 3), ("topic-unknown", 3)]
    path.write_text("14 0 a 4\n14 0 b\n14 0 c 3\n")
    assert [one.line for one in judge_file(path, track, track.topic_ids).problems] == [2]


# The example of the guidelines of 2025, with a grade that recurs.
JUDGED = [
    ["1", "Q0", "msmarco_v2.1_doc_16_1041913392#3_1268938142", "3", "1", "my-qrel"],
    ["1", "Q0", "msmarco_v2.1_doc_12_201312571#0_394394285", "2", "1", "my-qrel"],
    ["1", "Q0", "msmarco_v2.1_doc_14_1198634226#9_2470404444", "3", "1", "my-qrel"],
]


def test_judgments_handed_in_are_read_as_labels(tmp_path):
    path = write(tmp_path, "".join(" ".join(row) + "\n" for row in JUDGED))
    assert list(read_qrels(path)["1"].values()) == [3, 2, 3]
    verdict = judge_file(path, load_track("rag2025"), ["1"])
    assert verdict.valid
    assert verdict.kind is not None
    assert verdict.kind.name == "judgments"


@pytest.mark.parametrize(
    ("column", "cell", "codes"),
    [
        (0, "9", {"topic-unknown"}),
        (1, "0", {"judgment-columns"}),
        (2, "https://news.example", {"citation-pattern"}),
        (3, "5", {"grade-unknown"}),
        (4, "sure", {"judgment-columns"}),
        (5, "another", {"run-id-inconsistent"}),
    ],
)
def test_each_column_of_judgments_is_checked(tmp_path, column, cell, codes):
    rows = [*JUDGED, [*JUDGED[0][:2], "msmarco_v2.1_doc_16_1#0_1", *JUDGED[0][3:]]]
    rows[3][column] = cell
    path = write(tmp_path, "".join(" ".join(row) + "\n" for row in rows))
    problems = judge_file(path, load_track("rag2025"), ["1"]).problems
    assert {one.code for one in problems if one.severity == "error"} == codes
    assert {one.line for one in problems if one.severity == "error"} == {4}
