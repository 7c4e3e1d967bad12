"""Nuggets in JSON lines: a topic a line, `qid` and its `nuggets`, each with text and importance.

A nugget may say to which part of the narrative it belongs (`mapped_sub_narrative`), and what it
weighs by itself (`weight`, below 0 for what an answer should not say).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import parsed_lines, write_json_lines
from sidelight.schemas.grading.rubric import Nugget, NuggetBank, Weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sidelight.schemas.grading.judgment import LabelScale


class NuggetLine(BaseModel):
    """A nugget as files have it."""

    text: str = Field(min_length=1)
    importance: str
    mapped_sub_narrative: str | None = None
    weight: Weight | None = None


class _TopicLine(BaseModel):
    qid: str = Field(min_length=1)
    nuggets: tuple[NuggetLine, ...] = Field(min_length=1)


def read_nuggets(path: Path, importance: LabelScale) -> dict[str, NuggetBank]:
    """Read the nuggets of topics; keys it does not need are ignored.

    Args:
        path: The file.
        importance: What a nugget weighs.

    Returns:
        By topic id, in the order of the file.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no topic with nuggets, an importance is none of the scale's, or
            a topic occurs twice.
    """
    findings = Findings(path)
    banks: dict[str, NuggetBank] = {}
    remedy = "Compare it with docs/formats.md."
    for line, topic in parsed_lines(path, _TopicLine.model_validate, "a topic", remedy, findings):
        items = as_nuggets(topic.nuggets, line, importance, findings)
        if topic.qid in banks:
            findings.error(
                "topic-duplicate",
                line,
                expected="one line for a topic",
                found=f"a second one for {topic.qid}",
                remedy="Keep one of them.",
            )
        elif items:
            banks[topic.qid] = NuggetBank(topic_id=topic.qid, nuggets=items)
    findings.raise_errors()
    return banks


def as_nuggets(
    written: Iterable[NuggetLine], line: int, importance: LabelScale, findings: Findings
) -> tuple[Nugget, ...]:
    """Return the nuggets of a line; one whose importance is none of the scale's is a finding."""
    nuggets = []
    for one in written:
        label = importance.read(one.importance)
        if label is None:
            findings.error(
                "label",
                line,
                expected=f"one of {', '.join(importance.writings)} as importance",
                found=quoted(one.importance),
                remedy="Correct the label.",
            )
            continue
        # The published file has its sub-narratives in quotation marks of their own.
        part = (one.mapped_sub_narrative or "").strip().strip('"').strip()
        nuggets.append(
            Nugget(text=one.text, importance=label, sub_narrative=part, own_weight=one.weight)
        )
    return tuple(nuggets)


def nugget_content(nugget: Nugget) -> dict[str, Any]:
    """Return a nugget as files have it; what nobody said of it is left out."""
    content: dict[str, Any] = {
        "text": nugget.text,
        "importance": nugget.importance.written or nugget.importance.name,
    }
    if nugget.sub_narrative:
        content["mapped_sub_narrative"] = nugget.sub_narrative
    if nugget.own_weight is not None:
        content["weight"] = nugget.own_weight
    return content


def write_nuggets(
    path: Path, banks: Iterable[NuggetBank], queries: Mapping[str, str] | None = None
) -> None:
    """Write a line a topic, in the order given.

    Args:
        path: The file.
        banks: The nuggets.
        queries: What was asked, by topic id; written where it is known.
    """
    write_json_lines(
        path,
        (
            {
                "query": (queries or {}).get(bank.topic_id, ""),
                "qid": bank.topic_id,
                "nuggets": [nugget_content(nugget) for nugget in bank.nuggets],
            }
            for bank in banks
        ),
    )
