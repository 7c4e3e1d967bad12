"""The arithmetic of a build: what agrees, what is quickest, and what it goes on with."""

import shutil
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from sidelight.errors import MachineError
from sidelight.index.build import build_index
from sidelight.index.encoding import calibration
from sidelight.index.encoding.calibration import agreement, calibrate
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.index.engine import LocalEngine
from sidelight.index.folder import open_index
from sidelight.index.text.corpus import passage_text
from tests.helpers.models.tiny_models import write_encoder, write_encoder_with_int8


@pytest.fixture(scope="module")
def with_int8(tmp_path_factory):
    return write_encoder_with_int8(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def with_wrong_int8(with_int8, tmp_path_factory):
    """An encoder whose int8 file is that of another model."""
    folder = write_encoder(tmp_path_factory.mktemp("models") / "other", seed=8)
    shutil.copytree(with_int8 / "onnx", folder / "onnx")
    return folder


@pytest.fixture(scope="module")
def texts(small_corpus):
    return [passage_text(segment) for segment in small_corpus]


def test_agreement():
    reference = np.eye(3, dtype=np.float32)
    found = np.array([[0.6, 0.8, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    shown = agreement(found, reference)
    # Cosines 0.6, 1, 1. There are only two others for each text, so all share both.
    assert shown.mean_cosine == pytest.approx(2.6 / 3)
    assert shown.min_cosine == pytest.approx(0.6)
    assert shown.overlap == 1
    # Twelve texts on a quarter of a circle: all but the farthest end are nearest. When the two ends
    # change places, the ten between them lose one end and gain the other; the ends lose nothing.
    angles = np.linspace(0, np.pi / 2, 12)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert agreement(circle, circle).overlap == 1
    assert agreement(circle[[11, *range(1, 11), 0]], circle).overlap == pytest.approx(
        (10 * 0.9 + 2 * 1) / 12
    )


def test_the_quickest_that_agrees_is_chosen(with_int8, texts):
    chosen = calibrate(Encoder(str(with_int8)), texts)
    assert chosen.trials[0].arithmetic is Arithmetic.FP32
    assert chosen.trials[0].agreement.overlap == 1
    assert {one.arithmetic for one in chosen.trials} >= {Arithmetic.FP32, Arithmetic.INT8}
    accepted = {one.texts_per_s: one.arithmetic for one in chosen.trials if one.accepted}
    assert chosen.arithmetic is accepted[max(accepted)]
    assert "top-10 overlap" in str(chosen)


def test_one_that_does_not_agree_is_not_chosen(with_wrong_int8, texts):
    encoder = Encoder(str(with_wrong_int8))
    chosen = calibrate(encoder, texts)
    tried = {one.arithmetic: one for one in chosen.trials}
    assert not tried[Arithmetic.INT8].accepted
    assert chosen.arithmetic is not Arithmetic.INT8
    with pytest.raises(MachineError, match="expected int8 to encode as fp32 does"):
        calibrate(encoder.in_arithmetic(Arithmetic.INT8), texts)


@pytest.fixture
def tried(monkeypatch):
    """What is asked of `calibrate`, for collections of 30 segments or more."""
    asked: list[Arithmetic | None] = []
    real: Callable[[Encoder, Sequence[str]], calibration.Encoding] = calibrate

    def record(encoder, texts):
        asked.append(encoder.arithmetic)
        return real(encoder, texts)

    monkeypatch.setattr(calibration, "CALIBRATED", 30)
    monkeypatch.setattr(calibration, "_EVERY", 1)
    monkeypatch.setattr(calibration, "calibrate", record)
    return asked


def test_a_large_build_tries_once_and_goes_on_as_it_began(
    small_shard, with_int8, tried, tmp_path, monkeypatch
):
    def interrupt(*_):
        raise KeyboardInterrupt

    def build():
        encoder = Encoder(str(with_int8))
        return build_index([small_shard], tmp_path / "i", encoder, engine=LocalEngine(1)).encoding

    with monkeypatch.context() as patch:
        patch.setattr("sidelight.index.build.write_vectors", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build()
    begun = calibration.read_encoding(tmp_path / "i" / "parts")
    assert begun is not None
    assert build() == begun
    assert build() == begun  # done already
    assert tried == [None]
    assert open_index(tmp_path / "i").manifest.encoding == begun


def test_an_encoding_that_is_named_is_part_of_the_plan(small_shard, with_int8, tried, tmp_path):
    encoder = Encoder(str(with_int8), arithmetic=Arithmetic.INT8)
    manifest = build_index([small_shard], tmp_path / "i", encoder, engine=LocalEngine(1))
    free = manifest.plan.model_copy(update={"arithmetic": None})
    assert free.fingerprint() != manifest.fingerprint()
    assert manifest.encoding.arithmetic is Arithmetic.INT8
    assert tried == [Arithmetic.INT8]
    assert open_index(tmp_path / "i").encoder.arithmetic is Arithmetic.INT8


def test_a_small_build_does_not_try(small_shard, with_int8, tmp_path):
    encoder = Encoder(str(with_int8))
    manifest = build_index([small_shard], tmp_path / "i", encoder, engine=LocalEngine(1))
    assert manifest.encoding == calibration.Encoding(
        arithmetic=calibration.default_arithmetic(), trials=()
    )
