"""Keys become citations; invented, repeated, overlapping and own ones do not."""

from __future__ import annotations

from sidelight.generation.citations import resolve_report
from sidelight.schemas.evidence import Evidence, EvidenceSet
from sidelight.schemas.report import DraftReport, DraftSentence, ReportLimits
from sidelight.schemas.segment import Segment

TOPIC = "w_doc_00_1"
IDS = ("w_doc_00_1#0_5", "w_doc_01_5#0_10", "w_doc_01_5#1_20", "w_doc_01_5#2_30", "w_doc_02_7#0_10")
EVIDENCE = EvidenceSet(
    items=tuple(
        Evidence(segment=Segment(segment_id=name, text="x"), relevance={"a": 1.0}) for name in IDS
    )
)  # so E1 is the article itself, E2 to E4 windows of one document, E5 another document


def resolve(*keys: str) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    draft = DraftReport(sentences=(DraftSentence(text="A fact.", evidence_keys=keys),))
    report, dropped = resolve_report(TOPIC, draft, EVIDENCE, ReportLimits(250, 2, 1))
    return report.sentences[0].citations, [tuple(item) for item in dropped]


def test_keys_become_segment_ids_in_the_writers_order() -> None:
    assert resolve("E5", "E2") == ((IDS[4], IDS[1]), [])


def test_what_cannot_be_cited_is_dropped_with_its_reason() -> None:
    assert resolve("E9", "E1", "E2", "E2", "E3") == (
        (IDS[1],),
        [
            ("E9", "no such evidence"),
            ("E1", "the target article itself"),
            ("E3", "overlaps a window already cited"),
        ],
    )
    assert resolve("E2", "E4", "E5") == (
        (IDS[1], IDS[3]),
        [("E5", "more citations than a sentence may have")],
    )


def test_a_segment_id_is_not_a_key() -> None:
    assert resolve(IDS[4]) == ((), [(IDS[4], "no such evidence")])
