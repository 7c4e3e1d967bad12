from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.scoring.score import TopicHeadroom, question_headroom, report_headroom
from sidelight.schemas.grading.judgment import AnswerAssessment, Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, answer, answer_ids, pair, rubric, rubrics, verdict

TRACK = load_track()

RUBRICS = {"a": rubric("a", (HAVE, 2), (NICE, 1)), "b": rubric("b", (HAVE, 1))}


def test_reports_by_hand() -> None:
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


def test_questions_by_hand() -> None:
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


def test_compound_questions_do_not_raise_the_ceiling() -> None:
    labels = [pair("a", 1, "r", 1, "very-similar"), pair("a", 1, "s", 1, "similar")]
    verdicts = [verdict("a", "r", 1, "compound"), verdict("a", "s", 1, "not-compound")]
    topics = question_headroom(TRACK, RUBRICS, labels, verdicts)
    # s: 4 * 0.5 / 5; r none
    assert topics[0] == TopicHeadroom("a", 0.4, 0.4, ("s",), 0.2, None)


def test_an_unjudged_answer_hides_no_label() -> None:
    unjudged = AnswerAssessment(
        topic_id="b", run_tag="s", answer_id="na-1", label=Unjudged(reason="no reply")
    )
    supported = answer("b", "r", "na-1", "supports")
    for labels in ([supported, unjudged], [unjudged, supported]):
        assert report_headroom(TRACK, RUBRICS, labels)[0].ceiling == 1.0


@given(st.data())
def test_ceiling_best_mean(data: st.DataObject) -> None:
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
