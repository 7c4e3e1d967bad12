from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import InvalidFileError
from sidelight.evaluation.scoring.organizers import compat_report_scores
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.table import label_source, read_topic_scores, write_score_files
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, answer, pair, rubric, verdict, write_csv

TRACK = load_track()
SCALES = TRACK.scales

RUBRICS = {"b": rubric("b", (HAVE, 1)), "a": rubric("a", (HAVE, 3))}


def test_default_columns_follow_the_organizers(tmp_path: Path) -> None:
    labels = [answer("a", "r", "na-1", "supports"), answer("b", "r", "na-1", "contradicts")]
    per_topic, per_run = write_score_files(
        score_reports(TRACK, RUBRICS, labels), tmp_path, "auto_report_generation"
    )
    assert per_topic.name == "auto_report_generation_per_topic_results.csv"
    assert per_run.name == "auto_report_generation_per_run_results.csv"
    # a: 1 / 3 supported; b contradicted; floats are written so that they read back the same
    assert per_topic.read_text() == (
        "run_tag,topic_id,supportive_score,contradictory_score,unjudged\n"
        "r,a,0.3333333333333333,0.0,0.6666666666666667\n"
        "r,b,0.0,1.0,0.0\n"
    )
    assert per_run.read_text() == (
        "run_tag,supportive_score,contradictory_score,unjudged,n_topics\n"
        "r,0.16666666666666666,0.5,0.33333333333333337,2\n"
    )


def test_question_columns(tmp_path: Path) -> None:
    table = score_questions(
        TRACK,
        RUBRICS,
        [pair("a", 1, "r", 1, "similar")],
        [verdict("a", "r", 1, "not-compound")],
    )
    _, per_run = write_score_files(table, tmp_path, "human_question_generation")
    assert per_run.read_text().splitlines()[0] == (
        "run_tag,score,unjudged,score_unfiltered,credit_lost,n_topics"
    )


def test_compatible_files_have_the_organizers_columns_only(tmp_path: Path) -> None:
    file = write_csv(
        tmp_path / "a.csv", "topic_id,run_tag,answer_id,annotation", ("b", "r", "na-1", "partial")
    )
    per_topic, per_run = write_score_files(
        compat_report_scores(TRACK, RUBRICS, file), tmp_path, "human_report_generation"
    )
    assert per_topic.read_text() == (
        "run_tag,topic_id,supportive_score,contradictory_score\nr,b,0.5,0.0\n"
    )
    assert per_run.read_text() == "run_tag,supportive_score,contradictory_score\nr,0.5,0.0\n"


@pytest.mark.parametrize(
    ("column", "source"), [("annotation", "human"), ("auto_assessment", "auto")]
)
def test_the_label_column_says_who_labelled(tmp_path: Path, column: str, source: str) -> None:
    file = write_csv(tmp_path / "a.csv", f"topic_id,run_tag,answer_id,{column}")
    assert label_source(file) == source


@pytest.mark.parametrize("written", ["1e308", "-1e308", "nan", "inf"])
def test_a_score_that_no_measure_has_is_named_with_its_line(tmp_path: Path, written: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(f"run_tag,topic_id,score\nr,a,0.5\nr,b,{written}\n")
    with pytest.raises(InvalidFileError, match=r"scores\.csv:3: .*in score"):
        read_topic_scores(path)
