from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.evaluation.agreement.qrels import compare_qrels
from sidelight.evaluation.labelling.relevance import Calibration, held_out
from sidelight.formats.labels.qrels import read_qrels
from tests.helpers.public_data import PublicData

GRADES = st.integers(0, 4)


def test_a_generous_judge_is_brought_down() -> None:
    calibrated = Calibration([(2, 1), (2, 1), (4, 3), (0, 0)])
    assert [calibrated(grade) for grade in range(5)] == [0, 0, 1, 1, 3]


def test_nothing_in_common_teaches_nothing() -> None:
    with pytest.raises(InputError, match="no passage that both"):
        Calibration([])
    with pytest.raises(InputError):
        held_out({"1": {"x": 1}}, {"1": {"x": 2}})


@given(st.lists(st.tuples(GRADES, GRADES), min_size=1))
def test_the_order_of_grades_is_kept(pairs) -> None:
    calibrated = Calibration(pairs)
    found = [calibrated(grade) for grade in range(5)]
    assert found == sorted(found)
    assert set(found) <= set(range(5))


def test_calibrated_to_people_a_judge_agrees_better(shared_data: PublicData) -> None:
    folder = shared_data / "rag-2025"
    people, judge = (read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "umbrela2"))
    before, after = (
        compare_qrels(people, side).grades.coefficients["kappa"]
        for side in (judge, held_out(judge, people))
    )
    assert before is not None
    assert after is not None
    assert after >= before
