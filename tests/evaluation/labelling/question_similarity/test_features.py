from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.comparing import TextComparison
from sidelight.evaluation.labelling.rubric_labels import QUESTION_FEATURES, question_features
from tests.helpers.labels.labelled import N_QUESTIONS, question, rubric

RUBRIC = rubric("t1")
COMPARISON = TextComparison([q.text for q in RUBRIC.questions])


def test_a_repeated_question_shares_everything() -> None:
    features = question_features(COMPARISON, RUBRIC, [RUBRIC.questions[0].text])
    assert features.shape == (N_QUESTIONS, 1, len(QUESTION_FEATURES))
    assert features[0, 0, :3] == pytest.approx([1, 1, 1])
    assert features[1, 0, :3] == pytest.approx([0, 0, 0])


def test_a_vague_question_shares_little_with_a_full_one() -> None:
    # One of the eight words, all of equal weight: 2 * (1/8) * 1 / (1/8 + 1) = 2 / 9
    word = RUBRIC.questions[0].text.split()[1]
    features = question_features(COMPARISON, RUBRIC, [f"What is {word}?"])
    assert features[0, 0, :3] == pytest.approx([1 / 8, 2 / 9, 2 / 9])


def test_the_margin_is_over_the_closest_other_question() -> None:
    def encode(texts):
        first = RUBRIC.questions[0].text
        return np.array([[1, 0] if text == first else [0.6, 0.8] for text in texts], np.float32)

    features = question_features(TextComparison([], encode), RUBRIC, [RUBRIC.questions[0].text])
    # cosine 1 with itself, 0.6 with every other
    assert features[0, 0, 3:5] == pytest.approx([1, 0.4])
    assert features[1, 0, 3:5] == pytest.approx([0.6, -0.4])


@given(st.lists(st.text(max_size=80), max_size=4))
def test_features_are_bounded_for_any_text(texts: list[str]) -> None:
    features = question_features(COMPARISON, RUBRIC, texts or ["?"])
    assert (np.abs(features) <= 1 + 1e-9).all()


def test_questions_that_share_more_words_share_more() -> None:
    # ranks 4, 1, 2, 3 share 6, 4, 2, 0 of the eight words of their rubric question
    values = [
        question_features(COMPARISON, RUBRIC, [question("t1", rank).text])[rank - 1, 0, 1]
        for rank in (4, 1, 2, 3)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2] > values[3] == 0


def test_the_order_of_a_questions_answers_plays_no_part() -> None:
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
