"""Refilling adds within the budget and takes nothing away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.compose import refill
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.schemas.segment import Segment
from sidelight.text import budget_words

ANGLES = [
    Angle(angle_id=name, aspect=Aspect.CLAIM, question="Q?", query="q", weight=weight)
    for name, weight in (("a", 4.0), ("b", 1.0))
]
EVIDENCE = EvidenceSet(
    items=tuple(
        Evidence(
            segment=Segment(segment_id=name, url=f"https://{name}.example/", text="t"),
            relevance={"a": 1.0},
        )
        for name in "xyz"
    )
)


def sentence(words: int, cited: str = "x", **covers: float) -> DraftSentence:
    return DraftSentence(text=" ".join("w" * words), segment_ids=(cited,), covers=covers)


SENTENCES = st.lists(
    st.builds(
        lambda words, cited, covers: sentence(words, cited, **covers),
        st.integers(1, 40),
        st.sampled_from("xyz"),
        st.dictionaries(st.sampled_from("ab"), st.floats(0.01, 1)),
    ),
    max_size=8,
)


@given(SENTENCES, SENTENCES, st.integers(0, 120))
def test_what_stood_stays_and_the_budget_holds(
    standing: list[DraftSentence], reserve: list[DraftSentence], room: int
) -> None:
    words = sum(budget_words(one.text) for one in standing)
    draft = DraftReport(sentences=tuple(standing), reserve=tuple(reserve))
    filled = refill(draft, ANGLES, EVIDENCE, words + room, lambda *_: False)
    if not filled.sentences or filled.sentences == NOTHING_FOUND.sentences:
        assert not standing
        return
    assert filled.sentences[: len(standing)] == tuple(standing)
    assert sum(budget_words(one.text) for one in filled.sentences) <= words + room
    added = filled.sentences[len(standing) :]
    assert sorted(map(repr, (*added, *filled.reserve))) == sorted(map(repr, reserve))


@given(SENTENCES, SENTENCES)
def test_a_report_over_its_budget_gets_nothing_more(
    standing: list[DraftSentence], reserve: list[DraftSentence]
) -> None:
    draft = DraftReport(sentences=(sentence(50, a=1.0), *standing), reserve=tuple(reserve))
    assert refill(draft, ANGLES, EVIDENCE, 49, lambda *_: False) == draft


def test_what_is_missing_comes_before_what_stands_already() -> None:
    # With a at .9 from x: more of a gains 4*.1*.9*.75/10 = .027, b gains 1*.5/10 = .05.
    draft = DraftReport(
        sentences=(sentence(10, "x", a=0.9),),
        reserve=(sentence(10, "x", a=0.9), sentence(10, "y", b=0.5)),
    )
    filled = refill(draft, ANGLES, EVIDENCE, 20, lambda *_: False)
    assert filled.sentences == (draft.sentences[0], draft.reserve[1])
    assert filled.reserve == draft.reserve[:1]


def test_what_says_the_same_as_something_that_stands_is_not_added() -> None:
    draft = DraftReport(sentences=(sentence(10, a=0.5),), reserve=(sentence(5, "y", b=1.0),))
    assert refill(draft, ANGLES, EVIDENCE, 250, lambda *_: True) == draft


def test_a_draft_that_stays_empty_says_so() -> None:
    empty = DraftReport(sentences=())
    assert refill(empty, ANGLES, EVIDENCE, 250, lambda *_: False) == NOTHING_FOUND
