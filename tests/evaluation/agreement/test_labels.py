"""Labels and grades of two sides compared, and which way a side leans."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.labels import (
    CategoryAgreement,
    compare_labels,
    lean,
    read_two_sides,
)
from sidelight.evaluation.agreement.qrels import PairOrder, compare_qrels
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels import toy

SCALES = load_track().scales

RUBRICS = {"t": toy.rubric("t", (toy.HAVE, 2), (toy.GOOD, 2))}


def answers(*labels):
    return toy.answers_of(f"t r {' '.join(labels)}")


def compared(first, second, *rubrics, kind=ANSWER_ASSESSMENTS, seed=0):
    return compare_labels(kind, SCALES, first, second, *rubrics, seed=seed)


def test_labels_are_compared_in_their_categories():
    found = compared(
        answers("supports", "none", "none", "partial"),
        answers("supports", "supports", "none", "none"),
    )
    [scheme] = found.schemes
    assert scheme.overall.categories == ("supports", "partial", "contradicts", "none")
    assert scheme.overall.table.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 1]]
    # raw 2 / 4; kappa: p_e = (1 * 2 + 1 * 0 + 2 * 2) / 16, (0.5 - 0.375) / 0.625
    # AC1: pi = (3, 1, 0, 4) / 8, p_e = (15 + 7 + 16) / 64 / 3 = 38 / 192
    assert scheme.overall.coefficients == {
        "raw": 0.5,
        "kappa": pytest.approx(0.2),
        "ac1": pytest.approx((0.5 - 38 / 192) / (1 - 38 / 192)),
        # Of 8 labels 3, 1 and 4: 1 - 7 * 4 / (64 - 9 - 1 - 16). What contradicts has no place in
        # an order, so that nothing is weighted.
        "nominal_alpha": pytest.approx(10 / 38),
    }
    assert scheme.by_importance == {}
    assert scheme.overall.shares["supports"] == (0.25, 0.5)
    found = compared(
        toy.pairs_of("t r 1.1:different 1.2:very-similar"),
        toy.pairs_of("t r 1.1:very-different 1.2:similar"),
        kind=QUESTION_ASSESSMENTS,
    )
    four, three = (scheme.overall for scheme in found.schemes)
    assert four.categories == ("very-similar", "similar", "different", "very-different")
    assert four.coefficients["raw"] == 0
    assert three.categories == ("very-similar", "similar", "no-credit")
    assert three.coefficients["raw"] == 0.5
    first = toy.verdicts_of("t r compound not-compound")
    second = toy.verdicts_of("t r compound compound")
    [scheme] = compared(first, second, kind=COMPOUND_ASSESSMENTS).schemes
    assert scheme.overall.table.tolist() == [[1, 0], [1, 0]]
    with pytest.raises(UsageError, match="belong to no rubric question"):
        compared(first, second, RUBRICS, kind=COMPOUND_ASSESSMENTS)
    found = compared(
        answers("supports", "none", "none", "none"),
        answers("supports", "none", "none", "partial"),
        RUBRICS,
    )
    parts = found.schemes[0].by_importance
    # na-1 and na-2 answer a have-to-know question, na-3 and na-4 a good-to-know one
    assert list(parts) == ["have to know", "good to know"]
    assert [part.coefficients["raw"] for part in parts.values()] == [1, 0.5]
    assert [part.n for part in parts.values()] == [2, 2]

    questions = toy.pairs_of("t r 1.1:similar 2.1:different")
    for scheme in compared(questions, questions, RUBRICS, kind=QUESTION_ASSESSMENTS).schemes:
        assert [part.n for part in scheme.by_importance.values()] == [1, 1]


def test_what_one_side_did_not_judge_is_no_agreement():
    unjudged = Unjudged(reason="no reply")
    first = answers("supports", "none", "none")
    second = [replace(item, label=unjudged) for item in first[:1]]
    second += toy.answers_of("t r - none", "t other none")
    found = compared(first, second)
    assert found.schemes[0].overall.n == 1
    assert found.unjudged == (0, 1)
    assert found.only == (1, 1)
    first = [toy.answer("t", run, "na-1", "none") for run in ("a", "b")]
    second = [toy.answer("t", run, "na-1", "none") for run in ("b", "c")]
    found = compared(first, second)
    assert found.only_runs == (("a",), ("c",))
    assert found.n_runs == 1
    assert found.other_rubrics == ()


def test_topics_that_seem_to_be_labelled_by_different_rubrics_are_told():
    other = toy.answer("u", "r", "na-1", "none")
    first, second = [*answers("supports", "none"), other], [*answers(*3 * ["none"]), other]
    assert compared(first, second).other_rubrics == ("t",)
    assert compared(first, first).other_rubrics == ()


def test_other_pairs_and_runs_of_one_rubric_are_no_different_rubrics():
    # Each side's pool holds another submitted question for rubric question 2, and a run of its own.
    first = toy.pairs_of("t r 1.1:similar 2.1:different", "t mine 1.1:similar")
    second = toy.pairs_of("t r 1.1:similar 2.3:different", "t yours 2.1:similar")
    found = compared(first, second, kind=QUESTION_ASSESSMENTS)
    assert found.only == (2, 2)
    assert found.other_rubrics == ()
    third = toy.pairs_of("t r 1.1:similar 2.1:different 3.1:different")
    assert compared(first, third, kind=QUESTION_ASSESSMENTS).other_rubrics == ("t",)


def test_coefficients_of_labels_that_are_all_equal_are_not_defined():
    same = answers("none", "none")
    seen = compared(same, same).schemes[0].overall.coefficients
    assert seen == {"raw": 1, "kappa": None, "ac1": 1, "nominal_alpha": None}
    pairs = [toy.answer(topic, "r", "na-1", "none") for topic in ("a", "b")]
    overall = compared(pairs, pairs).schemes[0].overall
    assert overall.intervals == {"kappa": None, "ac1": None}
    with pytest.raises(InputError, match="nothing that both files hold a label for"):
        compared(answers("none"), [toy.answer("t", "s", "na-1", "none")])
    item = [toy.answer("t", "r", "na-9", "none")]
    with pytest.raises(InputError, match=r"1 question or answer .* such as t na-9"):
        compared(item, item, RUBRICS)


def test_the_columns_say_what_kind_the_files_are(tmp_path):
    people = toy.write_csv(
        tmp_path / "people.csv", "topic_id,run_tag,answer_id,annotation", ("t", "r", "na-1", "none")
    )
    questions = toy.write_csv(
        tmp_path / "q.csv",
        "topic_id,rubric_question_rank,run_tag,run_question_rank,auto_assessment",
        ("t", 1, "r", 1, "similar"),
    )
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 0 d 1\n")

    kind, first, second = read_two_sides(people, people, SCALES)
    assert kind is ANSWER_ASSESSMENTS
    assert first == second == [toy.answer("t", "r", "na-1", "none")]
    assert read_two_sides(questions, questions, SCALES)[0] is QUESTION_ASSESSMENTS
    with pytest.raises(InputError, match=r"holds report_assessments, .* question_assessments"):
        read_two_sides(people, questions, SCALES)
    with pytest.raises(InputError, match="expected an assessment file; found qrels"):
        read_two_sides(people, qrels, SCALES)
    blank = tmp_path / "blank.csv"
    blank.write_text(people.read_text().replace("none", ""))
    with pytest.raises(InputError, match=r"blank\.csv: expected labels; found none in 1 row\n"):
        read_two_sides(people, blank, SCALES)


def test_intervals_are_those_of_other_draws_of_topics():
    choose = np.random.default_rng(2)
    topics = [f"t{number}" for number in range(12)]
    first, second = [], []
    for topic, share in zip(topics, choose.uniform(0.3, 1, len(topics)), strict=True):
        for number in range(40):
            label = str(choose.choice(["supports", "none"]))
            other = label if choose.random() < share else "none"
            first.append(toy.answer(topic, "r", f"na-{number}", label))
            second.append(toy.answer(topic, "r", f"na-{number}", other))
    found = compared(first, second, seed=1).schemes[0].overall
    again = compared(first, second, seed=1).schemes[0].overall
    assert found.intervals == again.intervals
    # Drawn here in another way: labels of drawn topics, one list of each side, and sklearn's kappa.
    sides = [
        np.array([item.label for item in side]).reshape(len(topics), -1) for side in (first, second)
    ]
    draws = [choose.integers(len(topics), size=len(topics)) for _ in range(400)]
    kappas = [cohen_kappa_score(sides[0][draw].ravel(), sides[1][draw].ravel()) for draw in draws]
    kappa, interval = found.coefficients["kappa"], found.intervals["kappa"]
    assert interval.low < kappa < interval.high
    # Percentiles of few topics are moved out, by a tenth here.
    low, high = np.quantile(kappas, [0.025, 0.975])
    assert 1 <= (interval.high - interval.low) / (high - low) < 1.3
    assert set(found.intervals) == {"kappa", "ac1"}


# Which way a side leans, and what swapping the sides does to it.
LEVELS = ("0", "1", "2")
PAIRS = st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)), min_size=1)


def test_a_lean_by_hand_and_grades_that_cannot_be_compared():
    found = lean(CategoryAgreement.of([("0", "2"), ("1", "1"), ("0", "1"), ("2", "1")], LEVELS))
    assert (found.higher, found.lower) == (2, 1)
    assert found.mean == pytest.approx((2 + 0 + 1 - 1) / 4)
    assert found.words == "the second side is more generous"
    with pytest.raises(InputError, match="at most 1000 grades; found labels from 0 to 1000000"):
        compare_qrels({"q": {"a": 0}}, {"q": {"a": 1_000_000}})
    with pytest.raises(InputError, match="no document that both files label"):
        compare_qrels({"q": {"a": 1}}, {"q": {"b": 1}})


@given(PAIRS)
def test_swapping_sides_turns_it_round(pairs):
    one = lean(CategoryAgreement.of(pairs, LEVELS))
    other = lean(CategoryAgreement.of([pair[::-1] for pair in pairs], LEVELS))
    assert (one.higher, one.lower) == (other.lower, other.higher)
    assert one.mean == pytest.approx(-other.mean)
    swapped = {"more": "less", "less": "more"}
    assert other.words == " ".join(swapped.get(word, word) for word in one.words.split()) or (
        one.words == other.words
    )


FIRST = {"q": {"a": 2, "b": 0, "c": 1}, "r": {"a": 1, "b": 0}, "s": {"a": 1}}
SECOND = {"q": {"a": 3, "b": 0, "d": 1}, "r": {"a": 0, "b": 1}}


def test_documents_that_both_sides_label():
    found = compare_qrels(FIRST, SECOND)
    # q: a and b; r: a and b; pairs are formed within a query only
    assert found.grades.categories == ("0", "1", "2", "3")
    assert found.grades.n == 4
    assert found.grades.table.tolist() == [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert found.order == PairOrder(concordant=1, tied=0, reversed=1)
    assert found.only == (2, 1)
    assert found.used == ([0, 1, 2], [0, 1, 3])
    assert found.relevance is None
    found = compare_qrels(FIRST, SECOND, (1, 3))
    # relevant on the first side: q a, r a; on the second: q a
    assert found.relevance.table.tolist() == [[1, 1], [0, 2]]
    found = compare_qrels({"q": {"a": 1, "b": 1}}, {"q": {"a": 1, "b": 1}})
    undefined = ("kappa", "ac1", "nominal_alpha")
    assert found.grades.coefficients == {"raw": 1.0, **dict.fromkeys(undefined)}
