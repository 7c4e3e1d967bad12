"""What a sentence may not hold, whoever wrote it."""

import pytest

from sidelight.english.neutrality import sentence_fault


@pytest.mark.parametrize(
    "text",
    [
        "The Orrin Harbour Trust counted 420 boats in 2019.",
        "Vitamin E1 was sold by Dr. Vale, according to the U.S. Food Agency (FDA).",
        "Asked whether the pier would hold, Tom Vale said “No. It will not.”",
    ],
)
def test_a_plain_sentence_has_no_fault(text):
    assert sentence_fault(text) == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "clean single line"),
        ("Two\nlines.", "clean single line"),
        ("Hidden\u200b marks.", "clean single line"),
        ("Boats lie there. The pier is long.", "more than one"),
        ("Boats lie there【msmarco_v2.1_doc_16_1#2_3】.", "citation"),
        ("Boats lie there, says msmarco_v2.1_doc_16_1#2_3.", "citation"),
        ("Boats lie there [E1, E2].", "citation"),
        ("Boats lie there (C1).", "citation"),
        ("The claim that boats lie there is false.", "verdict"),
        ("The Orrin Post is trustworthy.", "verdict"),
    ],
)
def test_a_fault_is_named(text, fault):
    assert fault in sentence_fault(text)
