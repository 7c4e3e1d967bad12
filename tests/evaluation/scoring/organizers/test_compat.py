"""What the organizers' script gives for the cases in which it differs from the formulas.

The figures were computed with that script; see the arithmetic beside them.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from pathlib import Path

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.scoring.organizers import compat_question_scores, compat_report_scores
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, rubric, write_csv

TRACK = load_track()
SCALES = TRACK.scales

RUBRICS = {"a": rubric("a", (HAVE, 2), (NICE, 1)), "b": rubric("b", (HAVE, 1))}
ANSWERS = "topic_id,run_tag,answer_id,auto_assessment,auto_rationale"
PAIRS = "topic_id,rubric_question_rank,run_tag,run_question_rank,auto_assessment,auto_rationale"
VERDICTS = (
    "topic_id,run_tag,run_question_rank,run_question_text,"
    "auto_compound_question_assessment,auto_assessment_rationale"
)
FULL = (
    ("a", "r", "na-1", "supports", "x"),
    ("a", "r", "na-2", "none", "x"),
    ("a", "r", "na-3", "supports", "x"),
    ("b", "r", "na-1", "supports", "x"),
)


def reports(path: Path, *rows: tuple[object, ...]) -> tuple[float, float]:
    """Return the supportive score of the compatible and of the default mode."""
    file = write_csv(path / "answers.csv", ANSWERS, *rows)
    compat = compat_report_scores(TRACK, RUBRICS, file).runs[0].values["supportive_score"]
    default = score_reports(TRACK, RUBRICS, read_assessments(file, ANSWER_ASSESSMENTS, SCALES))
    return compat, default.runs[0].values["supportive_score"]


def questions(path: Path, *rows: tuple[object, ...]) -> tuple[float, float]:
    file = write_csv(path / "pairs.csv", PAIRS, *rows)
    compound = write_csv(
        path / "compound.csv",
        VERDICTS,
        *[(topic, "r", 1, "Who?", "not-compound", "x") for topic in RUBRICS],
    )
    compat = compat_question_scores(TRACK, RUBRICS, file, compound).runs[0].values["score"]
    default = score_questions(
        TRACK, RUBRICS, read_assessments(file, QUESTION_ASSESSMENTS, SCALES), None
    )
    return compat, default.runs[0].values["score"]


def test_complete_assessments_give_one_score(tmp_path: Path) -> None:
    # By hand: ((4 / 2 + 1) / 5 + 4 / 4) / 2.
    assert reports(tmp_path, *FULL) == (0.8, 0.8)


def test_dropping_a_none_row_raises_theirs_only(tmp_path: Path) -> None:
    # By hand: a has (4 / 1 + 1) / 5 = 1 in theirs, so (1 + 1) / 2.
    assert reports(tmp_path, *(row for row in FULL if row[3] != "none")) == (1.0, 0.8)


def test_dropping_a_topic_raises_theirs_only(tmp_path: Path) -> None:
    # 0.6 over one topic, or (0.6 + 0) / 2
    assert reports(tmp_path, *FULL[:3]) == (0.6, 0.3)


def test_repeating_a_row_changes_theirs_only(tmp_path: Path) -> None:
    # a: (2 / 3 * 4 + 1) / 5 = 11 / 15; (11 / 15 + 1) / 2 = 13 / 15
    compat, default = reports(tmp_path, *FULL, FULL[0])
    assert compat == pytest.approx(13 / 15)
    assert default == 0.8


def test_an_unjudged_rubric_question_vanishes_from_theirs_only(tmp_path: Path) -> None:
    rows = (("a", 1, "r", 1, "very-similar", "x"), ("b", 1, "r", 1, "similar", "x"))
    # a: 4 / 4 against 4 / 5; b: 0.5; means 0.75 and 0.65
    assert questions(tmp_path, *rows) == (0.75, 0.65)


def test_dropping_a_topic_of_questions_raises_theirs_only(tmp_path: Path) -> None:
    rows = (("a", 1, "r", 1, "very-similar", "x"), ("a", 2, "r", 1, "different", "x"))
    # 4 / 5 over one topic, or (4 / 5 + 0) / 2
    assert questions(tmp_path, *rows) == (0.8, 0.4)


def test_contradictions_are_positive(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "a.csv", ANSWERS, ("b", "r", "na-1", "contradicts", "x"))
    values = compat_report_scores(TRACK, RUBRICS, file).runs[0].values
    assert values == {"supportive_score": 0.0, "contradictory_score": 1.0}


def test_means_are_compensated_sums(tmp_path: Path) -> None:
    # Ten topics of 0.1: a plain running sum is off in the last digit, pandas' mean is not.
    assert reduce(add, [0.1] * 10) / 10 != 0.1
    rubrics = {f"t{i}": rubric(f"t{i}", (NICE, 10)) for i in range(10)}
    rows = [
        (f"t{i}", "r", f"na-{k}", "supports" if k == 1 else "none", "x")
        for i in range(10)
        for k in range(1, 11)
    ]
    file = write_csv(tmp_path / "a.csv", ANSWERS, *rows)
    assert compat_report_scores(TRACK, rubrics, file).runs[0].values["supportive_score"] == 0.1


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (("a", "r", "na-1", "Supports", "x"), "'Supports'"),
        (("a", "r", "na-1", "supports", ""), "a value in auto_rationale"),
        (("a", "r", "na-1", "None", "x"), "'None'"),
        (("a", "N/A", "na-1", "none", "x"), "a value in run_tag"),
        (("a", "r", "na-99", "none", "x"), "na-99"),
        (("z", "r", "na-1", "none", "x"), "topic z"),
    ],
)
def test_where_theirs_stops_ours_names_the_row(tmp_path: Path, row, found: str) -> None:
    file = write_csv(tmp_path / "a.csv", ANSWERS, FULL[0], row)
    with pytest.raises(InvalidFileError, match=r"a\.csv:3") as caught:
        compat_report_scores(TRACK, RUBRICS, file)
    assert found in str(caught.value)


@pytest.mark.parametrize("rank", ["inf", "-inf", "1e999", "nan"])
def test_a_rank_without_end_is_named(tmp_path: Path, rank: str) -> None:
    with pytest.raises(InvalidFileError, match=r"pairs\.csv:2: error \[compat-rank\]"):
        questions(tmp_path, ("a", rank, "r", 1, "very-similar", "x"))


def test_a_missing_compound_verdict_is_named(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "p.csv", PAIRS, ("a", 1, "r", 4, "similar", "x"))
    compound = write_csv(tmp_path / "c.csv", VERDICTS, ("a", "r", 3, "Who?", "not-compound", "x"))
    with pytest.raises(InvalidFileError, match=r"compat-verdict.*run r, question 4"):
        compat_question_scores(TRACK, RUBRICS, file, compound)


def test_an_unknown_rubric_question_is_named(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "p.csv", PAIRS, ("b", 2, "r", 1, "similar", "x"))
    compound = write_csv(tmp_path / "c.csv", VERDICTS, ("b", "r", 1, "Who?", "not-compound", "x"))
    with pytest.raises(InvalidFileError, match=r"compat-unmatched.*rubric question 2"):
        compat_question_scores(TRACK, RUBRICS, file, compound)


def test_compound_questions_earn_nothing(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "p.csv", PAIRS, ("b", 1, "r", 1, "similar", "x"))
    compound = write_csv(tmp_path / "c.csv", VERDICTS, ("b", "r", 1, "Who?", "compound", "x"))
    assert compat_question_scores(TRACK, RUBRICS, file, compound).runs[0].values["score"] == 0


def test_byte_order_mark_crlf_quotes_and_float_ranks_are_read(tmp_path: Path) -> None:
    # A ghost row turns a column of ranks into floats in pandas; its CSV then holds 1.0.
    file = tmp_path / "p.csv"
    file.write_bytes(
        b"\xef\xbb\xbf" + PAIRS.encode() + b'\r\nb,1.0,r,1.0,similar,"says ""yes"", N/A"\r\n'
    )
    compound = write_csv(
        tmp_path / "c.csv", VERDICTS, ("b", "r", 1, 'Is "it", N/A?', "not-compound", "")
    )
    assert compat_question_scores(TRACK, RUBRICS, file, compound).runs[0].values["score"] == 0.5


def test_a_text_that_means_missing_is_text_in_the_default_mode(tmp_path: Path) -> None:
    rows = (("a", "N/A", "na-1", "supports", "None"), ("b", "N/A", "na-1", "Supports", ""))
    file = write_csv(tmp_path / "a.csv", ANSWERS, *rows)
    table = score_reports(TRACK, RUBRICS, read_assessments(file, ANSWER_ASSESSMENTS, SCALES))
    # By hand: a has 4 / 2 / 5 = 0.4, b has 1.
    assert table.runs[0].run_tag == "N/A"
    assert table.runs[0].values["supportive_score"] == pytest.approx(0.7)


def test_no_rows_and_wrong_columns_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row"):
        compat_report_scores(TRACK, RUBRICS, write_csv(tmp_path / "a.csv", ANSWERS))
    with pytest.raises(InputError, match="expected the columns"):
        compat_report_scores(TRACK, RUBRICS, write_csv(tmp_path / "b.csv", "topic_id,label"))
