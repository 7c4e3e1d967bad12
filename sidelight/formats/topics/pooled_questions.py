"""Pooled questions: `question_id<TAB>topic_id<TAB>question`, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_lines
from sidelight.schemas.topic import question_id
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_COLUMNS = 3


def read_pooled_questions(path: Path) -> dict[str, tuple[str, ...]]:
    """Read the questions of each topic, in the order of their ids.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has other columns, or a question is not numbered as its place says.
    """
    findings = Findings(path)
    questions: dict[str, list[str]] = {}
    for line, text in read_lines(path):
        cells = text.split("\t")
        if len(cells) != _COLUMNS or not all(cell.strip() for cell in cells):
            findings.error(
                "column-count",
                line,
                expected="the id of a question, that of its topic, and the question",
                found=quoted(text),
                remedy="Separate the three by one tab each.",
            )
            continue
        name, topic_id, question = cells
        asked = questions.setdefault(topic_id, [])
        expected = question_id(topic_id, len(asked) + 1)
        if name != expected:
            findings.error(
                "question-order",
                line,
                expected=expected,
                found=quoted(name),
                remedy="Number the questions of a topic from 01, in order.",
            )
        asked.append(one_line(question))
    findings.raise_errors()
    return {topic_id: tuple(asked) for topic_id, asked in questions.items()}


def write_pooled_questions(path: Path, questions: Mapping[str, Sequence[str]]) -> None:
    """Write the questions of each topic under ids that number them."""
    with atomic_writer(path) as stream:
        for topic_id, asked in questions.items():
            for number, question in enumerate(asked, start=1):
                cells = (question_id(topic_id, number), topic_id, one_line(question))
                stream.write("\t".join(cells) + "\n")
