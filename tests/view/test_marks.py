import re
from dataclasses import replace

import pytest

from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from sidelight.view.collect import Marker, compare_judges, leaderboards
from sidelight.view.model import Page
from sidelight.view.page import render_page
from sidelight.view.shown_run import Labels, Made, ShownRun
from tests.helpers.labels.toy import HAVE, NICE, answers_of, pairs_of, rubric, verdict

TRACK = load_track()
RUBRIC = rubric("t", (HAVE, 2), (NICE, 2))  # with the answers na-1 and na-2, na-3 and na-4


def run(question_tag, report_tag):
    def make(_topic_id) -> Made:
        raise AssertionError("marks rest on labels alone")

    tags = {"question_tag": question_tag, "report_tag": report_tag}
    return ShownRun("r", "r", TRACK, {}, ("t",), make, **tags)


def labels(name="people", *, best="one"):
    other = "two" if best == "one" else "one"
    answers = answers_of(f"t {best} supports partial contradicts -", f"t {other} none")
    unjudged = replace(answers[0], answer_id="na-4", label=Unjudged(reason="no reply"))
    return Labels(
        name=name,
        # The question of rank 5 is compound, so it earns nothing.
        questions=(
            *pairs_of(f"t {best} 1.3:similar 1.4:similar 1.5:very-similar 2.3:different"),
            *pairs_of(f"t {other} 1.1:very-different"),
        ),
        compound=(
            *(verdict("t", best, rank, "not-compound") for rank in (3, 4)),
            verdict("t", best, 5, "compound"),
            verdict("t", other, 1, "not-compound"),
        ),
        answers=tuple(replace(one, rationale="so it says") for one in (*answers, unjudged)),
        support={},
        lost_at={("t", "na-2"): "selected", ("t", "na-3"): "judged", ("t", "na-4"): "selected"},
    )


@pytest.mark.parametrize(
    ("rationale", "shown"),
    [
        ("as likely as 0.90: It pays.", "The nearest sentence of the report: It pays."),
        ("as likely as 0.90: It owns", "The nearest sentence of the report: It owns …"),
        # The report has no sentence near it.
        ("as likely as 0.90:", ""),
        ("so it says", "so it says"),
    ],
)  # fmt: skip
def test_the_reason_of_a_label_is_shown_in_words(rationale, shown):
    given = labels()
    given = replace(
        given, answers=tuple(replace(one, rationale=rationale) for one in given.answers)
    )
    marks = Marker(run("one", "one"), given).mark(RUBRIC)
    assert marks.questions[0].answers[0].reason == shown


def test_what_was_earned_and_lost_adds_up_to_the_score():
    marks = Marker(run("one", "one"), labels()).mark(RUBRIC)
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
    assert first.matches == ((3, "similar", False), (5, "very-similar", True))
    assert second.matches == ()
    # na-2: half of 1/2 of 4/5, na-4: all of 1/2 of 1/5; na-3: all of 1/2 of 1/5.
    assert marks.lost_at == {"selected": pytest.approx(0.3), "judged": pytest.approx(0.1)}
    answers = [one for mark in marks.questions for one in mark.answers]
    assert [(one.label, one.reason, one.lost_at) for one in answers] == [
        ("supports", "so it says", ""),
        ("partial", "so it says", "selected"),
        ("contradicts", "so it says", "judged"),
        (None, "no reply", "selected"),
    ]


def test_a_run_that_nobody_judged_has_no_score():
    marks = Marker(run("none-t1", "none-t2"), labels()).mark(RUBRIC)
    assert marks.question_score is marks.support_score is marks.contradiction_score is None
    assert {one.label for mark in marks.questions for one in mark.answers} == {None}


def test_boards_rank_runs_and_mark_ours():
    boards = leaderboards(TRACK, {"t": RUBRIC}, labels(), frozenset({"two"}))
    assert [board.task for board in boards] == ["Questions (Task 1)", "Reports (Task 2)"]
    for board in boards:
        assert ([run.run_tag for run in board.runs], board.ours) == (["one", "two"], {"two"})
        assert board.headroom[0].best_runs == ("one",)


def test_runs_of_one_score_share_a_place():
    board = leaderboards(TRACK, {"t": RUBRIC}, labels(), frozenset({"two"}))[1]
    best, worst = board.runs
    runs = (best, replace(best, run_tag="also"), worst)
    intervals = {run.run_tag: None for run in runs}
    shown = board._replace(runs=runs, intervals=intervals)
    page = Page("r", "article", {}, (), (), "people", (shown,), (), "")
    rows = re.findall(r"<tr.*?<th scope=.row.>(\w+).*?</th><td>(\d+)</td>", render_page(page))
    assert rows[:3] == [("one", "1"), ("also", "1"), ("two", "3")]


def test_two_judges_that_disagree_have_a_negative_tau():
    sources = [labels(), labels("a model", best="two")]
    questions, reports = compare_judges(TRACK, {"t": RUBRIC}, sources)
    assert questions.task == "Questions (Task 1)"
    assert (questions.first, questions.second) == ("people", "a model")
    assert questions.points["one"] == (pytest.approx(0.4), 0)
    assert questions.points["two"] == (0, pytest.approx(0.4))
    assert questions.tau is reports.tau is None  # as in `agree scores`
    third = [
        replace(one, answers=(*one.answers, *answers_of("t three none none none none")))
        for one in sources
    ]
    # Of three pairs, one is in the opposite order, and each side ties another: -1 / 2.
    assert compare_judges(TRACK, {"t": RUBRIC}, third)[1].tau == pytest.approx(-0.5)
    assert compare_judges(TRACK, {"t": RUBRIC}, sources[:1]) == ()
    # On a topic that one of them has no label on, they do not differ.
    more = tuple(replace(one, topic_id="u") for one in sources[1].answers)
    both = {"t": RUBRIC, "u": RUBRIC.model_copy(update={"topic_id": "u"})}
    sources[1] = replace(sources[1], answers=sources[1].answers + more)
    assert compare_judges(TRACK, both, sources)[1].points == reports.points
