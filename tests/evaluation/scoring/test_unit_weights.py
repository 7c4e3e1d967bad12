from __future__ import annotations

import pytest

from sidelight.evaluation.scoring.score import (
    rubrics_from_answers,
    score_reports,
    with_unit_weights,
)
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
from sidelight.tracks import load_track
from tests.helpers.labels.toy import GOOD, HAVE, answer, rubric
from tests.helpers.public_data import PublicData

TRACK = load_track()
SCALES = TRACK.scales


def test_every_answer_weighs_the_same() -> None:
    rubrics = with_unit_weights({"t": rubric("t", (HAVE, 1), (GOOD, 3))})
    labels = [answer("t", "r", "na-1", "supports"), answer("t", "r", "na-4", "partial")]
    # By hand: (1 + 0 + 0 + 0.5) / 4.
    assert score_reports(TRACK, rubrics, labels).runs[0].values["supportive_score"] == 0.375


def test_answers_of_all_runs_stand_for_a_rubric() -> None:
    labels = [
        answer("t", "short", "na-1", "supports"),
        answer("t", "long", "na-1", "none"),
        answer("t", "long", "na-2", "none"),
    ]
    table = score_reports(TRACK, rubrics_from_answers(labels), labels)
    # `short` was judged on 1 of the 2 answers the runs were judged on: 1 / 2
    best = table.runs[0]
    assert (best.run_tag, best.values["supportive_score"]) == ("short", 0.5)
    assert best.values["unjudged"] == 0.5


def test_public_labels_give_the_known_scores(shared_data: PublicData) -> None:
    labels = read_assessments(
        shared_data / "dragun-2025" / "autojudge" / "auto_report_assessments.csv",
        ANSWER_ASSESSMENTS,
        SCALES,
    )
    table = score_reports(TRACK, rubrics_from_answers(labels), labels)
    scores = {run.run_tag: run.values["supportive_score"] for run in table.runs}
    assert len(scores) == 26
    assert scores["garag_rubric"] == pytest.approx(0.1424, abs=5e-5)
    assert scores["03_01_Baseline"] == pytest.approx(0.0766, abs=5e-5)
    assert all(run.n_topics == 30 for run in table.runs)
