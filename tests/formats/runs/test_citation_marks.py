from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.formats.runs.citation_marks import has_citation_marks, strip_citation_marks
from sidelight.formats.runs.cited_text import read_report_run
from tests.helpers.formats.sample_runs import TRACK

A = "msmarco_v2.1_doc_16_1293403601#1_1489527196"
B = "msmarco_v2.1_doc_11_282544205#3_583544940"


@pytest.mark.parametrize(
    ("text", "stripped", "ids"),
    [
        ("Plain.", "Plain.", []),
        (f"It closed in 2019【{A}】.", "It closed in 2019.", [A]),
        (f"It closed 【{A}】【{B}】.", "It closed.", [A, B]),
        (f"It closed.【{A}, {B}】", "It closed.", [A, B]),
        (f"It【{B}】 closed【{A}】 in May【{B}】.", "It closed in May.", [B, A]),
        ("It closed【】.", "It closed.", []),
        (f"It closed【{A}", f"It closed【{A}", []),  # an open mark is left for the check to find
    ],
)
def test_marks_become_citations(text: str, stripped: str, ids: list[str]) -> None:
    assert strip_citation_marks(text) == (stripped, ids)


def test_c4_the_marks_of_the_public_gpt_oss_run(public_runs: Path) -> None:
    run = read_report_run(public_runs / "task2" / "organizer-gpt-oss-t2")
    marked = [
        sentence.text
        for report in run.reports
        for sentence in report.responses
        if has_citation_marks(sentence.text)
    ]

    results = [strip_citation_marks(text) for text in marked]

    assert len(marked) == 12
    assert sum(len(ids) for _, ids in results) == 18
    assert all(re.fullmatch(TRACK.segment_id_pattern, item) for _, ids in results for item in ids)
    assert not any(has_citation_marks(text) for text, _ in results)
    assert all(text.endswith(".") for text, _ in results)


words = st.text(alphabet="abc .,é", max_size=8).map(str.rstrip)
ids = st.lists(st.sampled_from([A, B]), max_size=3)


@given(first=words, parts=st.lists(st.tuples(ids, st.sampled_from(["", " "]), words), max_size=5))
def test_everything_but_the_marks_stays(
    first: str, parts: list[tuple[list[str], str, str]]
) -> None:
    marked = first + "".join(f"{space}【{', '.join(cited)}】{text}" for cited, space, text in parts)

    stripped, found = strip_citation_marks(marked)

    assert stripped == "".join([first, *(text for _, _, text in parts)]).strip()
    assert found == list(dict.fromkeys(item for cited, _, _ in parts for item in cited))
