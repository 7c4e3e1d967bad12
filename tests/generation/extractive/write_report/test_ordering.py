"""A report speaks of the outlet, then of the author, then of what matters most."""

from __future__ import annotations

from sidelight.generation.extractive.write_report.report import by_subject
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.report import DraftSentence

PROFILE = ArticleProfile(
    title="A mill burns",
    publisher="Orrin Daily",
    host="orrindaily.example",
    authors=("Garrick Voss",),
    subject="mill",
    body="A mill burns.",
)


def test_sentences_are_ordered_by_whom_they_are_about_and_then_stay_as_they_were() -> None:
    past = DraftSentence(text="The mill was built in 1890.")
    fire = DraftSentence(text="Fire took the daily flour.")
    author = DraftSentence(text="Mr Voss owns a share of the mill.")
    outlet = DraftSentence(text="Lark Media owns Orrin Daily.")
    assert by_subject([past, fire, author, outlet], PROFILE) == (outlet, author, past, fire)
    assert by_subject([fire, past], PROFILE) == (fire, past)
