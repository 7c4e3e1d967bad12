"""A report speaks of the outlet, then of the author, then of its subjects one by one."""

from __future__ import annotations

from sidelight.generation.extractive.write_report.ordering import by_subject
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.schemas.investigation.profile import ArticleProfile
from sidelight.schemas.investigation.report import DraftSentence

PROFILE = ArticleProfile(
    title="A mill burns",
    publisher="Orrin Daily",
    host="orrindaily.example",
    authors=("Garrick Voss",),
    subject="mill",
    body="A mill burns.",
)
ANGLES = [
    Angle(angle_id=name, aspect=aspect, question=f"{name}?", query=name, weight=1.0)
    for name, aspect in (
        ("owner", Aspect.PUBLISHER),
        ("fire", Aspect.CLAIM),
        ("history", Aspect.CONTEXT),
    )
]


def test_sentences_are_ordered_by_what_they_are_about() -> None:
    past = DraftSentence(text="The mill was built in 1890.", covers={"history": 0.5})
    fire = DraftSentence(text="Fire took the daily flour.", covers={"fire": 0.4, "owner": 0.9})
    author = DraftSentence(text="Mr Voss owns a share of the mill.", covers={"history": 0.9})
    outlet = DraftSentence(text="Lark Media owns Orrin Daily.", covers={"fire": 0.1})
    found = by_subject([past, fire, author, outlet], PROFILE, ANGLES)
    assert found == (outlet, author, fire, past)
