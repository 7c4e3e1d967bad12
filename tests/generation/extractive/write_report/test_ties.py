"""Who pays, owns or employs counts up to one step from outlet, author and cited study."""

from __future__ import annotations

from sidelight.generation.extractive.write_report.report import leads_to_ties
from sidelight.schemas.investigation.angle import ArticleProfile

PROFILE = ArticleProfile(
    title="Bog bill will cost 4,000 jobs",
    publisher="Sentinel Policy Journal",
    host="sentinelpolicy.example",
    authors=("Garrick Voss",),
    subject="bog bill",
    body="The bill will cost the valley 4,000 jobs.",
)


def test_ties_lead_one_step_away() -> None:
    texts = [
        "Sentinel Policy Journal is owned by Lane Institute Holdings.",
        "Lane Institute Holdings received T2.4 million from Fenmark Peat.",
        "Fenmark Peat paid for a new library in Orrin.",
        "Garrick Voss was born in Harle.",
    ]
    assert leads_to_ties(texts, PROFILE) == [True, True, False, False]
