"""A statement answers an article with another figure for the same quantity, or by its words."""

from __future__ import annotations

import pytest

from sidelight.generation.extractive.write_report.quotes import (
    Quantities,
    cues_of_answer,
    is_private,
    tells_of_ties,
)
from sidelight.generation.reading.verbs import figure_phrases
from sidelight.schemas.investigation.angle import ArticleProfile

QUANTITIES = Quantities(
    ArticleProfile(
        publisher="",
        host="",
        subject="bog bill",
        body="The bill will cost the valley 4,000 jobs. The model is built on 14 monitoring wells.",
    )
)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Drones will carry 60 percent of all parcels in 2026.", ["60 percent of all parcels"]),
        ("The 4,000 jobs are not abstractions.", ["4,000 jobs"]),
        ("It took 20 minutes on 5 May 2021 at 6.50pm.", []),
        ("In the 20th century Section 3.1.3 of the code applied.", []),
        ("The trade is worth T187 million a year.", ["T187 million"]),
    ],
)
def test_a_figure_goes_with_what_it_counts(text: str, phrases: list[str]) -> None:
    assert figure_phrases(text) == phrases


def test_another_figure_for_the_same_quantity_answers() -> None:
    assert QUANTITIES.has_another_figure("The ministry expects 780 jobs to go by 2028.")
    assert not QUANTITIES.has_another_figure("The bill would cost 4,000 jobs.")
    assert not QUANTITIES.has_another_figure("The bakery sold 640 loaves in a week.")


def test_words_of_correction_answer() -> None:
    assert cues_of_answer("The corrected figure is not significant.") > 1
    assert cues_of_answer("The concern is well founded, and the survey undercuts the rest.") == 2
    assert cues_of_answer("Garrick Voss writes about land.") == 0


def test_ties_are_told() -> None:
    assert tells_of_ties("Skelvane paid Anselm Roake T38,000.")
    assert not tells_of_ties("Anselm Roake writes about the future.")


def test_private_life_is_told_from_work() -> None:
    assert is_private("Garrick Voss is married with two children.")
    assert not is_private("Garrick Voss advises Dunmoor.")
