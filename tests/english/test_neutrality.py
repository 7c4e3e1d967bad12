"""Verdicts are recognised; context about ratings is not a verdict."""

import pytest

from sidelight.english.neutrality import half_fault, passes_verdict, sentence_fault


@pytest.mark.parametrize(
    ("text", "is_verdict"),
    [
        ("The article is completely trustworthy.", True),
        ("The claim is false.", True),
        ("Reporters debunked the story.", True),
        ("It was rated false by the desk.", True),
        ("The outlet spreads misinformation.", True),
        ("Their statements were mostly untrue.", True),
        ("Garrick Voss called the bill a mistake, and the claim is false.", True),
        ("ClaimBench rated the claim as false, and the other claim is true.", True),
        ("It found that the claim was false.", True),
        ("A court ruled that the statement was false.", True),
        ("The Press Council ruled on Monday, and the claim is false.", True),
        ("Press Balance Review rates the outlet as leaning right, its record as mixed.", False),
        ("The trial found no difference between the two groups.", False),
        ("A true copy of the register is kept in the archive.", False),
        ("ClaimBench rated the claim about wells as false and traced it to a fan page.", False),
        ("ClaimBench reported that the rumour began as a hoax on a fan page.", False),
        ("The Press Council ruled that the headline was false and asked for a correction.", False),
        ("The statement on wells is mostly false, according to ClaimBench.", False),
    ],
)
def test_a_verdict_is_recognised_and_context_is_none(text, is_verdict):
    assert passes_verdict(text) is is_verdict


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The Orrin Harbour Trust counted 420 boats in 2019.", None),
        ("Vitamin E1 was sold by Dr. Vale, according to the U.S. Food Agency (FDA).", None),
        ("Asked whether the pier would hold, Tom Vale said “No. It will not.”", None),
        ("", "clean single line"),
        ("Two\nlines.", "clean single line"),
        ("Hidden\u200b marks.", "clean single line"),
        ("Boats lie there. The pier is long.", "more than one"),
        ("do the boats lie there.", "begins within"),
        ("eBay sold the boats.", None),
        ("Boats lie there【msmarco_v2.1_doc_16_1#2_3】.", "citation"),
        ("Boats lie there, says msmarco_v2.1_doc_16_1#2_3.", "citation"),
        ("Boats lie there [E1, E2].", "citation"),
        ("Boats lie there (C1).", "citation"),
        ("C3 [trust.example | The pier] Boats lie there.", "citation"),
        ("[E3; 18 words] Boats lie there.", "citation"),
        ("[E3; 18 words; leans: Its, owner] Boats lie there.", "citation"),
        ("How many boats [nice to know] lie there.", "citation"),
        ("S3 [E3, E4; 18 words] Boats lie there.", "citation"),
        ("The claim that boats lie there is false.", "verdict"),
        ("The Orrin Post is trustworthy.", "verdict"),
    ],
)
def test_what_a_sentence_may_not_hold_is_named(text, fault):
    found = sentence_fault(text)
    assert fault in found if fault else found == ""


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("The board owns the Orrin Post.", True),
        ("He called it “a matter for the board.”", True),
        ("The Post corrected the text and left the headline as it was.", True),
        ("The correction was less prominent than the article had been.", True),
        ("The reports count animals that died, whatever the cause was.", True),
        ("The Post was told on 4 June and added the answer on 15 May.", True),
        ("The board says that the owner of the Post may.", False),
        ("She sold on “terms that the board was not pleased with”.", True),
        ("No bank would lend money on a sample like that.", True),
        ("The Post did not say where the figures came from.", True),
        ("The council says that the Post was.", False),
        ("The board owns", False),
        ("— — sold.", False),
        ("The board owns the Post and sold it to the", False),
        ("The board, which owns the Post, paid for the.", False),
        ("The Post belongs to Lark and", False),
        ("Owns it.", False),
        ("", False),
    ],
)
def test_half_a_sentence_is_told_from_a_whole_one(text, is_whole):
    assert (half_fault(text) == "") is is_whole
