"""`questions_tsv`: tab-separated `topic_id, team_id, run_id, rank, question`, no header."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import open_text
from sidelight.formats.runs.active_text import check_active, inert
from sidelight.formats.runs.official import official_questions
from sidelight.formats.runs.question_rules import (
    QuestionRow,
    check_question,
    check_quoting,
    check_ranks,
    check_repeats,
)
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import (
    LineIds,
    check_characters,
    check_encoding,
    check_ids,
    check_topics,
    run_tag_of,
)
from sidelight.schemas.run import QuestionRun, SubmittedQuestion
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.lines import Line
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import QuestionListTask

Quoting = Literal["raw", "csv"]

_FIELDS = ("topic_id", "team_id", "run_id", "rank", "question")
_RANK = re.compile(r"0*([1-9][0-9]{0,5})")
_LEADING_QUOTATION = re.compile(r'^"([^"]*)("?)')


def read_question_run(path: Path, *, quoting: Quoting = "raw") -> QuestionRun:
    """Read a run, whatever the track would say to it; blank lines are left out.

    Args:
        path: The file; its name becomes the run tag (see `run_tag_of`).
        quoting: `raw` takes quote characters for text, as the track's validator does; `csv` reads
            `"..."` as the organizers' judge does.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has not five fields or no rank, or a topic has a rank twice.
    """
    file = open_text(path)
    findings = Findings(path, file.problems)
    lines = [line for line in file.lines if line.text.strip()]
    rows = _csv_rows(lines, findings) if quoting == "csv" else _raw_rows(lines, findings)
    questions: dict[tuple[str, str, int], SubmittedQuestion] = {}
    for row in rows:
        match = _RANK.fullmatch(row.rank)
        if match is None:
            findings.error(
                "rank-value",
                row.line,
                expected="a rank from 1 in ASCII digits",
                found=quoted(row.rank),
                remedy="Correct the fourth field.",
            )
            continue
        question = SubmittedQuestion(
            topic_id=row.topic_id,
            team_id=row.team_id,
            run_id=row.run_id,
            rank=int(match[1]),
            text=row.question,
        )
        key = (question.topic_id, question.run_id, question.rank)
        if key in questions:
            findings.error(
                "rank-duplicate",
                row.line,
                expected=f"rank {question.rank} once in topic {question.topic_id}",
                found="a second question with it",
                remedy="Number the questions of a topic without repeating a rank.",
            )
        questions[key] = question
    findings.raise_errors()
    found = tuple(questions.values())
    return QuestionRun(
        run_tag=run_tag_of(path, (question.run_id for question in found)), questions=found
    )


def write_question_run(path: Path, questions: Iterable[SubmittedQuestion]) -> None:
    """Write a run that every reader splits alike: one line each, nothing quoted, LF, no BOM.

    A quotation that opens a question gets typographic quotes: to a CSV reader a leading `"` opens a
    field that may run on over many lines.
    """
    with atomic_writer(path) as stream:
        for item in questions:
            text = _LEADING_QUOTATION.sub(_typographic, inert(one_line(item.text)))
            ids = (one_line(field) for field in (item.topic_id, item.team_id, item.run_id))
            stream.write("\t".join((*ids, str(item.rank), text)) + "\n")


def check_question_run(
    path: Path,
    task: QuestionListTask,
    topic_ids: Collection[str],
) -> list[Problem]:
    """Return all that is wrong with a run; one without errors also passes the track's validator.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The topics to cover.

    Raises:
        InputError: The file cannot be read.
    """
    file = open_text(path)
    findings = Findings(path, file.problems)
    check_encoding(file, findings)
    for line, text in file.lines:
        check_characters(text, line, findings)
    lines = [line for line in file.lines if line.text.strip()]
    rows = _raw_rows(lines, findings)
    for row in rows:
        check_active(row.question, row.line, findings)
    check_ids([LineIds(row.line, row.team_id, row.run_id) for row in rows], path, task, findings)
    by_topic: dict[str, list[QuestionRow]] = defaultdict(list)
    for row in rows:
        by_topic[row.topic_id].append(row)
    check_topics(
        {topic_id: rows[0].line for topic_id, rows in by_topic.items()}, topic_ids, findings
    )
    csv_texts = {row.line: row.question for row in _csv_rows(lines, Findings(path))}
    for topic_id, topic_rows in by_topic.items():
        check_ranks(topic_id, topic_rows, task, findings)
        check_repeats(topic_rows, findings)
        for row in topic_rows:
            check_question(row, csv_texts.get(row.line), task, findings)
    if any('"' in line.text for line in lines):
        check_quoting(rows, csv_texts, findings)
    return findings.problems


def _typographic(match: re.Match[str]) -> str:
    return f"“{match[1]}{'”' if match[2] else ''}"


def _raw_rows(lines: Sequence[Line], findings: Findings) -> list[QuestionRow]:
    return _rows([(line.number, line.text.split("\t")) for line in lines], findings)


def _csv_rows(lines: Sequence[Line], findings: Findings) -> list[QuestionRow]:
    reader = csv.reader((line.text + "\n" for line in lines), delimiter="\t")
    records = []
    begins = 0
    try:
        for fields in reader:
            records.append((lines[begins].number, fields))
            begins = reader.line_num
    except csv.Error as error:
        findings.error(
            "csv-syntax",
            lines[begins].number,
            expected="tab-separated CSV",
            found=f"a record that is not: {error}",
            remedy="Read the file with quoting raw.",
        )
    return _rows(records, findings)


def _rows(records: Iterable[tuple[int, list[str]]], findings: Findings) -> list[QuestionRow]:
    rows = []
    for line, fields in records:
        if len(fields) == len(_FIELDS):
            rows.append(QuestionRow(line, *fields))
        else:
            findings.error(
                "field-count",
                line,
                expected=f"five tab-separated fields, {', '.join(_FIELDS)}",
                found=f"{len(fields)}: {quoted(fields)}",
                remedy="Separate fields by one tab and keep tabs out of questions.",
            )
    return rows


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[str, ...]]]
) -> None:
    write_question_run(
        path,
        (
            SubmittedQuestion(
                topic_id=topic.topic_id,
                team_id=identity.team_id,
                run_id=identity.run_id,
                rank=rank,
                text=text,
            )
            for topic, questions in delivered
            for rank, text in enumerate(questions, start=1)
        ),
    )


FORMAT: RunFormat[QuestionListTask, tuple[str, ...], QuestionRun] = RunFormat(
    kind="question_list",
    write=_write,
    read=read_question_run,
    check=lambda path, task, topic_ids, _: check_question_run(path, task, topic_ids),
    as_manual=lambda path: path.read_bytes(),
    official=official_questions,
    fits_line=lambda line: len(line.split("\t")) == len(_FIELDS),
)
