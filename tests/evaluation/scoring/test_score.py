"""Runs scored: by hand, over what was left out, under other weights, and the room that is left."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.evaluation.scoring import score
from sidelight.evaluation.scoring.table import read_topic_scores, write_score_files
from sidelight.schemas.grading.judgment import AnswerAssessment, Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import (
    GOOD,
    HAVE,
    NICE,
    answer,
    answer_ids,
    answers_of,
    labelled_answers,
    pair,
    pairs_of,
    rubric,
    rubrics,
    verdict,
    verdicts_of,
)

TRACK = load_track()

RUBRICS = {"a": rubric("a", (HAVE, 2), (NICE, 1)), "b": rubric("b", (HAVE, 1))}


def run_values(table, run_tag="r"):
    return next(run.row for run in table.runs if run.run_tag == run_tag)


def test_reports_of_two_topics_by_hand():
    labels = answers_of("a r supports none supports", "b r supports")
    table = score.score_reports(TRACK, RUBRICS, labels)
    # a: (4 / 2 * 1 + 1) / 5 = 0.6; b: 4 / 4 = 1; mean 0.8
    assert run_values(table) == {
        "supportive_score": 0.8,
        "contradictory_score": 0.0,
        "unjudged": 0.0,
        "n_topics": 2,
    }
    found = [(topic.topic_id, topic.values["supportive_score"]) for topic in table.topics]
    assert found == [("a", 0.6), ("b", 1.0)]
    assert table.omitted == {}
    labels = answers_of("a r supports - supports", "b r supports")
    values = run_values(score.score_reports(TRACK, RUBRICS, labels))
    # 0.8 as above; one of the three answers of a is unjudged, none of b: (1/3 + 0) / 2
    assert values["supportive_score"] == 0.8
    assert values["unjudged"] == pytest.approx(1 / 6)
    labels = answers_of("a r supports none supports")
    table = score.score_reports(TRACK, RUBRICS, labels)
    # By hand: (0.6 + 0) / 2.
    assert run_values(table)["supportive_score"] == 0.3
    # What was not submitted is told as that, and not as unjudged.
    assert run_values(table)["n_topics"] == 1
    assert run_values(table)["unjudged"] == 0
    assert table.omitted == {"r": ("b",)}
    labels = [
        answer("b", "r", "na-1", "supports"),
        AnswerAssessment(
            topic_id="a", run_tag="r", answer_id="na-1", label=Unjudged(reason="no reply")
        ),
    ]
    table = score.score_reports(TRACK, RUBRICS, labels)
    assert run_values(table)["supportive_score"] == 0.5
    assert [topic.values["unjudged"] for topic in table.topics] == [1, 0]


def test_questions_with_and_without_compound_filter_by_hand():
    # a: 4 of 5 as the second question was not judged; b: half; mean 0.65
    labels = pairs_of("a r 1.1:very-similar", "b r 1.1:similar")
    table = score.score_questions(TRACK, RUBRICS, labels, None)
    assert run_values(table)["score"] == 0.65
    # a: 1 of 2 x 10 pairs was judged, b: 1 of 1 x 10; (0.95 + 0.9) / 2
    assert run_values(table)["unjudged"] == pytest.approx(0.925)
    assert "credit_lost" not in run_values(table)
    labels = pairs_of("a r 1.1:very-similar 1.2:similar", "b r 1.1:very-similar")
    verdicts = verdicts_of("a r compound not-compound", "b r not-compound")
    values = run_values(score.score_questions(TRACK, RUBRICS, labels, verdicts))
    # without filter a: 4 / 5; with it the similar question remains: 4 * 0.5 / 5 = 0.4; b: 1
    assert values["score_unfiltered"] == pytest.approx((0.8 + 1) / 2)
    assert values["score"] == pytest.approx((0.4 + 1) / 2)
    assert values["credit_lost"] == pytest.approx(0.2)
    # Two questions were submitted on a and one on b: 2 of 2 * 2 pairs, 1 of 1 * 1.
    assert values["unjudged"] == pytest.approx((0.5 + 0) / 2)
    labels = [pair("a", 1, "r", 1, "similar")]
    verdicts = verdicts_of("a r not-compound", "a silent not-compound")
    table = score.score_questions(TRACK, RUBRICS, labels, verdicts)
    assert [run.run_tag for run in table.runs] == ["r"]
    assert table.omitted == {"r": ("b",)}
    assert [topic.values["unjudged"] for topic in table.topics] == [0.5, 0]
    submitted = verdicts_of("a r not-compound", "b r not-compound")
    table = score.score_questions(TRACK, RUBRICS, labels, submitted)
    # Questions on b were submitted, and nobody judged them.
    assert [topic.values["unjudged"] for topic in table.topics] == [0.5, 1]


def test_a_run_whose_labels_are_all_blank_is_left_out():
    labels = answers_of("a r supports - supports")
    blank = [
        replace(one, label=Unjudged(reason="empty label"))
        for one in (answer("b", "r", "na-1", "none"), answer("a", "blank", "na-1", "none"))
    ]
    table = score.score_reports(TRACK, RUBRICS, [*labels, *blank])
    assert [run.run_tag for run in table.runs] == ["r"]
    assert table.unlabelled == ("blank",)
    # What r submitted on b is blank, too: a topic without a label.
    assert table.omitted == {"r": ("b",)}
    assert {topic.run_tag for topic in table.topics} == {"r"}
    # Where nobody judged anything, every run is undefined rather than left out.
    table = score.score_reports(TRACK, RUBRICS, blank)
    assert table.unlabelled == ()
    assert {run.row["supportive_score"] for run in table.runs} == {None}


def test_scores_of_partly_filled_sheets_are_read_again(tmp_path):
    """On b nobody judged what r submitted, and other submitted nothing."""
    labels = answers_of("a r supports none supports", "a other supports none none")
    blank = replace(answer("b", "r", "na-1", "none"), label=Unjudged(reason="empty label"))
    table = score.score_reports(TRACK, RUBRICS, [*labels, blank])
    assert [(t.run_tag, t.row["supportive_score"], t.row["unjudged"]) for t in table.topics][
        2:
    ] == [
        ("other", None, 0.0),
        ("r", None, 1.0),
    ]
    per_topic, _ = write_score_files(table, tmp_path, "human_task2")
    assert [one.row for one in read_topic_scores(per_topic)] == [one.row for one in table.topics]


def test_what_is_not_known_is_named():
    labels = pairs_of("a r 1.1:similar 2.7:different")
    with pytest.raises(InputError, match="run r, topic a, question 7"):
        score.score_questions(TRACK, RUBRICS, labels, [verdict("a", "r", 1, "compound")])
    unknown = replace(verdict("a", "r", 1, "compound"), label=Unjudged(reason="?"))
    with pytest.raises(InputError, match="run r, topic a, question 1"):
        score.score_questions(TRACK, RUBRICS, [pair("a", 1, "r", 1, "similar")], [unknown])
    for label in pairs_of("a r 3.1:similar 1.11:similar 1.0:similar"):
        named = f"topic {label.topic_id}, rubric question {label.rubric_question_rank}"
        with pytest.raises(InputError, match=named):
            score.score_questions(TRACK, RUBRICS, [label], None)
    with pytest.raises(InputError, match="topic a, answer na-4"):
        score.score_reports(TRACK, RUBRICS, [answer("a", "r", "na-4", "supports")])
    told = "the assessments have topics without a rubric: y, z\n"
    for known in ([], pairs_of("a r 1.1:similar")):
        labels = [*known, *pairs_of("z r 1.1:similar", "y r 1.1:similar")]
        with pytest.raises(InputError, match=told):
            score.score_questions(TRACK, RUBRICS, labels, None)
    with pytest.raises(InputError, match="topics without a rubric: z\n"):
        score.score_reports(TRACK, RUBRICS, [answer("z", "r", "na-1", "supports")])
    labels = [answer("a", "r", f"na-{number}", "none") for number in range(100, 115)]
    with pytest.raises(InputError, match="and 5 more"):
        score.score_reports(TRACK, RUBRICS, labels)
    with pytest.raises(InputError, match="no row"):
        score.score_reports(TRACK, RUBRICS, [])


@given(labelled_answers(), st.data())
def test_no_omission_raises_a_run(case, data):
    item, labels = case
    if not labels:
        return
    rubrics = {"t": item, "b": RUBRICS["b"]}
    rows = [answer("t", "r", name, label) for name, label in sorted(labels.items())]
    rows.append(answer("b", "r", "na-1", data.draw(st.sampled_from(["supports", "none"]))))
    full = run_values(score.score_reports(TRACK, rubrics, rows))
    kept = data.draw(st.lists(st.sampled_from(rows), min_size=1, unique=True))
    partial = run_values(score.score_reports(TRACK, rubrics, kept))
    assert partial["supportive_score"] <= full["supportive_score"]
    # It shows: as labels that are lacking, or as a topic that is.
    assert partial["unjudged"] >= full["unjudged"] or partial["n_topics"] < full["n_topics"]


def test_every_answer_weighs_the_same_and_runs_are_ordered_by_score_then_tag():
    rubrics = score.with_unit_weights({"t": rubric("t", (HAVE, 1), (GOOD, 3))})
    labels = answers_of("t r supports - - partial")
    # By hand: (1 + 0 + 0 + 0.5) / 4.
    assert score.score_reports(TRACK, rubrics, labels).runs[0].values["supportive_score"] == 0.375
    labels = answers_of("t short supports", "t long none none")
    table = score.score_reports(TRACK, score.rubrics_from_answers(labels), labels)
    # `short` was judged on 1 of the 2 answers the runs were judged on: 1 / 2
    best = table.runs[0]
    assert (best.run_tag, best.values["supportive_score"]) == ("short", 0.5)
    assert best.values["unjudged"] == 0.5
    labels = answers_of("b worse partial", "b zz supports", "b aa supports")
    table = score.score_reports(TRACK, RUBRICS, labels)
    assert [run.run_tag for run in table.runs] == ["aa", "zz", "worse"]
    found = [(topic.topic_id, topic.run_tag) for topic in table.topics[:3]]
    assert found == [("a", "aa"), ("a", "worse"), ("a", "zz")]


def test_headroom_by_hand():
    labels = answers_of(
        "a r supports contradicts", "a s - partial supports", "b r partial", "b s partial"
    )
    # a: r has (4 / 2) / 5 = 0.4 and contradicts (4 / 2) / 5 = 0.4; s has (4 * 0.5 / 2 + 1) / 5 =
    # 0.4; together (4 * 1.5 / 2 + 1) / 5 = 0.8
    assert score.report_headroom(TRACK, RUBRICS, labels) == [
        score.TopicHeadroom("a", 0.8, 0.4, ("r", "s"), 0.4, 0.2),
        score.TopicHeadroom("b", 0.5, 0.5, ("r", "s"), 0.5, 0.0),
    ]
    labels = pairs_of("a r 1.1:very-similar 2.2:similar", "a s 1.1:similar", "b s 1.3:very-similar")
    # a: r (4 + 0.5) / 5 = 0.9, s 2 / 5 = 0.4; b: s 1, r none
    assert score.question_headroom(TRACK, RUBRICS, labels, None) == [
        score.TopicHeadroom("b", 1.0, 1.0, ("s",), 0.5, None),
        score.TopicHeadroom("a", 0.9, 0.9, ("r",), 0.65, None),
    ]
    labels = pairs_of("a r 1.1:very-similar", "a s 1.1:similar")
    verdicts = verdicts_of("a r compound", "a s not-compound")
    topics = score.question_headroom(TRACK, RUBRICS, labels, verdicts)
    # s: 4 * 0.5 / 5; r none
    assert topics[0] == score.TopicHeadroom("a", 0.4, 0.4, ("s",), 0.2, None)
    unjudged = AnswerAssessment(
        topic_id="b", run_tag="s", answer_id="na-1", label=Unjudged(reason="no reply")
    )
    supported = answer("b", "r", "na-1", "supports")
    for labels in ([supported, unjudged], [unjudged, supported]):
        assert score.report_headroom(TRACK, RUBRICS, labels)[0].ceiling == 1.0


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
    (topic,) = score.report_headroom(TRACK, {"t": item}, rows)
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
    (topic,) = score.question_headroom(TRACK, {"t": item}, pairs, verdicts)
    assert 1 >= topic.ceiling >= topic.best >= topic.mean >= 0
