from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.table import ScoreTable
from sidelight.schemas.grading.judgment import AnswerAssessment, Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, answer, labelled_answers, pair, rubric, verdict

TRACK = load_track()

RUBRICS = {"a": rubric("a", (HAVE, 2), (NICE, 1)), "b": rubric("b", (HAVE, 1))}


def run_values(table: ScoreTable, run_tag: str = "r") -> dict[str, float]:
    return next(run.row for run in table.runs if run.run_tag == run_tag)


def test_worked_example_of_two_topics() -> None:
    labels = [
        answer("a", "r", "na-1", "supports"),
        answer("a", "r", "na-2", "none"),
        answer("a", "r", "na-3", "supports"),
        answer("b", "r", "na-1", "supports"),
    ]
    table = score_reports(TRACK, RUBRICS, labels)
    # a: (4 / 2 * 1 + 1) / 5 = 0.6; b: 4 / 4 = 1; mean 0.8
    assert run_values(table) == {
        "supportive_score": 0.8,
        "contradictory_score": 0.0,
        "unjudged": 0.0,
        "n_topics": 2,
    }
    assert [(topic.topic_id, topic.values["supportive_score"]) for topic in table.topics] == [
        ("a", 0.6),
        ("b", 1.0),
    ]
    assert table.omitted == {}


def test_a_label_left_out_does_not_shrink_the_denominator() -> None:
    labels = [
        answer("a", "r", "na-1", "supports"),
        answer("a", "r", "na-3", "supports"),
        answer("b", "r", "na-1", "supports"),
    ]
    values = run_values(score_reports(TRACK, RUBRICS, labels))
    # 0.8 as above; one of the three answers of a is unjudged, none of b: (1/3 + 0) / 2
    assert values["supportive_score"] == 0.8
    assert values["unjudged"] == pytest.approx(1 / 6)


def test_a_topic_left_out_scores_zero_and_is_listed() -> None:
    labels = [
        answer("a", "r", "na-1", "supports"),
        answer("a", "r", "na-2", "none"),
        answer("a", "r", "na-3", "supports"),
    ]
    table = score_reports(TRACK, RUBRICS, labels)
    # By hand: (0.6 + 0) / 2.
    assert run_values(table)["supportive_score"] == 0.3
    assert run_values(table)["n_topics"] == 1
    assert table.omitted == {"r": ("b",)}


def test_an_unjudged_answer_is_counted_and_earns_nothing() -> None:
    labels = [
        answer("b", "r", "na-1", "supports"),
        AnswerAssessment(
            topic_id="a", run_tag="r", answer_id="na-1", label=Unjudged(reason="no reply")
        ),
    ]
    table = score_reports(TRACK, RUBRICS, labels)
    assert run_values(table)["supportive_score"] == 0.5
    assert [topic.values["unjudged"] for topic in table.topics] == [1, 0]


def test_questions_against_all_rubric_questions() -> None:
    # a: 4 of 5 as the second question was not judged; b: half; mean 0.65
    labels = [pair("a", 1, "r", 1, "very-similar"), pair("b", 1, "r", 1, "similar")]
    table = score_questions(TRACK, RUBRICS, labels, None)
    assert run_values(table)["score"] == 0.65
    # a: 1 of 2 x 10 pairs was judged, b: 1 of 1 x 10; (0.95 + 0.9) / 2
    assert run_values(table)["unjudged"] == pytest.approx(0.925)
    assert "credit_lost" not in run_values(table)


def test_questions_of_a_topic_left_out_score_zero() -> None:
    labels = [pair("a", 1, "r", 1, "very-similar")]
    table = score_questions(TRACK, RUBRICS, labels, None)
    # By hand: (0.8 + 0) / 2.
    assert run_values(table)["score"] == 0.4
    assert table.omitted == {"r": ("b",)}


def test_compound_filter_shows_what_it_costs() -> None:
    labels = [
        pair("a", 1, "r", 1, "very-similar"),
        pair("a", 1, "r", 2, "similar"),
        pair("b", 1, "r", 1, "very-similar"),
    ]
    verdicts = [
        verdict("a", "r", 1, "compound"),
        verdict("a", "r", 2, "not-compound"),
        verdict("b", "r", 1, "not-compound"),
    ]
    values = run_values(score_questions(TRACK, RUBRICS, labels, verdicts))
    # without filter a: 4 / 5; with it the similar question remains: 4 * 0.5 / 5 = 0.4; b: 1
    assert values["score_unfiltered"] == pytest.approx((0.8 + 1) / 2)
    assert values["score"] == pytest.approx((0.4 + 1) / 2)
    assert values["credit_lost"] == pytest.approx(0.2)


def test_a_missing_compound_verdict_is_named() -> None:
    labels = [pair("a", 1, "r", 1, "similar"), pair("a", 2, "r", 7, "different")]
    with pytest.raises(InputError, match="run r, topic a, question 7"):
        score_questions(TRACK, RUBRICS, labels, [verdict("a", "r", 1, "compound")])


def test_an_unjudged_compound_verdict_is_missing() -> None:
    unknown = replace(verdict("a", "r", 1, "compound"), label=Unjudged(reason="?"))
    with pytest.raises(InputError, match="run r, topic a, question 1"):
        score_questions(TRACK, RUBRICS, [pair("a", 1, "r", 1, "similar")], [unknown])


def test_a_run_with_verdicts_but_no_labels_is_not_scored() -> None:
    labels = [pair("a", 1, "r", 1, "similar")]
    verdicts = [verdict("a", "r", 1, "not-compound"), verdict("a", "silent", 1, "not-compound")]
    table = score_questions(TRACK, RUBRICS, labels, verdicts)
    assert [run.run_tag for run in table.runs] == ["r"]
    assert table.omitted == {"r": ("b",)}


@pytest.mark.parametrize(
    "label",
    [
        pair("z", 1, "r", 1, "similar"),
        pair("a", 3, "r", 1, "similar"),
        pair("a", 1, "r", 11, "similar"),
        pair("a", 1, "r", 0, "similar"),
    ],
)
def test_unknown_questions_are_named(label) -> None:
    named = f"topic {label.topic_id}, rubric question {label.rubric_question_rank}"
    with pytest.raises(InputError, match=named):
        score_questions(TRACK, RUBRICS, [label], None)


@pytest.mark.parametrize(("topic_id", "answer_id"), [("z", "na-1"), ("a", "na-4")])
def test_unknown_answers_are_named(topic_id: str, answer_id: str) -> None:
    with pytest.raises(InputError, match=f"topic {topic_id}, answer {answer_id}"):
        score_reports(TRACK, RUBRICS, [answer(topic_id, "r", answer_id, "supports")])


def test_many_unknown_answers_are_counted() -> None:
    labels = [answer("a", "r", f"na-{number}", "none") for number in range(100, 115)]
    with pytest.raises(InputError, match="and 5 more"):
        score_reports(TRACK, RUBRICS, labels)


def test_no_assessments_is_an_error() -> None:
    with pytest.raises(InputError, match="no row"):
        score_reports(TRACK, RUBRICS, [])


def test_runs_are_ordered_by_score_then_tag() -> None:
    labels = [
        answer("b", "worse", "na-1", "partial"),
        answer("b", "zz", "na-1", "supports"),
        answer("b", "aa", "na-1", "supports"),
    ]
    table = score_reports(TRACK, RUBRICS, labels)
    assert [run.run_tag for run in table.runs] == ["aa", "zz", "worse"]
    assert [(topic.topic_id, topic.run_tag) for topic in table.topics[:3]] == [
        ("a", "aa"),
        ("a", "worse"),
        ("a", "zz"),
    ]


@given(labelled_answers(), st.data())
def test_no_omission_raises_a_run(case, data) -> None:
    item, labels = case
    if not labels:
        return
    rubrics = {"t": item, "b": RUBRICS["b"]}
    rows = [answer("t", "r", name, label) for name, label in sorted(labels.items())]
    rows.append(answer("b", "r", "na-1", data.draw(st.sampled_from(["supports", "none"]))))
    full = run_values(score_reports(TRACK, rubrics, rows))
    kept = data.draw(st.lists(st.sampled_from(rows), min_size=1, unique=True))
    partial = run_values(score_reports(TRACK, rubrics, kept))
    assert partial["supportive_score"] <= full["supportive_score"]
    assert partial["unjudged"] >= full["unjudged"]
