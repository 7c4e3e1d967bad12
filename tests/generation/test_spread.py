"""What is taken for an angle comes from different windows and hosts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.extractive.select import spread
from sidelight.schemas.segment import Segment, overlapping


def window(document: int, number: int, host: str) -> Segment:
    return Segment(
        segment_id=f"w_doc_00_{document}#{number}_{number}", url=f"https://{host}.example/", text=""
    )


SEGMENTS = st.lists(
    st.builds(window, st.integers(0, 3), st.integers(0, 4), st.sampled_from("abc")),
    max_size=12,
    unique_by=lambda segment: segment.segment_id,
)


def test_each_that_is_left_has_its_reason() -> None:
    first, overlapping, second, third, other, late = (
        window(1, 0, "a"),
        window(1, 1, "b"),
        window(1, 2, "a"),
        window(2, 0, "a"),
        window(3, 0, "b"),
        window(4, 0, "c"),
    )
    taken, left = spread([first, overlapping, second, third, other, late], 3)
    assert taken == [first, second, other]
    assert left == {
        overlapping.segment_id: "overlaps a window that says more",
        third.segment_id: "two from its host say more",
        late.segment_id: "others say more",
    }


@given(SEGMENTS, st.integers(1, 6))
def test_limits_hold_and_nothing_is_lost(segments: list[Segment], keep: int) -> None:
    taken, left = spread(segments, keep)
    ids = [segment.segment_id for segment in taken]
    assert len(taken) <= keep
    assert {*ids, *left} == {segment.segment_id for segment in segments}
    assert not set(ids) & set(left)
    assert all(sum(one.host == segment.host for one in taken) <= 2 for segment in taken)
    assert not any(overlapping(one, ids) for one in ids)
    assert taken[:1] == segments[:1]


def test_pages_without_an_address_are_hosts_of_their_own() -> None:
    segments = [Segment(segment_id=f"w_doc_00_{n}#0_0", text="") for n in range(4)]
    assert spread(segments, 4) == (segments, {})
    windows = [Segment(segment_id=f"w_doc_00_1#{n}_{n}", text="") for n in (0, 2, 4)]
    assert len(spread(windows, 4)[0]) == 2
