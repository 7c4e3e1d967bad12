"""What a sentence takes back of its own words."""

import pytest

from sidelight.learned.reading.denial import frame, frames
from sidelight.learned.reading.words import read

FACT = "Voss has been a paid fellow of the Harrow Lane Institute since 2018"


@pytest.mark.parametrize(
    "sentence",
    [
        "It is false that {}.",
        "There is no evidence that {}.",
        "There is no proof whatsoever that {}.",
        "Corrance denied that {}.",
        *("Nobody has shown that {}.", "It isn't the case that {}.", "It is a myth that {}."),
        "Critics reject the claim that {}.",
        "Contrary to reports, {}.",
        "No evidence supports the claim that {}.",
        "It would be wrong to say that {}.",
        "Whether {} is unknown.",
        "The claim that {} has been debunked.",
        "The idea that {} was rejected.",
        "{}, but critics dispute, and records refute, this.",
        "{}, which is untrue.",
        "{}, although this has been refuted.",
        "{}, but records show otherwise.",
        "{}, a claim that experts dispute.",
    ],
)
def test_a_fact_that_is_denied_is_taken_back(sentence):
    read_sentence = read(sentence.format(FACT))
    taken = frame(read_sentence).taken_back
    fact = read(FACT).content
    assert all(back for stem, back in zip(read_sentence.stems, taken, strict=True) if stem in fact)


@pytest.mark.parametrize(
    "sentence",
    [
        FACT,
        "The council rejected the bill in 2019.",
        "The study found no decline in kidney function.",
        "He questioned the witness about the money.",
        "That is not only cheap but also good.",
        "Someone was denied access to the bathroom after not buying anything.",
    ],
)
def test_a_statement_takes_nothing_back(sentence):
    assert not any(frame(read(sentence)).taken_back)


def test_denials_reach_as_far_as_they_say():
    sentence = read("While there is no evidence that eclipses harm people, they frighten many.")
    taken = {
        stem for stem, back in zip(sentence.stems, frame(sentence).taken_back, strict=True) if back
    }
    assert "harm" in taken
    assert not any(stem.startswith("fright") for stem in taken)
    taken = frames([read(f"{FACT}."), read("This claim is false.")])[0].taken_back
    assert all(taken)
    found = frames([read("None of the following is true."), read(f"{FACT}.")])
    assert all(found[1].taken_back)
    assert frame(read(f"{FACT}?")).asks
    assert frame(read("Is the network too small")).asks
    assert not frame(read(FACT)).asks
