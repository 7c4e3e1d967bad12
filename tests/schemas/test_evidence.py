"""Evidence merges in any order and hands out keys that lead back."""

from hypothesis import given
from hypothesis import strategies as st

from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment

items = st.builds(
    lambda number, angles: Evidence(
        segment=Segment(segment_id=f"w_doc_00_{number}#0_0", text="x"), relevance=angles
    ),
    st.integers(0, 4),
    st.dictionaries(st.sampled_from("abc"), st.floats(0.1, 1.0), min_size=1),
)
sets = st.lists(items, max_size=5).map(
    lambda found: EvidenceSet.merge(*(EvidenceSet(items=(item,)) for item in found))
)


@given(sets, sets, sets)
def test_merge_commutes_associates_and_is_idempotent(first, second, third):
    merge = EvidenceSet.merge
    assert merge(first, second) == merge(second, first)
    assert merge(first, merge(second, third)) == merge(merge(first, second), third)
    assert merge(first, first) == first


@given(sets)
def test_keys_lead_back_to_their_segments(found):
    ids = found.segment_ids()
    assert list(ids.values()) == sorted(ids.values())
    assert all(ids[key] == item.segment.segment_id for key, item in found.keyed())


def test_what_evidence_speaks_to_is_covered():
    found = EvidenceSet.merge(
        *(
            EvidenceSet(
                items=(
                    Evidence(
                        segment=Segment(segment_id=name, text="x"), relevance={"rating": score}
                    ),
                )
            )
            for name, score in (("s1", 0.2), ("s2", 0.9))
        )
    )
    assert found.covers(["rating", "funding"]) == {"rating"}
