from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.ablation.shared import SharedSources, remembering
from sidelight.config.settings import RetrievalSettings
from sidelight.index.folder import IndexFolder
from sidelight.schemas.search import Query


def test_a_text_is_encoded_once() -> None:
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.extend(texts)
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    remember = remembering(encode)
    assert remember(["a", "bb", "a"]).tolist() == [[1, 1], [2, 1], [1, 1]]
    assert remember(["ccc", "bb"]).tolist() == [[3, 1], [2, 1]]
    assert remember([]).shape == (0, 2)
    assert asked == ["a", "bb", "ccc"]


def test_arms_that_search_alike_share_their_hits(small_index: IndexFolder) -> None:
    sources = SharedSources(small_index)
    shallow = sources.retriever(RetrievalSettings(retriever="bm25", depth=5))
    deep = sources.retriever(RetrievalSettings(retriever="bm25", depth=50))
    same = sources.retriever(RetrievalSettings(retriever="bm25", depth=5, listwise_depth=7))
    assert same is shallow
    assert deep is not shallow
    first, second = (Query(query_id=name, text="unsafe glacier") for name in "ab")
    found = shallow.search([first], 3)["a"]
    # The very hits, not equal ones: nothing was searched again.
    assert shallow.search([second], 3)["b"] is found
    assert len(shallow.search([second], 2)["b"]) == 2
