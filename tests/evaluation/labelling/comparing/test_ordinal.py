from __future__ import annotations

import numpy as np
import pytest

from sidelight.evaluation.labelling.comparing.ordinal import (
    UNFITTED,
    OrdinalClassifier,
    Thresholds,
    agreement,
    fit_levels,
    predict_by_topic,
)

ZERO = Thresholds(0, (2.0, 3.0))  # never reached by features in [0, 1]


def separable(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """One feature in [0, 1] that tells three levels apart, and one of noise."""
    random = np.random.default_rng(seed)
    x = random.uniform(size=(n, 2))
    return x, np.digitize(x[:, 0], [1 / 3, 2 / 3])


def test_thresholds_count_what_is_reached() -> None:
    model = Thresholds(1, (0.25, 0.5))
    rows = np.array([[9, 0.2], [9, 0.25], [9, 0.6]])
    assert model.predict(rows).tolist() == [0, 1, 2]


def test_thresholds_have_no_confidence() -> None:
    assert Thresholds(1, (0.25, 0.5)).confidence(np.array([[9, 0.2], [9, 0.6]])).tolist() == [0, 0]


def test_confidence_is_the_probability_of_the_predicted_level() -> None:
    x, y = separable(300)
    model = OrdinalClassifier(x, y, 3)
    # Far from the limits at 1/3 and 2/3 the level is sure, on them it is a toss-up.
    sure = model.confidence(np.array([[0.0, 0.5], [1.0, 0.5]]))
    unsure = model.confidence(np.array([[0.33, 0.5], [0.67, 0.5]]))
    assert sure.min() > 0.9
    assert unsure.max() < 0.75
    unseen, truth = separable(400, seed=1)
    right, confidence = model.predict(unseen) == truth, model.confidence(unseen)
    assert ((confidence > 0) & (confidence <= 1)).all()
    assert right[confidence > 0.8].mean() > right[confidence <= 0.8].mean()


def test_classifier_learns_levels_and_is_deterministic() -> None:
    x, y = separable(300)
    unseen, truth = separable(200, seed=1)
    first = OrdinalClassifier(x, y, 3).predict(unseen)
    assert np.mean(first == truth) > 0.9
    assert (OrdinalClassifier(x, y, 3).predict(unseen) == first).all()


def test_more_agreement_never_lowers_the_level() -> None:
    x, y = separable(300)
    line = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    levels = OrdinalClassifier(x, y, 3).predict(line)
    assert (np.diff(levels) >= 0).all()
    assert set(levels.tolist()) == {0, 1, 2}


def test_too_few_examples_fall_back() -> None:
    x, y = separable(300)
    few = np.concatenate([np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:9]])
    assert fit_levels(x[few], y[few], 3, ZERO) is ZERO
    assert isinstance(fit_levels(x, y, 3, ZERO), OrdinalClassifier)


def test_unfitted_examples_are_predicted_but_not_learned_from() -> None:
    x, y = separable(300)
    spoiled = y.copy()
    spoiled[:50] = UNFITTED
    model = fit_levels(x, spoiled, 3, ZERO)
    reference = fit_levels(x[50:], y[50:], 3, ZERO)
    assert (model.predict(x) == reference.predict(x)).all()


def test_a_topic_is_predicted_without_its_own_labels() -> None:
    x, y = separable(300)
    topics = ["a", "b", "c"] * 100
    held_out = np.array(topics) == "c"
    flipped = np.where(held_out, 2 - y, y)
    before = predict_by_topic(x, y, topics, 3, ZERO)
    after = predict_by_topic(x, flipped, topics, 3, ZERO)
    assert (before[held_out] == after[held_out]).all()
    assert (before[~held_out] != after[~held_out]).any()


def test_agreement_by_hand() -> None:
    people = ["x", "x", "x", "y", "y", "y", "y", "y", "y", "y"]
    judge = ["x", "x", "y", "x", "y", "y", "y", "y", "y", "y"]
    # raw 8 / 10; chance 0.3 * 0.3 + 0.7 * 0.7 = 0.58; kappa (0.8 - 0.58) / (1 - 0.58)
    found = agreement(people, judge, ["t"] * 10)
    assert found.raw == 0.8
    assert found.kappa == pytest.approx(0.22 / 0.42)
    assert (found.n_labels, found.n_topics) == (10, 1)


def test_kappa_is_undefined_for_one_label() -> None:
    assert agreement(["x"] * 3, ["x"] * 3, ["t"] * 3).kappa is None
    assert agreement(["x"] * 3, ["y"] * 3, ["t"] * 3).kappa == 0
