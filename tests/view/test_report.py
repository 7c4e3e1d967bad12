from __future__ import annotations

from sidelight.schemas.investigation.report import SentenceSupport
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment
from sidelight.view.report import ShownSupport, agreed, checked_support, cite

SEGMENTS = {
    "one": Segment(
        segment_id="one",
        url="https://www.lake.example/a",
        title="A  lake",
        text="Wells are dry. The lake lost 12 percent of its water. Nobody asked why.",
    ),
    "two": Segment(segment_id="two", url="https://hill.example/", title="", text=""),
}


def test_the_passage_nearest_in_words_is_set_apart_and_the_text_stays_whole() -> None:
    report = (
        CitedSentence(text="Twelve percent of the lake's water is lost.", citations=("one",)),
    )
    ((sentence,), _) = cite(report, SEGMENTS, {})
    (citation,) = sentence.citations
    assert citation.nearest == "The lake lost 12 percent of its water."
    assert citation.before + citation.nearest + citation.after == SEGMENTS["one"].text
    assert (citation.source.page.host, citation.source.page.title) == ("lake.example", "A lake")


def test_sources_are_numbered_by_first_citation_and_know_who_cites_them() -> None:
    report = (
        CitedSentence(text="Second first.", citations=("two",)),
        CitedSentence(text="Then both.", citations=("one", "two")),
        CitedSentence(text="Then none."),
    )
    sentences, sources = cite(
        report, SEGMENTS, {"2": ShownSupport("partial", "half of it", ("two",))}
    )
    assert [(one.number, one.segment_id, one.cited_by) for one in sources] == [
        (1, "two", (1, 2)),
        (2, "one", (2,)),
    ]
    assert [one.support for one in sentences] == ["unjudged", "partial", "uncited"]
    assert sentences[1].reason == "half of it"
    assert [one.supports for one in sentences[1].citations] == [False, True]
    assert sentences[0].citations[0].nearest == ""


def test_a_segment_that_the_run_does_not_hold_is_named() -> None:
    _, (source,) = cite((CitedSentence(text="So.", citations=("three",)),), SEGMENTS, {})
    assert (source.page.host, source.page.url, source.text) == ("three", "", "")


CHECKED = (
    CitedSentence(text="A lake is dry.", citations=("one", "two")),
    CitedSentence(text="A hill is bare.", citations=("one",)),
    CitedSentence(text="A road is closed.", citations=("one",)),
)


def stood(number: int, label: str, *cited: str) -> SentenceSupport:
    return SentenceSupport(
        text=CHECKED[number].text,
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
    assert checked_support(CHECKED, trace) == {
        "1": ShownSupport("partial", "it is partial", ("two",)),
        "2": ShownSupport("full", "it is full", ("one",)),
    }


def test_a_label_does_not_outlive_a_citation_that_was_dropped() -> None:
    trace = Trace(stood={0: (stood(1, "full", "one", "two"),)})
    assert checked_support(CHECKED, trace) == {}


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
