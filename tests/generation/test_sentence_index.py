"""A text is encoded once, however often it is compared."""

from __future__ import annotations

import numpy as np

from sidelight.generation.extractive.sentence_index import SentenceIndex


def test_texts_are_encoded_once() -> None:
    seen: list[str] = []

    def encode(texts: object) -> np.ndarray:
        seen.extend(texts)  # type: ignore[call-overload]
        return np.eye(4, dtype=np.float32)[: len(seen)][-len(list(texts)) :]  # type: ignore[call-overload]

    index = SentenceIndex(encode)
    index.vectors(["a", "b"])
    assert index.similarity(["b", "a"], ["a", "c"]).tolist() == [[0, 0], [1, 0]]
    assert seen == ["a", "b", "c"]
    assert index.similarity([], ["a"]).shape == (0, 1)
