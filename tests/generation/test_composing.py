"""Reports put together: what is searched long enough, chosen within the budget, and cited."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.generation.compose import (
    NO_EVIDENCE,
    NOTHING_STANDS,
    chances_missed,
    compose,
    covered,
    nothing_told,
    refill,
    resolve_report,
    within,
)
from sidelight.generation.extractive.select import spread
from sidelight.generation.stopping import CoverageAssessor
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.schemas.segment import Segment, overlapping
from sidelight.text import budget_words
from sidelight.tracks import load_track

ANGLES = [
    Angle(angle_id=name, aspect=Aspect.CLAIM, question="Q?", query="q", weight=weight)
    for name, weight in (("a", 4.0), ("b", 1.0))
]
WEIGHTS = {"a": 4.0, "b": 1.0}


def found(*ids, **relevance):
    segments = (Segment(segment_id=one, url=f"https://{one[0]}.example/", text="t") for one in ids)
    return EvidenceSet(items=tuple(Evidence(segment=one, relevance=relevance) for one in segments))


EVIDENCE = found("x", "y", "z", a=1.0)


def drafted(words, cited="x", **covers):
    return DraftSentence(text=" ".join("w" * words), segment_ids=(cited,), covers=covers)


def composed(items, weights, budget, standing=()):
    sites = {name: name for name in "xyz"}
    places = compose(items, weights, budget, sites, standing=standing)
    return [items[place] for place in places]


def words_of(sentences):
    return sum(budget_words(one.text) for one in sentences)


SENTENCES = st.lists(
    st.builds(
        lambda words, cited, covers: drafted(words, cited, **covers),
        st.integers(1, 40),
        st.sampled_from("xyz"),
        st.dictionaries(st.sampled_from("abz"), st.floats(0, 1)),  # z is not asked about
    ),
    max_size=12,
)


@given(SENTENCES, st.integers(0, 100))
def test_the_budget_is_never_exceeded_and_nothing_is_chosen_twice(items, budget):
    chosen = composed(items, WEIGHTS, budget)
    assert words_of(chosen) <= budget
    assert len({id(item) for item in chosen}) == len(chosen)
    assert all(item.covers.get("a", 0) + item.covers.get("b", 0) > 0 for item in chosen)


@given(SENTENCES)
def test_more_budget_never_covers_less(items):
    much, little = (covered(composed(items, WEIGHTS, budget), ANGLES) for budget in (10_000, 30))
    assert much >= little - 1e-9


def test_a_covered_angle_is_worth_only_what_was_missed():
    # Gains per word at first: a1 4*.9/10 = .36, a2 4*.8/10 = .32, b 2*.5/10 = .10.
    # After a1: a2 4*.1*.8/10 = .032 (from another host), b .10. So b comes before a2.
    a1, a2, b = drafted(10, "x", a=0.9), drafted(10, "y", a=0.8), drafted(10, "z", b=0.5)
    chosen = composed([a2, b, a1], {"a": 4.0, "b": 2.0}, 20)
    assert chosen == [a1, b]


def test_a_second_sentence_from_one_host_is_worth_less():
    # After the first from x: x again 4*.5*.75/10 = .15, y 4*.4/10 = .16.
    first, again = drafted(10, "x", a=1.0), drafted(10, "x", b=0.5)
    other = drafted(10, "y", b=0.4)
    assert composed([first, again, other], {"a": 4.0, "b": 4.0}, 20) == [first, other]


@given(SENTENCES, st.integers(0, 100))
def test_going_on_from_what_was_chosen_changes_nothing(items, budget):
    chosen = composed(items, WEIGHTS, budget)
    rest = [item for item in items if not any(item is one for one in chosen)]
    assert composed(rest, WEIGHTS, budget, chosen) == []


def test_two_chances_of_a_half_miss_a_quarter():
    # (1 - .5) * (1 - .5) = .25; nothing covers b; c is not asked about.
    assert chances_missed("ab", [{"a": 0.5, "c": 1.0}, {"a": 0.5}]) == {"a": 0.25, "b": 1.0}


# A report keeps what matters most and makes the most of its limit.
@pytest.mark.parametrize(
    ("words", "limit", "kept"),
    [
        ((10, 10, 10), 30, [10, 10, 10]),
        ((20, 20, 20), 45, [20, 20]),
        ((20, 18, 9, 13), 51, [20, 18, 13]),  # nine words leave four free
        ((9, 14), 20, [9]),
        ((30, 14), 20, [14]),
    ],
)
def test_the_limit_is_filled_in_order_of_importance(words, limit, kept):
    draft = DraftReport(sentences=tuple(map(drafted, words)))
    fitting = within(draft, limit)
    assert [budget_words(one.text) for one in fitting.sentences] == kept
    assert len(fitting.reserve) == len(words) - len(kept)


def test_what_stood_is_not_cut_for_what_a_check_lengthened():
    lengthened, stood = drafted(15, cited="x"), drafted(10, cited="y")
    draft = DraftReport(sentences=(lengthened, stood))
    assert within(draft, 20, {stood.text}).sentences == (stood,)


# Refilling adds within the budget and takes nothing away.
@given(SENTENCES, SENTENCES, st.integers(-60, 120))
def test_what_stood_stays_and_the_budget_holds(standing, reserve, room):
    limit = words_of(standing) + room
    draft = DraftReport(sentences=tuple(standing), reserve=tuple(reserve))
    filled = refill(draft, ANGLES, EVIDENCE, limit)
    if filled.sentences == nothing_told(EVIDENCE).sentences:
        assert not standing
        return
    assert filled.sentences[: len(standing)] == draft.sentences
    assert words_of(filled.sentences) <= max(limit, words_of(standing))
    added = filled.sentences[len(standing) :]
    assert sorted(map(repr, (*added, *filled.reserve))) == sorted(map(repr, reserve))


def test_what_is_missing_comes_before_what_stands_already():
    # With a at .9 from x: more of a gains 4*.1*.9*.75/10 = .027, b gains 1*.5/10 = .05.
    draft = DraftReport(
        sentences=(drafted(10, "x", a=0.9),),
        reserve=(drafted(10, "x", a=0.9), drafted(10, "y", b=0.5)),
    )
    filled = refill(draft, ANGLES, EVIDENCE, 20)
    assert filled.sentences == (draft.sentences[0], draft.reserve[1])
    assert filled.reserve == draft.reserve[:1]

    # What stays empty says so.
    for evidence, says in ((EVIDENCE, NOTHING_STANDS), (EvidenceSet(), NO_EVIDENCE)):
        filled = refill(DraftReport(sentences=()), ANGLES, evidence, 250)
        assert filled.sentences[0].text == says


# What is taken for an angle comes from different windows and sites.
def window(document, number, host):
    return Segment(
        segment_id=f"w_doc_00_{document}#{number}_{number}", url=f"https://{host}.example/", text=""
    )


WINDOWS = st.lists(
    st.builds(window, st.integers(0, 3), st.integers(0, 4), st.sampled_from("abc")),
    max_size=12,
    unique_by=lambda segment: segment.segment_id,
)


def test_hosts_and_windows_that_say_more_leave_no_room():
    first, overlapping, second, third, other, late = (
        *(window(1, 0, "a"), window(1, 1, "b"), window(1, 2, "a"), window(2, 0, "a")),
        *(window(3, 0, "b"), window(4, 0, "c")),
    )
    taken = spread([first, overlapping, second, third, other, late], 3)
    assert taken == [first, second, other]


@given(WINDOWS, st.integers(1, 6))
def test_the_limits_of_what_is_taken_hold(segments, keep):
    taken = spread(segments, keep)
    ids = [segment.segment_id for segment in taken]
    assert len(taken) <= keep
    assert all(sum(one.host == segment.host for one in taken) <= 2 for segment in taken)
    assert not any(overlapping(one, ids) for one in ids)
    assert taken[:1] == segments[:1]


def test_pages_without_an_address_are_hosts_of_their_own():
    segments = [Segment(segment_id=f"w_doc_00_{n}#0_0", text="") for n in range(4)]
    assert spread(segments, 4) == segments
    windows = [Segment(segment_id=f"w_doc_00_1#{n}_{n}", text="") for n in (0, 2, 4)]
    assert len(spread(windows, 4)) == 2


# When an investigation has looked far enough.
class Told(CoverageAssessor):
    """Takes the relevance of the only item of evidence as it is."""

    def chances(self, angles, evidence):
        return {angle.angle_id: evidence.items[0].relevance[angle.angle_id] for angle in angles}


def coverage(a, b, previous=None, number=1, angles=ANGLES):
    assess = Told(max_rounds=3, min_gain=0.1)
    return asyncio.run(assess(None, angles, found("x", a=a, b=b), previous, number))


def test_coverage_is_weighted():
    told = coverage(0.5, 1.0)
    # (4 * 0.5 + 1 * 1) of 5
    assert (told.weight, told.score) == (3.0, 0.6)
    assert (told.by_angle, told.covered) == ({"a": 0.5, "b": 1.0}, ("a", "b"))
    assert coverage(0.0, 0.2).covered == ("b",)
    nothing = coverage(0.0, 0.0, angles=[])
    assert (nothing.score, nothing.covered, nothing.go_on) == (0.0, (), True)


@pytest.mark.parametrize(
    ("a", "b", "before", "number", "go_on", "reason"),
    [
        (0.0, 0.0, None, 1, True, "may still rise"),
        (1.0, 1.0, None, 1, False, "is enough"),
        # 0.75 of 4 is 3 of 5; before were 2.6: a gain of 0.08.
        (0.75, 0.0, 0.65, 2, False, "added 0.080"),
        (0.75, 0.0, 0.5, 2, True, "may still rise"),
        (0.75, 0.0, 0.5, 3, False, "last allowed"),
    ],
)
def test_another_round_must_be_allowed_needed_and_worth_it(a, b, before, number, *, go_on, reason):
    previous = None if before is None else coverage(before, 0.0)
    after = coverage(a, b, previous, number)
    assert after.go_on is go_on
    assert reason in after.reason


# What was found becomes a citation; invented, repeated, overlapping and own ones do not.
TOPIC = "w_doc_00_1"
IDS = ("w_doc_00_1#0_5", "w_doc_01_5#0_10", "w_doc_01_5#1_20", "w_doc_01_5#2_30", "w_doc_02_7#0_10")
# The article itself, three windows of one document, another document.
CITABLE = found(*IDS, a=1.0)


TASK = load_track().cited_text.model_copy(update={"max_citations": 2})


def resolve(*cited):
    draft = DraftReport(sentences=(DraftSentence(text="A fact.", segment_ids=cited),))
    report, dropped = resolve_report(TOPIC, draft, CITABLE, TASK)
    return report.sentences[0].citations, [(one.segment_id, one.reason) for one in dropped]


def test_what_cannot_be_cited_is_dropped_with_its_reason():
    assert resolve(IDS[4], IDS[1]) == ((IDS[4], IDS[1]), [])  # the writer's order stays
    assert resolve("E2") == ((), [("E2", "no such evidence")])
    assert resolve("w_doc_09_9#0_1", IDS[0], IDS[1], IDS[1], IDS[2]) == (
        (IDS[1], IDS[2]),  # two windows that overlap
        [("w_doc_09_9#0_1", "no such evidence"), (IDS[0], "the target article itself")],
    )
    assert resolve(IDS[1], IDS[3], IDS[4]) == (
        (IDS[1], IDS[3]),
        [(IDS[4], "more citations than a sentence may have")],
    )
