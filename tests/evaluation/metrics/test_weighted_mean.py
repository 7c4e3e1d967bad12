from __future__ import annotations

from sidelight.evaluation.metrics.rubric import weighted_question_mean
from tests.helpers.labels.toy import GOOD, HAVE, NICE, rubric


def test_weights_are_the_importances() -> None:
    item = rubric("t", (HAVE, 1), (GOOD, 1), (NICE, 1))
    values = {1: 0.5, 2: 0.25, 3: 1.0}
    # (4 * 0.5 + 2 * 0.25 + 1 * 1) / 7 = 3.5 / 7
    assert weighted_question_mean(item, lambda question: values[question.rank]) == 0.5
