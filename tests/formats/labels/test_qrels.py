from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import InvalidFileError
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.verdict import judge_file
from sidelight.tracks import load_track
from tests.helpers.public_data import PublicData


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "qrels"
    path.write_text(text)
    return path


def test_reads_grades_and_keeps_ids_as_text(tmp_path: Path) -> None:
    path = write(tmp_path, "007 0 a 2\n7 0 a -1\n7\t0\tb\t0\n7 0 b 0\n")
    assert read_qrels(path) == {"007": {"a": 2}, "7": {"a": -1, "b": 0}}


@pytest.mark.parametrize(
    ("name", "queries", "pairs"),
    [("rag-2025/qrels.nist.txt", 22, 10_284), ("cranfield/qrels.txt", 225, 1_837)],
)
def test_reads_public_qrels(shared_data: PublicData, name: str, queries: int, pairs: int) -> None:
    qrels = read_qrels(shared_data / name)
    assert len(qrels) == queries
    assert sum(len(grades) for grades in qrels.values()) == pairs


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 0 b", "column-count"),
        ("1 0 b 1.0", "grade"),
        ("1 0 b ٣", "grade"),
        ("1 0 b 1_0", "grade"),
        ("1 0 b 999999999", "grade"),
        ("1 0 b 101", "grade"),
        ("1 0 b -3", "grade"),
        ("1\x00 0 b 1", "null-character"),
        (f"1 0 b {'9' * 5000}", "grade"),
        ("1 0 a 1", "grade-conflict"),
    ],
)
def test_a_line_that_is_no_grade_is_an_error(tmp_path: Path, line: str, code: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        read_qrels(write(tmp_path, f"1 0 a 2\n{line}\n"))
    assert [(item.code, item.line) for item in caught.value.problems] == [(code, 2)]


def test_labels_handed_in_have_the_grades_and_topics_of_the_track(tmp_path: Path) -> None:
    path = write(tmp_path, "14 0 a 4\n14 0 b 5\nnone 0 c -1\n")
    track = load_track("rag2025")
    verdict = judge_file(path, track, track.topic_ids)
    found = sorted((one.code, one.line) for one in verdict.problems)
    assert found == [("grade-unknown", 2), ("grade-unknown", 3), ("topic-unknown", 3)]
    path.write_text("14 0 a 4\n14 0 b\n14 0 c 3\n")
    assert [one.line for one in judge_file(path, track, track.topic_ids).problems] == [2]


@pytest.mark.parametrize("name", ["nist", "umbrela2"])
def test_public_labels_are_valid(shared_data: PublicData, name: str) -> None:
    track = load_track("rag2025")
    path = shared_data / "rag-2025" / f"qrels.{name}.txt"
    assert judge_file(path, track, track.topic_ids).valid
