from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import UsageError
from sidelight.formats.verdict import judge_file, kinds_of
from tests.helpers.formats.mutations import mutated_task1, mutated_task2
from tests.helpers.formats.official_oracle import task1_is_valid, task2_is_valid
from tests.helpers.formats.sample_runs import (
    TOPICS,
    TRACK,
    task1_rows,
    task2_objects,
    write_task1,
    write_task2,
)


def test_a_valid_run_is_valid_and_counted(tmp_path: Path) -> None:
    verdict = judge_file(write_task1(tmp_path, task1_rows()), TRACK, TOPICS)
    assert (verdict.kind and verdict.kind.name, verdict.valid, verdict.size) == ("task1", True, 30)


def test_warnings_leave_a_file_valid(tmp_path: Path) -> None:
    objects = task2_objects()
    objects[0]["responses"] = []
    verdict = judge_file(write_task2(tmp_path, objects), TRACK, TOPICS)
    assert (verdict.valid, len(verdict.problems), verdict.size) == (True, 1, 30)


def test_an_invalid_run_is_listed_once_and_counts_nothing(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[1][3] = "1"
    verdict = judge_file(write_task1(tmp_path, rows), TRACK, TOPICS)
    assert (verdict.valid, verdict.size) == (False, 0)
    assert [item.code for item in verdict.problems] == ["rank-duplicate", "rank-missing"]


def test_a_file_of_another_kind_is_judged_by_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n1 0 b x\n1 0 a 2\n2 0 a 1\n3 0 a 1\n")
    verdict = judge_file(path, TRACK, TOPICS)
    assert (verdict.kind and verdict.kind.name, verdict.valid) == ("qrels", False)
    assert [(item.code, item.line) for item in verdict.problems] == [
        ("grade", 2),
        ("grade-conflict", 3),
    ]


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_file_that_cannot_be_read_is_invalid(tmp_path: Path, name: str) -> None:
    verdict = judge_file(tmp_path / name, TRACK, TOPICS)
    assert (verdict.kind, verdict.valid) == (None, False)
    assert [item.code for item in verdict.problems] == ["unreadable"]


def test_official_is_for_runs(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n")
    with pytest.raises(UsageError, match="this is a qrels file"):
        judge_file(path, TRACK, TOPICS, official=True)


def test_every_kind_of_the_track_has_both_checks() -> None:
    kinds = kinds_of(TRACK).values()
    assert [kind.name for kind in kinds if kind.official] == ["task1", "task2"]
    assert [kind.name for kind in kinds if kind.check] == ["task1", "task2"]


@pytest.mark.parametrize(
    ("mutated", "is_valid"),
    [(mutated_task1, task1_is_valid), (mutated_task2, task2_is_valid)],
)
def test_detection_never_turns_an_official_verdict(
    tmp_path: Path, mutated: object, is_valid: object
) -> None:
    path = tmp_path / "run"
    for seed in range(100):
        content = mutated(seed)  # type: ignore[operator]
        path.write_bytes(content)
        try:
            valid = judge_file(path, TRACK, TOPICS, official=True).valid
        except UsageError:  # so broken that it looks like another kind of file
            valid = False
        assert valid == is_valid(content, TOPICS), f"seed {seed}"  # type: ignore[operator]
