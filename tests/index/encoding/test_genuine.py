from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sidelight.errors import MachineError
from sidelight.index.encoding import encoder as module
from sidelight.index.encoding.encoder import WEIGHTS, Encoder, bundled_model, genuine


def test_the_installed_weights_are_those_published() -> None:
    assert genuine(bundled_model()) == bundled_model()


def test_a_changed_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "model"
    shutil.copytree(bundled_model(), folder)
    with (folder / WEIGHTS).open("r+b") as stream:
        stream.seek(50_000_000)
        stream.write(b"\x01")
    monkeypatch.setattr(module, "bundled_model", lambda: folder)
    with pytest.raises(MachineError, match="expected the published weights"):
        Encoder().encode_sentences(["A text."])
    (folder / WEIGHTS).unlink()
    genuine.cache_clear()
    with pytest.raises(MachineError, match="no such file"):
        genuine(folder)
