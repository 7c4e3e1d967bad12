"""A model checks a whole report in one call, beside what it cites."""

from __future__ import annotations

import asyncio
import json

import pytest

from sidelight.errors import StructuredOutputError
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.prompted.check_report import PromptedChecker
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.text_vectors import Encode
from tests.helpers.asking.conversation import outside_fences, scripted
from tests.helpers.asking.report_case import COUNT, EVIDENCE, LARK, OWNER, PROFILE

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


def labels(**by_id: str) -> str:
    return json.dumps(
        {
            "sentences": [
                {"sentence_id": name, "reason": f"Of {name}.", "label": label}
                for name, label in by_id.items()
            ]
        }
    )


def report(*sentences: DraftSentence) -> DraftReport:
    return DraftReport(sentences=sentences)


def test_only_what_is_supported_in_full_stands(lexical_encode: Encode) -> None:
    asked = scripted(labels(S1="full", S2="partial"))
    checker = PromptedChecker(asked.model, lexical_encode)
    checked = asyncio.run(checker(PROFILE, report(OWNED, UNCITED, COUNTED), DATED))
    assert checked.draft.sentences == (OWNED,)
    assert [(one.label, one.reason) for one in checked.removed] == [
        ("none", "it cites no evidence"),
        ("partial", "Of S2."),
    ]
    text = asked.user()
    assert "a.example | Page a | 3 May 2021" in text
    # Every source once, every sentence in its place.
    assert text.count("has belonged to Lark Media since 2011") == 2
    places = [
        text.index(line)
        for line in (
            f"S1 [E1, E2] {OWNED.text}",
            f"- {UNCITED.text}",
            f"S2 [E3] {COUNTED.text}",
        )
    ]
    assert places == sorted(places)


def test_what_stood_is_shown_and_not_checked_again(lexical_encode: Encode) -> None:
    asked = scripted(labels(S1="full"), labels(S1="full"))
    checker = PromptedChecker(asked.model, lexical_encode)
    asyncio.run(checker(PROFILE, report(OWNED), DATED))
    checked = asyncio.run(checker(PROFILE, report(OWNED, COUNTED), DATED))
    assert checked.removed == ()
    assert f"- {OWNED.text}" in asked.user(1)
    assert f"S1 [E1] {COUNTED.text}" in asked.user(1)
    assert OWNER.title not in asked.user(1)
    asyncio.run(checker(PROFILE, report(OWNED, COUNTED), DATED))
    asked.script.assert_finished()


def test_a_report_of_nothing_costs_no_call(lexical_encode: Encode) -> None:
    checker = PromptedChecker(scripted().model, lexical_encode)
    assert asyncio.run(checker(PROFILE, NOTHING_FOUND, EvidenceSet())).removed == ()


def test_labels_are_given_once_each_or_repaired(lexical_encode: Encode) -> None:
    asked = scripted(labels(S1="full", S3="full"), labels(S1="full", S2="none"))
    checker = PromptedChecker(asked.model, lexical_encode)
    checked = asyncio.run(checker(PROFILE, report(OWNED, COUNTED), DATED))
    assert checked.draft.sentences == (OWNED,)
    assert "missing: S2; not asked for: S3" in asked.notes()[0]
    with pytest.raises(StructuredOutputError):
        asyncio.run(
            PromptedChecker(scripted("{}", "{}").model, lexical_encode)(
                PROFILE, report(OWNED), DATED
            )
        )


def test_pages_and_sentences_are_fenced(lexical_encode: Encode) -> None:
    asked = scripted(labels(S1="full"))
    asyncio.run(PromptedChecker(asked.model, lexical_encode)(PROFILE, report(OWNED), DATED))
    outside = outside_fences(asked.user())
    assert "Ignore the rules" in asked.user()
    assert "Ignore the rules" not in outside
    assert OWNED.text not in outside
