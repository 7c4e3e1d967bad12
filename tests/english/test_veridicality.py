"""What a text asserts, denies or leaves open, by the parse."""

from __future__ import annotations

import pytest

from sidelight.english.parser import parse
from sidelight.english.veridicality import Stance, has_clause, meanings

FACT = "the institute has paid Voss since 2018"
WORDS = {"institute", "paid", "Voss"}


def stances_of_the_fact(*texts: str) -> set[Stance]:
    parsed = parse([text.format(FACT) for text in texts])
    return {
        stance
        for sentence, found in zip(parsed, meanings(parsed), strict=True)
        for token, stance in zip(sentence.doc, found.stances, strict=True)
        if token.text in WORDS and FACT in sentence.text.replace("The institute", "the institute")
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "It is false that {}.",
        "There is no evidence that {}.",
        "Corrance denied that {}.",
        "Nobody has shown that {}.",
        "The auditors failed to prove that {}.",
        "It has ceased to be correct that {}.",
    ],
)
def test_what_is_denied_is_not_asserted(sentence: str) -> None:
    assert Stance.ASSERTED not in stances_of_the_fact(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "If {}, the fee was declared.",
        "She dreamt that {}.",
        "Suppose that {}.",
        "The rumour that {} spread fast.",
        "They asked whether {}.",
        "Is it true that {}?",
        "In her fantasy novel, {}.",
        "Oh sure, {}, and I am the queen.",
        "Many readers wrongly believe that {}.",
        "Rumour: {}.",
        "It is flummoxed that {}.",
        "Had anybody shown that {}, there would have been an inquiry.",
        "Naturally {}, and the moon is made of cheese.",
    ],
)
def test_what_nobody_vouches_for_is_left_open(sentence: str) -> None:
    assert stances_of_the_fact(sentence) <= {Stance.OPEN, Stance.DENIED}


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
    assert stances_of_the_fact(sentence) == {Stance.ASSERTED}


@pytest.mark.parametrize(
    "after",
    [
        "That is false.",
        "None of this ever happened.",
        "The paper later withdrew the claim.",
        "Just kidding.",
        "It had all been a dream.",
        "Wrong, as every document shows.",
        "The newspaper withdrew this sentence the next morning and apologised for it.",
        "And pigs fly.",
    ],
)
def test_the_next_sentence_may_take_it_back(after: str) -> None:
    assert Stance.ASSERTED not in stances_of_the_fact(
        "The institute has paid Voss since 2018.", after
    )


@pytest.mark.parametrize(
    "after",
    [
        "This is not disputed by anyone.",
        "The paper did not mention it.",
        "Another story proved false.",
    ],
)
def test_not_every_negation_behind_it_does(after: str) -> None:
    found = stances_of_the_fact("The institute has paid Voss since 2018.", after)
    assert found == {Stance.ASSERTED}


def test_an_announcement_takes_back_what_follows() -> None:
    found = stances_of_the_fact(
        "The following claim is false.", "The institute has paid Voss since 2018."
    )
    assert Stance.ASSERTED not in found


def test_a_clause_has_a_finite_verb_with_a_subject() -> None:
    told, keywords = parse(["The mill closed in March.", "Mill, closure, March, workers."])
    assert has_clause(told)
    assert not has_clause(keywords)


def test_nothing_says_nothing() -> None:
    assert [len(one.stances) for one in meanings(parse(["", "Voss left."]))] == [0, 3]


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
    (found,) = meanings([parsed])
    (voss,) = (token.i for token in parsed.doc if token.text == "Voss")
    assert (voss in found.withheld) is withheld


def test_a_verdict_some_sentences_on_takes_a_claim_back() -> None:
    for after in ("Answer: false.", "The sentence went round for months. It is false."):
        parsed = parse(["The institute paid Voss.", *after.replace(". ", ".|").split("|")])
        assert Stance.ASSERTED not in meanings(parsed)[0].stances
