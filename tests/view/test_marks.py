from dataclasses import replace

import pytest

from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track
from sidelight.view.collect import Marker, compare_judges, leaderboards
from sidelight.view.shown_run import Labels

TRACK = load_track()
SCALES = TRACK.scales


def question(rank, importance, *answers):
    return RubricQuestion(
        question_id=f"t-{rank}",
        rank=rank,
        text=f"Question {rank}?",
        importance=SCALES["importance"].label(importance),
        answers=tuple(RubricAnswer(answer_id=one, text=one) for one in answers),
    )


RUBRIC = Rubric(
    topic_id="t",
    questions=(question(1, "have to know", "a", "b"), question(2, "nice to know", "c", "d")),
)


def pair(run, rubric_rank, rank, label):
    return QuestionAssessment(
        topic_id="t",
        rubric_question_rank=rubric_rank,
        run_tag=run,
        run_question_rank=rank,
        label=label,
    )


def answer(run, answer_id, label):
    return AnswerAssessment(
        topic_id="t", run_tag=run, answer_id=answer_id, label=label, rationale="so it says"
    )


def compound(run, rank, label):
    return CompoundAssessment(
        topic_id="t", run_tag=run, run_question_rank=rank, run_question_text="?", label=label
    )


def labels(name="people", *, best="one"):
    other = "two" if best == "one" else "one"
    return Labels(
        name=name,
        questions=(
            pair(best, 1, 3, "similar"),
            pair(best, 1, 4, "similar"),
            pair(best, 1, 5, "very-similar"),  # compound, so it earns nothing
            pair(best, 2, 3, "different"),
            pair(other, 1, 1, "very-different"),
        ),
        compound=(
            *(compound(best, rank, "not-compound") for rank in (3, 4)),
            compound(best, 5, "compound"),
            compound(other, 1, "not-compound"),
        ),
        answers=(
            answer(best, "a", "supports"),
            answer(best, "b", "partial"),
            answer(best, "c", "contradicts"),
            answer(best, "d", Unjudged(reason="no reply")),
            answer(other, "a", "none"),
        ),
        support={},
        lost_at={("t", "b"): "selected", ("t", "c"): "judged", ("t", "d"): "selected"},
    )


def test_what_was_earned_and_lost_adds_up_to_the_score():
    marks = Marker(SCALES, labels(), "one", "one").mark(RUBRIC)
    first, second = marks.questions
    # Weights 4 and 1 of 5. First question: (1 + 0.5) / 2 of 4/5. Second: nothing of 1/5.
    assert first.earned == pytest.approx(0.6)
    assert first.lost == pytest.approx(0.2)
    assert second.earned == 0
    assert second.lost == pytest.approx(0.2)
    assert marks.support_score == pytest.approx(0.6)
    # One contradicted answer of two: 1/2 of 1/5.
    assert marks.contradiction_score == pytest.approx(0.1)
    # The best question that is not compound is similar: 0.5 of 4/5.
    assert marks.question_score == pytest.approx(0.4)
    assert (first.matched_rank, first.matched_label) == (3, "similar")
    assert (second.matched_rank, second.matched_label) == (None, None)
    # b: half of 1/2 of 4/5, d: all of 1/2 of 1/5; c: all of 1/2 of 1/5.
    assert marks.lost_at == {"selected": pytest.approx(0.3), "judged": pytest.approx(0.1)}
    answers = [one for mark in marks.questions for one in mark.answers]
    assert [(one.label, one.reason, one.lost_at) for one in answers] == [
        ("supports", "so it says", ""),
        ("partial", "so it says", "selected"),
        ("contradicts", "so it says", "judged"),
        (None, "no reply", "selected"),
    ]


def test_a_run_that_nobody_judged_has_no_score():
    marks = Marker(SCALES, labels(), "none-t1", "none-t2").mark(RUBRIC)
    assert marks.question_score is marks.support_score is marks.contradiction_score is None
    assert {one.label for mark in marks.questions for one in mark.answers} == {None}


def test_boards_rank_runs_and_mark_ours():
    boards = leaderboards(TRACK, {"t": RUBRIC}, labels(), frozenset({"two"}))
    assert [board.task for board in boards] == ["Questions (Task 1)", "Reports (Task 2)"]
    for board in boards:
        assert ([run.run_tag for run in board.runs], board.ours) == (["one", "two"], {"two"})
        assert board.headroom[0].best_runs == ("one",)


def test_two_judges_that_disagree_have_a_negative_tau():
    sources = [labels(), labels("a model", best="two")]
    questions, reports = compare_judges(TRACK, {"t": RUBRIC}, sources)
    assert questions.task == "Questions (Task 1)"
    assert (questions.first, questions.second) == ("people", "a model")
    assert questions.points["one"] == (pytest.approx(0.4), 0)
    assert questions.points["two"] == (0, pytest.approx(0.4))
    assert questions.tau == reports.tau == pytest.approx(-1)
    assert compare_judges(TRACK, {"t": RUBRIC}, sources[:1]) == ()
    # On a topic that one of them has no label on, they do not differ.
    more = tuple(replace(one, topic_id="u") for one in sources[1].answers)
    both = {"t": RUBRIC, "u": RUBRIC.model_copy(update={"topic_id": "u"})}
    sources[1] = replace(sources[1], answers=sources[1].answers + more)
    assert compare_judges(TRACK, both, sources)[1].points == reports.points
