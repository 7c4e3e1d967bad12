"""Sentences that use an item's words and say the opposite."""

import pytest

from sidelight.learned.reading.denial import frame
from sidelight.learned.reading.opposition import opposed, taken_back
from sidelight.learned.reading.words import read

ALL_WORDS = 1.0


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("Corrance sued Ashdale.", "Ashdale sued Corrance."),
        (
            "In May, Corrance sued Ashdale over patents.",
            "In May, Ashdale sued Corrance over patents.",
        ),
        (
            "Skelvane Aerial paid T145,000 for the report.",
            "Skelvane Aerial paid T245,000 for the report.",
        ),
        (
            "The fund gave 2.4 million, about 59 percent of the income.",
            "The fund gave 59 million, about 2.4 percent of the income.",
        ),
        ("Maris Quell is a registered physician.", "Maris Quell is not a registered physician."),
        ("Maris Quell is not a registered physician.", "Maris Quell is a registered physician."),
        ("Parcel prices rose sharply in the valley.", "Parcel prices fell sharply in the valley."),
    ],
)
def test_the_opposite_is_seen(item, sentence):
    assert opposed(read(item), read(sentence), ALL_WORDS)


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("Corrance sued Ashdale.", "Corrance sued Ashdale."),
        ("Corrance sued Ashdale.", "Ashdale was sued by Corrance."),
        ("On 2 April 2021 the magazine changed it.", "The magazine changed it on April 2, 2021."),
        ("Quell is not a registered physician.", "Quell was never registered as a physician."),
        ("The saving is 80 percent.", "The saving is 80%."),
        ("President Bush signed the bill.", "President George W. Bush signed the bill."),
    ],
)
def test_the_same_in_other_words_is_not_the_opposite(item, sentence):
    assert not opposed(read(item), read(sentence), ALL_WORDS)


def test_a_negation_may_be_denied_or_said():
    item = read("There is no evidence that veltose harms people.")
    sentence = read("Nobody has shown that veltose harms people.")
    assert not taken_back(item, sentence, frame(sentence))
    item = read("Maris Quell is not a registered physician.")
    sentence = read("It is false that Maris Quell is not a registered physician.")
    assert taken_back(item, sentence, frame(sentence))
