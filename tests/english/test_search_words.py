"""Numbers, codes and names stay whole in a search."""

import pytest

from sidelight.english.names import search_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It will cost 4,000 jobs.", ["cost", "4,000", "jobs"]),
        ("98.6% of Harbourlane's parcels", ["98.6%", "Harbourlane", "parcels"]),
        ("the additive TE-947 in T187 million", ["additive", "TE-947", "T187", "million"]),
        ("licence TCAD-BV-2208, licence again", ["licence", "TCAD-BV-2208"]),
    ],
)
def test_what_is_searched_for_stays_whole(text, words):
    assert search_words(text, 12) == words


def test_no_more_words_than_asked_for():
    assert search_words("peat bog moss fen mire", 2) == ["peat", "bog"]
