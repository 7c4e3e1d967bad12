"""Similarity of questions: what its features are, and what the shipped model makes of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.learned.reading.tables import frequencies
from sidelight.learned.similarity import PAIR_FEATURES, Expected, SimilarityModel, features
from sidelight.text_vectors import TextVectors

RUBRIC = (
    Expected("Who owns the Kettlewick Herald?", ("Morrowgate Holdings has owned it since 2016",)),
    Expected("Where does the figure of 41 per cent come from?", ("A survey of 212 readers",)),
    Expected("What do independent engineers say about the bridge?", ()),
)


def by_name(rubric, submitted, vectors=None):
    found = features(rubric, submitted, vectors)
    assert found.shape == (len(rubric), len(submitted), len(PAIR_FEATURES))
    return {name: found[:, :, place] for place, name in enumerate(PAIR_FEATURES)}


def test_features_by_hand():
    found = by_name(RUBRIC, [RUBRIC[0].question, "Is 41 per cent right?", "Who owns 30 per cent?"])
    assert found["rubric words"][0, 0] == found["own words"][0, 0] == found["names"][0, 0] == 1
    assert found["rubric words"][1, 0] == found["words with answers"][2, 0] == 0
    # Shared of "figure", "41", "per" and "cent": the last three.
    share = found["rubric words"][1, 1]
    weights = frequencies().weights(["figur", "41", "cent"])
    assert 0 < share < 1
    assert weights["41"] > 0
    assert found["figures"][:, 1].tolist() == [0, 1, 0]
    assert found["other figures"][:, 1].tolist() == [1, 0, 1]
    assert found["figures"][:, 2].tolist() == [0, 0, 0]
    # No name is wanted or asked for: neither for nor against.
    assert found["names"][1, 1] == found["asked names"][1, 1] == 0.5


def test_margins_by_hand():
    def encode(texts):
        near = {RUBRIC[0].question: [1, 0], RUBRIC[1].question: [0, 1], "asked?": [0.6, 0.8]}
        return np.array([near.get(text, [1, 0]) for text in texts], np.float32)

    found = by_name(RUBRIC, ["asked?"], TextVectors(encode))
    assert found["cosine"][:, 0] == pytest.approx([0.6, 0.8, 0.6])
    assert found["cosine over others"][:, 0] == pytest.approx([-0.2, 0.2, -0.2])
    # Answers are all at [1, 0]; the third question expects none, so it is as far as can be.
    assert found["answer cosine over others"][:, 0] == pytest.approx([0, 0, -0.6])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=4))
def test_features_are_bounded_for_any_text(texts):
    rubric = [Expected(text, tuple(texts)) for text in texts] or RUBRIC
    assert (np.abs(features(rubric, texts or ["?"], None)) <= 1 + 1e-9).all()


def test_the_order_of_answers_plays_no_part():
    def encode(texts):
        """A vector of its own for each text, whatever its words."""
        rows = np.array(
            [np.random.default_rng(list(text.encode())).standard_normal(16) for text in texts]
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    ours = Expected("Who owns it?", ("A bank does", "A charity of its readers does"))
    turned = Expected(ours.question, ours.answers[::-1])
    fewer = Expected(ours.question, ours.answers[:1])
    vectors, asked = TextVectors(encode), ["Which bank owns it?"]
    found = features([ours, *RUBRIC], asked, vectors)
    assert np.array_equal(features([turned, *RUBRIC], asked, vectors), found)
    assert not np.array_equal(features([fewer, *RUBRIC], asked, vectors), found)


def test_the_same_question_is_likelier_than_another():
    model = SimilarityModel(None)
    asked = [RUBRIC[0].question, "Who is the owner of the Kettlewick Herald?", "When was it fixed?"]
    _, logits = model.look(RUBRIC, asked)
    same, reworded, other = logits[0, :, 0]
    assert same > reworded > other
    assert (logits[1:, 0, 0] < other + 1).all()
