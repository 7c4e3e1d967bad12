"""Three drafts become one rubric, weighed by votes."""

from __future__ import annotations

from itertools import permutations
from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.prompted.draft_rubric.votes import SAME_QUESTION, count_votes

QUESTIONS = st.text("abcdef", min_size=1, max_size=3)
DRAFTS = st.lists(st.lists(QUESTIONS, unique=True, max_size=6), min_size=1, max_size=3)


def chance_cosine(first: str, second: str) -> float:
    """Some likeness, the same either way round; many pairs tie and a third are alike."""
    if first == second:
        return 1.0
    return (crc32("|".join(sorted((first, second))).encode()) % 10) / 10 + 0.05


def by_first_letter(first: str, second: str) -> float:
    return 0.9 if first[0] == second[0] else 0.1


def test_votes_weigh_four_two_and_one() -> None:
    drafts = [["owner?", "author?", "cost?"], ["oath?", "audit?"], ["old owners?", "deaths?"]]
    voted = count_votes(drafts, by_first_letter)
    # Three ask something with o, two something with a; cost and deaths have one vote each, and
    # deaths came second in its draft, cost third.
    assert [(one.question, one.votes, one.weight) for one in voted] == [
        ("oath?", 3, 4.0),
        ("audit?", 2, 2.0),
        ("deaths?", 1, 1.0),
        ("cost?", 1, 1.0),
    ]
    assert voted[0].wordings == ("oath?", "old owners?", "owner?")


def test_two_questions_of_one_assessor_never_count_as_one() -> None:
    voted = count_votes([["aa", "ab"], ["ac"]], by_first_letter)
    assert sorted(one.votes for one in voted) == [1, 2]


def test_the_weights_stay_when_an_assessor_is_missing() -> None:
    (one,) = count_votes([["a"], ["ab"]], by_first_letter)
    assert (one.votes, one.weight) == (2, 2.0)


def test_a_chain_of_likeness_is_not_one_question() -> None:
    near = {"ab": 0.9, "bc": 0.8, "ac": 0.3}
    voted = count_votes([["a"], ["b"], ["c"]], lambda *pair: near["".join(sorted(pair))])
    assert {one.wordings for one in voted if one.votes == 2} == {("a", "b")}


def test_likeness_counts_from_the_threshold_on() -> None:
    assert len(count_votes([["a"], ["b"]], lambda _, __: SAME_QUESTION)) == 1
    assert len(count_votes([["a"], ["b"]], lambda _, __: SAME_QUESTION - 0.0001)) == 2


@given(DRAFTS)
def test_the_order_of_assessors_changes_nothing(drafts: list[list[str]]) -> None:
    expected = count_votes(drafts, chance_cosine)
    for other in permutations(drafts):
        assert count_votes(other, chance_cosine) == expected


@given(DRAFTS)
def test_every_question_counts_once(drafts: list[list[str]]) -> None:
    voted = count_votes(drafts, chance_cosine)
    wordings = [text for one in voted for text in one.wordings]
    assert sorted(wordings) == sorted({text for draft in drafts for text in draft})
    for one in voted:
        assert one.question in one.wordings
        assert one.weight == {1: 1, 2: 2, 3: 4}[one.votes]
        assert one.votes == sum(any(text in one.wordings for text in draft) for draft in drafts)
        assert all(sum(text in one.wordings for text in draft) <= 1 for draft in drafts)
    assert [one.votes for one in voted] == sorted((one.votes for one in voted), reverse=True)
