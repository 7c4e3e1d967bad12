"""The composer keeps its budget and prefers weight that is not covered yet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.compose import Candidate, chances_missed, compose
from sidelight.text import budget_words


def sentence(words: int, host: str = "h", **covers: float) -> Candidate:
    return Candidate(text="w " * words, covers=covers, host=host, segment_ids=("s",))


def never(_: Candidate, __: Candidate) -> bool:
    return False


candidates = st.lists(
    st.builds(
        lambda words, host, covers: sentence(words, host, **covers),
        st.integers(1, 40),
        st.sampled_from("gh"),
        st.dictionaries(st.sampled_from("abz"), st.floats(0, 1)),
    ),
    max_size=12,
)


@given(candidates, st.integers(0, 100))
def test_the_budget_is_never_exceeded_and_nothing_is_chosen_twice(
    items: list[Candidate], budget: int
) -> None:
    chosen = compose(items, {"a": 4.0, "b": 1.0}, budget, never)
    assert sum(budget_words(item.text) for item in chosen) <= budget
    assert len({id(item) for item in chosen}) == len(chosen)
    assert all(item.covers.get("a", 0) + item.covers.get("b", 0) > 0 for item in chosen)


@given(candidates)
def test_more_budget_never_covers_less(items: list[Candidate]) -> None:
    weights = {"a": 4.0, "b": 1.0}

    def covered(budget: int) -> float:
        missed = dict.fromkeys(weights, 1.0)
        for item in compose(items, weights, budget, never):
            for angle in weights:
                missed[angle] *= 1 - item.covers.get(angle, 0.0)
        return sum(weight * (1 - missed[angle]) for angle, weight in weights.items())

    assert covered(10_000) >= covered(30) - 1e-9


def test_a_covered_angle_is_worth_only_what_was_missed() -> None:
    # Gains per word at first: a1 4*.9/10 = .36, a2 4*.8/10 = .32, b 2*.5/10 = .10.
    # After a1: a2 4*.1*.8/10 = .032 (from another host), b .10. So b comes before a2.
    a1, a2, b = sentence(10, "x", a=0.9), sentence(10, "y", a=0.8), sentence(10, "z", b=0.5)
    chosen = compose([a2, b, a1], {"a": 4.0, "b": 2.0}, 20, never)
    assert chosen == [a1, b]


def test_a_second_sentence_from_one_host_is_worth_less() -> None:
    # After the first from x: x again 4*.5*.75/10 = .15, y 4*.4/10 = .16.
    first, again, other = (
        sentence(10, "x", a=1.0),
        sentence(10, "x", b=0.5),
        sentence(10, "y", b=0.4),
    )
    assert compose([first, again, other], {"a": 4.0, "b": 4.0}, 20, never) == [first, other]


def test_redundant_sentences_are_left_out() -> None:
    first, same = sentence(10, "x", a=0.9), sentence(10, "y", a=0.9)
    assert compose([first, same], {"a": 1.0}, 100, lambda *_: True) == [first]


@given(candidates, candidates, st.integers(0, 200))
def test_what_stands_uses_up_words_and_is_not_chosen_again(
    items: list[Candidate], standing: list[Candidate], budget: int
) -> None:
    chosen = compose(items, {"a": 4.0, "b": 1.0}, budget, never, standing=standing)
    words = sum(budget_words(item.text) for item in (*standing, *chosen))
    assert words <= budget or not chosen
    assert {id(item) for item in chosen} <= {id(item) for item in items}


@given(candidates, st.integers(0, 100))
def test_going_on_from_what_was_chosen_changes_nothing(items: list[Candidate], budget: int) -> None:
    weights = {"a": 4.0, "b": 1.0}
    chosen = compose(items, weights, budget, never)
    rest = [item for item in items if not any(item is one for one in chosen)]
    assert compose(rest, weights, budget, never, standing=chosen) == []


def test_two_chances_of_a_half_miss_a_quarter() -> None:
    # (1 - .5) * (1 - .5) = .25; nothing covers b; c is not asked about.
    assert chances_missed("ab", [{"a": 0.5, "c": 1.0}, {"a": 0.5}]) == {"a": 0.25, "b": 1.0}
