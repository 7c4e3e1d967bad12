from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.retrieval.lateral import SegmentCache
from sidelight.schemas.segment import Segment

LETTERS = "abcdef"


class Store:
    """Knows a few segments, and what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, segment_ids: Sequence[str]) -> list[Segment]:
        self.asked += segment_ids
        return [Segment(segment_id=name, text=LETTERS[LETTERS.index(name)]) for name in segment_ids]


def names(segments: Sequence[Segment]) -> str:
    return "".join(segment.segment_id for segment in segments)


def test_a_segment_is_fetched_once() -> None:
    store = Store()
    lookup = SegmentCache(store)
    assert [names(lookup(wanted)) for wanted in ("ab", "bca", "", "abc")] == [
        "ab",
        "bca",
        "",
        "abc",
    ]
    assert store.asked == ["a", "b", "c"]


def test_what_was_not_asked_for_the_longest_is_forgotten() -> None:
    store = Store()
    lookup = SegmentCache(store, size=2)
    for wanted in ("a", "b", "a", "c", "a", "b"):
        lookup(wanted)
    assert store.asked == ["a", "b", "c", "b"]


def test_a_failed_lookup_leaves_nothing_behind() -> None:
    store = Store()
    lookup = SegmentCache(store)
    with pytest.raises(ValueError, match="substring not found"):
        lookup("az")
    assert names(lookup("a")) == "a"


@settings(deadline=None)
@given(st.lists(st.text(LETTERS)), st.integers(1, 8))
def test_it_answers_as_the_store_does(asked: list[str], size: int) -> None:
    lookup = SegmentCache(Store(), size)
    assert [names(lookup(wanted)) for wanted in asked] == asked
