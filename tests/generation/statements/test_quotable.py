"""A sentence that is a fragment, an order, a service or a verdict is not quoted."""

from __future__ import annotations

import pytest

from sidelight.generation.statements.statements import is_quotable

GOOD = "The Harrow Lane Institute has paid Garrick Voss since 2018."


@pytest.mark.parametrize(
    "sentence",
    [
        "He has been paid by the Harrow Lane Institute since 2018.",
        "We have paid Garrick Voss a salary since early 2018.",
        "Why has the institute paid Garrick Voss since 2018?",
        "Too short to say.",
        "Author of the study: Garrick Voss of the Harrow Lane Institute.",
        "For the footballer of that name, see Garrick Voss (winger).",
        "Sign up for our newsletter of the Harrow Lane Institute now.",
        "The institute's <b>statement</b> was published on a Tuesday morning.",
        'The institute said "he was paid for several years of work.',
        "The claim that Voss was paid by the institute is false.",
        "the institute has paid Garrick Voss for years and years.",
        "Please cite as Marchmere Advisory (2020), Locked In, MA-2020-0417.",
        "Interviews with Jorrin Vask can be arranged at short notice.",
        "Anselm Roake, of Port Brannick, occupation author and columnist.",
        "Wilmot Eddery, of Gullsby, occupation retired engineer.",
        "Read every label and put back anything that lists veltose.",
        "Curio Atlas is useful for opening times, routes and photographs.",
        '"Cheap copies cheat the customer," said Corin Tarrell.',
        "The Courier approached the five largest parcel carriers in Talvania.",
        "Drones at 60 percent of parcels by the end of 2026 is entry R-21.",
        "WellRoot Daily did not answer questions about its corrections.",
    ],
)
def test_what_is_no_statement_is_not_quoted(sentence: str) -> None:
    assert not is_quotable(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        GOOD,
        "WellRoot Daily publishes no corrections policy.",
        "Orrin Song of the Year was 'Call Me By Your Name' in 2020.",
        "The Haldon works employs 540 people in two shifts.",
        "Know Your Meme traces the picture to a gallery in Port Brannick.",
        "Nike sued over the trademark and not the copyright in the shoes.",
        'The report called it "a design target under favourable conditions."',
        "Court filings corroborate the scheme that Esquire describes: Singer paid proctors.",
    ],
)
def test_a_statement_is_quoted(sentence: str) -> None:
    assert is_quotable(sentence)


def test_an_announcement_is_no_finding() -> None:
    assert not is_quotable("Report MA sets out several scenarios for the use of cargo drones.")
    assert is_quotable(
        "The report sets out 3 scenarios, and drones carry 9 percent in one of them."
    )


def test_used_is_a_verb() -> None:
    assert is_quotable("The experiment at the Ostrey Institute used 23 mice and no human beings.")
