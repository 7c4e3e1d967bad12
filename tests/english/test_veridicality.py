"""What a text asserts, denies or leaves open, by the parse."""

from __future__ import annotations

import pytest

from sidelight.english.parser import parse
from sidelight.english.veridicality import Stance, has_clause, meaning

FACT = "the institute has paid Voss since 2018"
WORDS = {"institute", "paid", "Voss"}


def stances_of_the_fact(text: str) -> set[Stance]:
    (sentence,) = parse([text.format(FACT)])
    stances = meaning(sentence).stances
    return {
        stance for token, stance in zip(sentence.doc, stances, strict=True) if token.text in WORDS
    }


DENIED_OR_OPEN, ASSERTED = {Stance.OPEN, Stance.DENIED}, {Stance.ASSERTED}


@pytest.mark.parametrize(
    "sentence",
    [
        # Denied.
        "It is false that {}.",
        "There is no evidence that {}.",
        "Corrance denied that {}.",
        "Nobody has shown that {}.",
        "The auditors failed to prove that {}.",
        "It has ceased to be correct that {}.",
        # Vouched for by nobody.
        "If {}, the fee was declared.",
        "She dreamt that {}.",
        "Suppose that {}.",
        "The rumour that {} spread fast.",
        "They asked whether {}.",
        "Is it true that {}?",
        "In her fantasy novel, {}.",
        "Many readers wrongly believe that {}.",
        "It is flummoxed that {}.",
        "Had anybody shown that {}, there would have been an inquiry.",
    ],
)
def test_what_is_denied_or_left_open_is_not_asserted(sentence: str) -> None:
    assert stances_of_the_fact(sentence) <= DENIED_OR_OPEN


@pytest.mark.parametrize(
    "sentence",
    [
        "In fact {}.",
        "Two historians confirmed that {}.",
        "According to the register, {}.",
        "There is no doubt that {}.",
        "The spokesman did not deny that {}.",
        "The fact that {} is rarely mentioned.",
        "Not many papers reported it, but {}.",
        "Nobody was surprised to learn that {}.",
        "It turned out that {}.",
    ],
)
def test_what_is_vouched_for_is_asserted(sentence: str) -> None:
    assert stances_of_the_fact(sentence) == ASSERTED


def test_a_clause_has_a_finite_verb_with_a_subject() -> None:
    told, keywords = parse(["The mill closed in March.", "Mill, closure, March, workers."])
    assert has_clause(told)
    assert not has_clause(keywords)


def test_nothing_says_nothing() -> None:
    assert [len(meaning(one).stances) for one in parse(["", "Voss left."])] == [0, 3]


@pytest.mark.parametrize(
    ("sentence", "withheld"),
    [
        ("It is a myth that {}.", True),
        ("There are rumours that {}.", True),
        ("The institute did not pay Voss.", False),
        ("The institute may pay Voss.", False),
        ("Few people know that {}.", False),
        ("What is certain is that {}.", False),
    ],
)
def test_what_is_denied_outright_is_vouched_for_as_denied(sentence: str, withheld: bool) -> None:
    (parsed,) = parse([sentence.format(FACT)])
    found = meaning(parsed)
    (voss,) = (token.i for token in parsed.doc if token.text == "Voss")
    assert (voss in found.withheld) is withheld
