"""Nuggets in JSON lines: a topic a line, `qid` and its `nuggets`, each with text and importance.

A nugget may say to which part of the narrative it belongs (`mapped_sub_narrative`), and what it
weighs by itself (`weight`, below 0 for what an answer should not say).

Nugget assignments in JSON lines, as nuggetizer writes them: an answer a line.

`qid`, `query`, `run_id`, `answer_text`, `response_length` and `nuggets`, each with `text`,
`importance` and `assignment`. A nugget that the assigner had no label for has the assignment
`failed`; here that is unjudged, so that it is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from sidelight.errors import Problem
from sidelight.formats.lines import Findings, parsed_lines, write_json_lines
from sidelight.schemas.grading.judgment import LabelScale, Scales, Unjudged
from sidelight.schemas.grading.rubric import Nugget, NuggetAssignment, NuggetBank, Weight
from sidelight.text import budget_words, one_line, quoted


class NuggetLine(BaseModel):
    """A nugget as files have it."""

    text: str = Field(min_length=1)
    importance: str
    mapped_sub_narrative: str | None = None
    weight: Weight | None = None


class _TopicLine(BaseModel):
    qid: str = Field(min_length=1)
    query: str = ""
    nuggets: tuple[NuggetLine, ...] = Field(min_length=1)


def read_nuggets(path: Path, importance: LabelScale) -> dict[str, NuggetBank]:
    """Read nuggets by topic id, in the order of the file; keys it does not need are ignored.

    `importance` is the scale that says what a nugget weighs. A topic may stand on several lines,
    as it does in files of assignments, with the same nuggets on each.
    """
    findings = Findings(path)
    banks: dict[str, NuggetBank] = {}
    for line, topic in parsed_lines(path, _TopicLine.model_validate, "a topic", findings):
        items = as_nuggets(topic.nuggets, line, importance, findings)
        if items:
            bank = NuggetBank(topic_id=topic.qid, nuggets=items, query=topic.query)
            banks.setdefault(topic.qid, bank)
        if items and banks[topic.qid].nuggets != items:
            told = f"the nuggets that an earlier line has for topic {topic.qid}"
            findings.again("topic-duplicate", line, told, "others")
    findings.raise_errors()
    return banks


def check_nuggets(path: Path, importance: LabelScale, topic_ids: Collection[str]) -> list[Problem]:
    """Return what is wrong with nuggets, topics that are none of `topic_ids` among it.

    A nugget that a topic has twice is a warning, because it counts twice; the 2025 track has one.
    """
    findings = Findings(path)
    for line, topic in parsed_lines(path, _TopicLine.model_validate, "a topic", findings):
        findings.topics([topic.qid], topic_ids, line)
        as_nuggets(topic.nuggets, line, importance, findings)
        texts = Counter(one_line(one.text).casefold() for one in topic.nuggets)
        expected, remedy = "each nugget of a topic once", "Keep one of them: each counts."
        for text in (text for text, count in texts.items() if count > 1):
            found = f"{quoted(text)} {texts[text]} times"
            findings.warning(
                "nugget-duplicate", line, expected=expected, found=found, remedy=remedy
            )
    return findings.problems


def as_nuggets(
    written: Iterable[NuggetLine], line: int, importance: LabelScale, findings: Findings
) -> tuple[Nugget, ...]:
    """Return the nuggets of a line; one whose importance is none of the scale's is a finding."""
    nuggets = []
    for one in written:
        label = importance.read(one.importance)
        if label is None:
            findings.label(line, importance.writings, "as importance", one.importance)
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
    """Write one line for each topic, in the order given; `queries` has the queries by topic id."""
    write_json_lines(
        path,
        (
            {
                "query": (queries or {}).get(bank.topic_id, bank.query),
                "qid": bank.topic_id,
                "nuggets": [nugget_content(nugget) for nugget in bank.nuggets],
            }
            for bank in banks
        ),
    )


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
    """Read the label of each nugget for each answer, plain or `.gz`; other keys are ignored."""
    findings = Findings(path)
    found: list[NuggetAssignment] = []
    seen: set[tuple[str, str]] = set()
    what = "an answer with nuggets"
    for line, answer in parsed_lines(path, _AnswerLine.model_validate, what, findings):
        nuggets = as_nuggets(answer.nuggets, line, scales["nugget_importance"], findings)
        labels = tuple(
            _label(one.assignment, line, scales["nuggets"], findings) for one in answer.nuggets
        )
        if (answer.run_id, answer.qid) in seen:
            told = f"one line for run {answer.run_id} and topic {answer.qid}"
            findings.again("answer-duplicate", line, told)
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
        findings.label(line, (*scale.writings, _FAILED), "as assignment", text)
        return Unjudged(reason="no label of the scale")
    return label.name
