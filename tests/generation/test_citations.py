"""What was found becomes a citation; invented, repeated, overlapping and own ones do not."""

from __future__ import annotations

from sidelight.generation.compose import resolve_report
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence, ReportLimits
from sidelight.schemas.segment import Segment

TOPIC = "w_doc_00_1"
IDS = ("w_doc_00_1#0_5", "w_doc_01_5#0_10", "w_doc_01_5#1_20", "w_doc_01_5#2_30", "w_doc_02_7#0_10")
EVIDENCE = EvidenceSet(
    items=tuple(
        Evidence(segment=Segment(segment_id=name, text="x"), relevance={"a": 1.0}) for name in IDS
    )
)  # the article itself, three windows of one document, another document


def resolve(*cited: str) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    draft = DraftReport(sentences=(DraftSentence(text="A fact.", segment_ids=cited),))
    report, dropped = resolve_report(TOPIC, draft, EVIDENCE, ReportLimits(250, 2, 1))
    return report.sentences[0].citations, [(one.segment_id, one.reason) for one in dropped]


def test_the_writers_order_stays() -> None:
    assert resolve(IDS[4], IDS[1]) == ((IDS[4], IDS[1]), [])


def test_what_cannot_be_cited_is_dropped_with_its_reason() -> None:
    assert resolve("w_doc_09_9#0_1", IDS[0], IDS[1], IDS[1], IDS[2]) == (
        (IDS[1],),
        [
            ("w_doc_09_9#0_1", "no such evidence"),
            (IDS[0], "the target article itself"),
            (IDS[2], "overlaps a window already cited"),
        ],
    )
    assert resolve(IDS[1], IDS[3], IDS[4]) == (
        (IDS[1], IDS[3]),
        [(IDS[4], "more citations than a sentence may have")],
    )


def test_a_key_is_no_segment_id() -> None:
    assert resolve("E2") == ((), [("E2", "no such evidence")])
