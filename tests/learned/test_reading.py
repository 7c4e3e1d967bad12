"""What a text asserts, takes back and opposes, and that nothing makes reading it fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.evaluation.audit.text_attacks import TEXT_ATTACKS, keywords, shuffle
from sidelight.learned.reading.denial import frame, frames
from sidelight.learned.reading.opposition import opposed, taken_back
from sidelight.learned.reading.tables import word_order
from sidelight.learned.reading.text_pieces import read_text
from sidelight.learned.reading.words import MAX_WORDS, read, split, stem

TEXT = (
    "The institute was founded in 1990 by a retired judge. It publishes a journal twice a year, "
    "and most of its income comes from a foundation. The journal never had an editor of its own."
)


def test_prose_within_the_limit_is_asserted_and_keywords_are_not():
    assert read_text(TEXT).asserted == (0, 1, 2)
    fluent = word_order().fluency(read(split(TEXT)[1]).shapes)
    shuffled = word_order().fluency(read(shuffle(split(TEXT)[1])).shapes)
    assert fluent > 0.3
    assert shuffled < 0
    assert not read_text(keywords(TEXT)).asserted
    assert read_text(f"{TEXT} Voss is paid.", 34).sentences[-1].text != "Voss is paid."
    assert read_text("one two three four", 2).sentences[0].words == ("one", "two")
    assert not read_text(TEXT, 0).sentences
    assert stem("11,270") == "270"
    assert stem("well-known") == "known"
    assert stem("mid-term") == "term"
    assert stem("the") == ""


@settings(deadline=None)
@given(st.text(max_size=400), st.integers(min_value=0, max_value=50) | st.none())
def test_any_text_can_be_read(text, limit):
    reading = read_text(text, limit)
    assert all(len(sentence.words) <= 10 * MAX_WORDS for sentence in reading.sentences)
    assert set(reading.asserted) <= set(range(len(reading.sentences)))
    assert limit is None or sum(len(s.text.split()) for s in reading.sentences) <= limit


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet="abAB19 .,?!'“”\n-", max_size=200))
def test_attacks_change_the_same_text_the_same_way(text):
    for attack in TEXT_ATTACKS:
        assert attack.change(text) == attack.change(text)


# What a sentence takes back of its own words.


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


# Sentences that use an item's words and say the opposite.


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
