from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import MachineError
from sidelight.index.folder import IndexFolder
from sidelight.retrieval.bm25 import Bm25Retriever
from sidelight.retrieval.rerank import RerankRetriever
from sidelight.schemas.search import Query, ranked

QUERY = Query(query_id="q", text="investor who owns a newspaper")


def test_orders_the_candidates_by_the_models_scores(
    small_index: IndexFolder, cross_encoder: str
) -> None:
    from sentence_transformers import CrossEncoder

    from sidelight.index.segment_text import passage_text

    first = Bm25Retriever(small_index.lucene)
    lookup = small_index.docstore.get_many
    reranked = RerankRetriever(first, cross_encoder, lookup, depth=12)
    hits = reranked.search([QUERY, Query(query_id="none", text="xyzzy")], 5)
    candidates = lookup([hit.segment_id for hit in first.search([QUERY], 12)["q"]])
    scores = CrossEncoder(cross_encoder).predict(
        [(QUERY.text, passage_text(segment)) for segment in candidates], show_progress_bar=False
    )
    expected = dict(zip([s.segment_id for s in candidates], map(float, scores), strict=True))
    assert hits["none"] == []
    assert hits["q"] == ranked(hits["q"])
    best = sorted(expected, key=lambda segment_id: -expected[segment_id])[:5]
    assert {hit.segment_id for hit in hits["q"]} == set(best)
    for hit in hits["q"]:
        assert hit.score == pytest.approx(expected[hit.segment_id], abs=1e-5)
    assert reranked.name == "bm25+rerank"


def test_no_such_model(small_index: IndexFolder, tmp_path: Path) -> None:
    retriever = RerankRetriever(
        Bm25Retriever(small_index.lucene), str(tmp_path / "none"), small_index.docstore.get_many
    )
    with pytest.raises(MachineError, match="cannot be loaded"):
        retriever.search([QUERY], 5)
