"""What a text asserts, and that nothing makes reading it fail."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.evaluation.audit.text_attacks import TEXT_ATTACKS, keywords, shuffle
from sidelight.learned.reading.tables import word_order
from sidelight.learned.reading.text_pieces import read_text
from sidelight.learned.reading.words import MAX_WORDS, read, split, stem

TEXT = (
    "The institute was founded in 1990 by a retired judge. It publishes a journal twice a year, "
    "and most of its income comes from a foundation. The journal never had an editor of its own."
)


def test_prose_is_asserted() -> None:
    assert read_text(TEXT).asserted == (0, 1, 2)


def test_shuffled_words_and_keywords_are_not_written_by_people() -> None:
    fluent = word_order().fluency(read(split(TEXT)[1]).shapes)
    shuffled = word_order().fluency(read(shuffle(split(TEXT)[1])).shapes)
    assert fluent > 0.3
    assert shuffled < 0
    assert not read_text(keywords(TEXT)).asserted


def test_only_what_fits_the_limit_counts() -> None:
    assert read_text(f"{TEXT} Voss is paid.", 34).sentences[-1].text != "Voss is paid."
    assert read_text("red green blue grey", 2).sentences[0].words == ("red", "green")
    assert not read_text(TEXT, 0).sentences


@settings(deadline=None)
@given(st.text(max_size=400), st.integers(min_value=0, max_value=50) | st.none())
def test_any_text_can_be_read(text: str, limit: int | None) -> None:
    reading = read_text(text, limit)
    assert all(len(sentence.words) <= 10 * MAX_WORDS for sentence in reading.sentences)
    assert set(reading.asserted) <= set(range(len(reading.sentences)))
    assert limit is None or sum(len(s.text.split()) for s in reading.sentences) <= limit


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet="abAB19 .,?!'“”\n-", max_size=200))
def test_attacks_change_the_same_text_the_same_way(text: str) -> None:
    for attack in TEXT_ATTACKS:
        assert attack.change(text) == attack.change(text)


def test_the_stem_of_a_word_of_several_parts_is_the_same_in_every_process() -> None:
    assert stem("11,270") == "270"
    assert stem("well-known") == "known"
    assert stem("mid-term") == "term"
    assert stem("the") == ""
