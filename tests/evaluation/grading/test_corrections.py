"""What people say of grades: what is wrong is named, and agreement is what it should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.exams.grades import check_grades, corrected, read_corrections
from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
)
from sidelight.schemas.grading.judgment import Unjudged

GRADER = Grader("asks", "tiny")
ITEMS = (
    ItemGrade("q/1", 5, "all", correct=True),
    ItemGrade("q/2", 4, "most", correct=True),
    ItemGrade("q/3", 0),
    ItemGrade("q/4", Unjudged(reason="nobody there")),
)
PASSAGE = GradedPassage("q", "p", "text", gradings=(Grading(GRADER, "question", ITEMS),))
QUERIES = [GradedQuery("q", (PASSAGE,))]


def save(folder: Path, *verdicts: tuple[str, Any], **changed: Any) -> Path:
    path = folder / "corrections.json"
    said = [
        {"query_id": "q", "passage_id": "p", "item_id": item, "grade": grade}
        for item, grade in verdicts
    ]
    about = {"sha256": "0" * 64, "grader": {"prompt": "asks", "model": "tiny"}}
    path.write_text(json.dumps({**about, "verdicts": said, **changed}))
    return path


def test_agreement_is_counted(tmp_path: Path) -> None:
    said = read_corrections(save(tmp_path, ("q/1", 5), ("q/2", 1), ("q/3", 2), ("q/4", 3)))
    found = check_grades(QUERIES, said, highest=5, relevant=4)
    assert (found.checked, found.accepted, found.added) == (4, 1, 1)
    assert (found.too_high, found.too_low) == (1, 1)
    assert found.kappa == pytest.approx((1 / 3 - 1 / 9) / (1 - 1 / 9))
    assert found.kappa_relevant == pytest.approx(0.4)


def test_corrections_stand_beside_what_was_given(tmp_path: Path) -> None:
    said = read_corrections(save(tmp_path, ("q/1", 5), ("q/2", 0), ("q/4", 3)))
    (passage,) = corrected(QUERIES, said)[0].passages
    given, checked = passage.gradings
    assert given == PASSAGE.gradings[0]
    assert checked.grader == Grader("asks-checked-by-people", "tiny")
    assert [item.rating for item in checked.items] == [5, 0, 0, 3]
    assert [item.correct for item in checked.items] == [True, False, False, True]


@pytest.mark.parametrize(
    ("verdicts", "changed", "says"),
    [
        ([("q/1", 5), ("q/1", 4)], {}, "twice"),
        ([("q/1", "5")], {}, "grade"),
        ([("q/1", -1)], {}, "grade"),
        ([], {"verdicts": None}, "verdicts"),
        ([], {"grader": "x"}, "grader"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(
    tmp_path: Path, verdicts: list[tuple[str, Any]], changed: dict[str, Any], says: str
) -> None:
    path = save(tmp_path, *verdicts, **changed)
    with pytest.raises(InvalidFileError, match=says) as caught:
        read_corrections(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("verdict", [("q/9", 4), ("q/1", 6)])
def test_a_cell_that_is_not_there_is_named(tmp_path: Path, verdict: tuple[str, int]) -> None:
    with pytest.raises(InputError, match=f"item {verdict[0]}"):
        check_grades(QUERIES, read_corrections(save(tmp_path, verdict)), highest=5, relevant=4)
