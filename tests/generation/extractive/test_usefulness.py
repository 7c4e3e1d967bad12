"""The model of usefulness knows every feature, and what it returns are chances."""

from __future__ import annotations

from sidelight.generation.extractive.usefulness import Usefulness
from sidelight.generation.extractive.write_report import read_findings
from sidelight.index.encoding.encoder import Encoder
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, PAGES, PROFILE


def test_the_features_of_findings_are_those_of_the_model_and_give_chances(
    encoder: Encoder,
) -> None:
    vectors = TextVectors(encoder.encode_sentences)
    read = read_findings(PROFILE, ANGLES, PAGES, vectors)
    model = Usefulness.load()
    assert (model.scale > 0).all()
    assert all(set(row) == set(model.names) for row in read.features)
    assert read.speaks.shape == (len(read.findings), len(ANGLES))
    chances = model.chances(read.features)
    assert ((chances > 0) & (chances < 1)).all()
    assert len(set(chances.tolist())) > 1
    assert model.chances([]).shape == (0,)
