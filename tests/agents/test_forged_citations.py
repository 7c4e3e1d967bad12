"""Roles that make evidence or citations up, in whole investigations."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sidelight.agents.investigation import build_graph
from sidelight.errors import InputError
from sidelight.generation.no_evidence import NOTHING_STANDS
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, Selection
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
    Revision,
)
from sidelight.schemas.segment import Segment
from tests.helpers.mini_web import dependencies

FORGED = Segment(
    segment_id="msmarco_v2.1_doc_99_99#0_0", url="https://a.example/", title="No", text="No page."
)
SENTENCE = DraftSentence(text="Nobody ever said this.", segment_ids=(FORGED.segment_id,))
DRAFT = DraftReport(sentences=(SENTENCE,))
EVIDENCE = EvidenceSet(items=(Evidence(segment=FORGED, relevance={"publisher": 1.0}),))
REMOVED = CheckedReport(
    draft=DRAFT, removed=(Removal(sentence=SENTENCE, label="none", reason="So."),)
)


def says(answer):
    async def perform(*_):
        return answer

    return perform


Investigate = Callable[[dict[str, object]], dict[str, Any]]


@pytest.fixture
def investigate(mini_web_articles, mini_web_segments, lexical_encode):
    def investigate(forged):
        deps = dependencies(mini_web_segments, lexical_encode)(mini_web_articles[0])
        performers: dict[str, Any] = {role: says(answer) for role, answer in forged.items()}
        deps = replace(deps, roles=replace(deps.roles, **performers))
        return asyncio.run(build_graph().ainvoke({}, context=deps))

    return investigate


@pytest.mark.parametrize(
    "forged",
    [
        {"select_evidence": Selection(evidence=EVIDENCE)},
        {"check_report": REMOVED, "revise_report": Revision(draft=DRAFT, evidence=EVIDENCE)},
    ],
    ids=["selecting", "revising"],
)
def test_evidence_that_was_not_found_ends_the_topic(forged, investigate):
    with pytest.raises(InputError, match="was taken as evidence but never found"):
        investigate(forged)


@pytest.mark.parametrize(
    "forged",
    [
        {"write_report": DRAFT},
        {"write_report": DRAFT, "check_report": CheckedReport(draft=DRAFT)},
        {"check_report": REMOVED, "revise_report": Revision(draft=DRAFT)},
    ],
    ids=["writing", "writing unchecked", "revising"],
)
def test_a_citation_of_what_was_not_found_is_in_no_report(forged, investigate):
    state = investigate(forged)
    cited = {one for sentence in state["report"].sentences for one in sentence.citations}
    assert FORGED.segment_id not in cited
    assert state["report"].sentences


def test_a_report_of_which_nothing_stands_says_so(investigate):
    nothing = CheckedReport(draft=DraftReport(sentences=()))
    (sentence,) = investigate({"check_report": nothing})["report"].sentences
    assert (sentence.text, sentence.citations) == (NOTHING_STANDS, ())
