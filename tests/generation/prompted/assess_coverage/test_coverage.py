"""An angle is covered as far as its best evidence answers it."""

from __future__ import annotations

import asyncio

from sidelight.generation.prompted.select_evidence import ReadAssessor
from sidelight.schemas.investigation.evidence import EvidenceSet
from tests.helpers.asking.report_case import ANGLES, EVIDENCE, PROFILE


def test_the_best_of_each_angle_counts() -> None:
    assess = ReadAssessor(max_rounds=3, min_gain=0.02)
    coverage = asyncio.run(assess(PROFILE, ANGLES, EVIDENCE, None, 1))
    assert coverage.by_angle == {"owner": 0.9, "boats": 0.9}
    assert (coverage.score, coverage.go_on) == (0.9, True)
    assert not asyncio.run(assess(PROFILE, ANGLES, EVIDENCE, coverage, 2)).go_on
    nothing = asyncio.run(assess(PROFILE, ANGLES, EvidenceSet(), None, 1))
    assert (nothing.score, nothing.covered) == (0.0, ())
