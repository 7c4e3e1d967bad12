from __future__ import annotations

from sidelight.evaluation.agreement.coefficients import confusion_table


def test_rows_are_the_first_side_and_unused_categories_stay() -> None:
    table = confusion_table(["a", "a", "b"], ["a", "c", "c"], ["a", "b", "c", "d"])
    assert table.tolist() == [[1, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
