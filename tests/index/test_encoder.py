from __future__ import annotations

import numpy as np
import pytest

from sidelight.errors import MachineError
from sidelight.index.encoder import Encoder

TEXTS = [
    "A short question?",
    "",
    "The council voted to close the ferry against the advice of its experts. " * 3,
    "word " * 600,  # longer than the model reads
    *(f"Sentence number {n} about an orchard." for n in range(10)),
]


def test_vectors_are_unit_float32(encoder: Encoder) -> None:
    vectors = encoder.encode_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert encoder.encode_queries([]).shape == (0, 384)


def test_a_text_has_the_same_bytes_in_any_company(encoder: Encoder) -> None:
    together = encoder.encode_documents(TEXTS)
    for row, text in enumerate(TEXTS):
        assert encoder.encode_documents([text]).tobytes() == together[row].tobytes()
    assert encoder.encode_documents(TEXTS[::-1]).tobytes() == together[::-1].tobytes()


def test_meaning_is_closer_than_another_meaning(encoder: Encoder) -> None:
    ship, boat, bread = encoder.encode_queries(
        ["the ship sank in the harbour", "a boat went down near the port", "how to bake bread"]
    )
    assert ship @ boat > 0.5 > ship @ bread


def test_agrees_with_the_library_itself(encoder: Encoder) -> None:
    from sentence_transformers import SentenceTransformer

    from sidelight.index.encoder import bundled_model

    theirs = SentenceTransformer(str(bundled_model())).encode(
        TEXTS, normalize_embeddings=True, show_progress_bar=False
    )
    ours = encoder.encode_documents(TEXTS)
    # Theirs are single precision; ours may have been made in bfloat16.
    assert np.sum(ours * theirs, axis=1).min() > 0.999


def test_identity(encoder: Encoder) -> None:
    identity = encoder.identity()
    assert (identity.name, identity.dimension, identity.max_tokens) == (
        "all-MiniLM-L6-v2",
        384,
        256,
    )
    assert identity == Encoder().identity()


def test_a_model_that_is_not_there(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MachineError, match="cannot be loaded"):
        Encoder(str(tmp_path / "no-model")).identity()


def test_vectors_cut_short_are_the_beginning_of_whole_ones(encoder: Encoder) -> None:
    short = Encoder(dimension=128)
    assert short.identity() == encoder.identity().model_copy(update={"dimension": 128})
    whole = encoder.encode_queries(["who owns the lighthouse"])[:, :128]
    cut = short.encode_queries(["who owns the lighthouse"])
    np.testing.assert_allclose(cut, whole / np.linalg.norm(whole), rtol=1e-5, atol=1e-6)
