"""Segment ids are read as the collection writes them."""

import json

import pytest

from sidelight.schemas.segment import SegmentId, document_id_of, overlapping, parse_segment_id

KNOWN = "msmarco_v2.1_doc_16_1992489241#2_2215054467"


def test_a_segment_id_has_four_parts():
    assert parse_segment_id(KNOWN) == SegmentId(
        document_id="msmarco_v2.1_doc_16_1992489241", shard="16", window=2, offset=2215054467
    )
    assert document_id_of(KNOWN) == "msmarco_v2.1_doc_16_1992489241"


@pytest.mark.parametrize(
    "value",
    [
        *("", "184", KNOWN + "\n", KNOWN.replace("#", ""), KNOWN.replace("2_", "٢_")),
        *(KNOWN + "9" * 5000, KNOWN.replace("#2", "#" + "2" * 5000)),
    ],
)
def test_anything_else_is_not_a_segment_id(value):
    assert parse_segment_id(value) is None


@pytest.mark.parametrize(
    ("other", "expected"), [("#1_5", True), ("#3_5", True), ("#2_5", False), ("#4_5", False)]
)
def test_neighbouring_windows_of_a_document_overlap(other, expected):
    same, elsewhere = "msmarco_v2.1_doc_16_1992489241" + other, "msmarco_v2.1_doc_16_7" + other
    assert overlapping(KNOWN, [elsewhere, same, "184"]) == [same] * expected
    assert overlapping("184", [KNOWN]) == []


def test_every_public_citation_parses(public_runs):
    cited = {
        citation
        for path in (public_runs / "task2").iterdir()
        for line in path.read_text(encoding="utf-8").splitlines()
        for entry in json.loads(line)["responses"]
        for citation in entry["citations"]
    }
    assert cited
    assert all(parse_segment_id(citation) for citation in cited)
