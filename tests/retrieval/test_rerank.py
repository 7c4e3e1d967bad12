from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tiny_models import write_int8

from sidelight.errors import MachineError
from sidelight.index.folder import IndexFolder
from sidelight.index.segment_text import passage_text
from sidelight.retrieval.bm25 import Bm25Retriever
from sidelight.retrieval.cross_encoder import CrossEncoder
from sidelight.retrieval.rerank import RerankRetriever
from sidelight.schemas.search import Hit, Query, ranked
from sidelight.schemas.segment import Segment

QUERY = Query(query_id="q", text="investor who owns a newspaper")


def test_orders_the_candidates_by_the_models_scores(
    small_index: IndexFolder, cross_encoder: str
) -> None:
    first, model = Bm25Retriever(small_index.lucene), CrossEncoder(cross_encoder)
    lookup = small_index.docstore.get_many
    reranked = RerankRetriever(first, model, lookup, depth=12)
    hits = reranked.search([QUERY, Query(query_id="none", text="xyzzy")], 5)
    candidates = lookup([hit.segment_id for hit in first.search([QUERY], 12)["q"]])
    scores = model.score(QUERY.text, [passage_text(segment) for segment in candidates])
    expected = dict(zip([s.segment_id for s in candidates], scores, strict=True))
    assert hits["none"] == []
    assert hits["q"] == ranked(hits["q"])
    best = sorted(expected, key=lambda segment_id: -expected[segment_id])[:5]
    assert {hit.segment_id for hit in hits["q"]} == set(best)
    for hit in hits["q"]:
        assert hit.score == pytest.approx(expected[hit.segment_id], abs=1e-5)
    assert reranked.name == "bm25+rerank"


@pytest.mark.parametrize("precision", ["as it comes", "bfloat16", "single"])
def test_scores_are_those_of_the_library(
    precision: str,
    cross_encoder: str,
    small_corpus: list[Segment],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from sentence_transformers import CrossEncoder as Theirs

    if precision != "as it comes":
        monkeypatch.setattr(
            "sidelight.index.precision.multiplies_bfloat16",
            lambda: precision == "bfloat16",
        )
    texts = [passage_text(segment) for segment in small_corpus]
    theirs = Theirs(cross_encoder).predict(
        [(QUERY.text, text) for text in texts], show_progress_bar=False
    )
    ours = CrossEncoder(cross_encoder).score(QUERY.text, texts)
    tolerance = 1e-5 if precision == "single" else 5e-3
    np.testing.assert_allclose(ours, theirs, atol=tolerance)
    # The last layer stays in single precision: otherwise almost all of these would be equal.
    assert len(set(ours)) > len(set(texts)) / 2


def test_scores_in_int8_are_near_those_of_the_library(
    cross_encoder: str,
    small_corpus: list[Segment],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from sentence_transformers import CrossEncoder as Theirs
    from transformers import AutoModelForSequenceClassification

    monkeypatch.setattr("sidelight.index.precision.multiplies_bfloat16", lambda: False)
    folder = Path(shutil.copytree(cross_encoder, tmp_path / "model"))
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    write_int8(folder, model, "logits")
    texts = [passage_text(segment) for segment in small_corpus]
    theirs = Theirs(cross_encoder).predict(
        [(QUERY.text, text) for text in texts], show_progress_bar=False
    )
    ours = CrossEncoder(str(folder))
    np.testing.assert_allclose(ours.score(QUERY.text, texts), theirs, atol=5e-3)
    assert not np.allclose(ours.score(QUERY.text, texts), theirs, atol=1e-6)
    assert ours.score(QUERY.text, texts[3:4]) == ours.score(QUERY.text, texts)[3:4]
    assert ours.score(QUERY.text, []) == []


class Recorded:
    """A first stage, a model and a lookup in one: scores are given, readings are counted."""

    name = "first"

    def __init__(self, scores: Sequence[float]) -> None:
        self.scores = {f"d{place:03}": score for place, score in enumerate(scores)}
        self.read: list[str] = []

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        hits = [Hit(name, 1000.0 - place) for place, name in enumerate(self.scores)]
        return {query.query_id: hits[:k] for query in queries}

    def lookup(self, segment_ids: Sequence[str]) -> list[Segment]:
        self.read += segment_ids
        return [Segment(segment_id=name, text=name) for name in segment_ids]

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [self.scores[text] for text in texts]


@pytest.mark.parametrize(
    ("margin", "n_read"),
    [
        (None, 96),
        (100.0, 96),  # no block is that much worse
        (3.0, 64),  # 2nd block: best 5, the 2nd best of all is 9; 5 < 9 - 3
        (5.0, 96),  # 5 < 9 - 5 is false; the third block is the last anyway
    ],
)
def test_reading_ends_where_the_rest_is_hopeless(margin: float | None, n_read: int) -> None:
    scores = [10.0, 9.0] + [1.0] * 30 + [5.0] * 32 + [2.0] * 32
    first = Recorded(scores)
    reranked = RerankRetriever(first, first, first.lookup, depth=96, margin=margin)  # type: ignore[arg-type]
    hits = reranked.search([QUERY], 2)["q"]
    assert hits == [Hit("d000", 10.0), Hit("d001", 9.0)]
    assert len(first.read) == n_read


def test_a_late_block_still_wins_without_a_margin() -> None:
    first = Recorded([1.0] * 64 + [7.0] * 2)
    reranked = RerankRetriever(first, first, first.lookup, depth=66)  # type: ignore[arg-type]
    assert [hit.segment_id for hit in reranked.search([QUERY], 2)["q"]] == ["d064", "d065"]


def test_no_such_model(small_index: IndexFolder, tmp_path: Path) -> None:
    retriever = RerankRetriever(
        Bm25Retriever(small_index.lucene),
        CrossEncoder(str(tmp_path / "none")),
        small_index.docstore.get_many,
    )
    with pytest.raises(MachineError, match="cannot be loaded"):
        retriever.search([QUERY], 5)
