"""Nugget assignments in JSON lines, as nuggetizer writes them: an answer a line.

`qid`, `query`, `run_id`, `answer_text`, `response_length` and `nuggets`, each with `text`,
`importance` and `assignment`. A nugget that the assigner had no label for has the assignment
`failed`; here that is unjudged, so that it is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from sidelight.formats.banks.nuggets import NuggetLine, as_nuggets, nugget_content
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import parsed_lines, write_json_lines
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import NuggetAssignment, NuggetBank
from sidelight.text import budget_words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sidelight.schemas.grading.judgment import LabelScale, Scales

_FAILED = "failed"


class _AssignedLine(NuggetLine):
    assignment: str


class _AnswerLine(BaseModel):
    qid: str = Field(min_length=1)
    run_id: str = Field(min_length=1)
    query: str = ""
    answer_text: str = ""
    nuggets: tuple[_AssignedLine, ...] = Field(min_length=1)


def read_nugget_assignments(path: Path, scales: Scales) -> list[NuggetAssignment]:
    """Read what answers say of nuggets; keys it does not need are ignored.

    Args:
        path: The file, plain or `.gz`.
        scales: Of the importance of nuggets, and of their labels.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no assignment, a label is none of its scale, or a run has two
            lines for one topic.
    """
    findings = Findings(path)
    found: list[NuggetAssignment] = []
    seen: set[tuple[str, str]] = set()
    what, remedy = "an answer with nuggets", "Compare it with docs/formats.md."
    for line, answer in parsed_lines(path, _AnswerLine.model_validate, what, remedy, findings):
        nuggets = as_nuggets(answer.nuggets, line, scales["nugget_importance"], findings)
        labels = tuple(
            _label(one.assignment, line, scales["nuggets"], findings) for one in answer.nuggets
        )
        if (answer.run_id, answer.qid) in seen:
            findings.error(
                "answer-duplicate",
                line,
                expected=f"one line for run {answer.run_id} and topic {answer.qid}",
                found="a second one",
                remedy="Keep one of them.",
            )
        elif len(nuggets) == len(labels):
            found.append(
                NuggetAssignment(
                    run_tag=answer.run_id,
                    bank=NuggetBank(topic_id=answer.qid, nuggets=nuggets),
                    labels=labels,
                    query=answer.query,
                    answer=answer.answer_text,
                )
            )
        seen.add((answer.run_id, answer.qid))
    findings.raise_errors()
    return found


def write_nugget_assignments(path: Path, assignments: Iterable[NuggetAssignment]) -> None:
    """Write a line an answer, in the order given; what is unjudged is written as failed."""
    write_json_lines(path, map(_content, assignments))


def _content(item: NuggetAssignment) -> dict[str, object]:
    return {
        "query": item.query,
        "qid": item.topic_id,
        "nuggets": [
            nugget_content(nugget)
            | {"assignment": _FAILED if isinstance(label, Unjudged) else label}
            for nugget, label in zip(item.bank.nuggets, item.labels, strict=True)
        ],
        "run_id": item.run_tag,
        "answer_text": item.answer,
        "response_length": budget_words(item.answer),
    }


def _label(text: str, line: int, scale: LabelScale, findings: Findings) -> str | Unjudged:
    if text == _FAILED:
        return Unjudged(reason="the assigner failed")
    label = scale.read(text)
    if label is None:
        findings.error(
            "label",
            line,
            expected=f"one of {', '.join((*scale.writings, _FAILED))} as assignment",
            found=quoted(text),
            remedy="Correct the label.",
        )
        return Unjudged(reason="no label of the scale")
    return label.name
