"""Sentences that have an item's words and do not say it."""

import pytest

from sidelight.learned.reading.opposition import Conflict, conflict, said_of
from sidelight.learned.reading.words import read

ALL_WORDS = 1.0


def found(item: str, sentence: str) -> Conflict | None:
    (ours,), (theirs,) = said_of((read(item),)), said_of((read(sentence),))
    return conflict(ours, theirs, ALL_WORDS, theirs.sentence.content)


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
        ("All of the farms use the seed.", "Some of the farms use the seed."),
        ("The thieves stole the crown.", "The thieves tried to steal the crown."),
        (
            "The theatre in Mill Street was built in 1871.",
            "The school in Mill Street was built in 1871.",
        ),
        ("The court fined the club.", "Court, club, fine."),
    ],
)
def test_the_opposite_is_seen(item: str, sentence: str) -> None:
    assert found(item, sentence)


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("Corrance sued Ashdale.", "Corrance sued Ashdale."),
        ("Corrance sued Ashdale.", "Ashdale was sued by Corrance."),
        ("On 2 April 2021 the magazine changed it.", "The magazine changed it on April 2, 2021."),
        ("Quell is not a registered physician.", "Quell was never registered as a physician."),
        ("The saving is 80 percent.", "The saving is 80%."),
        ("The repair cost T1.8 million.", "The repair cost T1,800,000."),
        ("Each child drank 200 millilitres.", "Each child drank 0.2 litres."),
        ("The study had no control group.", "There was no control group in the study."),
        ("There is no evidence that it harms people.", "Nobody has shown that it harms people."),
        ("President Bush signed the bill.", "President George W. Bush signed the bill."),
    ],
)
def test_the_same_in_other_words_is_not_the_opposite(item: str, sentence: str) -> None:
    assert found(item, sentence) is None


def test_another_figure_contradicts_and_a_mere_doubt_does_not() -> None:
    item = "Skelvane Aerial paid T145,000 for the report."
    other = found(item, item.replace("145", "245"))
    doubted = found(item, f"She dreamt that {item}")
    assert other
    assert other.contradicts
    assert doubted
    assert not doubted.contradicts
