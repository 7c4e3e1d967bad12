from __future__ import annotations

from hypothesis import given

from sidelight.evaluation.metrics.rubric import report_contradiction, report_support
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, labelled_answers, rubric

SCALES = load_track().scales


def test_only_contradictions_count() -> None:
    item = rubric("t", (HAVE, 2), (NICE, 1))
    labels = {
        "na-1": "contradicts",
        "na-2": "supports",
        "na-3": "partial",
    }
    # W = 5; S = (4 / 2 * 1 + 1 * 0) / 5 = 2 / 5
    assert report_contradiction(item, labels, SCALES["answers"]) == 0.4
    assert report_contradiction(item, {"na-1": Unjudged(reason="no reply")}, SCALES["answers"]) == 0


@given(labelled_answers())
def test_support_and_contradiction_share_one_whole(case) -> None:
    item, labels = case
    contradiction = report_contradiction(item, labels, SCALES["answers"])
    assert 0 <= contradiction <= 1
    # Rounding aside, no answer is both supported and contradicted.
    assert contradiction + report_support(item, labels, SCALES["answers"]) <= 1 + 1e-12
