"""Searches around an article: what is dropped, and segments that are fetched once."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.retrieval.lateral import LateralRetriever, SegmentCache, overlap
from sidelight.schemas.investigation.evidence import DroppedHit, Hit, Query
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from tests.helpers.trec_run_retriever import TrecRunRetriever

BODY = (
    "The old mill by the river was sold last week to a company that nobody in the village had "
    "heard of before. Its new owner promises forty jobs and a museum within two years."
)
ARTICLE = Article(
    topic_id="m_doc_04_42", url="https://www.example.org/news/mill", title="Mill sold!", body=BODY
)
QUERY = Query(query_id="q", text="mill")


def found(
    *segments: Segment, k: int = 10, article: Article = ARTICLE, allow: bool = False
) -> tuple[list[str], dict[str, str]]:
    """Search a run of these segments, best first; return the ids kept and the reasons of drops."""
    by_id = {segment.segment_id: segment for segment in segments}
    hits = [Hit(segment_id, -float(rank)) for rank, segment_id in enumerate(by_id)]

    def lookup(ids: Sequence[str]) -> list[Segment]:
        return [by_id[segment_id] for segment_id in ids]

    around = None if allow else article
    lateral = LateralRetriever(TrecRunRetriever({"q": hits}), around, lookup)
    result = lateral.search([QUERY], k)
    return (
        [hit.segment_id for hit in result.hits["q"]],
        {drop.segment_id: drop.reason for drop in result.dropped},
    )


def segment(segment_id: str, text: str = "Something else entirely.", **fields: str) -> Segment:
    return Segment(segment_id=segment_id, text=text, **fields)


def test_the_articles_own_segments():
    own = [segment("m_doc_04_42#0_1"), segment("m_doc_04_42#7_9")]
    like_it = segment("m_doc_04_421#0_5")
    assert found(*own, like_it) == (
        ["m_doc_04_421#0_5"],
        {"m_doc_04_42#0_1": "own-article", "m_doc_04_42#7_9": "own-article"},
    )
    assert found(*own, like_it, allow=True)[0] == [s.segment_id for s in (*own, like_it)]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/news/mill",
        "https://example.org/news/mill/",
        "https://amp.example.org/news/mill",
        "https://WWW.Example.org/news/mill/amp/",
        "https://www.example.org/news/mill?amp=1#top",
    ],
)
def test_the_same_address(url):
    assert found(segment("a_doc_00_1#0_0", url=url)) == ([], {"a_doc_00_1#0_0": "copy-of-article"})


def test_other_addresses_and_titles():
    others = [
        segment("a_doc_00_1#0_0", url="https://www.example.org/news/mill-2", title="Mill reopens"),
        segment("a_doc_00_2#0_0", url="https://other.example/x", title="Mill sold!"),
        segment("a_doc_00_3#0_0", url="https://www.example.org/Mill/news"),
        segment("a_doc_00_4#0_0"),
    ]
    assert found(*others) == ([s.segment_id for s in others], {})
    same_place = segment("a_doc_00_5#0_0", url="https://example.org/p?id=7", title="mill sold")
    assert found(same_place)[0] == []
    # Nothing known about the article: nothing equals it.
    bare = Article(topic_id="m_doc_04_42", body=BODY)
    assert found(*others, article=bare)[0] == [s.segment_id for s in others]


def test_a_copy_of_the_text():
    words = BODY.split()
    copied = segment("a_doc_00_1#0_0", f"By our reporter. {BODY}")
    part = segment("a_doc_00_2#0_0", " ".join(words[3:25]))
    quoting = segment(
        "a_doc_00_3#0_0",
        f"The council asked who bought it. {' '.join(words[:8])} were the words of the notice "
        "that the members read aloud before they voted on another matter.",
    )
    assert found(copied, part, quoting) == (
        ["a_doc_00_3#0_0"],
        {"a_doc_00_1#0_0": "copy-of-article", "a_doc_00_2#0_0": "copy-of-article"},
    )


def test_overlap_by_hand():
    shared = {("a",), ("b",)}
    # The smaller set has 4 members, 2 of them in the other: 0.5.
    left = frozenset({*shared, ("c",), ("d",)})
    right = frozenset({*shared, ("e",), ("f",), ("g",)})
    assert overlap(left, right) == overlap(right, left) == 0.5
    assert overlap(frozenset(), right) == 0.0


def test_of_adjacent_windows_the_better_stays():
    windows = [segment(f"a_doc_00_1#{n}_{n}") for n in (4, 5, 3, 2, 6, 7)]
    kept, dropped = found(*windows)
    # 5 and 3 overlap 4; 2 is free of 4, since 3 is gone; 6 likewise; 7 overlaps 6.
    assert kept == ["a_doc_00_1#4_4", "a_doc_00_1#2_2", "a_doc_00_1#6_6"]
    assert set(dropped.values()) == {"overlaps-better-hit"}
    assert len(dropped) == 3
    assert len(found(*windows, allow=True)[0]) == 3


def test_as_many_remain_as_the_index_has():
    own = [segment(f"m_doc_04_42#{n}_{n}") for n in range(50)]
    others = [segment(f"a_doc_00_{n}#0_0") for n in range(8)]
    kept, dropped = found(*own, *others, k=5)
    assert kept == [s.segment_id for s in others[:5]]
    assert len(dropped) == 50
    assert len(found(*own, *others, k=20)[0]) == 8
    assert found(k=5) == ([], {})


def test_each_query_is_served_and_drops_are_listed_once():
    run = {"1": [Hit("m_doc_04_42#0_0", 2.0), Hit("b", 1.0)], "2": [Hit("m_doc_04_42#0_0", 1.0)]}
    lateral = LateralRetriever(
        TrecRunRetriever(run), ARTICLE, lambda ids: [segment(segment_id) for segment_id in ids]
    )
    result = lateral.search([Query(query_id=query, text="") for query in "123"], 3)
    assert result.hits == {"1": [Hit("b", 1.0)], "2": [], "3": []}
    assert result.dropped == (DroppedHit(segment_id="m_doc_04_42#0_0", reason="own-article"),)


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


def test_a_segment_is_fetched_once():
    store = Store()
    lookup = SegmentCache(store)
    assert [names(lookup(wanted)) for wanted in ("ab", "bca", "", "abc")] == [
        "ab",
        "bca",
        "",
        "abc",
    ]
    assert store.asked == ["a", "b", "c"]


def test_what_was_not_asked_for_the_longest_is_forgotten():
    store = Store()
    lookup = SegmentCache(store, size=2)
    for wanted in ("a", "b", "a", "c", "a", "b"):
        lookup(wanted)
    assert store.asked == ["a", "b", "c", "b"]


def test_a_failed_lookup_leaves_nothing_behind():
    store = Store()
    lookup = SegmentCache(store)
    with pytest.raises(ValueError, match="substring not found"):
        lookup("az")
    assert names(lookup("a")) == "a"


@settings(deadline=None)
@given(st.lists(st.text(LETTERS)), st.integers(1, 8))
def test_it_answers_as_the_store_does(asked, size):
    lookup = SegmentCache(Store(), size)
    assert [names(lookup(wanted)) for wanted in asked] == asked
