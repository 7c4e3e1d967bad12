"""`question_trec_run`: documents for the questions of topics, in the six columns of trec_eval.

The first column holds ids of questions (`schemas.topic.question_id`); the topic is told by them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.errors import InvalidFileError
from sidelight.formats.columns import read_columns
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import open_text, read_bytes
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import (
    LineIds,
    check_encoding,
    check_ids,
    check_topics,
    run_tag_of,
)
from sidelight.formats.runs.trec_run import (
    COLUMNS,
    check_order,
    fits_trec_run,
    read_trec_run,
    write_trec_run,
)
from sidelight.schemas.run import QuestionHits, QuestionRankingRun
from sidelight.schemas.topic import parse_question_id, question_id

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import QuestionRankingsTask


def read_question_rankings(path: Path) -> QuestionRankingRun:
    """Read a run with its tags, topics and questions in the order of the file.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: It is no TREC run, or a line is for no question of a topic.
    """
    found = read_trec_run(path)
    rows = read_columns(path, COLUMNS)
    findings = Findings(path)
    _check_question_ids(rows, findings)
    findings.raise_errors()
    rankings: dict[str, list[QuestionHits]] = {}
    for name, hits in found.items():
        topic_id = _topic_of(name)
        rankings.setdefault(topic_id, []).append(QuestionHits(question_id=name, hits=tuple(hits)))
    tags = tuple(dict.fromkeys(cells[-1] for _, cells in rows))
    return QuestionRankingRun(
        run_tag=run_tag_of(path, tags),
        run_ids=tags,
        rankings={topic_id: tuple(found) for topic_id, found in rankings.items()},
    )


def check_question_rankings(
    path: Path,
    task: QuestionRankingsTask,
    topic_ids: Collection[str],
) -> list[Problem]:
    """Return all that is wrong with a run.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The topics to cover; one without a line for any question is missing.

    Raises:
        InputError: The file cannot be read.
    """
    file = open_text(path)
    findings = Findings(path)
    check_encoding(file, findings)
    try:
        read_question_rankings(path)
    except InvalidFileError as error:
        return [*findings.problems, *error.problems]
    for number, text in file.lines:
        if not text.isascii():
            findings.error(
                "ascii",
                number,
                expected="ASCII",
                found=quoted(text),
                remedy="Write ids and tags in ASCII.",
            )
    rows = read_columns(path, COLUMNS)
    check_ids([LineIds(line, "", cells[-1]) for line, cells in rows], path, task, findings)
    by_question: dict[str, list[tuple[int, list[str]]]] = {}
    for line, cells in rows:
        by_question.setdefault(cells[0], []).append((line, cells))
    first_lines: dict[str, int] = {}
    for name, found in by_question.items():
        first_lines.setdefault(_topic_of(name), found[0][0])
        check_order(name, found, findings)
        _check_depth(name, found, task, findings)
        for line, cells in found:
            _check_document(line, cells[2], task, findings)
    check_topics(first_lines, topic_ids, findings)
    _check_numbers(by_question, findings)
    return findings.problems


def _topic_of(name: str) -> str:
    parsed = parse_question_id(name)
    return parsed[0] if parsed else name


def _check_question_ids(rows: Iterable[tuple[int, Sequence[str]]], findings: Findings) -> None:
    for line, cells in rows:
        if parse_question_id(cells[0]) is None:
            findings.error(
                "question-id",
                line,
                expected=f"the id of a question, such as {question_id('TOPIC', 1)}",
                found=quoted(cells[0]),
                remedy="Number the questions of a topic from 01.",
            )


def _check_numbers(
    by_question: Mapping[str, Sequence[tuple[int, Sequence[str]]]], findings: Findings
) -> None:
    """Check that the questions of a topic are numbered from 1 without a gap, and in order."""
    expected: dict[str, int] = {}
    for name, found in by_question.items():
        topic_id = _topic_of(name)
        wanted = question_id(topic_id, expected.get(topic_id, 0) + 1)
        if name != wanted:
            findings.error(
                "question-order",
                found[0][0],
                expected=f"results for {wanted}",
                found=name,
                remedy="Sort the questions of a topic, and leave none out: it would score zero.",
            )
        parsed = parse_question_id(name)
        expected[topic_id] = parsed[1] if parsed else 0


def _check_depth(
    name: str,
    rows: Sequence[tuple[int, Sequence[str]]],
    task: QuestionRankingsTask,
    findings: Findings,
) -> None:
    if len(rows) > task.depth:
        findings.error(
            "ranking-depth",
            rows[task.depth][0],
            expected=f"at most {task.depth} documents for question {name}",
            found=str(len(rows)),
            remedy="Keep the best.",
        )
    if len(rows) < task.depth:
        findings.warning(
            "ranking-short",
            rows[0][0],
            expected=f"{task.depth} documents for question {name}",
            found=str(len(rows)),
            remedy="Add some: a document less can only cost.",
        )


def _check_document(
    line: int, document_id: str, task: QuestionRankingsTask, findings: Findings
) -> None:
    if not re.fullmatch(task.document_id_pattern, document_id):
        findings.error(
            "document-pattern",
            line,
            expected=f"a document id that matches {task.document_id_pattern}",
            found=quoted(document_id),
            remedy="Rank whole documents of the collection: no segments, no addresses.",
        )


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[QuestionHits, ...]]]
) -> None:
    results = {one.question_id: one.hits for _, rankings in delivered for one in rankings}
    write_trec_run(path, results, identity.run_id)


def _fits(line: str) -> bool:
    return fits_trec_run(line) and parse_question_id(line.split(maxsplit=1)[0]) is not None


FORMAT: RunFormat[QuestionRankingsTask, tuple[QuestionHits, ...], QuestionRankingRun] = RunFormat(
    kind="question_rankings",
    write=_write,
    read=read_question_rankings,
    # Which documents there are no index says: it knows their segments.
    check=lambda path, task, topic_ids, _: check_question_rankings(path, task, topic_ids),
    as_manual=read_bytes,
    fits_line=_fits,
)
