"""What labels without a model are made of: words in common, meaning, and levels."""

from functools import partial
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.comparing import (
    UNFITTED,
    Compared,
    LevelLabels,
    OrdinalClassifier,
    TextComparison,
    Thresholds,
    agreement,
    fit_levels,
    predict_by_topic,
    predict_by_topic_and_run,
)
from sidelight.evaluation.labelling.rubric_labels import QUESTION_FEATURES, question_features
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.labelled import N_QUESTIONS, question, rubric


def test_rare_words_weigh_more():
    comparison = TextComparison(["alpha beta", "alpha gamma", "alpha delta"])
    # n = 3: alpha has df 3, log(4 / 3.5); beta has df 1, log(4 / 1.5)
    common, rare = log(4 / 3.5), log(4 / 1.5)
    assert comparison.overlap("alpha beta", "the alpha") == pytest.approx(common / (common + rare))
    assert comparison.overlap("alpha beta", "Beta!") == pytest.approx(rare / (common + rare))


def test_unseen_words_weigh_most_and_stop_words_nothing():
    comparison = TextComparison(["alpha beta"])
    # n = 1: alpha log(2 / 1.5), the unseen omega log(2 / 0.5)
    expected = log(2 / 1.5) / (log(2 / 1.5) + log(2 / 0.5))
    assert comparison.overlap("alpha and the omega", "alpha") == pytest.approx(expected)
    assert comparison.overlap("and the", "and the") == 0


def test_cosines_are_zero_without_an_encoder_and_encoded_once_with_one():
    assert TextComparison([]).cosines(["a", "b"], ["c"]).tolist() == [[0], [0]]
    asked: list[str] = []

    def encode(texts):
        asked.extend(texts)
        return np.array([[1, 0] if text == "a" else [0, 1] for text in texts], dtype=np.float32)

    comparison = TextComparison([], encode)
    assert comparison.cosines(["a", "b"], ["a", "a"]).tolist() == [[1, 1], [0, 0]]
    comparison.cosines(["b"], ["a"])
    assert asked == ["a", "b"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_overlap_is_a_share(wanted, text):
    comparison = TextComparison(["some words of a rubric"])
    assert 0 <= comparison.overlap(wanted, text) <= 1 + 1e-12
    # More text never loses a word that was there.
    assert comparison.overlap(wanted, f"{text} {wanted}") >= comparison.overlap(wanted, text)


ZERO = Thresholds(0, (2.0, 3.0))  # never reached by features in [0, 1]
FIT = partial(fit_levels, n_levels=3, fallback=ZERO)


def separable(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """One feature in [0, 1] that tells three levels apart, and one of noise."""
    random = np.random.default_rng(seed)
    x = random.uniform(size=(n, 2))
    return x, np.digitize(x[:, 0], [1 / 3, 2 / 3])


def test_thresholds_count_what_is_reached():
    model = Thresholds(1, (0.25, 0.5))
    rows = np.array([[9, 0.2], [9, 0.25], [9, 0.6]])
    assert model.predict(rows).tolist() == [0, 1, 2]


def test_thresholds_know_no_probabilities():
    rows = np.array([[9, 0.2], [9, 0.6]])
    assert Thresholds(1, (0.25, 0.5)).probabilities(rows).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_probabilities_say_how_sure_a_level_is():
    x, y = separable(300)
    model = OrdinalClassifier(x, y, 3)
    # Far from the limits at 1/3 and 2/3 the level is sure, on them it is a toss-up.
    sure = model.probabilities(np.array([[0.0, 0.5], [1.0, 0.5]]))
    unsure = model.probabilities(np.array([[0.33, 0.5], [0.67, 0.5]]))
    assert sure[[0, 1], [0, 2]].min() > 0.9
    assert unsure.max() < 0.75
    unseen, truth = separable(400, seed=1)
    likely = model.probabilities(unseen)
    assert likely.sum(axis=1) == pytest.approx(1)
    levels = model.predict(unseen)
    right, confidence = levels == truth, likely[np.arange(len(levels)), levels]
    assert right[confidence > 0.8].mean() > right[confidence <= 0.8].mean()


def test_labels_of_equal_credit_are_not_uncertain_of_each_other():
    class TossUp:
        """Knows that there is no credit, and not which of the labels without."""

        def predict(self, features):
            return np.ones(len(features), dtype=np.int64)

        def probabilities(self, features):
            # very-different, different, similar, very-similar
            return np.tile([0.48, 0.5, 0.02, 0.0], (len(features), 1))

    scale = load_track().scales["similarity"]
    assert scale.levels[:2] == ("very-different", "different")
    assert LevelLabels(TossUp(), scale, 0.9).of(np.zeros((2, 1))) == ["different"] * 2
    [withheld] = LevelLabels(TossUp(), scale, 0.99).of(np.zeros((1, 1)))
    assert isinstance(withheld, Unjudged)


def test_classifier_learns_levels_and_is_deterministic():
    x, y = separable(300)
    unseen, truth = separable(200, seed=1)
    first = OrdinalClassifier(x, y, 3).predict(unseen)
    assert np.mean(first == truth) > 0.9
    assert (OrdinalClassifier(x, y, 3).predict(unseen) == first).all()


def test_more_agreement_never_lowers_the_level():
    x, y = separable(300)
    line = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    levels = OrdinalClassifier(x, y, 3).predict(line)
    assert (np.diff(levels) >= 0).all()
    assert set(levels.tolist()) == {0, 1, 2}


def test_too_few_examples_fall_back():
    x, y = separable(300)
    few = np.concatenate([np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:9]])
    assert fit_levels(x[few], y[few], 3, ZERO) is ZERO
    assert isinstance(fit_levels(x, y, 3, ZERO), OrdinalClassifier)


def test_unfitted_examples_are_predicted_but_not_learned_from():
    x, y = separable(300)
    spoiled = y.copy()
    spoiled[:50] = UNFITTED
    model = fit_levels(x, spoiled, 3, ZERO)
    reference = fit_levels(x[50:], y[50:], 3, ZERO)
    assert (model.predict(x) == reference.predict(x)).all()


def test_a_topic_is_predicted_without_its_own_labels():
    x, y = separable(300)
    topics = ["a", "b", "c"] * 100
    held_out = np.array(topics) == "c"
    flipped = np.where(held_out, 2 - y, y)
    before = predict_by_topic(x, y, topics, FIT)
    after = predict_by_topic(x, flipped, topics, FIT)
    assert (before[held_out] == after[held_out]).all()
    assert (before[~held_out] != after[~held_out]).any()


def test_neither_topic_nor_run_is_known_where_both_are_held_out():
    # The feature is a run's own manner: it says the level in the run, and nothing in another.
    choose = np.random.default_rng(4)
    runs = np.array([f"r{number}" for number in range(4)]).repeat(90)
    topics = np.tile(["a", "b", "c"], 120)
    y = choose.integers(0, 3, size=360)
    x = np.zeros((360, 8))
    for number in range(4):
        here = runs == f"r{number}"
        x[here, number] = y[here]
        x[here, 4 + number] = 1
    known = predict_by_topic(x, y, list(topics), FIT)
    new = predict_by_topic_and_run(x, y, list(topics), list(runs), FIT)
    assert new is not None
    assert np.mean(known == y) > 0.9
    assert np.mean(new == y) < 0.5


def test_held_out_labels_do_not_matter():
    x, y = separable(300)
    topics, runs = ["a", "b", "c"] * 100, ["r", "s"] * 150
    held_out = (np.array(topics) == "c") | (np.array(runs) == "r")
    flipped = np.where(held_out, 2 - y, y)
    tested = (np.array(topics) == "c") & (np.array(runs) == "r")
    before = predict_by_topic_and_run(x, y, topics, runs, FIT)
    after = predict_by_topic_and_run(x, flipped, topics, runs, FIT)
    assert (before[tested] == after[tested]).all()


def test_one_run_cannot_be_held_out():
    x, y = separable(300)
    assert predict_by_topic_and_run(x, y, ["a", "b"] * 150, ["r"] * 300, FIT) is None


def test_agreement_by_hand():
    people = ["x", "x", "x", "y", "y", "y", "y", "y", "y", "y"]
    judge = ["x", "x", "y", "x", "y", "y", "y", "y", "y", "y"]
    # raw 8 / 10; chance 0.3 * 0.3 + 0.7 * 0.7 = 0.58; kappa (0.8 - 0.58) / (1 - 0.58)
    found = agreement(Compared(people, judge, people, ["t"] * 10, ["r", "s"] * 5))
    assert (found.raw_new_runs, found.kappa_new_runs, found.n_runs) == (1, 1, 2)
    assert found.raw == 0.8
    assert found.kappa == pytest.approx(0.22 / 0.42)
    assert (found.n_labels, found.n_topics) == (10, 1)


def test_kappa_is_undefined_for_one_label():
    topics, runs = ["t"] * 3, ["r"] * 3
    assert agreement(Compared(["x"] * 3, ["x"] * 3, None, topics, runs)).kappa is None
    assert agreement(Compared(["x"] * 3, ["y"] * 3, None, topics, runs)).kappa == 0


RUBRIC = rubric("t1")
COMPARISON = TextComparison([q.text for q in RUBRIC.questions])


def test_a_repeated_question_shares_everything():
    features = question_features(COMPARISON, RUBRIC, [RUBRIC.questions[0].text])
    assert features.shape == (N_QUESTIONS, 1, len(QUESTION_FEATURES))
    assert features[0, 0, :3] == pytest.approx([1, 1, 1])
    assert features[1, 0, :3] == pytest.approx([0, 0, 0])


def test_a_vague_question_shares_little_with_a_full_one():
    # One of the eight words, all of equal weight: 2 * (1/8) * 1 / (1/8 + 1) = 2 / 9
    word = RUBRIC.questions[0].text.split()[1]
    features = question_features(COMPARISON, RUBRIC, [f"What is {word}?"])
    assert features[0, 0, :3] == pytest.approx([1 / 8, 2 / 9, 2 / 9])


def test_the_margin_is_over_the_closest_other_question():
    def encode(texts):
        first = RUBRIC.questions[0].text
        return np.array([[1, 0] if text == first else [0.6, 0.8] for text in texts], np.float32)

    features = question_features(TextComparison([], encode), RUBRIC, [RUBRIC.questions[0].text])
    # cosine 1 with itself, 0.6 with every other
    assert features[0, 0, 3:5] == pytest.approx([1, 0.4])
    assert features[1, 0, 3:5] == pytest.approx([0.6, -0.4])


@given(st.lists(st.text(max_size=80), max_size=4))
def test_features_are_bounded_for_any_text(texts):
    features = question_features(COMPARISON, RUBRIC, texts or ["?"])
    assert (np.abs(features) <= 1 + 1e-9).all()


def test_questions_that_share_more_words_share_more():
    # ranks 4, 1, 2, 3 share 6, 4, 2, 0 of the eight words of their rubric question
    values = [
        question_features(COMPARISON, RUBRIC, [question("t1", rank).text])[rank - 1, 0, 1]
        for rank in (4, 1, 2, 3)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2] > values[3] == 0


def test_the_order_of_a_questions_answers_plays_no_part():
    def encode(texts):
        """A vector of its own for each text, whatever its words."""
        rows = np.array(
            [np.random.default_rng(list(text.encode())).standard_normal(16) for text in texts]
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    first, second = (RUBRIC.questions[place].answers[0] for place in (0, 1))
    one_way, other_way = (
        RUBRIC.model_copy(
            update={"questions": (RUBRIC.questions[0].model_copy(update={"answers": answers}),)}
        )
        for answers in ((first, second), (second, first))
    )
    comparison, asked = TextComparison([], encode), ["Who owns it?"]
    features = question_features(comparison, one_way, asked)
    assert np.array_equal(question_features(comparison, other_way, asked), features)
    assert not np.array_equal(question_features(comparison, RUBRIC, asked)[:1], features)
