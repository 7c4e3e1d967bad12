"""A report by a model: written, checked beside what it cites, and revised."""

import asyncio
import json

import pytest

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.generation.compose import NOTHING_FOUND
from sidelight.generation.extractive.performers import ExtractiveReviser
from sidelight.generation.prompted.check_report import PromptedChecker
from sidelight.generation.prompted.write_report import PromptedReportWriter, PromptedReviser
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, FoundClaim
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
)
from sidelight.text import budget_words
from sidelight.text_vectors import TextVectors
from tests.helpers.asking.conversation import Asked, nobody, outside_fences, scripted
from tests.helpers.asking.report_case import (
    ANGLES,
    COUNT,
    EVIDENCE,
    HOLDS,
    LARK,
    ORDER,
    OWNER,
    PROFILE,
    READ,
    SOLD,
    segment,
)

BOTH = (
    "While Lark Media has owned the Orrin Post since 2011, the Orrin Harbour Trust counted 420 "
    "boats in 2019."
)


def report(*written):
    return json.dumps({"sentences": [{"claim_keys": keys, "text": text} for text, keys in written]})


def wrote(asked, evidence=READ, max_words=250, instead=nobody, drafts=1):
    writer = PromptedReportWriter(asked.model, max_words, drafts, instead)
    draft = asyncio.run(writer(PROFILE, ANGLES, evidence))
    asked.script.assert_finished()
    return draft


def test_a_sentence_rests_on_what_its_claims_rest_on():
    draft = wrote(scripted(report((BOTH, ["C1", "C2", "C7"]))))
    (sentence,) = draft.sentences
    assert sentence.text == BOTH
    # The plainest passage of the first claim, then what holds most of the figures.
    assert sentence.segment_ids[:2] == (LARK.segment_id, COUNT.segment_id)
    assert set(sentence.segment_ids) == {LARK.segment_id, COUNT.segment_id, OWNER.segment_id}
    assert sentence.covers == {"owner": 0.9, "boats": 0.5}
    assert draft.invented_keys == ("C7",)
    assert (draft.notes, draft.reserve) == ((), ())


@pytest.mark.parametrize(("second", "cites"), [("It paid Vale.", 2), ("It is in Orrin.", 1)])
def test_an_overlapping_window_is_cited_for_what_stands_in_it_alone(second, cites):
    windows = [segment("d", "Lark Media owns the Post.", 4), segment("d", second, 5)]
    items = tuple(Evidence(segment=one, relevance={"owner": 0.9}) for one in windows)
    ids = tuple(one.segment_id for one in windows)
    claim = FoundClaim(text="Lark Media paid Vale.", segment_ids=ids, answers={"owner": 0.9})
    evidence = EvidenceSet(items=items, claims=(claim,))
    draft = wrote(scripted(report((claim.text, ["C1"]))), evidence)
    assert draft.sentences[0].segment_ids == ids[:cites]


def test_what_it_does_not_tell_waits():
    draft = wrote(scripted(report((SOLD.text, ["C1"]))))
    assert [one.text for one in draft.reserve] == [HOLDS.text]
    assert draft.reserve[0].segment_ids == (COUNT.segment_id,)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (report((BOTH, ["C9"])), "names nothing shown"),
        (report((f"{SOLD.text} {HOLDS.text}", ["C1", "C2"])), "more than one sentence"),
        (report((f"{BOTH[:-1]} [E1].", ["C1", "C2"])), "a citation or an id"),
        (report((f"{BOTH[:-1]}, which is false.", ["C1", "C2"])), "a verdict"),
        (report(("Lark Media has owned the", ["C1"])), "no whole sentence"),
        (report(), "it has no sentence"),
    ],
)
def test_what_is_wrong_is_repaired_or_the_claims_stand(answer, fault):
    right = report((SOLD.text, ["C1"]), (HOLDS.text, ["C2"]))
    asked = scripted(answer, right)
    draft = wrote(asked, max_words=30)
    assert [one.text for one in draft.sentences] == [SOLD.text, HOLDS.text]
    (note,) = asked.notes()
    assert fault in note

    failures: list[ReplyError] = []
    draft = wrote(scripted(answer, answer), max_words=30, instead=failures.append)
    assert [one.text for one in draft.sentences] == [SOLD.text, HOLDS.text]
    assert sum(budget_words(one.text) for one in draft.sentences) <= 30
    assert draft.notes == ("not as its writer was asked to: StructuredOutputError",)
    assert len(failures) == 1


def test_evidence_that_nobody_read_is_shown_as_it_stands():
    asked = scripted(report((SOLD.text, ["C2"])))
    assert wrote(scripted(), EvidenceSet()) == NOTHING_FOUND
    draft = wrote(asked, EVIDENCE)
    assert draft.sentences[0].segment_ids == (LARK.segment_id,)
    assert "Ignore the rules" in asked.user()
    assert "Ignore the rules" not in outside_fences(asked.user())
    assert ORDER not in asked.user()
    with pytest.raises(StructuredOutputError):
        wrote(scripted("{}", "{}"), EVIDENCE)


def test_two_drafts_are_written_apart_and_the_one_that_covers_more_stays():
    asked = scripted(report((HOLDS.text, ["C2"])), report((SOLD.text, ["C1"])))
    draft = wrote(asked, drafts=2)
    assert [one.text for one in draft.sentences] == [HOLDS.text]
    assert [one.text for rival in draft.rivals for one in rival.sentences] == [SOLD.text]
    assert "Plan the report by the list of questions" not in asked.user(0)
    assert "Plan the report by the list of questions" in asked.user(1)
    full = labels(tells=("boats",), S1="full"), labels(tells=("owner",), S1="full")
    check = PromptedChecker(checks(*full).model, 20)
    checked = asyncio.run(check(PROFILE, ANGLES, draft, READ))
    assert [one.text for one in checked.draft.sentences] == [SOLD.text]
    assert HOLDS.text in {one.text for one in checked.draft.reserve}
    # A draft that cannot be had leaves the other.
    failing = scripted("{}", report((SOLD.text, ["C1"])), "{}", "{}")
    assert wrote(failing, EVIDENCE, drafts=2).rivals == ()


def test_the_check_knows_the_limit_and_what_is_free():
    for limit, known in ((20, "20 words and has 10: 10 are free"), (8, "have 10; those at")):
        asked = checks(labels(S1="full"))
        checked_by(asked, OWNED, limit=limit)
        assert known in asked.user()


# A model checks a whole report in one call, beside what it cites.
DATED = EvidenceSet(
    items=tuple(
        item.model_copy(update={"published": "3 May 2021"}) if item.segment == OWNER else item
        for item in EVIDENCE.items
    )
)
OWNED = DraftSentence(
    text="The Orrin Post has belonged to Lark Media since 2011.",
    segment_ids=(OWNER.segment_id, LARK.segment_id),
)
COUNTED = DraftSentence(text="The harbour holds 420 boats.", segment_ids=(COUNT.segment_id,))
UNCITED = DraftSentence(text="Nobody knows why.")


def labels(mended="", tells=(), **by_id):
    return json.dumps(
        {
            "sentences": [
                {
                    "sentence_id": name,
                    "reason": f"Of {name}.",
                    "label": label,
                    "text": mended,
                    "answers": [{"angle_id": one, "label": "partial"} for one in tells],
                }
                for name, label in by_id.items()
            ]
        }
    )


def checks(*replies, asks=()):
    """A script of checks, before each of which the reader asks the same at the first sentence."""
    unclear = [{"sentence_id": "S1", "asks": asks}] if asks else []
    return scripted(*replies, UnclearSentences=json.dumps({"sentences": unclear}))


def checked_by(asked, *sentences, limit=250, evidence=DATED):
    """The report that a check leaves; a checker may be handed in, which knows what stood."""
    checker = PromptedChecker(asked.model, limit) if isinstance(asked, Asked) else asked
    draft = DraftReport(sentences=sentences)
    return asyncio.run(checker(PROFILE, ANGLES, draft, evidence))


def test_only_what_is_supported_in_full_stands():
    asked = checks(labels(S1="full", S2="none"))
    checked = checked_by(asked, OWNED, UNCITED, COUNTED)
    assert checked.draft.sentences == (OWNED,)
    assert [(one.label, one.reason) for one in checked.removed] == [
        ("none", "it cites no evidence"),
        ("none", "Of S2."),
    ]
    text = asked.user()
    assert "a.example | Page a | 3 May 2021" in text
    # Every source once, every sentence in its place.
    assert text.count("has belonged to Lark Media since 2011") == 2
    places = [
        text.index(line)
        for line in (
            f"S1 [E1, E2; {budget_words(OWNED.text)} words] {OWNED.text}",
            f"- {UNCITED.text}",
            f"S2 [E3; {budget_words(COUNTED.text)} words] {COUNTED.text}",
        )
    ]
    assert places == sorted(places)


def test_a_sentence_is_credited_with_what_it_tells():
    filed = OWNED.model_copy(update={"covers": {"owner": 0.9}})
    for tells, covers in ((("boats", "nobody"), {"boats": 0.5}), ((), {"owner": 0.9})):
        checked = checked_by(checks(labels(tells=tells, S1="full")), filed)
        assert checked.draft.sentences[0].covers == covers


def test_what_stands_beside_a_source_is_shown_to_the_check():
    beside = EvidenceSet(
        items=tuple(
            one.model_copy(update={"before": "Who owns the Post?", "after": "It did."})
            for one in DATED.items
            if one.segment == OWNER
        )
    )
    asked = checks(labels(S1="full"))
    checked_by(asked, OWNED, evidence=beside)
    assert f"(before it on the page: Who owns the Post?)\n{OWNER.text}\n(after it" in asked.user()
    assert "owner [have to know] Who owns the Orrin Post?" in asked.user()


def test_a_fault_of_a_few_words_is_mended_at_once():
    mended = "The Orrin Harbour Trust counted 420 boats in 2019."
    wrong = COUNTED.model_copy(update={"text": "The Trust counted 480 boats in 2019."})
    checked = checked_by(checks(labels(mended, S1="mend")), wrong)
    assert [one.text for one in checked.draft.sentences] == [mended]
    assert checked.draft.sentences[0].segment_ids == wrong.segment_ids
    assert [(one.text, one.before) for one in checked.stood] == [(mended, wrong.text)]
    (removed,) = checked_by(checks(labels(S1="mend")), wrong).removed
    assert removed.label == "none"


@pytest.mark.parametrize(
    ("worse", "fault"),
    [
        ("It is false. So it is.", "more than one sentence"),
        (
            "The Orrin Harbour Trust counted 417 boats in 2019.",
            "neither its passages nor the article give 417",
        ),
    ],
)
def test_a_mend_that_cannot_stand_is_asked_for_once_more(worse, fault):
    mended = "The Orrin Harbour Trust counted 420 boats in 2019."
    wrong = COUNTED.model_copy(update={"text": "The Trust counted 480 boats in 2019."})
    asked = checks(labels(worse, S1="mend"), labels(mended, S1="mend"))
    assert checked_by(asked, wrong).draft.sentences[0].text == mended
    assert f"{fault}: '{worse}'" in asked.script.requests[1].messages[-1].content
    # Where the next one is no better, that sentence falls and no other.
    both = labels(worse, S1="mend", S2="full")
    checked = checked_by(checks(both, both), wrong, OWNED)
    assert checked.draft.sentences == (OWNED,)
    assert [one.sentence.text for one in checked.removed] == [worse]


@pytest.mark.parametrize("text", ["Zebra Holdings counted them.", "Boats count 999 here."])
def test_a_check_that_finds_all_supported_lets_no_foreign_name_or_figure_pass(text):
    foreign = COUNTED.model_copy(update={"text": f"Yesterday {text}"})
    checked = checked_by(checks(labels(S1="full", S2="full")), OWNED, foreign)
    assert checked.draft.sentences == (OWNED,)
    assert checked.removed[0].reason.startswith("the sources lack ")


def test_the_check_sees_what_a_reader_asks_who_has_the_article_alone():
    asked = checks(labels(S1="full", S2="full"), asks=["whose harbour?", "in which year?"])
    checked_by(asked, COUNTED, OWNED)
    assert f"5 words; a reader asks: whose harbour? in which year?] {COUNTED.text}" in asked.user()
    assert f"words] {OWNED.text}" in asked.user()
    assert "what a reader asks about" in " ".join(outside_fences(asked.user()).split())
    assert "leans" not in asked.user()  # it explains no mark that it does not show
    (blind,) = asked.script.aside
    shown = blind.messages[1].content
    assert f"S1 [5 words; leans: harbour] {COUNTED.text}\nS2 [10 words] {OWNED.text}" in shown
    assert COUNT.text not in shown
    assert PROFILE.body in shown


def unclear(*asks):
    """Replies of a reader who asks at the first sentence; nothing where it asks nothing."""
    return [
        json.dumps({"sentences": [{"sentence_id": "S1", "asks": one}] if one else []})
        for one in asks
    ]


WRONG = COUNTED.model_copy(update={"text": "The Trust counted 480 boats in 2019."})
SHORT = "It counted 420 boats in 2019."
NAMED = "The Orrin Harbour Trust counted 420 boats in 2019."


@pytest.mark.parametrize(
    ("again", "left"),
    [
        (labels(NAMED, tells=["boats"], S1="mend"), [NAMED, OWNED.text]),
        (labels(S1="full"), [SHORT, OWNED.text]),
        (labels(S1="none"), [OWNED.text]),
    ],
)
def test_a_mended_sentence_at_which_a_reader_still_asks_is_checked_once_more(again, left):
    first, second = unclear([], ["who counted them?"])
    asked = scripted(first, labels(SHORT, S1="mend", S2="full"), second, again)
    checked = checked_by(asked, WRONG, OWNED)
    assert [one.text for one in checked.draft.sentences] == left
    blind, last = (one.messages[1].content for one in asked.script.requests[2:])
    assert f"S1 [6 words; leans: It] {SHORT}\n- {OWNED.text}" in blind
    assert f"a reader asks: who counted them?] {SHORT}\n- {OWNED.text}" in last
    assert COUNT.text in last
    assert last.count(OWNER.text) == 1  # among the sentences, and not as a source
    if left[0] == NAMED:
        assert checked.draft.sentences[0].covers == {"boats": 0.5}
        assert checked.stood[0].before == WRONG.text


def test_a_mended_sentence_that_asks_nothing_or_gets_no_answer_stands():
    mend = labels(NAMED, S1="mend")
    for later in (unclear([]), [*unclear(["which trust?"]), "{}", "{}"]):
        asked = scripted(*unclear([]), mend, *later)
        assert [one.text for one in checked_by(asked, WRONG).draft.sentences] == [NAMED]
        asked.script.assert_finished()


def test_a_check_without_a_reader_is_a_check():
    asked = scripted("{}", "{}", labels(S1="full"))
    assert checked_by(asked, OWNED).draft.sentences == (OWNED,)


def test_a_figure_of_the_article_may_be_set_against_the_sources():
    body = f"{PROFILE.body} The harbour holds 930 boats, counted by a Polaris 8."
    said = PROFILE.model_copy(update={"body": body})
    against = COUNTED.model_copy(update={"text": "The harbour holds 420 boats, not 930."})
    alone = COUNTED.model_copy(update={"text": "Some 930 people work there."})
    named = COUNTED.model_copy(update={"text": "Nobody has tried the Polaris 8 elsewhere."})
    checker = PromptedChecker(checks(labels(S1="full", S2="full", S3="full")).model, 250)
    draft = DraftReport(sentences=(against, alone, named))
    checked = asyncio.run(checker(said, ANGLES, draft, DATED))
    assert checked.draft.sentences == (against, named)
    assert checked.removed[0].reason == "the sources lack 930"


def test_figures_may_be_written_in_words():
    spoken = OWNER.model_copy(
        update={"text": "From 2023 to June 2024, says Vale, twenty-six thousand came by."}
    )
    found = EvidenceSet(items=(Evidence(segment=spoken, relevance={"owner": 0.9}),))
    said = OWNED.model_copy(update={"text": "Visitors numbered 26,000 in all in 2023-24."})
    checked = checked_by(checks(labels(S1="full")), said, evidence=found)
    assert [one.text for one in checked.draft.sentences] == [said.text]


def test_a_check_that_lets_nothing_stand_is_no_answer():
    quoted = [DraftSentence(text=OWNER.text, segment_ids=(OWNER.segment_id,)), OWNED, COUNTED]
    with pytest.raises(StructuredOutputError, match="lets nothing stand"):
        checked_by(checks(labels(S1="none", S2="none", S3="none")), *quoted)


def test_what_stood_is_shown_and_not_checked_again():
    asked = checks(labels(S1="full"), labels(S1="full"))
    checker = PromptedChecker(asked.model, 250)
    checked_by(checker, OWNED)
    assert checked_by(checker, OWNED, COUNTED).removed == ()
    assert f"- {OWNED.text}" in asked.user(1)
    assert f"S1 [E1; 5 words] {COUNTED.text}" in asked.user(1)
    assert OWNER.title not in asked.user(1)
    checked_by(checker, OWNED, COUNTED)
    asked.script.assert_finished()


def test_what_stood_is_not_cut_for_what_a_mend_lengthened():
    longer = "The Orrin Harbour Trust counted 420 boats there in 2019, by its own account."
    asked = checks(labels(S1="full"), labels(longer, S1="mend"))
    checker = PromptedChecker(asked.model, 20)
    checked_by(checker, OWNED)
    checked = checked_by(checker, COUNTED, OWNED)
    assert checked.draft.sentences == (OWNED,)
    assert [one.text for one in checked.draft.reserve] == [longer]


def test_labels_are_given_once_each_or_repaired():
    asked = checks(labels(S1="full", S3="full"), labels(S1="full", S2="none"))
    assert checked_by(asked, OWNED, COUNTED).draft.sentences == (OWNED,)
    assert "missing: S2; not asked for: S3" in asked.notes()[0]
    # A report of nothing costs no call.
    assert checked_by(scripted(), *NOTHING_FOUND.sentences, evidence=EvidenceSet()).removed == ()


# What fell is told anew by the writer, and free room is filled; or the reserve steps in.
STANDS = DraftSentence(
    text="The Orrin Post has belonged to Lark Media since 2011.",
    segment_ids=(OWNER.segment_id,),
    covers={"owner": 0.9},
)
REMOVED = DraftSentence(
    text="Nearly 1,000 boats lie in the harbour of Orrin.",
    segment_ids=(LARK.segment_id,),
    covers={"boats": 0.9},
)
WAITS = DraftSentence(text=HOLDS.text, segment_ids=HOLDS.segment_ids, covers=HOLDS.answers)
CHECKED = CheckedReport(
    draft=DraftReport(sentences=(STANDS,), reserve=(WAITS,)),
    removed=(Removal(sentence=REMOVED, label="none", reason="The source says 420."),),
)
ANEW = "Lark Media bought the Orrin Post."


def added(*sentences):
    return json.dumps(
        {
            "sentences": [
                {"after": after, "keys": keys, "text": text} for after, keys, text in sentences
            ]
        }
    )


def revised(encode, asked, checked=CHECKED, max_words=250, instead=nobody, evidence=READ):
    reviser = PromptedReviser(asked.model, TextVectors(encode), max_words, 3, instead)
    revision = asyncio.run(reviser(PROFILE, ANGLES, evidence, checked, {}))
    asked.script.assert_finished()
    return revision


def texts(revision):
    return [sentence.text for sentence in revision.draft.sentences]


def test_what_fell_is_told_anew_and_room_is_filled(lexical_encode):
    answer = added(("S1", ["C2"], HOLDS.text), ("start", ["E1", "E8"], ANEW))
    revision = revised(lexical_encode, scripted(answer))
    assert texts(revision) == [ANEW, STANDS.text, HOLDS.text]
    first, _, last = revision.draft.sentences
    assert (first.segment_ids, first.covers) == ((LARK.segment_id,), {"owner": 0.5})
    assert (last.segment_ids, last.covers) == ((COUNT.segment_id,), {"boats": 0.5})
    assert revision.draft.invented_keys == ("E8",)
    assert revision.draft.reserve == ()
    assert revision.evidence.items == ()


@pytest.mark.parametrize("after", ["S7", "", "S", "R1", "S²"])
def test_what_names_no_place_comes_last(lexical_encode, after):
    revision = revised(lexical_encode, scripted(added((after, ["E1"], ANEW))))
    assert texts(revision) == [STANDS.text, ANEW]


def test_nothing_worth_adding_adds_nothing(lexical_encode):
    revision = revised(lexical_encode, scripted(added()))
    assert texts(revision) == [STANDS.text]
    assert revision.draft.reserve == (WAITS,)
    # Without room nobody is asked.
    assert texts(revised(lexical_encode, scripted(), max_words=10)) == [STANDS.text]


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (added(("S1", ["E1"], f"{ANEW} That is a lot.")), "more than one sentence"),
        (added(("S1", ["E7"], ANEW)), "names nothing shown"),
        (added(("S1", ["E1"], "Boats lie in")), "no whole sentence"),
    ],
)
def test_what_is_wrong_is_repaired_once(lexical_encode, bad, fault):
    asked = scripted(bad, added(("S1", ["E1"], ANEW)))
    assert ANEW in texts(revised(lexical_encode, asked, max_words=31))
    (note,) = asked.notes()
    assert fault in note
    # What still will not do is left out.
    still = revised(lexical_encode, scripted(bad, bad), max_words=31)
    assert texts(still) == [STANDS.text]


def test_where_nothing_stands_the_report_is_written_without_a_model(lexical_encode):
    failures: list[ReplyError] = []
    nothing = CHECKED.model_copy(update={"draft": DraftReport(sentences=())})
    anew = revised(lexical_encode, scripted(), nothing, instead=failures.append)
    assert [one.message for one in failures] == ["no sentence of the report stood the check"]
    assert all(one.text in str(READ.items) for one in anew.draft.sentences if one.segment_ids)


def test_the_request_shows_what_stands_what_fell_and_what_is_left(lexical_encode):
    asked = scripted(added())
    revised(lexical_encode, asked)
    outside = outside_fences(asked.user())
    assert f"S1 [stands] {STANDS.text}" in asked.user()
    assert f"- [E1] {REMOVED.text}" in asked.user()
    assert "- fault: The source says 420." in asked.user()
    for shown in ("Ignore the rules", REMOVED.text, "The source says 420.", HOLDS.text):
        assert shown in asked.user()
        assert shown not in outside


def test_of_many_untold_claims_those_are_shown_that_would_add_most(lexical_encode):
    claims = tuple(
        HOLDS.model_copy(update={"text": f"Orrin has {n} boats.", "answers": {"boats": n / 100}})
        for n in range(10, 40)
    )
    waiting = tuple(WAITS.model_copy(update={"text": one.text}) for one in claims)
    draft = CHECKED.draft.model_copy(update={"reserve": waiting})
    asked = scripted(added())
    evidence = EvidenceSet(items=EVIDENCE.items, claims=claims)
    revised(lexical_encode, asked, CheckedReport(draft=draft), evidence=evidence)
    shown = [n for n in range(10, 40) if f"Orrin has {n} boats." in asked.user()]
    assert shown == list(range(20, 40))


def test_without_a_model_the_reserve_steps_in():
    revision = asyncio.run(ExtractiveReviser(250)(PROFILE, ANGLES, READ, CHECKED, {}))
    assert texts(revision) == [STANDS.text, WAITS.text]


def test_what_steps_in_goes_behind_what_its_page_tells():
    source = "Fen Times, “Boats”: "
    first, other = (
        DraftSentence(text=f"{source}Orrin has {n} boats.", segment_ids=(f"m_doc_{n}#0_0",))
        for n in (1, 2)
    )
    more = DraftSentence(text=f"{source}Lark sold three.", segment_ids=("m_doc_1#1_9",))
    more = more.model_copy(update={"covers": {ANGLES[0].angle_id: 0.5}})
    draft = DraftReport(sentences=(first, other), reserve=(more,))
    revision = asyncio.run(
        ExtractiveReviser(250)(PROFILE, ANGLES, READ, CheckedReport(draft=draft), {})
    )
    assert texts(revision) == [first.text, "Lark sold three.", other.text]
