"""From segments to documents, and the union of several searches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.retrieval.best_segment import (
    DocumentRetriever,
    FoundDocument,
    Pooled,
    documents_of,
    pool_documents,
    rank_pooled,
)
from sidelight.schemas.investigation.evidence import Hit, Query, ranked

HITS = st.lists(
    st.builds(
        Hit,
        st.builds("a_doc_00_{}#{}_0".format, st.integers(0, 5), st.integers(0, 4)),
        st.sampled_from([1.0, 2.0, 2.5, 9.0]),
    ),
    unique_by=lambda hit: hit.segment_id,
)
POOLED = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.floats(0, 5000, allow_nan=False), max_size=12
)


def test_a_document_is_its_best_segment():
    hits = [Hit("a#1", 3.0), Hit("b#0", 2.0), Hit("a#0", 3.0), Hit("whole", 1.0)]
    assert documents_of(hits) == [
        FoundDocument("a", 3.0, "a#0"),
        FoundDocument("b", 2.0, "b#0"),
        FoundDocument("whole", 1.0, "whole"),
    ]


@given(HITS, st.randoms())
def test_the_order_of_hits_does_not_matter(hits, rng):
    shuffled = hits.copy()
    rng.shuffle(shuffled)
    found = documents_of(shuffled)
    assert found == documents_of(hits)
    assert {one.document_id for one in found} == {hit.segment_id.partition("#")[0] for hit in hits}
    assert all(Hit(one.segment_id, one.score) in hits for one in found)


def test_it_searches_deeper_until_there_are_enough_documents():
    hits = [Hit(f"a#{n}", 100.0 - n) for n in range(20)] + [Hit("b#0", 3.0), Hit("c#0", 2.0)]
    depths = []

    def search(queries, k):
        depths.append(k)
        return {"q": ranked(hits)[:k]}

    found = DocumentRetriever(search).search([Query(query_id="q", text="x")], 2)["q"]
    assert [one.document_id for one in found] == ["a", "b"]
    assert depths == [4, 8, 16, 32]


def test_the_union_of_searches_adds_scores():
    """Two searches by hand: a has 5 + 2, b 4, c 1; a more useful document comes first always."""
    first = [FoundDocument("a", 5.0, "a#0"), FoundDocument("b", 4.0, "b#0")]
    second = [FoundDocument("a", 2.0, "a#3"), FoundDocument("c", 1.0, "c#0")]
    pooled = pool_documents([first, second])
    assert pooled == [
        Pooled("a", 7.0, ("a#0", "a#3")),
        Pooled("b", 4.0, ("b#0",)),
        Pooled("c", 1.0, ("c#0",)),
    ]
    assert pool_documents([second, first]) == pooled
    assert rank_pooled(pooled, {"c": 2, "b": 1}) == [
        Hit("c", 2001.0),
        Hit("b", 1004.0),
        Hit("a", 7.0),
    ]


def test_a_sum_next_to_a_step_does_not_round_up_to_the_next():
    pooled = [Pooled("a", 4999.999999999999, ("a#0",)), Pooled("b", 0.0, ("b#0",))]
    assert [hit.segment_id for hit in rank_pooled(pooled, {"a": 1, "b": 2})] == ["b", "a"]


@given(POOLED, st.data())
def test_two_always_stands_above_one_and_one_above_nothing(scores, data):
    pooled = [Pooled(name, score, (name,)) for name, score in scores.items()]
    labels = {name: data.draw(st.sampled_from([0, 1, 2])) for name in scores}
    found = [labels[hit.segment_id] for hit in rank_pooled(pooled, labels)]
    assert found == sorted(found, reverse=True)
    for label in (0, 1, 2):
        alike = [hit for hit in rank_pooled(pooled, labels) if labels[hit.segment_id] == label]
        sums = [scores[hit.segment_id] for hit in alike]
        assert sums == pytest.approx(sorted(sums, reverse=True))
