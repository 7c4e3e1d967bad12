"""Windows are read page by page, in parts that fit, and no text twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.prompted.select_evidence import choose, page_date, parts
from sidelight.schemas.segment import Segment

BODY = " ".join(f"Sentence number {n} of the page." for n in range(60))


def window(page: int, number: int, size: int = 300, *, body: str = BODY) -> Segment:
    """Windows begin half a window apart."""
    start = number * size // 2
    text = body[start : start + size]
    return Segment(
        segment_id=f"web_doc_00_{page}#{number}_0",
        url=f"https://p{page}.example/",
        text=text,
        start_char=start,
        end_char=start + len(text),
    )


def test_the_best_of_every_angle_comes_before_the_second_of_any() -> None:
    one = [window(1, 0, body="a" * 900), window(2, 0, body="b" * 900)]
    other = [window(3, 0, body="c" * 900), window(1, 0, body="a" * 900)]
    assert choose([one, other], 10_000) == [one[0], other[0], one[1]]
    assert choose([one, other], 600) == [one[0], other[0]]
    assert choose([], 600) == []


def test_a_copy_on_another_page_is_not_read() -> None:
    assert choose([[window(1, 0), window(2, 0)]], 10_000) == [window(1, 0)]


def test_pages_stand_together_and_share_no_text() -> None:
    ((first, second, other),) = parts([window(1, 1), window(2, 0), window(1, 0)])
    assert [one.segment.segment_id for one in (first, second)] == [
        "web_doc_00_1#0_0",
        "web_doc_00_1#1_0",
    ]
    assert (first.follows, second.follows, other.follows) == (False, True, False)
    assert f"{first.text}{second.text}".replace(" ", "") == BODY[:450].replace(" ", "")


def test_windows_apart_keep_their_text() -> None:
    ((first, third),) = parts([window(1, 0), window(1, 3)])
    assert [first.text, third.text] == [window(1, n).text.strip() for n in (0, 3)]
    assert not third.follows


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), unique=True, max_size=120))
def test_every_window_is_in_one_part_or_says_nothing_new(places: list[tuple[int, int]]) -> None:
    segments = [window(page, number, 4_000, body=BODY * 20) for page, number in places]
    read = parts(segments)
    shown = [one.segment.segment_id for part in read for one in part]
    assert len(shown) == len(set(shown))
    assert set(shown) <= {one.segment_id for one in segments}
    assert {one.rpartition("#")[0] for one in shown} == {f"web_doc_00_{page}" for page, _ in places}
    assert all(sum(len(one.text) for one in part) <= 20_000 + 2_400 for part in read)


def test_the_date_at_the_top_of_a_page() -> None:
    for text, date in (
        ("A headline\nBy Ilse Marrow\n3 May 2021\nOn 4 June 2019 it rained.", "3 May 2021"),
        ("Spring count: 41 May 2020", "May 2020"),
        ("Updated Sept. 9, 2020, by the desk", "Sept. 9, 2020"),
        ("No date here, only 2020", ""),
    ):
        segment = Segment(segment_id="web_doc_00_1#0_0", text=text)
        assert page_date(segment) == date
        assert page_date(segment.model_copy(update={"start_char": 7})) == ""
