"""Evidence and steps are put together in any order, and read again as they were."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.schemas.investigation.angle import (
    Angle,
    ArticleFacts,
    Aspect,
    Coverage,
    Plan,
    PlannedQuery,
)
from sidelight.schemas.investigation.evidence import DroppedHit, Evidence, EvidenceSet, Hit
from sidelight.schemas.investigation.report import (
    DraftQuestions,
    DraftReport,
    DraftSentence,
    DroppedCitation,
    Removal,
)
from sidelight.schemas.investigation.trace import (
    Finished,
    PageName,
    Revised,
    Round,
    Searched,
    Selected,
    Trace,
)
from sidelight.schemas.segment import Segment

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
def test_keys_lead_back_to_their_segments(found):
    ids = found.segment_ids()
    assert list(ids.values()) == sorted(ids.values())
    assert all(ids[key] == item.segment.segment_id for key, item in found.keyed())


def test_what_evidence_speaks_to_is_covered():
    found = EvidenceSet.merge(
        *(
            EvidenceSet(
                items=(
                    Evidence(
                        segment=Segment(segment_id=name, text="x"), relevance={"rating": score}
                    ),
                )
            )
            for name, score in (("s1", 0.2), ("s2", 0.9))
        )
    )
    assert found.covers(["rating", "funding"]) == {"rating"}


# What steps did, put together in any order, and read again as it was.


ANGLE = Angle(angle_id="a", aspect=Aspect.AUTHOR, question="Who?", query="who", weight=2)
COVERAGE = Coverage(covered=(), weight=0.0, score=0.0, go_on=False, reason="enough")
FIRST = DraftReport(sentences=(DraftSentence(text="She did.", segment_ids=("d1#0",)),))
SECOND = DraftReport(sentences=(DraftSentence(text="He did.", segment_ids=("d3#0",)),))


def searched(number, aspect):
    found = Searched(
        hits={f"{number}.{aspect}": (Hit(f"d{number}#0", 0.5), Hit(f"{aspect}#0", 0.25))},
        dropped=(DroppedHit(segment_id="d9#0", reason="own-article"),),
    )
    return Trace(rounds={number: Round(searched={Aspect(aspect): found})})


STEPS = [
    Trace(profile=ArticleFacts(publisher="Post", host="", subject="bogs")),
    Trace(rubric=(ANGLE,)),
    *(
        Trace(rounds={n: Round(plan=Plan(angles=(), queries=(PlannedQuery.of(ANGLE, n, "x"),)))})
        for n in (1, 2, 10)
    ),
    *(searched(number, aspect) for number in (1, 2) for aspect in ("author", "claim")),
    Trace(
        rounds={
            1: Round(
                selected=Selected(
                    taken={"d1#0": {"a": 0.5}},
                    dropped={"author#0": "others say more"},
                    refused={"claim": "orders"},
                    pages={"d1": PageName(url="", title="One")},
                )
            )
        }
    ),
    Trace(rounds={2: Round(coverage=COVERAGE)}),
    Trace(questions=DraftQuestions(questions=("Who?",))),
    Trace(draft=FIRST),
    Trace(checks={0: (Removal(sentence=FIRST.sentences[0], label="none", reason="no"),)}),
    Trace(checks={1: ()}),
    Trace(
        revisions={
            1: Revised(
                found={"She did.": ("d3#0", "d4#0")},
                draft=SECOND,
                taken=("d3#0",),
                refused={"d4": "orders"},
            )
        }
    ),
    Trace(
        report=Finished(
            dropped_citations=(DroppedCitation(segment_id="d1#0", reason="twice"),),
            invented_keys=("E9",),
        )
    ),
]


def merged(steps):
    trace = Trace()
    for step in steps:
        trace = trace.merge(step)
    return trace


WHOLE = merged(STEPS)
some_steps = st.lists(st.sampled_from(STEPS)).map(merged)


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
        (
            Trace(rounds={2: Round(coverage=COVERAGE.model_copy(update={"go_on": True}))}),
            "trace.rounds.2.coverage",
        ),
        (
            Trace(rounds={1: Round(searched={Aspect.AUTHOR: Searched(hits={})})}),
            "trace.rounds.1.searched.author",
        ),
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
