"""The model of usefulness knows every feature, and what it returns are chances."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import orjson

from sidelight.generation.extractive.usefulness import NAMES, Usefulness
from sidelight.generation.extractive.write_report import tabled
from sidelight.index.encoding.encoder import Encoder
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, PAGES, PROFILE


def test_the_weights_have_every_feature_and_no_other() -> None:
    path = files("sidelight.generation.extractive").joinpath("usefulness.json")
    rows = orjson.loads(path.read_bytes())["features"]
    assert sorted(rows) == sorted(NAMES)
    assert all(row["scale"] > 0 for row in rows.values())


def test_the_features_of_findings_give_chances(encoder: Encoder) -> None:
    vectors = TextVectors(encoder.encode_sentences)
    findings, table, speaks = tabled(PROFILE, ANGLES, PAGES, vectors)
    assert table.shape == (len(findings), len(NAMES))
    assert speaks.shape == (len(findings), len(ANGLES))
    assert np.isfinite(table).all()
    chances = Usefulness.load().chances(table)
    assert ((chances > 0) & (chances < 1)).all()
    assert len(set(chances.tolist())) > 1
