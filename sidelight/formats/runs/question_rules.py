"""The strict rules for the questions of one topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.formats.findings import Findings, quoted
from sidelight.text import normalized, one_line, tokens
from sidelight.wording import pointing_at_article

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.task import QuestionListTask

# What pandas reads as a missing value, so that a judge is asked about "nan".
_PLACEHOLDERS = frozenset({"#n/a", "#na", "<na>", "n/a", "na", "nan", "none", "null"})


class QuestionRow(NamedTuple):
    """One line of a file: its number, and its fields as they stand."""

    line: int
    topic_id: str
    run_id: str
    rank: str
    question: str
    team_id: str = ""


def check_ranks(
    topic_id: str, rows: Sequence[QuestionRow], task: QuestionListTask, findings: Findings
) -> None:
    """Check that a topic has every rank once, in order."""
    ranks = {str(rank): rank for rank in range(1, task.count + 1)}
    lines: dict[str, int] = {}
    for row in rows:
        if row.rank not in ranks:
            findings.error(
                "rank-value",
                row.line,
                expected=f"a rank from 1 to {task.count} in ASCII digits",
                found=quoted(row.rank),
                remedy="Correct the rank.",
            )
        elif row.rank in lines:
            findings.error(
                "rank-duplicate",
                row.line,
                expected=f"each rank of topic {topic_id} once",
                found=f"rank {row.rank} here and on line {lines[row.rank]}",
                remedy="Renumber the questions, or remove one.",
            )
        lines.setdefault(row.rank, row.line)
    missing = [rank for rank in ranks if rank not in lines]
    if missing:
        findings.error(
            "rank-missing",
            rows[-1].line,
            expected=f"ranks 1 to {task.count} for topic {topic_id}",
            found=f"no rank {', '.join(missing)}",
            remedy="Add the questions.",
        )
    order = [ranks[row.rank] for row in rows if row.rank in ranks]
    if order != sorted(order):
        findings.error(
            "rank-order",
            rows[0].line,
            expected=f"the questions of topic {topic_id} sorted by rank",
            found=f"the order {', '.join(map(str, order))}",
            remedy="Sort the lines.",
        )


def check_repeats(rows: Sequence[QuestionRow], findings: Findings) -> None:
    """Check that a topic asks nothing twice, case and white space aside."""
    lines: dict[str, int] = {}
    for row in rows:
        text = one_line(row.question).casefold()
        if text in lines:
            findings.error(
                "question-duplicate",
                row.line,
                expected="different questions",
                found=f"the question of line {lines[text]}: {quoted(row.question)}",
                remedy="Ask something else: repeating a question earns nothing.",
            )
        lines.setdefault(text, row.line)


def check_question(
    row: QuestionRow, csv_text: str | None, task: QuestionListTask, findings: Findings
) -> None:
    """Check one question; `csv_text` is what a reader of CSV takes for it."""
    if not tokens(row.question):
        findings.error(
            "question-empty",
            row.line,
            expected="a question",
            found=quoted(row.question),
            remedy="Write a question.",
        )
    elif row.question.strip().casefold() in _PLACEHOLDERS:
        findings.error(
            "question-placeholder",
            row.line,
            expected="a question",
            found=f"{quoted(row.question)}, which the organizers' judge reads as a missing value",
            remedy="Write a question.",
        )
    length = max(len(row.question), len(normalized("NFC", row.question)))
    if length > task.max_characters:
        with_quoting = "" if csv_text in {None, row.question} else f" ({len(csv_text)} as CSV)"
        findings.error(
            "question-length",
            row.line,
            expected=f"at most {task.max_characters} characters",
            found=f"{length}{with_quoting}",
            remedy="Shorten the question.",
        )
    if task.standalone and (points := pointing_at_article(row.question)):
        findings.warning(
            "question-standalone",
            row.line,
            expected="a question that makes sense to somebody who has not read the article",
            found=f"{quoted(points)} in {quoted(row.question)}",
            remedy="Name who or what is meant.",
        )


def check_quoting(
    rows: Sequence[QuestionRow], csv_texts: Mapping[int, str], findings: Findings
) -> None:
    """Warn of questions that read otherwise with CSV quoting."""
    different = [row for row in rows if csv_texts.get(row.line) != row.question]
    if different:
        first = different[0]
        csv_text = csv_texts.get(first.line)
        as_csv = "is part of another question" if csv_text is None else f"has {len(csv_text)}"
        findings.warning(
            "csv-quoting",
            first.line,
            expected="questions that read alike with and without CSV quoting",
            found=f"{len(different)} of {len(rows)} that do not; the first has "
            f"{len(first.question)} characters, and as CSV {as_csv}",
            remedy="Begin no question with a quote character.",
        )
