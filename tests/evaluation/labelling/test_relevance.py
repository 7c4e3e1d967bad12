"""Grades of relevance: asked for, read, calibrated and voted on."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.evaluation.agreement.qrels import compare_qrels
from sidelight.evaluation.labelling import relevance
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.formats.labels.qrels import read_qrels
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.topic import Narrative
from tests.helpers.asking.conversation import scripted


def test_the_count_gives_the_grade():
    for covered, beside, grade in [
        *((0, "none", 1), (1, "none", 2), (2, "none", 3), (3, "some", 2), (4, "none", 4)),
        *((9, "much", 2), (0, "much", 0)),
    ]:
        assert relevance.grade_of(covered, beside) == grade
    assert relevance.grade_of(0, "none", related=False) == 0


def reply(grade, *covered, beside="none"):
    return json.dumps({"covered": covered, "beside": beside, "grade": grade})


def judged(*replies):
    asked = scripted(*replies)
    parts = ("Who pays?", "Who owns?")
    narrative = Narrative(topic_id="14", narrative="I want to know all.", sub_questions=parts)
    found = asyncio.run(relevance.ask_relevance(Assessor(asked.model), narrative, "A page."))
    asked.script.assert_finished()
    return found, asked


def test_a_grade_comes_with_what_it_rests_on_or_is_unjudged():
    found, asked = judged(reply("2", 1))
    assert found == Judgment("2", "sub-narratives 1; beside: none")
    assert "1. Who pays?\n2. Who owns?" in asked.user()
    found, _ = judged(reply("4", 2, 1, 2, beside="some"))
    assert found.label == "4"
    assert found.rationale.endswith("; by their number 2")
    found, asked = judged(reply("fine"), reply("7"))
    assert isinstance(found.label, Unjudged)
    assert "grade: expected '0', '1'" in asked.notes()[0]


GRADES = st.integers(0, 4)


def test_a_generous_judge_is_brought_down_and_nothing_in_common_teaches_nothing():
    calibrated = relevance.Calibration([(2, 1), (2, 1), (4, 3), (0, 0)])
    assert [calibrated(grade) for grade in range(5)] == [0, 0, 1, 1, 3]
    with pytest.raises(InputError, match="no passage that both"):
        relevance.Calibration([])
    with pytest.raises(InputError):
        relevance.held_out({"1": {"x": 1}}, {"1": {"x": 2}})


@given(st.lists(st.tuples(GRADES, GRADES), min_size=1))
def test_the_order_of_grades_is_kept(pairs):
    calibrated = relevance.Calibration(pairs)
    found = [calibrated(grade) for grade in range(5)]
    assert found == sorted(found)
    assert set(found) <= set(range(5))


def test_calibrated_to_people_a_judge_agrees_better(shared_data):
    folder = shared_data / "rag-2025"
    people, judge = (read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "umbrela2"))
    before, after = (
        compare_qrels(people, side).grades.coefficients["kappa"]
        for side in (judge, relevance.held_out(judge, people))
    )
    assert after >= before


def test_the_majority_wins_and_the_median_breaks_ties():
    for votes, together in [
        ((4, 4, 0), 4),  # most say so
        ((4, 2, 0), 2),  # all differ: the one in the middle
        ((0, 0, 3, 4, 4), 3),  # two are as frequent
        ((1, 1, 3, 3), 1),  # and of two middle ones the lower
        *(((3, None, 3), 3), ((2,), 2)),
        ((3, None, None), None),  # one of three is no majority
    ]:
        assert relevance.majority(votes) == together


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7), st.randoms())
def test_the_order_of_judges_changes_nothing(given, random):
    other = [*given]
    random.shuffle(other)
    assert relevance.majority(given) == relevance.majority(other)
    assert relevance.majority(given) in given


def test_who_said_what_is_recorded():
    judges = {"a": {"1": {"x": 3, "y": 0}}, "b": {"1": {"x": 3}, "2": {"z": 1}}}
    found = relevance.vote(judges)
    assert found["1"]["x"] == (3, (3, 3), 2)
    assert found["1"]["x"].agreeing == 2
    assert found["1"]["y"] == (None, (0, None), 2)
    assert found["2"]["z"].given == (None, 1)
