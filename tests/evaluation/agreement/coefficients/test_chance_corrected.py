from __future__ import annotations

from sidelight.evaluation.agreement.coefficients import chance_corrected


def test_what_lies_beyond_chance() -> None:
    # of the 0.5 that chance leaves, 0.25 was reached
    assert chance_corrected(0.75, 0.5) == 0.5
    assert chance_corrected(1.0, 0.5) == 1
    assert chance_corrected(0.5, 0.5) == 0


def test_undefined_when_chance_explains_everything() -> None:
    assert chance_corrected(1.0, 1.0) is None
