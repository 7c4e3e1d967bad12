"""Labels of two sides compared, and which way a side leans."""

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
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
)
from sidelight.schemas.grading.judgment import AnswerAssessment, Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import GOOD, HAVE, answer, pair, rubric, verdict, write_csv

SCALES = load_track().scales

RUBRICS = {"t": rubric("t", (HAVE, 2), (GOOD, 2))}


def answers(*labels: str) -> list[AnswerAssessment]:
    return [answer("t", "r", f"na-{number}", label) for number, label in enumerate(labels, 1)]


def test_answers_are_compared_in_four_categories():
    found = compare_labels(
        ANSWER_ASSESSMENTS,
        SCALES,
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
    }
    assert scheme.by_importance == {}


def test_questions_are_also_compared_with_those_labels_merged_that_earn_nothing():
    found = compare_labels(
        QUESTION_ASSESSMENTS,
        SCALES,
        [pair("t", 1, "r", 1, "different"), pair("t", 1, "r", 2, "very-similar")],
        [pair("t", 1, "r", 1, "very-different"), pair("t", 1, "r", 2, "similar")],
    )
    four, three = (scheme.overall for scheme in found.schemes)
    assert four.categories == ("very-similar", "similar", "different", "very-different")
    assert four.coefficients["raw"] == 0
    assert three.categories == ("very-similar", "similar", "no-credit")
    assert three.coefficients["raw"] == 0.5


def test_what_one_side_did_not_judge_is_counted_and_not_compared():
    unjudged = Unjudged(reason="no reply")
    first = answers("supports", "none", "none")
    second = [replace(item, label=unjudged) for item in first[:1]]
    second += [answer("t", "r", "na-2", "none"), answer("t", "other", "na-1", "none")]
    found = compare_labels(ANSWER_ASSESSMENTS, SCALES, first, second)
    assert found.schemes[0].overall.n == 1
    assert found.unjudged == (0, 1)
    assert found.only == (1, 1)


def test_agreement_by_importance():
    found = compare_labels(
        ANSWER_ASSESSMENTS,
        SCALES,
        answers("supports", "none", "none", "none"),
        answers("supports", "none", "none", "partial"),
        RUBRICS,
    )
    parts = found.schemes[0].by_importance
    # na-1 and na-2 answer a have-to-know question, na-3 and na-4 a good-to-know one
    assert list(parts) == ["have to know", "good to know"]
    assert [part.coefficients["raw"] for part in parts.values()] == [1, 0.5]
    assert [part.n for part in parts.values()] == [2, 2]

    questions = [pair("t", 1, "r", 1, "similar"), pair("t", 2, "r", 1, "different")]
    for scheme in compare_labels(
        QUESTION_ASSESSMENTS, SCALES, questions, questions, RUBRICS
    ).schemes:
        assert [part.n for part in scheme.by_importance.values()] == [1, 1]


def test_a_biased_judge_is_seen():
    people = answers(*["none"] * 6, *["supports"] * 2)
    generous = answers(*["supports"] * 8)
    found = compare_labels(ANSWER_ASSESSMENTS, SCALES, people, generous).schemes[0].overall
    assert found.shares["supports"] == (0.25, 1.0)
    assert found.shares["none"] == (0.75, 0.0)
    # p_o = p_e = 2 / 8: all of its agreement is chance
    assert found.coefficients["kappa"] == 0


def test_undefined_is_not_zero():
    same = answers("none", "none")
    assert compare_labels(ANSWER_ASSESSMENTS, SCALES, same, same).schemes[
        0
    ].overall.coefficients == {"raw": 1, "kappa": None, "ac1": 1}


def test_compound_verdicts():
    first = [verdict("t", "r", 1, "compound"), verdict("t", "r", 2, "not-compound")]
    second = [verdict("t", "r", 1, "compound"), verdict("t", "r", 2, "compound")]
    [scheme] = compare_labels(COMPOUND_ASSESSMENTS, SCALES, first, second).schemes
    assert scheme.overall.table.tolist() == [[1, 0], [1, 0]]
    with pytest.raises(UsageError, match="belong to no rubric question"):
        compare_labels(COMPOUND_ASSESSMENTS, SCALES, first, second, RUBRICS)


def test_nothing_in_common_is_an_error():
    with pytest.raises(InputError, match="nothing that both files hold a label for"):
        compare_labels(
            ANSWER_ASSESSMENTS, SCALES, answers("none"), [answer("t", "s", "na-1", "none")]
        )


def test_rubrics_must_know_what_was_judged():
    item = [answer("t", "r", "na-9", "none")]
    with pytest.raises(InputError, match=r"1 question or answer .* such as t na-9"):
        compare_labels(ANSWER_ASSESSMENTS, SCALES, item, item, RUBRICS)


def test_the_columns_say_what_kind_the_files_are(tmp_path):
    people = write_csv(
        tmp_path / "people.csv", "topic_id,run_tag,answer_id,annotation", ("t", "r", "na-1", "none")
    )
    questions = write_csv(
        tmp_path / "q.csv",
        "topic_id,rubric_question_rank,run_tag,run_question_rank,auto_assessment",
        ("t", 1, "r", 1, "similar"),
    )
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 0 d 1\n")

    kind, first, second = read_two_sides(people, people, SCALES)
    assert kind is ANSWER_ASSESSMENTS
    assert first == second == [answer("t", "r", "na-1", "none")]
    assert read_two_sides(questions, questions, SCALES)[0] is QUESTION_ASSESSMENTS
    with pytest.raises(InputError, match=r"holds report_assessments, .* question_assessments"):
        read_two_sides(people, questions, SCALES)
    with pytest.raises(InputError, match="expected an assessment file; found qrels"):
        read_two_sides(people, qrels, SCALES)


def test_intervals_are_those_of_other_draws_of_topics():
    choose = np.random.default_rng(2)
    topics = [f"t{number}" for number in range(12)]
    first, second = [], []
    for topic, share in zip(topics, choose.uniform(0.3, 1, len(topics)), strict=True):
        for number in range(40):
            label = str(choose.choice(["supports", "none"]))
            other = label if choose.random() < share else "none"
            first.append(answer(topic, "r", f"na-{number}", label))
            second.append(answer(topic, "r", f"na-{number}", other))
    found = compare_labels(ANSWER_ASSESSMENTS, SCALES, first, second, seed=1).schemes[0].overall
    again = compare_labels(ANSWER_ASSESSMENTS, SCALES, first, second, seed=1).schemes[0].overall
    assert found.intervals == again.intervals
    # Drawn here in another way: labels of drawn topics, one list of each side, and sklearn's kappa.
    sides = [
        np.array([item.label for item in side]).reshape(len(topics), -1) for side in (first, second)
    ]
    draws = [choose.integers(len(topics), size=len(topics)) for _ in range(1500)]
    kappas = [cohen_kappa_score(sides[0][draw].ravel(), sides[1][draw].ravel()) for draw in draws]
    kappa, interval = found.coefficients["kappa"], found.intervals["kappa"]
    assert interval.low < kappa < interval.high
    # Percentiles of few topics are moved out, by a tenth here.
    low, high = np.quantile(kappas, [0.025, 0.975])
    assert 1 <= (interval.high - interval.low) / (high - low) < 1.3
    assert set(found.intervals) == {"kappa", "ac1"}


def test_two_topics_have_no_interval():
    pairs = [answer(topic, "r", "na-1", "none") for topic in ("a", "b")]
    overall = compare_labels(ANSWER_ASSESSMENTS, SCALES, pairs, pairs).schemes[0].overall
    assert overall.intervals == {"kappa": None, "ac1": None}


def test_runs_of_one_side_are_named():
    first = [answer("t", run, "na-1", "none") for run in ("a", "b")]
    second = [answer("t", run, "na-1", "none") for run in ("b", "c")]
    found = compare_labels(ANSWER_ASSESSMENTS, SCALES, first, second)
    assert found.only_runs == (("a",), ("c",))
    assert found.n_runs == 1


# Which way a side leans, and what swapping the sides does to it.
LEVELS = ("0", "1", "2")
PAIRS = st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)), min_size=1)


def test_a_lean_by_hand():
    found = lean(CategoryAgreement.of([("0", "2"), ("1", "1"), ("0", "1"), ("2", "1")], LEVELS))
    assert (found.higher, found.lower) == (2, 1)
    assert found.mean == pytest.approx((2 + 0 + 1 - 1) / 4)
    assert found.words == "the second side is more generous"


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
