"""A statement far from all that the article says is about something else."""

from __future__ import annotations

import numpy as np

from sidelight.generation.extractive.write_report.knowledge import Reader
from sidelight.generation.extractive.write_report.report import astray
from sidelight.schemas.investigation.angle import ArticleProfile

READER = Reader(
    ArticleProfile(
        title="Bog bill",
        publisher="Sentinel",
        host="",
        authors=("Garrick Voss",),
        subject="bog bill",
        body="The bill will cost the valley 4,000 jobs in the bog. The ministry counted wells.",
    )
)


def is_astray(text: str, near: float, *, behind: bool = False) -> bool:
    return bool(astray([text], np.array([near]), np.array([behind]), READER)[0])


def test_what_comes_nowhere_near_the_article_is_about_something_else() -> None:
    sheep = "The market in Tarrow gave farmers better prices for sheep in 2019."
    assert is_astray(sheep, 0.2)
    assert not is_astray(sheep, 0.4)


def test_a_general_truth_has_to_be_nearer() -> None:
    assert is_astray("Bogs hold rain and let it go slowly.", 0.4)
    assert not is_astray("Bogs hold rain and let it go slowly.", 0.6)


def test_what_is_said_of_the_author_may_be_far_but_an_article_it_speaks_of_is_another() -> None:
    assert not is_astray("Garrick Voss has been a fellow of Harrow Lane since 2018.", 0.1)
    assert is_astray("The Sentinel article by Garrick Voss on prices of sheep was corrected.", 0.1)


def test_who_is_behind_the_article_may_be_far_from_what_it_says() -> None:
    donor = "Dunmoor Growing Media gave Harrow Lane T2.4 million in 2019."
    assert is_astray(donor, 0.1)
    assert not is_astray(donor, 0.1, behind=True)
