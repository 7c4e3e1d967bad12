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


def test_the_passage_nearest_in_words_is_set_apart_and_the_text_stays_whole():
    told = CitedSentence(text="Twelve percent of the lake's water is lost.", citations=("one",))
    ((sentence,), _) = cite((told,), SEGMENTS, {})
    (citation,) = sentence.citations
    assert citation.nearest == "The lake lost 12 percent of its water."
    assert citation.before + citation.nearest + citation.after == SEGMENTS["one"].text
    assert (citation.source.page.host, citation.source.page.title) == ("lake.example", "A lake")
    put_in = "[The lake that lost its water] asked nobody, [it] said."
    ((sentence,), _) = cite((CitedSentence(text=put_in, citations=("one",)),), SEGMENTS, {})
    assert sentence.citations[0].nearest == "Nobody asked why."
    # A segment that the run does not hold is named.
    _, (source,) = cite((CitedSentence(text="So.", citations=("three",)),), SEGMENTS, {})
    assert (source.page.host, source.page.url, source.text) == ("three", "", "")


def test_sources_are_numbered_by_first_citation_and_know_who_cites_them():
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


CHECKED = (
    CitedSentence(text="A lake is dry.", citations=("one", "two")),
    CitedSentence(text="A hill is bare.", citations=("one",)),
    CitedSentence(text="A road is closed.", citations=("one",)),
)


def stood(number, label, *cited):
    return SentenceSupport(
        text=CHECKED[number].text,
        segment_ids=cited,
        said_by=cited[:1],
        label=label,
        reason=f"it is {label}",
    )


def test_the_last_check_of_a_sentence_counts():
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
    # A label does not outlive a citation that was dropped.
    assert checked_support(CHECKED, Trace(stood={0: (stood(1, "full", "one", "two"),)})) == {}


def test_a_judge_may_take_support_away_and_not_add_to_what_was_learned():
    def shown(by, labels):
        return {number: ShownSupport(label, by) for number, label in labels.items()}

    checked = shown("own", {"1": "full", "2": "partial", "3": "none"})
    found = agreed(checked, shown("judge", {"1": "none", "2": "full", "4": "full"}))
    own = {"2": checked["2"], "3": checked["3"]}
    assert found == own | shown("judge", {"1": "none", "4": "full"})
