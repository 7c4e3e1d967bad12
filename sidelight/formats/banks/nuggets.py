"""Nuggets in JSON lines: a topic a line, `qid` and its `nuggets`, each with text and importance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from sidelight.formats.findings import Findings
from sidelight.formats.lines import read_json_lines
from sidelight.schemas.grading.bank import BankItem, NuggetBank

if TYPE_CHECKING:
    from pathlib import Path

    from sidelight.schemas.grading.label_scale import LabelScale


class _NuggetLine(BaseModel):
    text: str = Field(min_length=1)
    importance: str


class _TopicLine(BaseModel):
    qid: str = Field(min_length=1)
    nuggets: tuple[_NuggetLine, ...] = Field(min_length=1)


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
    for line, content in read_json_lines(path):
        try:
            topic = _TopicLine.model_validate(content)
        except ValidationError as error:
            findings.invalid(error, line, what="a topic", remedy="Compare it with docs/formats.md.")
            continue
        items = []
        for nugget in topic.nuggets:
            label = importance.read(nugget.importance)
            if label is None:
                findings.error(
                    "label",
                    line,
                    expected=f"one of {', '.join(importance.writings)} as importance",
                    found=nugget.importance,
                    remedy="Correct the label.",
                )
                continue
            items.append(BankItem(text=nugget.text, importance=label))
        if topic.qid in banks:
            findings.error(
                "topic-duplicate",
                line,
                expected="one line for a topic",
                found=f"a second one for {topic.qid}",
                remedy="Keep one of them.",
            )
        elif items:
            banks[topic.qid] = NuggetBank(topic_id=topic.qid, nuggets=tuple(items))
    findings.raise_errors()
    return banks
