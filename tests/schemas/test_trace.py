"""Values that cannot be wrong: ids, scales, limits, and evidence and steps merged in any order."""

from itertools import permutations
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from sidelight.errors import InputError
from sidelight.registry import names
from sidelight.schemas.grading.judgment import Label, LabelScale, OneOf
from sidelight.schemas.investigation import angle as plans
from sidelight.schemas.investigation import report as reports
from sidelight.schemas.investigation import trace as traces
from sidelight.schemas.investigation.evidence import (
    DroppedHit,
    Evidence,
    EvidenceSet,
    FoundClaim,
    Hit,
)
from sidelight.schemas.investigation.trace import Round, Trace
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment, document_id_of, overlapping, parse_segment_id
from sidelight.text import budget_words
from sidelight.tracks import load_track

items = st.builds(
    lambda number, angles: Evidence(
        segment=Segment(segment_id=f"w_doc_00_{number}#0_0", text="x"), relevance=angles
    ),
    st.integers(0, 4),
    st.dictionaries(st.sampled_from("abc"), st.floats(0.1, 1.0), min_size=1),
)
sets = st.lists(items, max_size=5).map(
    lambda found: EvidenceSet.merge(*(EvidenceSet(items=(item,)) for item in found))
)


@given(sets, sets, sets)
def test_merge_commutes_associates_and_is_idempotent(first, second, third):
    merge = EvidenceSet.merge
    assert merge(first, second) == merge(second, first)
    assert merge(first, merge(second, third)) == merge(merge(first, second), third)
    assert merge(first, first) == first


@given(sets)
def test_keys_lead_back_to_their_segments_and_tell_what_is_covered(found):
    ids = found.segment_ids()
    assert list(ids.values()) == sorted(ids.values())
    assert all(ids[key] == item.segment.segment_id for key, item in found.keyed())
    spoken = {angle_id for item in found.items for angle_id in item.relevance}
    assert found.covers(["a", "b", "funding"]) == spoken & {"a", "b"}


# What steps did, put together in any order, and read again as it was.


ANGLE = plans.Angle(
    angle_id="a", aspect=plans.Aspect.AUTHOR, question="Who?", query="who", weight=2
)
COVERAGE = plans.Coverage(covered=(), weight=0.0, score=0.0, go_on=False, reason="enough")
FIRST, SECOND = (
    reports.DraftReport(sentences=(reports.DraftSentence(text=text, segment_ids=(cited,)),))
    for text, cited in (("She did.", "d1#0"), ("He did.", "d3#0"))
)


def planned(number):
    queries = (plans.PlannedQuery.of(ANGLE, number, "x"),)
    return Trace(rounds={number: Round(plan=plans.Plan(angles=(), queries=queries))})


def searched(number, aspect):
    found = traces.Searched(
        hits={f"{number}.{aspect}": (Hit(f"d{number}#0", 0.5), Hit(f"{aspect}#0", 0.25))},
        dropped=(DroppedHit(segment_id="d9#0", reason="own-article"),),
    )
    return Trace(rounds={number: Round(searched={plans.Aspect(aspect): found})})


SELECTED = traces.Selected(
    taken={"d1#0": {"a": 0.5}},
    dropped={"author#0": "others say more"},
    refused={"claim": "orders"},
    pages={"d1": traces.PageName(url="", title="One")},
)
REVISED = traces.Revised(
    found={"She did.": ("d3#0", "d4#0")}, draft=SECOND, taken=("d3#0",), refused={"d4": "orders"}
)
DROPPED = reports.DroppedCitation(segment_id="d1#0", reason="twice")
STEPS = [
    Trace(profile=plans.ArticleFacts(publisher="Post", host="", subject="bogs")),
    Trace(rubric=(ANGLE,)),
    *(
        Trace(
            rounds={
                n: Round(
                    plan=plans.Plan(angles=(), queries=(plans.PlannedQuery.of(ANGLE, n, "x"),))
                )
            }
        )
        for n in (1, 2, 10)
    ),
    *(searched(number, aspect) for number in (1, 2) for aspect in ("author", "claim")),
    Trace(rounds={1: Round(selected=SELECTED)}),
    Trace(rounds={2: Round(coverage=COVERAGE)}),
    Trace(questions=reports.DraftQuestions(questions=("Who?",))),
    Trace(draft=FIRST),
    Trace(checks={0: (reports.Removal(sentence=FIRST.sentences[0], label="none", reason="no"),)}),
    Trace(checks={1: ()}),
    Trace(revisions={1: REVISED}),
    Trace(report=traces.Finished(dropped_citations=(DROPPED,), invented_keys=("E9",))),
]


def merged(steps):
    trace = Trace()
    for step in steps:
        trace = trace.merge(step)
    return trace


WHOLE = merged(STEPS)
some_steps = st.lists(st.sampled_from(STEPS)).map(merged)
MORE = COVERAGE.model_copy(update={"go_on": True})
NOTHING = {plans.Aspect.AUTHOR: traces.Searched(hits={})}


@settings(deadline=None)
@given(some_steps, some_steps, some_steps)
def test_merging_commutes_associates_and_is_idempotent(one, two, three):
    both = one.merge(two)
    # As text, because the order of rounds shows to whoever goes through them.
    assert both.model_dump_json() == two.merge(one).model_dump_json()
    assert both.merge(three) == one.merge(two.merge(three))
    assert both.merge(two) == both
    assert one.merge(one) == one == one.merge(Trace())


@pytest.mark.parametrize(
    ("other", "step"),
    [
        (Trace(draft=SECOND), "trace.draft"),
        (Trace(rubric=()), "trace.rubric"),
        (Trace(rounds={2: Round(coverage=MORE)}), "trace.rounds.2.coverage"),
        (Trace(rounds={1: Round(searched=NOTHING)}), "trace.rounds.1.searched.author"),
        (Trace(checks={0: ()}), "trace.checks.0"),
    ],
)
def test_steps_that_disagree_are_refused(other, step):
    with pytest.raises(ValueError, match=f"two steps disagree about {step}$"):
        WHOLE.merge(other)


def test_a_trace_tells_what_was_done_and_comes_back_from_its_file():
    shown = WHOLE.model_dump(mode="json")
    shown["rounds"] = {number: shown["rounds"][number] for number in ("1", "10", "2")}
    again = Trace.model_validate(shown)
    assert again == WHOLE
    assert list(again.rounds) == [1, 2, 10]
    assert WHOLE.found() == {"d1#0", "d2#0", "author#0", "claim#0", "d3#0", "d4#0"}
    assert WHOLE.refused() == {"claim", "d4"}
    assert WHOLE.drafts() == (FIRST, SECOND)
    assert (Trace().found(), Trace().refused(), Trace().drafts()) == (frozenset(), frozenset(), ())


# A report or question set that breaks a limit, or cites what was never found, cannot exist.


TOPIC = "w_doc_00_1"
FOUND = ("w_doc_01_5#0_10", "w_doc_01_5#1_20", "w_doc_01_5#2_30", "w_doc_02_7#0_10")
TASK = load_track().cited_text.model_copy(update={"max_words": 20, "max_citations": 2})


def report(*sentences, evidence=FOUND):
    return reports.Report(
        topic_id=TOPIC,
        sentences=tuple(CitedSentence(text=text, citations=cited) for text, cited in sentences),
        evidence_ids=frozenset(evidence),
        task=TASK,
    )


def test_what_breaks_a_limit_cannot_exist():
    made = report(("Five words are in here.", FOUND[:1]), ("And this cites nothing.", ()))
    assert len(made.sentences) == 2
    own = f"{TOPIC}#3_99"
    for sentences, says in [
        ([("word " * 20 + "over", FOUND[:1])], "21 words, over 20"),
        ([("One.", ()), ("Two.", ())], "2 sentences cite nothing"),
        ([("One.", ("w_doc_09_9#0_1",))], "was not retrieved"),
        ([("One.", (own,))], "cites itself"),
        ([("One.", FOUND[:3])], "too many or repeated"),
        ([("One.", FOUND[:1] * 2)], "too many or repeated"),
        *(([(t, FOUND[:1])], "not a clean single line") for t in ("", "a.\nb.", "Hid\u200bden.")),
    ]:
        with pytest.raises(InputError, match=says):
            report(*sentences, evidence=(*FOUND, own))
    for second, says in [
        ((), "expected 2 questions, found 1"),
        (("one?",), "occurs twice"),
        *(((t,), "not a clean single line") for t in ("", "T\tab?", '"Quoted" by whom?')),
        (("x" * 21,), "over 20 characters"),
    ]:
        with pytest.raises(InputError, match=says):
            reports.QuestionSet(TOPIC, ("One?", *second), count=2, max_characters=20)


@given(st.lists(st.text(alphabet="ab ´ﷺ", max_size=30), max_size=6))
def test_no_report_ever_exceeds_its_word_limit(texts):
    try:
        made = report(*((text, FOUND[:1]) for text in texts))
    except InputError:
        return
    assert sum(budget_words(sentence.text) for sentence in made.sentences) <= TASK.max_words


# A scale says what labels there are; nothing else knows them.


GRADES = LabelScale(
    name="relevance",
    labels=(
        Label(name="perfect", credit=3, written="3", merged="relevant"),
        Label(name="wrong", opposes=True),
        Label(name="high", credit=2, written="2", merged="relevant"),
        Label(name="related", credit=1, written="1"),
        Label(name="none", written="0"),
    ),
    precedence=("wrong", "perfect", "high", "related", "none"),
)
SCALES = [scale for name in names("track") for scale in load_track(name).scales.values()]


def test_a_scale_orders_reads_and_merges_its_labels():
    assert GRADES.levels == ("none", "related", "high", "perfect")
    assert (GRADES.highest, GRADES.lowest, GRADES.opposite) == ("perfect", "none", "wrong")
    found = [label and label.name for label in map(GRADES.read, ("3", "wrong", "perfect"))]
    assert found == ["perfect", "wrong", None]
    for given_labels in permutations(("none", "high", "wrong")):
        assert GRADES.first(given_labels) == "wrong"
    assert GRADES.first(("none", "high")) == "high"
    seen = [GRADES.coarse(name) for name in GRADES.names]
    assert seen == ["relevant", "wrong", "relevant", "related", "none"]
    for changes, says in [
        ({"labels": GRADES.labels + GRADES.labels[:1]}, "occurs twice"),
        ({"precedence": ("wrong",)}, "must name every label once"),
        ({"labels": GRADES.labels[:2], "precedence": ()}, "the last label"),
    ]:
        with pytest.raises(ValidationError, match=says):
            LabelScale.model_validate(GRADES.model_dump() | changes)

    class Reply(BaseModel):
        label: Annotated[str, OneOf(GRADES.names)]

    assert Reply.model_json_schema()["properties"]["label"]["enum"] == list(GRADES.names)
    assert Reply(label="high").label == "high"
    with pytest.raises(ValidationError):
        Reply(label="3")


@given(st.sampled_from(SCALES))
def test_scales_of_tracks_can_be_read_back(scale):
    assert len(set(scale.writings)) == len(scale.names)
    for writing, label in zip(scale.writings, scale.labels, strict=True):
        assert scale.read(writing) is label
    earned = [scale.credit(name) for name in scale.levels]
    # The order is that of what was looked for, which need not be what earns.
    assert earned in (sorted(earned), sorted(earned, reverse=True))


# Segment ids are read as the collection writes them.


KNOWN = "msmarco_v2.1_doc_16_1992489241#2_2215054467"


def test_segment_ids_have_four_parts_and_neighbours_overlap():
    document = "msmarco_v2.1_doc_16_1992489241"
    assert parse_segment_id(KNOWN) == (document, "16", 2, 2215054467)
    assert document_id_of(KNOWN) == document
    for value in [
        *("", "184", KNOWN + "\n", KNOWN.replace("#", ""), KNOWN.replace("2_", "٢_")),
        *(KNOWN + "9" * 5000, KNOWN.replace("#2", "#" + "2" * 5000)),
    ]:
        assert parse_segment_id(value) is None
    for other, expected in [("#1_5", True), ("#3_5", True), ("#2_5", False), ("#4_5", False)]:
        same, elsewhere = document + other, "msmarco_v2.1_doc_16_7" + other
        assert overlapping(KNOWN, [elsewhere, same, "184"]) == [same] * expected
        assert overlapping("184", [KNOWN]) == []


def test_the_last_step_says_why_evidence_is_not_cited_and_an_older_trace_is_read():
    claim = FoundClaim(text="She did.", segment_ids=("d1#0", "d2#0"), answers={"a": 0.9})
    read = SELECTED.model_copy(update={"claims": (claim,)})
    drafted = FIRST.model_copy(update={"unused": {"d2#0": "retold", "d3#0": "no statement"}})
    removal = reports.Removal(sentence=SECOND.sentences[0], label="none", reason="no")
    trace = Trace(rounds={1: Round(selected=read)}, draft=drafted, checks={0: (removal,)})
    assert trace.unused() == {"d1#0": "outdone", "d2#0": "retold", "d3#0": "removed"}
    older = trace.model_dump(mode="json")
    del older["draft"]["unused"]
    assert Trace.model_validate(older).unused() == {
        "d1#0": "outdone",
        "d2#0": "outdone",
        "d3#0": "removed",
    }
