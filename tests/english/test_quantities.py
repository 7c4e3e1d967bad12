"""Equal quantities and dates are written alike, and what is no quantity stays as it is."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight.english.quantities import canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("T1.8 million", "T1,800,000"),
        ("$1.2bn in cash", "$1,200 million in cash"),
        ("a fifth of the rain", "20 per cent of the rain"),
        ("one in five children", "20% of children"),
        ("half of them", "50 percent of them"),
        ("three quarters of pupils", "75 per cent of pupils"),
        ("200 millilitres", "0.2 litres"),
        ("4.5 kilometres", "4,500 metres"),
        ("a fortnight", "two weeks"),
        ("a dozen eggs", "twelve eggs"),
        ("an hour and a half", "90 minutes"),
        ("two hours and eleven minutes", "131 minutes"),
        ("five and a half per cent", "5.5%"),
        ("at 6.30 p.m. daily", "at 18:30 daily"),
        ("the twelfth century", "the 12th century"),
        ("on the ninth of May", "on the 9th of May"),
        ("900 tonnes", "0.9 kilotonnes"),
        ("half a million litres", "500,000 litres"),
        ("half a century", "fifty years"),
        ("eighteen months", "a year and a half"),
        ("two hundred and six people", "206 people"),
        ("3rd of May, 1967", "May 3, 1967"),
        ("1967-05-03", "3 May 1967"),
    ],
)
def test_equal_quantities_are_written_alike(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("T1.8 million", "T1.9 million"),
        ("200 millilitres", "2 litres"),
        ("3.25 per cent", "3.75 per cent"),
        ("3 May 1967", "3 June 1967"),
        ("two weeks", "two months"),
    ],
)
def test_different_quantities_stay_different(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    "text",
    [
        *("COVID-19", "file MA-2021-0417", "one of them", "No figure stands here.", "A4 paper"),
        f"{'9' * 400} million litres",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_quantity_stays(text: str) -> None:
    assert canonical(text) == text


@given(st.integers(min_value=1, max_value=10**9))
def test_separators_do_not_matter(number: int) -> None:
    assert canonical(f"it cost T{number:,} then") == canonical(f"it cost T{number} then")


@given(st.integers(min_value=11, max_value=9_999))
def test_millions_may_be_written_out(tenths: int) -> None:
    assert canonical(f"{tenths / 10:g} million people") == canonical(f"{tenths}00000 people")


@given(st.integers(min_value=1, max_value=9_999))
def test_units_are_converted(metres: int) -> None:
    assert canonical(f"{metres} kilometres") == canonical(f"{metres * 1000} metres")


@given(st.integers(min_value=0, max_value=60_000))
def test_dates_have_one_style(days: int) -> None:
    day = date(1900, 1, 1) + timedelta(days=days)
    month = day.strftime("%B")
    styles = (
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        day.isoformat(),
    )
    assert len({canonical(f"It sank on {style}.") for style in styles}) == 1


@given(st.text(alphabet="0123456789,. -%ahundredmilliofy$T", max_size=60))
@example("0.0.0")
@example("0Tn.0")
def test_any_text_has_a_notation_that_is_its_own(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)
