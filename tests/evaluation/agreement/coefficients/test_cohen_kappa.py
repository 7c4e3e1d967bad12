from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import cohen_kappa_score

from sidelight.evaluation.agreement.coefficients import cohen_kappa
from tests.helpers.labels.agreement_tables import as_labels, tables


def test_by_hand() -> None:
    # p_o = 35 / 50; p_e = (25 * 30 + 25 * 20) / 50^2 = 0.5; (0.7 - 0.5) / 0.5
    assert cohen_kappa(np.array([[20, 5], [10, 15]])) == pytest.approx(0.4)


def test_agreeing_less_than_chance_is_negative() -> None:
    # p_o = 0; p_e = (1 * 1 + 1 * 1) / 4 = 0.5; (0 - 0.5) / 0.5
    assert cohen_kappa(np.array([[0, 1], [1, 0]])) == -1


def test_undefined_when_both_sides_use_one_category_or_nothing_was_compared() -> None:
    assert cohen_kappa(np.array([[7, 0], [0, 0]])) is None
    assert cohen_kappa(np.zeros((2, 2), dtype=np.int64)) is None


def test_zero_when_each_side_uses_another_category() -> None:
    # p_o = 0 and p_e = 0: nothing was expected, and nothing was found
    assert cohen_kappa(np.array([[0, 7], [0, 0]])) == 0


@given(tables)
def test_as_scikit_learn_has_it(table) -> None:
    kappa = cohen_kappa(table)
    first, second = as_labels(table)
    if kappa is None:
        assert len({*first, *second}) <= 1
    else:
        labels = list(range(len(table)))
        assert kappa == pytest.approx(cohen_kappa_score(first, second, labels=labels), abs=1e-12)


@given(tables)
def test_symmetric_and_bounded(table) -> None:
    kappa = cohen_kappa(table)
    assert kappa == cohen_kappa(table.T)
    assert kappa is None or -1 <= kappa <= 1
