from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sidelight.errors import InputError
from sidelight.index.folder import IndexFolder
from sidelight.index.lucene.segments import Bm25, LuceneIndex, Rm3, Rocchio, write_lucene
from sidelight.schemas.investigation.evidence import Query, ranked
from sidelight.schemas.segment import Segment

FERRY = Query(query_id="f", text="Are the ferries unsound?")


def test_finds_stems_in_text_title_and_address(small_index: IndexFolder) -> None:
    searcher = small_index.lucene.searcher()
    hits = searcher.search([FERRY], 10)["f"]
    assert len(hits) == 5
    assert all(hit.segment_id.startswith("small_doc_00_1#") for hit in hits)
    assert hits == ranked(hits)
    assert len(searcher) == 40


def test_hits_of_a_batch_are_those_of_single_queries(small_index: IndexFolder) -> None:
    searcher = small_index.lucene.searcher()
    queries = [
        Query(query_id=f"q{n}", text=text)
        for n, text in enumerate(
            ["study visitors", "unsafe glacier", "xyzzy", "the", "", "🎻 violin"]
        )
    ]
    batch = searcher.search(queries, 7)
    assert list(batch) == [query.query_id for query in queries]
    assert [len(hits) for hits in batch.values()] == [7, 7, 0, 0, 0, 5]
    for query in queries:
        assert searcher.search([query], 7) == {query.query_id: batch[query.query_id]}
    assert searcher.search([], 7) == {}


def test_parameters_change_scores(small_index: IndexFolder) -> None:
    query = [Query(query_id="q", text="quarry investor")]
    default, other, expanded, moved = (
        small_index.lucene.searcher(bm25, feedback).search(query, 40)["q"]
        for bm25, feedback in [
            (Bm25(), None),
            (Bm25(k1=2.0, b=0.9), None),
            (Bm25(), Rm3()),
            (Bm25(), Rocchio()),
        ]
    )
    scores = {hits[0].score for hits in (default, other, expanded, moved)}
    assert len(scores) == 4
    assert {hits[0].segment_id for hits in (default, other, expanded, moved)} == {
        "small_doc_00_0#0_0"
    }


def test_a_query_may_be_a_whole_article(small_index: IndexFolder) -> None:
    long = " ".join(f"word{n}" for n in range(5000)) + " lighthouse \udcff"
    hits = small_index.lucene.searcher().search([Query(query_id="q", text=long)], 3)["q"]
    assert len(hits) == 3


def test_searchers_of_several_threads_do_not_get_into_each_other(small_index: IndexFolder) -> None:
    index, kinds = small_index.lucene, (None, Rm3(), Rocchio())
    shared = [index.searcher(feedback=kind) for kind in kinds]
    queries = [
        Query(query_id=f"q{n}", text=text)
        for n, text in enumerate(["unsafe glacier", "quarry investor", "study visitors", "ferries"])
    ]
    alone = [[searcher.search([query], 10) for query in queries] for searcher in shared]

    def search(turn: int) -> bool:
        kind, place = turn % 3, turn % 4
        own = index.searcher(feedback=kinds[kind])
        return all(
            searcher.search([queries[place]], 10) == alone[kind][place]
            for searcher in (shared[kind], own)
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(search, range(120)))


def test_a_blank_segment_is_left_out(tmp_path: Path) -> None:
    segments = [Segment(segment_id="a", text=" \n"), Segment(segment_id="b", text="word")]
    write_lucene(tmp_path / "lucene", segments)
    assert len(LuceneIndex(tmp_path / "lucene").searcher()) == 1


def test_a_folder_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a Lucene index"):
        LuceneIndex(tmp_path)
