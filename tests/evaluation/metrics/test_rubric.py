"""Measures of questions, reports and citations, by hand and in general."""

import re
from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.errors import UsageError
from sidelight.evaluation.metrics import base, citations
from sidelight.evaluation.metrics.rubric import (
    QuestionAverage,
    QuestionDcg,
    QuestionNdcg,
    RedundantQuestions,
    question_coverage,
    report_contradiction,
    report_support,
)
from sidelight.parts import KINDS
from sidelight.schemas.grading.judgment import JudgedSentence, Measure, Unjudged
from sidelight.schemas.grading.rubric import Nugget, NuggetBank
from sidelight.schemas.run import CitedSentence
from sidelight.tracks import load_track, scale_named
from tests.helpers.labels.toy import GOOD, HAVE, NICE, labelled_answers, labelled_pairs, rubric

SCALE = load_track().scales["similarity"]

VERY_SIMILAR, SIMILAR = "very-similar", "similar"
DIFFERENT, VERY_DIFFERENT = "different", "very-different"


def test_coverage_by_hand():
    labels = {
        (1, 3): SIMILAR,
        (1, 7): VERY_SIMILAR,
        (2, 7): SIMILAR,
        (3, 1): DIFFERENT,
        (3, 2): VERY_DIFFERENT,
    }
    # W = 4 + 2 + 1 = 7; best: 1, 0.5, 0; S = (4 * 1 + 2 * 0.5 + 1 * 0) / 7 = 5 / 7
    assert question_coverage(rubric("t", (HAVE, 1), (GOOD, 1), (NICE, 1)), labels, SCALE) == 5 / 7
    item = rubric("t", (HAVE, 1), (NICE, 1))
    # W = 5; only the first question is met: 4 / 5
    labels = {(1, 1): VERY_SIMILAR, (2, 1): Unjudged(reason="no reply")}
    assert question_coverage(item, labels, SCALE) == 0.8
    assert question_coverage(item, {}, SCALE) == 0
    item = rubric("t", (GOOD, 1), (GOOD, 2), (NICE, 3))
    labels = {(rank, 1): VERY_SIMILAR for rank in (1, 2, 3)}
    assert question_coverage(item, labels, SCALE) == pytest.approx(1, abs=0)
    found = {label: SCALE.credit(label) for label in SCALE.names}
    assert found == {VERY_SIMILAR: 1, SIMILAR: 0.5, DIFFERENT: 0, VERY_DIFFERENT: 0}


@given(labelled_pairs())
def test_the_rank_of_a_submitted_question_plays_no_part(case):
    item, labels = case
    ranks = {1: 3, 2: 1, 3: 2}
    moved = {(question, ranks[rank]): label for (question, rank), label in labels.items()}
    assert question_coverage(item, moved, SCALE) == question_coverage(item, labels, SCALE)


ANSWERS = load_track().scales["answers"]

SUPPORTS, PARTLY_SUPPORTS, CONTRADICTS = "supports", "partial", "contradicts"


def test_support_and_contradiction_by_hand():
    item = rubric("t", (HAVE, 2), (NICE, 1))
    # W = 4 + 1; S = (4 / 2 * (1 + 0) + 1 / 1 * 1) / 5 = 3 / 5
    found = report_support(item, {"na-1": SUPPORTS, "na-2": "none", "na-3": SUPPORTS}, ANSWERS)
    assert found == 0.6
    item = rubric("t", (GOOD, 3), (NICE, 1))
    labels = {
        "na-1": PARTLY_SUPPORTS,
        "na-2": SUPPORTS,
        "na-3": CONTRADICTS,
        "na-4": PARTLY_SUPPORTS,
    }
    # W = 3; S = (2 / 3 * 1.5 + 1 * 0.5) / 3 = 1.5 / 3
    assert report_support(item, labels, ANSWERS) == 0.5
    item = rubric("t", (HAVE, 2), (NICE, 1))
    # na-2 was left out or could not be judged: still 1 of 2 answers, (4 / 2 + 1) / 5
    assert report_support(item, {"na-1": SUPPORTS, "na-3": SUPPORTS}, ANSWERS) == 0.6
    unjudged = {"na-1": SUPPORTS, "na-2": Unjudged(reason="no reply"), "na-3": SUPPORTS}
    assert report_support(item, unjudged, ANSWERS) == 0.6
    labels = {"na-1": "contradicts", "na-2": "supports", "na-3": "partial"}
    # W = 5; S = (4 / 2 * 1 + 1 * 0) / 5 = 2 / 5
    assert report_contradiction(item, labels, ANSWERS) == 0.4
    assert report_contradiction(item, {"na-1": Unjudged(reason="no reply")}, ANSWERS) == 0


@given(labelled_answers())
def test_no_answer_is_both_supported_and_contradicted(case):
    contradiction = report_contradiction(*case, ANSWERS)
    assert 0 <= contradiction <= 1
    assert contradiction + report_support(*case, ANSWERS) <= 1 + 1e-12  # but for rounding


SCORED = st.one_of(
    labelled_pairs().map(lambda case: (question_coverage, SCALE, *case)),
    labelled_answers().map(lambda case: (report_support, ANSWERS, *case)),
)


@given(SCORED, st.randoms(use_true_random=False))
def test_bounded_and_free_of_order(case, random):
    score_of, scale, item, labels = case
    score = score_of(item, labels, scale)
    assert 0 <= score <= 1
    shuffled, questions = list(labels.items()), list(item.questions)
    random.shuffle(shuffled)
    random.shuffle(questions)
    reordered = item.model_copy(update={"questions": tuple(questions)})
    assert score_of(reordered, dict(shuffled), scale) == score


@given(SCORED, st.data())
def test_rises_with_a_label_and_never_by_omission(case, data):
    score_of, scale, item, labels = case
    if not labels:
        return
    score = score_of(item, labels, scale)
    changed = data.draw(st.sampled_from(sorted(labels)))
    for label in scale.names:
        other = score_of(item, labels | {changed: label}, scale)
        rises = scale.credit(label) - scale.credit(labels[changed])
        assert other >= score if rises >= 0 else other <= score
        # Of the labels of a question the best counts, of those of its answers all do.
        assert score_of is question_coverage or (other == score) == (rises == 0)
    without = {key: label for key, label in labels.items() if key != changed}
    assert score_of(item, without, scale) <= score
    assert score_of(item, labels | {changed: Unjudged(reason="?")}, scale) <= score


# Grades of questions by hand, and what holds for any grades.
QUALITY_SCALES = load_track("lateral2024").scales
GRADES = scale_named("question_quality").names
LISTS = st.lists(st.sampled_from(GRADES), min_size=10, max_size=10)


def ranked(labels):
    return dict(enumerate(labels, start=1))


def test_grades_by_hand():
    grades = ranked(["4", "-1", "2"])
    # 4 / log2(2) + 0 / log2(3) + 2 / log2(4) = 4 + 0 + 1
    assert QuestionDcg(10)(grades, QUALITY_SCALES) == pytest.approx(5.0)
    # (4 + 0 + 2) / 10: the flawed question counts as 0, and so do the seven that are not there
    assert QuestionAverage(10)(grades, QUALITY_SCALES) == pytest.approx(0.6)
    ideal = sum(4 / log2(rank + 1) for rank in range(1, 11))
    assert ideal == pytest.approx(18.1742, abs=5e-5)
    assert QuestionNdcg(10)(grades, QUALITY_SCALES) == pytest.approx(5 / ideal)
    assert base.UnjudgedQuestions(10)(grades) == 0  # the seven were not submitted
    assert RedundantQuestions(10)({1: False, 2: True, 11: True}) == pytest.approx(0.1)
    grades = {1: Unjudged(reason="no"), 2: "4"}
    assert QuestionDcg(10)(grades, QUALITY_SCALES) == pytest.approx(4 / log2(3))
    assert base.UnjudgedQuestions(10)(grades) == 0.5


@given(LISTS)
def test_flawed_is_worth_what_not_helpful_is(labels):
    same = ["0" if label == "-1" else label for label in labels]
    for measure in (QuestionDcg(10), QuestionNdcg(10), QuestionAverage(10)):
        assert measure(ranked(labels), QUALITY_SCALES) == measure(ranked(same), QUALITY_SCALES)
    assert 0 <= QuestionNdcg(10)(ranked(labels), QUALITY_SCALES) <= 1


@given(LISTS, st.integers(1, 9))
def test_a_better_question_earlier_never_costs(labels, place):
    ordered = labels.copy()
    if GRADES.index(ordered[place]) < GRADES.index(ordered[place - 1]):
        ordered[place - 1], ordered[place] = ordered[place], ordered[place - 1]
    dcg = QuestionDcg(10)
    assert dcg(ranked(ordered), QUALITY_SCALES) >= dcg(ranked(labels), QUALITY_SCALES) - 1e-12


# Measures of nuggets and citations: the tracks' examples, and what holds of any answer.


FULL, PARTIAL, NONE = SUPPORT_SCALE.names
UNJUDGED = Unjudged(reason="no reply")
SUPPORT_SCALES = {SUPPORT_SCALE.name: SUPPORT_SCALE}


def judged(labels):
    """Sentences of a report, by their labels."""
    return [
        JudgedSentence("r", "t", number, label, label, "", CitedSentence(text="It says."))
        for number, label in enumerate(labels, start=1)
    ]


def support_precision(labels):
    return citations.SupportPrecision()(judged(labels), SUPPORT_SCALES)


def support_recall(labels):
    return citations.SupportRecall()(judged(labels), SUPPORT_SCALES)


REPORTS = st.lists(st.sampled_from([FULL, PARTIAL, NONE, UNJUDGED, None]), max_size=12)


def test_examples_of_the_tracks_by_hand():
    # The first sentence is partially supported, the second fully, the third cites nothing.
    sentences = [PARTIAL, FULL, None]
    assert support_precision(sentences) == 0.75  # (0.5 + 1) / 2
    assert support_recall(sentences) == 0.5  # (0.5 + 1) / 3
    for sentences in ([], [None, None]):
        assert support_precision(sentences) == 0
        assert support_recall(sentences) == 0
    # 1 / 2 and 1 / 3
    assert support_precision([FULL, UNJUDGED, None]) == 0.5
    assert support_recall([FULL, UNJUDGED, None]) == pytest.approx(1 / 3)
    strict_vital, vital, strict_all, every, coverage = MEASURES
    assert measured(strict_vital, EXAMPLE) == pytest.approx(1 / 3)
    assert measured(vital, EXAMPLE) == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert measured(strict_all, EXAMPLE) == pytest.approx(2 / 5)
    assert measured(every, EXAMPLE) == pytest.approx(3 / 5)
    assert measured(coverage, EXAMPLE) == 2 / 4
    nuggets = [(OKAY, "", TOLD)]
    assert measured(citations.NuggetRecall(), nuggets) is None
    assert measured(citations.NuggetRecall("all"), nuggets) == 1
    assert measured(citations.SubNarrativeCoverage(), nuggets) is None
    nuggets = [(VITAL, "", TOLD), (VITAL, "", PARTLY), (OKAY, "", TOLD)]
    score = citations.SignedNuggetScore()
    assert measured(score, nuggets, [5, 3, -4]) == pytest.approx((5 + 1.5 - 4) / 8)
    assert measured(score, nuggets, [-0.1, -0.2, -0.3]) == pytest.approx(-0.5)
    # Without weights of their own nuggets weigh what their importance does.
    assert measured(score, nuggets) == pytest.approx((1 + 0.5 + 0.5) / 2.5)
    for weights in [[-1, -1, -1], [1, -5, -5], [1e-300, -1e6, -1e6]]:
        nuggets = [(VITAL, "", UNTOLD), (VITAL, "", TOLD), (OKAY, "", TOLD)]
        assert measured(citations.SignedNuggetScore(), nuggets, weights) == -1


@given(REPORTS, st.data())
def test_a_better_label_raises_both(sentences, data):
    cited = [place for place, item in enumerate(sentences) if item in (NONE, PARTIAL)]
    if not cited:
        return
    place = data.draw(st.sampled_from(cited))
    better = [*sentences]
    better[place] = FULL
    assert support_precision(better) > support_precision(sentences)
    assert support_recall(better) > support_recall(sentences)


@given(REPORTS)
def test_recall_is_at_most_precision_and_an_uncited_sentence_costs_it_alone(sentences):
    precision, recall = (measure(sentences) for measure in (support_precision, support_recall))
    assert 0 <= recall <= precision <= 1
    supported = {FULL, PARTIAL} & {item for item in sentences if isinstance(item, str)}
    assert (recall == precision) == (None not in sentences or not supported)
    assert support_precision([*sentences, None]) == precision
    assert support_recall([*sentences, None]) <= recall


# The example of the RAG 2025 overview's table 3, and what holds of any answer.
SCALES = load_track("rag2025").scales
VITAL, OKAY = SCALES["nugget_importance"].labels
TOLD, PARTLY, UNTOLD = SCALES["nuggets"].names
# Importance, sub-narrative and label of the five nuggets of the example.
EXAMPLE = [
    *((VITAL, "pay", TOLD), (VITAL, "culture", PARTLY), (VITAL, "business", PARTLY)),
    (OKAY, "society", TOLD),
    (OKAY, "business", UNTOLD),
]
LABELS = st.sampled_from([TOLD, PARTLY, UNTOLD, UNJUDGED])
NUGGETS = st.lists(
    st.tuples(st.sampled_from([VITAL, OKAY]), st.sampled_from(["", "a", "b"]), LABELS), min_size=1
)
MEASURES = (
    *(
        citations.NuggetRecall(),
        citations.NuggetRecall(strict=False),
        citations.NuggetRecall("all"),
    ),
    citations.NuggetRecall("all", strict=False),
    citations.SubNarrativeCoverage(),
)


def bank(nuggets, weights=None):
    return NuggetBank(
        topic_id="14",
        nuggets=tuple(
            Nugget(
                text=f"fact {place}",
                importance=importance,
                sub_narrative=part,
                own_weight=weights[place] if weights else None,
            )
            for place, (importance, part, _) in enumerate(nuggets)
        ),
    )


def measured(measure, nuggets, weights=None):
    return measure(bank(nuggets, weights), [label for *_, label in nuggets], SCALES)


@given(NUGGETS)
def test_values_are_shares_and_strict_is_never_more(nuggets):
    values = [measured(measure, nuggets) or 0.0 for measure in MEASURES]
    assert all(0 <= value <= 1 for value in values)
    assert values[0] <= values[1]
    assert values[2] <= values[3]
    # What could not be judged counts as not told.
    other = [(*one[:2], UNTOLD if one[2] == UNJUDGED else one[2]) for one in nuggets]
    assert values == [measured(measure, other) or 0.0 for measure in MEASURES]


@given(NUGGETS, st.data())
def test_a_better_label_never_costs(nuggets, data):
    place = data.draw(st.integers(0, len(nuggets) - 1))
    better = [*nuggets]
    better[place] = (*nuggets[place][:2], TOLD)
    for measure in (*MEASURES, citations.SignedNuggetScore()):
        before, after = measured(measure, nuggets), measured(measure, better)
        assert (before is None) == (after is None)
        assert (after or 0.0) >= (before or 0.0) - 1e-12


# Computations say what they need, and measures what they are.


TRACK = load_track()
OWN = {"stage_credit": {"stage": "written"}}  # what a computation cannot be made without


def test_the_docs_list_all_that_a_measure_may_ask_for():
    text = (Path(__file__).resolve().parents[3] / "docs" / "extending.md").read_text()
    (listed,) = re.findall(r"^- A measure may ask for: (.*?)\.$", text, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == list(base.RECORDED)


def record(**known):
    return base.TopicRecord(scales=TRACK.scales, **known)


def test_every_computation_says_what_it_is_and_needs():
    for name in KINDS["measure"].own:
        measure = base.declared(name).model_copy(update={"parameters": OWN.get(name, {})})
        assert (measure.name, measure.computes) == (name, name)
        assert measure.title
        assert base.Computed(measure).needs <= set(base.RECORDED)


def test_what_a_computation_needs_of_a_topic():
    computed = base.Computed(base.declared("question_coverage"))
    assert computed.needs == {"bank", "pairs", "scales"}
    bank = rubric("t", (HAVE, 1), (NICE, 1))
    pairs = {(1, 1): "very-similar", (2, 2): "very-similar"}
    assert computed(record(bank=bank, pairs=pairs)) == 1
    # Of 4 + 1, the second question is compound.
    assert computed(record(bank=bank, pairs=pairs, compound={2})) == 0.8
    # What was not submitted asks for no label.
    nothing = record(bank=bank, pairs={}, n_questions=0, answers={})
    for name in ("unjudged_pairs", "unjudged_answers"):
        assert base.Computed(base.declared(name))(nothing) == 0


class Asking:
    """Asks for what no record holds."""

    measure = Measure(title="never")

    def __call__(self, report, answer):
        return 0


class Silent:
    """Says of no measure what it is."""

    def __call__(self, report):
        return 0


def test_what_cannot_be_computed_is_refused():
    for measure, says in [
        (
            Measure(name="x", computes=f"{__name__}:Asking", title="x"),
            "asks for 'answer'; on offer",
        ),
        (Measure(name="x", computes="words", parameters={"depth": 3}, title="x"), "depth"),
        (
            base.declared("question_dcg").model_copy(update={"parameters": {"depth": 10**12}}),
            "question_dcg wants a whole number from 1 to",
        ),
    ]:
        with pytest.raises(UsageError, match=says):
            base.Computed(measure)
    with pytest.raises(UsageError, match="expected a class attribute `measure`"):
        base.declared(f"{__name__}:Silent")
