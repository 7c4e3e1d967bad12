"""When an investigation has looked far enough."""

from __future__ import annotations

import pytest

from sidelight.generation.stopping import StoppingRule
from sidelight.schemas.investigation.angle import Angle, Aspect, Coverage

ANGLES = [
    Angle(angle_id=name, aspect=Aspect.CLAIM, question="?", query="q", weight=weight)
    for name, weight in (("a", 4.0), ("b", 1.0))
]
RULE = StoppingRule(max_rounds=3, min_gain=0.1)


def coverage(a: float, b: float, previous: Coverage | None = None, number: int = 1) -> Coverage:
    return RULE.coverage(ANGLES, {"a": a, "b": b}, previous, number)


def test_coverage_is_weighted() -> None:
    found = coverage(0.5, 1.0)
    # (4 * 0.5 + 1 * 1) of 5
    assert (found.weight, found.score) == (3.0, 0.6)
    assert found.by_angle == {"a": 0.5, "b": 1.0}
    assert found.covered == ("a", "b")
    assert coverage(0.0, 0.2).covered == ("b",)


@pytest.mark.parametrize(
    ("a", "b", "before", "number", "go_on", "reason"),
    [
        (0.0, 0.0, None, 1, True, "may still rise"),
        (1.0, 1.0, None, 1, False, "is enough"),
        # 0.75 of 4 is 3 of 5; before were 2.6: a gain of 0.08.
        (0.75, 0.0, 0.65, 2, False, "added 0.080"),
        (0.75, 0.0, 0.5, 2, True, "may still rise"),
        (0.75, 0.0, 0.5, 3, False, "last allowed"),
    ],
)
def test_another_round_must_be_allowed_needed_and_worth_it(
    a: float, b: float, before: float | None, number: int, *, go_on: bool, reason: str
) -> None:
    previous = None if before is None else coverage(before, 0.0)
    found = coverage(a, b, previous, number)
    assert found.go_on is go_on
    assert reason in found.reason


def test_without_angles_nothing_is_covered() -> None:
    found = RULE.coverage([], {}, None, 1)
    assert (found.score, found.covered, found.go_on) == (0.0, (), True)
