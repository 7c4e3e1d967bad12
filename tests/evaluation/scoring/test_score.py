"""Runs scored: by hand, over what was left out, under other weights, and the room that is left."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.evaluation.scoring.score import (
    TopicHeadroom,
    question_headroom,
    report_headroom,
    rubrics_from_answers,
    score_questions,
    score_reports,
    with_unit_weights,
)
from sidelight.evaluation.scoring.table import ScoreTable
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
from sidelight.schemas.grading.judgment import AnswerAssessment, Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import (
    GOOD,
    HAVE,
    NICE,
    answer,
    answer_ids,
    labelled_answers,
    pair,
    rubric,
    rubrics,
    verdict,
)

TRACK = load_track()

RUBRICS = {"a": rubric("a", (HAVE, 2), (NICE, 1)), "b": rubric("b", (HAVE, 1))}


def run_values(table: ScoreTable, run_tag: str = "r") -> dict[str, float]:
    return next(run.row for run in table.runs if run.run_tag == run_tag)


def test_worked_example_of_two_topics():
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


def test_a_label_left_out_does_not_shrink_the_denominator():
    labels = [
        answer("a", "r", "na-1", "supports"),
        answer("a", "r", "na-3", "supports"),
        answer("b", "r", "na-1", "supports"),
    ]
    values = run_values(score_reports(TRACK, RUBRICS, labels))
    # 0.8 as above; one of the three answers of a is unjudged, none of b: (1/3 + 0) / 2
    assert values["supportive_score"] == 0.8
    assert values["unjudged"] == pytest.approx(1 / 6)


def test_a_topic_left_out_scores_zero_and_is_listed():
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


def test_an_unjudged_answer_is_counted_and_earns_nothing():
    labels = [
        answer("b", "r", "na-1", "supports"),
        AnswerAssessment(
            topic_id="a", run_tag="r", answer_id="na-1", label=Unjudged(reason="no reply")
        ),
    ]
    table = score_reports(TRACK, RUBRICS, labels)
    assert run_values(table)["supportive_score"] == 0.5
    assert [topic.values["unjudged"] for topic in table.topics] == [1, 0]


def test_questions_against_all_rubric_questions():
    # a: 4 of 5 as the second question was not judged; b: half; mean 0.65
    labels = [pair("a", 1, "r", 1, "very-similar"), pair("b", 1, "r", 1, "similar")]
    table = score_questions(TRACK, RUBRICS, labels, None)
    assert run_values(table)["score"] == 0.65
    # a: 1 of 2 x 10 pairs was judged, b: 1 of 1 x 10; (0.95 + 0.9) / 2
    assert run_values(table)["unjudged"] == pytest.approx(0.925)
    assert "credit_lost" not in run_values(table)


def test_compound_filter_shows_what_it_costs():
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


def test_a_missing_compound_verdict_is_named():
    labels = [pair("a", 1, "r", 1, "similar"), pair("a", 2, "r", 7, "different")]
    with pytest.raises(InputError, match="run r, topic a, question 7"):
        score_questions(TRACK, RUBRICS, labels, [verdict("a", "r", 1, "compound")])


def test_an_unjudged_compound_verdict_is_missing():
    unknown = replace(verdict("a", "r", 1, "compound"), label=Unjudged(reason="?"))
    with pytest.raises(InputError, match="run r, topic a, question 1"):
        score_questions(TRACK, RUBRICS, [pair("a", 1, "r", 1, "similar")], [unknown])


def test_a_run_with_verdicts_but_no_labels_is_not_scored():
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
def test_unknown_questions_are_named(label):
    named = f"topic {label.topic_id}, rubric question {label.rubric_question_rank}"
    with pytest.raises(InputError, match=named):
        score_questions(TRACK, RUBRICS, [label], None)


@pytest.mark.parametrize(("topic_id", "answer_id"), [("z", "na-1"), ("a", "na-4")])
def test_unknown_answers_are_named(topic_id, answer_id):
    with pytest.raises(InputError, match=f"topic {topic_id}, answer {answer_id}"):
        score_reports(TRACK, RUBRICS, [answer(topic_id, "r", answer_id, "supports")])


def test_many_unknown_answers_are_counted():
    labels = [answer("a", "r", f"na-{number}", "none") for number in range(100, 115)]
    with pytest.raises(InputError, match="and 5 more"):
        score_reports(TRACK, RUBRICS, labels)


def test_no_assessments_is_an_error():
    with pytest.raises(InputError, match="no row"):
        score_reports(TRACK, RUBRICS, [])


def test_runs_are_ordered_by_score_then_tag():
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
def test_no_omission_raises_a_run(case, data):
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


SCALES = TRACK.scales


def test_every_answer_weighs_the_same():
    rubrics = with_unit_weights({"t": rubric("t", (HAVE, 1), (GOOD, 3))})
    labels = [answer("t", "r", "na-1", "supports"), answer("t", "r", "na-4", "partial")]
    # By hand: (1 + 0 + 0 + 0.5) / 4.
    assert score_reports(TRACK, rubrics, labels).runs[0].values["supportive_score"] == 0.375


def test_answers_of_all_runs_stand_for_a_rubric():
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


def test_public_labels_give_the_known_scores(shared_data):
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


def test_reports_by_hand():
    labels = [
        answer("a", "r", "na-1", "supports"),
        answer("a", "r", "na-2", "contradicts"),
        answer("a", "s", "na-2", "partial"),
        answer("a", "s", "na-3", "supports"),
        answer("b", "r", "na-1", "partial"),
        answer("b", "s", "na-1", "partial"),
    ]
    # a: r has (4 / 2) / 5 = 0.4 and contradicts (4 / 2) / 5 = 0.4; s has (4 * 0.5 / 2 + 1) / 5 =
    # 0.4; together (4 * 1.5 / 2 + 1) / 5 = 0.8
    assert report_headroom(TRACK, RUBRICS, labels) == [
        TopicHeadroom("a", 0.8, 0.4, ("r", "s"), 0.4, 0.2),
        TopicHeadroom("b", 0.5, 0.5, ("r", "s"), 0.5, 0.0),
    ]


def test_questions_by_hand():
    labels = [
        pair("a", 1, "r", 1, "very-similar"),
        pair("a", 2, "r", 2, "similar"),
        pair("a", 1, "s", 1, "similar"),
        pair("b", 1, "s", 3, "very-similar"),
    ]
    # a: r (4 + 0.5) / 5 = 0.9, s 2 / 5 = 0.4; b: s 1, r none
    assert question_headroom(TRACK, RUBRICS, labels, None) == [
        TopicHeadroom("b", 1.0, 1.0, ("s",), 0.5, None),
        TopicHeadroom("a", 0.9, 0.9, ("r",), 0.65, None),
    ]


def test_compound_questions_do_not_raise_the_ceiling():
    labels = [pair("a", 1, "r", 1, "very-similar"), pair("a", 1, "s", 1, "similar")]
    verdicts = [verdict("a", "r", 1, "compound"), verdict("a", "s", 1, "not-compound")]
    topics = question_headroom(TRACK, RUBRICS, labels, verdicts)
    # s: 4 * 0.5 / 5; r none
    assert topics[0] == TopicHeadroom("a", 0.4, 0.4, ("s",), 0.2, None)


def test_an_unjudged_answer_hides_no_label():
    unjudged = AnswerAssessment(
        topic_id="b", run_tag="s", answer_id="na-1", label=Unjudged(reason="no reply")
    )
    supported = answer("b", "r", "na-1", "supports")
    for labels in ([supported, unjudged], [unjudged, supported]):
        assert report_headroom(TRACK, RUBRICS, labels)[0].ceiling == 1.0


@given(st.data())
def test_ceiling_best_mean(data):
    item = data.draw(rubrics)
    things = [(run, name) for run in "rstuvw" for name in answer_ids(item)]
    labels = data.draw(
        st.dictionaries(
            st.sampled_from(things),
            st.sampled_from(["supports", "partial", "contradicts", "none"]),
            min_size=1,
        )
    )
    rows = [answer("t", run, name, label) for (run, name), label in labels.items()]
    (topic,) = report_headroom(TRACK, {"t": item}, rows)
    assert 1 >= topic.ceiling >= topic.best >= topic.mean >= 0
    assert set(topic.best_runs) <= {run for run, _ in labels}
    assert topic.best_runs

    labels = data.draw(
        st.dictionaries(
            st.tuples(
                st.sampled_from("rst"), st.integers(1, len(item.questions)), st.integers(1, 3)
            ),
            st.sampled_from(["very-similar", "similar", "different"]),
            min_size=1,
        )
    )
    pairs = [pair("t", rank, run, own, label) for (run, rank, own), label in labels.items()]
    compound = data.draw(st.sampled_from(["compound", "not-compound"]))
    verdicts = [
        verdict("t", run, own, compound if own == 1 else "not-compound")
        for run in "rst"
        for own in (1, 2, 3)
    ]
    (topic,) = question_headroom(TRACK, {"t": item}, pairs, verdicts)
    assert 1 >= topic.ceiling >= topic.best >= topic.mean >= 0
