import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.evaluation.metrics.rubric import report_support
from sidelight.evaluation.scoring.measures import (
    Stage,
    funnel_rows,
    read_stage_credit,
    stage_totals,
    write_funnel,
)
from sidelight.schemas.grading.judgment import AnswerAssessment, Unjudged
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track

SCALES = load_track().scales

UNKNOWN = Unjudged(reason="no reply")


def question(rank: int, importance: str, *answer_ids: str) -> RubricQuestion:
    answers = tuple(RubricAnswer(answer_id=one, text="It is so.") for one in answer_ids)
    return RubricQuestion(
        question_id=f"t-{rank}",
        rank=rank,
        text="Is it?",
        importance=SCALES["importance"].label(importance),
        answers=answers,
    )


RUBRIC = Rubric(
    topic_id="t",
    questions=(question(1, "have to know", "a", "b"), question(2, "nice to know", "c")),
)


def label(stage: Stage, answer_id: str, label: str | Unjudged) -> AnswerAssessment:
    return AnswerAssessment("t", stage, answer_id, label)


def test_credit_is_followed_from_stage_to_stage():
    rows = funnel_rows(
        {"t": RUBRIC},
        [
            label(Stage.RETRIEVED, "a", "none"),
            label(Stage.SELECTED, "a", "supports"),
            label(Stage.WRITTEN, "a", "partial"),
            label(Stage.JUDGED, "a", "partial"),
            label(Stage.RETRIEVED, "b", "supports"),
            label(Stage.SELECTED, "b", "partial"),
            label(Stage.SELECTED, "b", "contradicts"),
            label(Stage.JUDGED, "b", "contradicts"),
            label(Stage.SELECTED, "c", UNKNOWN),
            label(Stage.JUDGED, "c", "supports"),
        ],
        SCALES["answers"],
    )
    # What was selected was retrieved, what stands in the report was written.
    assert [list(row.credit.values()) for row in rows] == [
        [1, 1, 0.5, 0.5],
        [1, 0.5, 0, 0],
        [None, None, 1, 1],
    ]
    # Of b as much is lost in selecting as in writing: the first counts.
    assert [row.lost_at for row in rows] == [Stage.WRITTEN, Stage.SELECTED, None]
    # Weights 4/5 in halves and 1/5.
    assert [row.weight for row in rows] == pytest.approx([0.4, 0.4, 0.2])
    totals = stage_totals(rows)
    assert [total.credit for total in totals] == pytest.approx([0.8, 0.6, 0.4, 0.4])
    assert [total.change for total in totals] == pytest.approx([-0.2, -0.2, -0.2, 0])
    assert [total.unjudged for total in totals] == [1, 1, 0, 0]


def test_what_was_never_found_is_lost_at_once():
    (row, *_) = funnel_rows({"t": RUBRIC}, [], SCALES["answers"])
    assert (list(row.credit.values()), row.lost_at) == ([0, 0, 0, 0], Stage.RETRIEVED)


LABELS = st.sampled_from([*SCALES["answers"].names, UNKNOWN])


@given(st.lists(st.builds(label, st.sampled_from(Stage), st.sampled_from("abc"), LABELS)))
def test_no_step_that_only_chooses_gains_credit(labels):
    for row in funnel_rows({"t": RUBRIC}, labels, SCALES["answers"]):
        for wide, narrow in ((Stage.RETRIEVED, Stage.SELECTED), (Stage.WRITTEN, Stage.JUDGED)):
            more, less = row.credit[wide], row.credit[narrow]
            assert more is None or less is None or more >= less


@given(st.dictionaries(st.sampled_from("abc"), LABELS))
def test_the_last_stage_is_the_score(labels):
    rows = funnel_rows(
        {"t": RUBRIC}, [label(Stage.JUDGED, *item) for item in labels.items()], SCALES["answers"]
    )
    assert stage_totals(rows)[-1].credit == pytest.approx(
        report_support(RUBRIC, labels, SCALES["answers"])
    )


def test_the_file_leaves_unknown_credit_empty(tmp_path):
    path = tmp_path / "funnel.csv"
    write_funnel(
        path, funnel_rows({"t": RUBRIC}, [label(Stage.SELECTED, "a", UNKNOWN)], SCALES["answers"])
    )
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["answer_id"] for row in rows] == ["a", "b", "c"]
    assert (rows[0]["selected"], rows[0]["judged"], rows[0]["lost_at"]) == ("", "0.0", "")
    assert (rows[1]["importance"], rows[1]["lost_at"]) == ("4", "retrieved")


def test_credit_of_stages_is_read_as_it_was_written(tmp_path):
    rows = funnel_rows({"t": RUBRIC}, [], SCALES["answers"])
    rows[0].credit[Stage.WRITTEN] = 0.5
    rows[1].credit[Stage.WRITTEN] = None
    write_funnel(tmp_path / "funnel.csv", rows)
    found = read_stage_credit(tmp_path / "funnel.csv")
    assert found["t"][Stage.WRITTEN] == pytest.approx(rows[0].weight / 2)
    assert found["t"][Stage.JUDGED] == 0


@pytest.mark.parametrize("damaged", ["half", "1_0", "nan", "2", ""])
def test_a_damaged_weight_is_refused_by_its_line(damaged, tmp_path):
    path = tmp_path / "funnel.csv"
    rows = funnel_rows({"t": RUBRIC}, [], SCALES["answers"])
    write_funnel(path, rows)
    path.write_text(path.read_text().replace(f",{rows[-1].weight},", f",{damaged},"))
    with pytest.raises(InvalidFileError, match=r"funnel\.csv:4: .*a number from 0 to 1 in weight"):
        read_stage_credit(path)
