"""What a page says for itself is attributed, and talk among users is left out."""

from __future__ import annotations

import pytest

from sidelight.generation.extractive.write_report.voices import (
    attributed,
    is_talk,
    publishers,
    role_of,
    speaks_for_itself,
)
from sidelight.schemas.segment import Segment


def window(text: str, host: str = "larkmedia.example", title: str = "") -> Segment:
    return Segment(segment_id="x_doc_00_1#0_0", url=f"https://{host}/", title=title, text=text)


@pytest.mark.parametrize(
    "text",
    [
        "For immediate release. Lark Media today opened a mill.",
        "I have watched the Board for years. It owes us an answer, and I will wait.",
        "The oven is in stock. Order now and bake tomorrow.",
    ],
)
def test_a_release_a_column_and_an_offer_speak_for_themselves(text: str) -> None:
    assert speaks_for_itself(text)


def test_a_quotation_and_a_slip_are_no_voice() -> None:
    assert not speaks_for_itself('"We heard it, and I was there," said Mr Orr. It was in May.')
    assert not speaks_for_itself("Economists we spoke to said that the range was low.")


def test_talk_among_users_is_known_by_their_names() -> None:
    talk = "slow_oven: It was about 20 degrees.\nmillerstale: I kept three bowls of dough."
    assert is_talk(window(talk))
    assert not is_talk(window("Funding: the Board paid.\nDesign: 62 plots were dammed."))


def test_a_sentence_is_attributed_to_the_name_that_its_host_stands_for() -> None:
    names = publishers([window("A mill of Lark Media burns."), window("Rain.", "tides.example")])
    assert names == {"larkmedia.example": "Lark Media", "tides.example": "tides.example"}
    assert attributed("A mill employs 310.", "Lark Media") == (
        "A mill employs 310, according to Lark Media."
    )
    assert attributed("Lark Media employs 310.", "Lark Media") == (
        "Lark Media employs 310, by its own account."
    )


def test_what_is_attributed_stays_and_what_nobody_signs_goes() -> None:
    said = "According to the Bureau, 310 people work there."
    assert attributed(said, "Lark Media") == said
    assert attributed("A mill employs 310.", "") == ""


def test_a_page_that_tells_of_a_release_or_of_money_is_none() -> None:
    assert not speaks_for_itself("The official Lark Media press release names twelve clubs.")
    assert not speaks_for_itself("Lenders would not hand the money back to Lark Media.")
    assert speaks_for_itself("Lark Media opens a mill\nPress release\nPort Brannick, 12 August")
    assert speaks_for_itself("Every oven has a money-back guarantee.")


def test_whoever_makes_the_thing_is_called_so() -> None:
    told = ["Files were supplied by its manufacturer, Lark Media."]
    role = role_of("Lark Media", told)
    assert role == "the manufacturer"
    assert role_of("Lark Media", ["Lark Media, the maker of ovens, paid."]) == "the maker of ovens"
    assert role_of("Lark Media", ["Lark Media paid."]) == ""
    assert attributed("A mill employs 310.", "Lark Media", role) == (
        "A mill employs 310, according to the manufacturer, Lark Media."
    )
