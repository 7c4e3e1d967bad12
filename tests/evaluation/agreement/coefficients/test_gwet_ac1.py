from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from sidelight.evaluation.agreement.coefficients import (
    chance_corrected,
    cohen_kappa,
    expected_agreement,
    gwet_ac1,
)
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
from sidelight.tracks import load_track
from tests.helpers.labels.agreement_tables import as_labels, tables
from tests.helpers.public_data import PublicData

SCALES = load_track().scales

SKEWED = np.array([[90, 5], [5, 0]])


def test_a_common_category_does_not_drag_it_down() -> None:
    # p_o = 0.9 and pi = (0.95, 0.05)
    # AC1: p_e = (0.95 * 0.05 + 0.05 * 0.95) / (2 - 1) = 0.095; (0.9 - 0.095) / 0.905
    assert gwet_ac1(SKEWED) == pytest.approx(0.805 / 0.905)
    # kappa: p_e = 0.95^2 + 0.05^2 = 0.905; (0.9 - 0.905) / 0.095
    assert cohen_kappa(SKEWED) == pytest.approx(-0.005 / 0.095)


def test_categories_nobody_used_count() -> None:
    # K = 3: p_e = 0.095 / (3 - 1) = 0.0475; (0.9 - 0.0475) / 0.9525
    assert gwet_ac1(np.pad(SKEWED, (0, 1))) == pytest.approx(0.8525 / 0.9525)


def test_defined_when_both_sides_use_one_category() -> None:
    # p_o = 1, p_e = 0
    assert gwet_ac1(np.array([[7, 0], [0, 0]])) == 1
    assert gwet_ac1(np.zeros((2, 2), dtype=np.int64)) is None


@given(tables)
def test_as_a_second_implementation_has_it(table) -> None:
    first, second = as_labels(table)
    if not first:
        return
    k, n = len(table), len(first)
    observed = Fraction(sum(one == other for one, other in zip(first, second, strict=True)), n)
    expected = Fraction(0)
    for category in range(k):
        pi = Fraction(first.count(category) + second.count(category), 2 * n)
        expected += pi * (1 - pi) / (k - 1)
    ac1 = gwet_ac1(table)
    assert ac1 == pytest.approx(float((observed - expected) / (1 - expected)), abs=1e-12)
    assert -1 <= ac1 <= 1


def test_published_question_agreement_is_consistent() -> None:
    # DRAGUN resources paper, table 2: 8.7% very-similar, 12.9% similar, 78.4% of no credit; taken
    # for the judge's shares, too, which are not public. Section 4: raw 82.1%, AC1 .785.
    expected = expected_agreement([0.087, 0.129, 0.784])
    # (0.087 * 0.913 + 0.129 * 0.871 + 0.784 * 0.216) / 2 = 0.3612 / 2
    assert expected == pytest.approx(0.1806, abs=1e-4)
    assert chance_corrected(0.821, expected) == pytest.approx(0.782, abs=5e-4)


def test_published_answer_agreement_is_consistent(shared_data: PublicData) -> None:
    # People, table 2: supports 5.0%, partial 7.8%, contradicts 0.8%, none 86.4%. The judge: its
    # published labels. Section 4: raw 86.7%, AC1 .85.
    people = {
        "supports": 0.050,
        "partial": 0.078,
        "contradicts": 0.008,
        "none": 0.864,
    }
    labels = read_assessments(
        shared_data / "dragun-2025" / "autojudge" / "auto_report_assessments.csv",
        ANSWER_ASSESSMENTS,
        SCALES,
    )
    judge = Counter(item.label for item in labels)
    shares = [(people[label] + judge[label] / len(labels)) / 2 for label in SCALES["answers"].names]
    assert chance_corrected(0.867, expected_agreement(shares)) == pytest.approx(0.854, abs=5e-4)
