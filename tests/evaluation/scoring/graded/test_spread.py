"""Five numbers, in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.evaluation.scoring.graded import boxes, by_group, read_groups

SCORES = st.dictionaries(
    st.text("abc", min_size=1),
    st.lists(st.floats(0, 20), min_size=1, max_size=30),
    min_size=1,
    max_size=8,
)


def test_by_hand() -> None:
    low, high = boxes({"high": [4.0, 8.0], "low": [3.0, 1.0, 2.0, 4.0, 5.0]}, {"low": "A"})
    assert low == ("low", "A", 5, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert high.five == (4.0, 5.0, 6.0, 7.0, 8.0)


@given(SCORES)
def test_boxes_stand_in_order_of_medians(scores: dict[str, list[float]]) -> None:
    found = boxes(scores)
    assert [box.median for box in found] == sorted(box.median for box in found)
    for box in found:
        assert list(box.five) == sorted(box.five)
        assert box.median == pytest.approx(np.median(scores[box.name]))
    assert boxes(dict(reversed(scores.items()))) == found


def test_topics_of_no_group_are_left_out() -> None:
    assert by_group({"a": [1.0], "b": [2.0], "c": [3.0]}, {"a": "x", "c": "x"}) == {"x": [1.0, 3.0]}


def test_two_assessors_of_a_topic_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "assessors.csv"
    path.write_text("topic_id,assessor\nt,A\nt,B\n")
    with pytest.raises(InvalidFileError, match="one assessor for t, A"):
        read_groups(path)
