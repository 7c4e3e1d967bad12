"""Keys mean something in one prompt only; those it does not hold are told apart."""

from __future__ import annotations

from sidelight.generation.prompted.findings import KeyedSegments
from tests.helpers.asking.report_case import COUNT, OWNER


def test_keys_lead_back_and_invented_ones_are_counted() -> None:
    keyed = KeyedSegments([COUNT, OWNER], max_words=4)
    assert [(one.key, one.host) for one in keyed.shown] == [
        ("E1", "c.example"),
        ("E2", "a.example"),
    ]
    assert keyed.shown[0].text == "The Orrin Harbour Trust"
    named = ["E2", "E3", "e1", COUNT.segment_id, "E2", "E1", "E3"]
    assert keyed.resolve(named) == ((OWNER, COUNT), ("E3", "e1", COUNT.segment_id))
