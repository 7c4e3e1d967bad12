from __future__ import annotations

import numpy as np

from sidelight.evaluation.agreement.coefficients import raw_agreement


def test_the_diagonal_as_a_share_of_all() -> None:
    # 3 + 2 of 10
    assert raw_agreement(np.array([[3, 4], [1, 2]])) == 0.5


def test_undefined_when_nothing_was_compared() -> None:
    assert raw_agreement(np.zeros((2, 2), dtype=np.int64)) is None
