from __future__ import annotations

import math

import pytest

from sidelight.index.folder import IndexFolder
from sidelight.retrieval.base import MemoryRetriever, analyze
from sidelight.retrieval.first_stage import Bm25Retriever
from sidelight.schemas.investigation.evidence import Query
from sidelight.schemas.segment import Segment


def test_by_hand() -> None:
    retriever = MemoryRetriever(
        [
            Segment(segment_id="a", text="red red barn"),
            Segment(segment_id="b", text="red house"),
            Segment(segment_id="c", text="green"),
        ]
    )
    hits = retriever.search([Query(query_id="q", text="The red ones")], 10)["q"]
    # N = 3, df(red) = 2: idf = ln(1 + 1.5 / 2.5) = ln 1.6; mean length (3 + 2 + 1) / 3 = 2
    # a: tf 2, norm .9 (.6 + .4 * 3/2) = 1.08: 2 / 3.08;  b: tf 1, norm .9 (.6 + .4) = .9: 1 / 1.9
    assert [hit.segment_id for hit in hits] == ["a", "b"]
    assert [hit.score for hit in hits] == pytest.approx(
        [math.log(1.6) * 2 / 3.08, math.log(1.6) / 1.9]
    )


def test_finds_first_what_lucene_finds_first(
    small_index: IndexFolder, small_corpus: list[Segment]
) -> None:
    """Further down, the lengths of segments tell: Lucene knows fewer stop words."""
    queries = [
        Query(query_id=text, text=text)
        for text in ("glacier visitors", "ferries close", "bakery study", "violin accounts")
    ]
    ours = MemoryRetriever(small_corpus).search(queries, 5)
    lucene = Bm25Retriever(small_index.lucene).search(queries, 5)
    for text, hits in lucene.items():
        assert ours[text][0].segment_id == hits[0].segment_id
        assert {hit.segment_id for hit in ours[text]} == {hit.segment_id for hit in hits}


def test_analysis() -> None:
    assert analyze("The Council's COMPANIES, buses and classes; a glass house") == [
        *("council", "company", "buse", "classe", "glass", "house")
    ]


def test_nothing_to_search() -> None:
    query = Query(query_id="q", text="word")
    assert MemoryRetriever([]).search([query], 5) == {"q": []}
    assert MemoryRetriever([Segment(segment_id="a", text="")]).search([query], 5) == {"q": []}
