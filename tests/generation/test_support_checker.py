"""Only what its sources support in full stands."""

import asyncio
import json

import pytest

from sidelight.checks.support import PromptedSupportCheck
from sidelight.errors import StructuredOutputError
from sidelight.generation.compose import NOTHING_FOUND
from sidelight.generation.support_checker import SupportChecker, without_attribution
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from tests.helpers.asking.conversation import scripted
from tests.helpers.asking.report_case import COUNT, EVIDENCE, LARK, OWNER, PROFILE, segment


def label(name):
    return json.dumps({"reason": f"It is {name}.", "label": name})


def checked(*sentences, replies=()):
    asked = scripted(*replies)
    checker = SupportChecker(PromptedSupportCheck(asked.model))
    draft = DraftReport(sentences=sentences, reserve=(said("In reserve."),))
    report = asyncio.run(checker(PROFILE, (), draft, EVIDENCE))
    asked.script.assert_finished()
    assert report.draft.reserve == draft.reserve
    return report


def said(text, *cited):
    return DraftSentence(text=text, segment_ids=cited)


SOLD = said("Lark Media owns the Orrin Post.", OWNER.segment_id, LARK.segment_id)
MANY = said("Nearly 1,000 boats lie in the harbour.", COUNT.segment_id)
COPIED = said("The Orrin Post has belonged to Lark Media since 2011.", OWNER.segment_id)
FEW = said("In 2019 there were 420 boats in Orrin and Moab.", COUNT.segment_id)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        (said("It is so."), "none"),
        (said("It is so.", "web_doc_00_99#0_0"), "none"),
        (said("The claim is false.", OWNER.segment_id), "unfit"),
        (said("It is so. It is not.", OWNER.segment_id), "unfit"),
        (said("It is so [E1].", OWNER.segment_id), "unfit"),
    ],
)
def test_what_needs_no_model_asks_none(sentence, kind):
    report = checked(sentence)
    assert report.draft.sentences == ()
    assert [one.label for one in report.removed] == [kind]
    assert checked(*NOTHING_FOUND.sentences).draft.sentences == NOTHING_FOUND.sentences


def test_without_an_answer_what_was_learned_decides():
    # The first turns come in order, then the repair turns: only the first sentence gets an answer.
    report = checked(SOLD, COPIED, MANY, replies=(label("full"), "{}", "{}", "{}", "{}"))
    assert report.draft.sentences == (SOLD, COPIED)
    (removal,) = report.removed
    assert removal.label == "none"
    assert removal.reason.startswith("for want of an answer (StructuredOutputError): ")
    with pytest.raises(StructuredOutputError):  # without any answer somebody else must check
        checked(SOLD, MANY, replies=("{}", "{}", "{}", "{}"))


def test_what_stands_is_labelled_by_what_was_learned_whoever_decides():
    told = said("Some hundreds of boats lie there.", COUNT.segment_id)
    report = checked(COPIED, told, FEW, replies=(label("full"), label("full"), label("none")))
    assert report.draft.sentences == (COPIED, told)
    assert [(one.text, one.segment_ids) for one in report.stood] == [
        (COPIED.text, COPIED.segment_ids),
        (told.text, told.segment_ids),
    ]
    assert [one.label == "full" for one in report.stood] == [True, False]
    assert report.stood[0].reason == f"the source says: {COPIED.text}"


def test_of_two_sources_the_one_that_says_it_is_named():
    both = said(COPIED.text, COUNT.segment_id, OWNER.segment_id)
    report = asyncio.run(SupportChecker()(PROFILE, (), DraftReport(sentences=(both,)), EVIDENCE))
    (stood,) = report.stood
    assert (stood.label, stood.said_by) == ("full", (OWNER.segment_id,))
    assert stood.segment_ids == both.segment_ids


def test_without_a_model_what_is_quoted_and_what_is_reworded_passes():
    reworded = said("Since 2011 the Orrin Post has belonged to Lark Media.", OWNER.segment_id)
    other_year = said("The Orrin Post has belonged to Lark Media since 2012.", OWNER.segment_id)
    turned = said("Lark Media has belonged to the Orrin Post since 2011.", OWNER.segment_id)
    draft = DraftReport(sentences=(COPIED, reworded, other_year, turned))
    report = asyncio.run(SupportChecker()(PROFILE, (), draft, EVIDENCE))
    assert report.draft.sentences == (COPIED, reworded)
    assert [(one.sentence, one.label) for one in report.removed] == [
        (other_year, "none"),
        (turned, "none"),
    ]
    assert [one.label for one in report.stood] == ["full", "full"]


def test_what_points_at_a_sentence_that_does_not_stand_goes_with_it():
    page = segment("d", "Ada Lark runs the Orrin Harbour Trust. She advises Lark Media.")
    wrong = said("Ada Lark left the Orrin Harbour Trust in 2012.", page.segment_id)
    right = said("Ada Lark runs the Orrin Harbour Trust.", page.segment_id)
    she = said("She advises Lark Media.", page.segment_id)
    evidence = EvidenceSet(
        items=(*EVIDENCE.items, Evidence(segment=page, relevance={"boats": 0.5}))
    )

    def kept(*sentences):
        draft = DraftReport(sentences=sentences)
        report = asyncio.run(SupportChecker()(PROFILE, (), draft, evidence))
        return report.draft.sentences, [one.reason for one in report.removed]

    assert kept(right, she) == ((right, she), [])
    told, why = kept(wrong, she)
    assert told == ()
    assert why[1] == "the sentence that it points at does not stand"


@pytest.mark.parametrize(
    ("shown", "checked"),
    [
        ("[Lark Media] met.", "it met."),
        ("[Lark Media]'s mill burns.", "its mill burns."),
        ("All that [Lark Media asks] is a loan.", "All that it asks is a loan."),
        ("[The study's authors] met last week [written May 2024].", "it met last week ."),
    ],
)
def test_what_an_editor_put_in_is_checked_as_the_word_of_the_page(shown, checked):
    assert without_attribution(shown, [LARK]) == checked


def test_an_attribution_to_the_cited_page_needs_no_support_of_its_own():
    page = LARK.model_copy(update={"url": "https://larkmedia.example/", "title": "Mill (M-1)"})
    for speaker in ("Lark Media", "larkmedia.example", '"Mill (M-1)"'):
        assert without_attribution(f"It burns, according to {speaker}.", [page]) == "It burns."
    assert without_attribution("It burns, by its own account.", [page]) == "It burns."
    for source in ("Lark Media, “Mill (M-1)”", "larkmedia.example, “Mill (M-1)”"):
        assert without_attribution(f"{source}: It burns.", [page]) == "It burns."
    elsewhere = "Lark Media, “Fires”: It burns."
    assert without_attribution(elsewhere, [page]) == elsewhere
    other = "It burns, according to the Bureau."
    assert without_attribution(other, [page]) == other


@pytest.mark.parametrize(
    "before",
    [
        "larkmedia.example checked ‘Do larks sing at night?’ and found:",
        "Lark Media decided in May 2024 on a complaint about the article:",
        "Lark Media says of The Post:",
        "A profile of Ada Bee lists",
    ],
)
def test_of_a_quoted_verdict_the_words_of_the_page_are_checked(before):
    assert without_attribution(f"{before} “FALSE. It burns”.", [LARK]) == "FALSE. It burns"
    other = f"{before} “FALSE. It burns”, and more."
    assert without_attribution(other, [LARK]) == other
