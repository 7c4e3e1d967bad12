"""Reducers: what two steps know is put together in any order, any number of times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.agents.state import merge_evidence, union
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment

KEYS = st.sampled_from("abcdef")


def facts(keys):
    """What one step knows: any two steps agree where they overlap."""
    return {key: key.upper() for key in keys}


def said_of(item):
    key, relevance = item
    segment = Segment(segment_id=key, text=key)
    return Evidence(segment=segment, relevance=dict(sorted(relevance.items())))


known = st.sets(KEYS).map(facts)
evidence = st.dictionaries(
    KEYS, st.dictionaries(st.sampled_from("xyz"), st.floats(0.01, 1), min_size=1), max_size=4
).map(lambda items: EvidenceSet(items=tuple(map(said_of, sorted(items.items())))))


@given(known, known, known)
def test_union_commutes_associates_and_is_idempotent(one, two, three):
    both = union(one, two)
    # Lists, because the order of the keys shows in the files too.
    assert list(both.items()) == list(union(two, one).items()) == sorted({**one, **two}.items())
    assert union(both, three) == union(one, union(two, three))
    assert union(both, two) == both


def test_numbered_keys_keep_the_order_they_were_numbered_in():
    ids = [*(f"rubric-{number}" for number in range(1, 13)), "rubric-2b", "lead-2-1"]
    merged = union(facts({*ids[6:]}), facts({*ids[:7]}))
    assert list(merged) == ["lead-2-1", *ids[:2], "rubric-2b", *ids[2:12]]


@given(known, known, KEYS)
def test_union_refuses_disagreement(one, two, key):
    with pytest.raises(ValueError, match=f"two steps disagree about '{key}'"):
        union({**one, key: "left"}, {**two, key: "right"})


@given(evidence, evidence, evidence)
def test_evidence_commutes_associates_and_is_idempotent(one, two, three):
    both = merge_evidence(one, two)
    assert both == merge_evidence(two, one)
    assert merge_evidence(both, three) == merge_evidence(one, merge_evidence(two, three))
    assert merge_evidence(both, two) == both
    assert merge_evidence(one, one) == one
    given = [dict(item.relevance) for some in (one, two) for item in some.items]
    highest = max((share for some in given for share in some.values()), default=None)
    merged = [share for item in both.items for share in item.relevance.values()]
    assert max(merged, default=None) == highest
