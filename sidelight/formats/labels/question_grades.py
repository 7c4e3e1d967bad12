"""Grades of questions by people, as the organizers publish them: eight columns, tabs, no header.

`topic number, article id, place, run, rank, grade, redundant, question`. The place is that of the
run among those that the assessor of the article was shown; who that was, the file does not say. A
judge's file looks alike; there an empty grade says that nobody could tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_lines
from sidelight.schemas.grading.judgment import QuestionGrade, Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sidelight.schemas.grading.judgment import LabelScale, Scales

_CELLS = (
    "topic number",
    "article id",
    "place",
    "run",
    "rank",
    "grade",
    "redundant",
    "question",
)
_SHORT_RANK = re.compile(r"[1-9][0-9]{0,2}")


def read_question_grades(path: Path, scales: Scales) -> list[QuestionGrade]:
    """Read one grade for each submitted question, in the order of the file.

    Args:
        path: The file.
        scales: Of the track: `question_quality` and `redundancy`.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has other columns, a rank or label is wrong, or a question is
            graded twice.
    """
    findings = Findings(path)
    quality, redundancy = scales["question_quality"], scales["redundancy"]
    span = f"{quality.writings[-1]} to {quality.writings[0]}"
    of_quality = f"a grade from {span} in the sixth column"
    grades: dict[tuple[str, str, int], QuestionGrade] = {}
    for line, text in read_lines(path):
        cells = text.split("\t")
        if len(cells) != len(_CELLS):
            findings.error(
                "column-count",
                line,
                expected=f"{len(_CELLS)} columns: {', '.join(_CELLS)}",
                found=f"{len(cells)}: {quoted(text)}",
                remedy="Separate the columns by one tab each.",
            )
            continue
        _, topic_id, _, run_tag, rank, grade, redundant, question = cells
        if not _SHORT_RANK.fullmatch(rank):
            findings.error(
                "rank",
                line,
                expected="a rank, a whole number from 1, in the fifth column",
                found=quoted(rank),
                remedy="Write the rank in ASCII digits.",
            )
            continue
        label = _label(line, grade, of_quality, quality, findings)
        flag = _label(line, redundant, "a flag in the seventh column", redundancy, findings)
        key = (topic_id, run_tag, int(rank))
        if key in grades:
            findings.error(
                "label-conflict",
                line,
                expected=f"one grade for rank {rank} of run {run_tag}",
                found="another one",
                remedy="Keep one of them.",
            )
        grades[key] = QuestionGrade(
            topic_id=topic_id,
            run_tag=run_tag,
            run_question_rank=int(rank),
            run_question_text=question,
            label=label or Unjudged(reason="empty grade"),
            redundant=None if flag is None else flag == redundancy.highest,
        )
    findings.raise_errors()
    return list(grades.values())


def write_question_grades(path: Path, grades: Iterable[QuestionGrade]) -> None:
    """Write grades so that `read_question_grades` reads them again; reasons are not kept."""
    topics: dict[str, int] = {}
    places: dict[str, dict[str, int]] = {}
    with atomic_writer(path) as stream:
        for one in grades:
            number = topics.setdefault(one.topic_id, len(topics) + 1)
            of_topic = places.setdefault(one.topic_id, {})
            place = of_topic.setdefault(one.run_tag, len(of_topic) + 1)
            label = "" if isinstance(one.label, Unjudged) else one.label
            flag = "" if one.redundant is None else str(int(one.redundant))
            cells = (number, one.topic_id, place, one.run_tag, one.run_question_rank, label, flag)
            stream.write("\t".join(map(str, (*cells, one_line(one.run_question_text)))) + "\n")


def _label(line: int, cell: str, what: str, scale: LabelScale, findings: Findings) -> str | None:
    if not cell.strip():
        return None
    found = scale.read(cell.strip())
    if found is None:
        findings.error(
            "label",
            line,
            expected=f"{what}, one of {', '.join(scale.writings)} for {scale.name}",
            found=quoted(cell),
            remedy="Correct the label.",
        )
        return None
    return found.name
