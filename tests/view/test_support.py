"""In full is supported only what the run's own check, which learned from people, calls so."""

from __future__ import annotations

from sidelight.schemas.investigation.report import SentenceSupport
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.run import CitedSentence
from sidelight.view.report import ShownSupport, agreed, checked_support

REPORT = (
    CitedSentence(text="A lake is dry.", citations=("one", "two")),
    CitedSentence(text="A hill is bare.", citations=("one",)),
    CitedSentence(text="A road is closed.", citations=("one",)),
)


def stood(number: int, label: str, *cited: str) -> SentenceSupport:
    return SentenceSupport(
        text=REPORT[number].text,
        segment_ids=cited,
        said_by=cited[:1],
        label=label,
        reason=f"it is {label}",
    )


def test_the_last_check_of_a_sentence_counts() -> None:
    trace = Trace(
        stood={
            1: (stood(0, "partial", "two", "one"), stood(1, "full", "one")),
            0: (stood(0, "full", "one", "two"),),
        }
    )
    assert checked_support(REPORT, trace) == {
        "1": ShownSupport("partial", "it is partial", ("two",)),
        "2": ShownSupport("full", "it is full", ("one",)),
    }


def test_a_label_does_not_outlive_a_citation_that_was_dropped() -> None:
    trace = Trace(stood={0: (stood(1, "full", "one", "two"),)})
    assert checked_support(REPORT, trace) == {}


def test_a_judge_may_take_support_away_and_not_add_to_what_was_learned() -> None:
    checked = {
        "1": ShownSupport("full", "own"),
        "2": ShownSupport("partial", "own"),
        "3": ShownSupport("none", "own"),
    }
    judged = {
        "1": ShownSupport("none", "judge"),
        "2": ShownSupport("full", "judge"),
        "4": ShownSupport("full", "judge"),
    }
    assert agreed(checked, judged) == {
        "1": ShownSupport("none", "judge"),
        "2": ShownSupport("partial", "own"),
        "3": ShownSupport("none", "own"),
        "4": ShownSupport("full", "judge"),
    }
