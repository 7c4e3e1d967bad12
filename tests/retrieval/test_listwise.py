from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sidelight.retrieval.rerank import STRIDE, WINDOW, ListwiseRetriever, window_starts
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment

QUERIES = [Query(query_id="a", text="first"), Query(query_id="b", text="second")]


class Places:
    """A retriever of numbered segments, as many as each query has."""

    name = "places"

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        return {
            query.query_id: [
                Hit(f"{place:04}", 9999.0 - place)
                for place in range(min(k, self.counts[query.query_id]))
            ]
            for query in queries
        }


def lookup(segment_ids: Sequence[str]) -> list[Segment]:
    return [Segment(segment_id=name, text=name) for name in segment_ids]


def reversing(windows: Sequence[tuple[str, Sequence[Segment]]]) -> list[list[int]]:
    """Prefer whatever the first stage put last."""
    return [
        sorted(range(len(window)), key=lambda at: window[at].segment_id, reverse=True)
        for _, window in windows
    ]


def test_windows_overlap_by_half_and_reach_the_top() -> None:
    # 45 candidates: 30-49 (to the end), 20-39, 10-29, 0-19
    assert list(window_starts(45)) == [30, 20, 10, 0]
    assert [list(window_starts(count)) for count in (0, 1, 20, 21, 30)] == [
        [0],
        [0],
        [0],
        [10, 0],
        [10, 0],
    ]


@given(st.integers(0, 120), st.integers(0, 120), st.integers(1, 40))
def test_a_perfect_order_brings_the_best_ten_to_the_top(one: int, other: int, k: int) -> None:
    counts = {"a": one, "b": other}
    retriever = ListwiseRetriever(Places(counts), reversing, lookup, depth=100)
    for name, hits in retriever.search(QUERIES, k).items():
        count = min(counts[name], 100)
        best = [f"{place:04}" for place in reversed(range(count))]
        assert [hit.segment_id for hit in hits[:STRIDE]] == best[: min(STRIDE, k)]
        assert len(hits) == min(k, count) == len({hit.segment_id for hit in hits})
        assert hits == ranked(hits)


def test_windows_of_one_place_are_asked_about_together() -> None:
    asked: list[list[tuple[str, int]]] = []

    def order(windows: Sequence[tuple[str, Sequence[Segment]]]) -> list[list[int]]:
        asked.append([(query, len(window)) for query, window in windows])
        return reversing(windows)

    ListwiseRetriever(Places({"a": 25, "b": 1}), order, lookup, depth=100).search(QUERIES, 5)
    # one segment needs no order
    assert asked == [[("first", 15)], [("first", WINDOW)]]
