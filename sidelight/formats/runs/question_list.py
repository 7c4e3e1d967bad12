"""Question lists as tab-separated lines without a header.

`questions_tsv` has `topic_id, team_id, run_id, rank, question`; `tagged_questions_tsv` has no team:
`topic_id, run_tag, rank, question`.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from sidelight.files import atomic_packer, atomic_writer
from sidelight.formats.lines import Findings, Line, difference, open_text, read_bytes
from sidelight.formats.runs import submission
from sidelight.formats.runs.cited_sentences import as_plain, check_active, inert
from sidelight.schemas.run import QuestionRun, RunIdentity, SubmittedQuestion
from sidelight.schemas.task import QuestionListTask
from sidelight.text import normalized, one_line, pointing_at_article, quoted, tokens

_HEADINGS = frozenset("topic_id qid topic team_id run_id run_tag rank question".split())
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
    topic_id: str,
    rows: Sequence[QuestionRow],
    n_damaged: int,
    task: QuestionListTask,
    findings: Findings,
) -> None:
    """Check that a topic has every rank once, in order; lines that cannot be read have some."""
    ranks = {str(rank): rank for rank in range(1, task.count + 1)}
    lines: dict[str, int] = {}
    for row in rows:
        if row.rank not in ranks:
            told, remedy = "", "Correct the rank."
            if (extra := len(rows) - task.count) > 0:
                told = f"; topic {topic_id} has {len(rows)} questions"
                remedy = f"Leave out {extra} of them."
            _no_rank(row, f"from 1 to {task.count}", findings, told, remedy)
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
    if len(missing) > n_damaged:
        after = (row for row in rows if ranks.get(row.rank, 0) > ranks[missing[0]])
        findings.error(
            "rank-missing",
            min(after, key=lambda row: ranks[row.rank], default=rows[-1]).line,
            expected=f"ranks 1 to {task.count} for topic {topic_id}",
            found=f"no rank {', '.join(missing)}",
            remedy="Correct the ranks, or add what is missing.",
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


def _no_rank(
    row: QuestionRow,
    which: str,
    findings: Findings,
    told: str = "",
    remedy: str = "Correct the rank.",
) -> None:
    want, found = f"a rank {which} in ASCII digits", f"{quoted(row.rank)}{told}"
    findings.error("rank-value", row.line, expected=want, found=found, remedy=remedy)


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
    want, told, remedy = "a question", quoted(row.question), "Write a question."
    if not tokens(row.question):
        findings.error("question-empty", row.line, expected=want, found=told, remedy=remedy)
    elif row.question.strip().casefold() in _PLACEHOLDERS:
        told += ", which the organizers' judge reads as a missing value"
        findings.error("question-placeholder", row.line, expected=want, found=told, remedy=remedy)
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


Quoting = Literal["raw", "csv"]

_FIELDS = ("topic_id", "team_id", "run_id", "rank", "question")
_TAGGED_FIELDS = ("topic_id", "run_id", "rank", "question")
_RANK = re.compile(r"0*([1-9][0-9]{0,5})")
_SPACED_LINE = re.compile(r"(\S+)\s+(\S+)\s+(\S+)\s+([0-9]{1,6})\s+(\S[^\t]*)")
_ANY_RANK = re.compile("[0-9]{1,6}")
# What a reader of CSV takes for a field.
unquoted = partial(
    re.compile(r'^"((?:[^"]++|"")*+)"$').sub, lambda field: field[1].replace('""', '"')
)
_LEADING_QUOTATION = re.compile(r'^"([^"]*)("?)')


def read_question_run(
    path: str | Path, *, quoting: Quoting = "raw", fields: Sequence[str] = _FIELDS
) -> QuestionRun:
    """Read a run, whether or not the track would accept it; blank lines are left out.

    The file's name becomes the run tag (see `run_tag_of`). With the quoting `raw`, quote characters
    are text, as for the track's validator; with `csv`, `"..."` is a quoted field, as for the
    organizers' judge. `fields` says what the columns hold.
    """
    path = Path(path)
    file = open_text(path)
    findings = Findings(path, file.problems)
    lines = [line for line in file.lines if line.text.strip()]
    split = _csv_rows if quoting == "csv" else _raw_rows
    rows = split(lines, findings, fields)
    questions: dict[tuple[str, str, int], SubmittedQuestion] = {}
    for row in rows:
        match = _RANK.fullmatch(row.rank)
        if match is None:
            _no_rank(row, "from 1", findings)
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
            told = f"rank {question.rank} once in topic {question.topic_id}"
            findings.again("rank-duplicate", row.line, told, "a second question with it")
        questions[key] = question
    findings.raise_errors()
    found = tuple(questions.values())
    return QuestionRun(
        run_tag=submission.run_tag_of(path, (question.run_id for question in found)),
        questions=found,
    )


def write_question_run(
    path: Path, questions: Iterable[SubmittedQuestion], *, with_team: bool = True
) -> None:
    """Write a run that every reader splits alike: one line each, nothing quoted, LF, no BOM.

    A quotation that opens a question gets typographic quotes: to a CSV reader a leading `"` opens a
    field that may run on over many lines.
    """
    with atomic_writer(path) as stream:
        for item in questions:
            teams = (item.team_id,) if with_team else ()
            ids = (one_line(field) for field in (item.topic_id, *teams, item.run_id))
            question = _LEADING_QUOTATION.sub(_typographic, inert(one_line(item.text)))
            stream.write("\t".join((*ids, str(item.rank), question)) + "\n")


def mend_questions(  # long: each kind of change and what is said of it
    path: Path, task: QuestionListTask, destination: Path
) -> list[submission.Change]:
    """Write a run with its questions in order, each once, none too many, no rank twice.

    A question keeps its rank wherever it can, since labels name it by its rank. No rank is filled
    by moving the others up: somebody has to write the missing question. Headings and lines that
    cannot be read are left out. The result says what was changed, in order of lines.
    """
    file = open_text(path)
    findings = Findings(path, file.problems)
    by_topic: dict[str, list[QuestionRow]] = defaultdict(list)
    lines = _with_tabs([one for one in file.lines if one.text.strip()], path)
    given = dict(file.lines)
    changes = [
        (line, "fields", difference(given[line], text))
        for line, text in lines
        if text != given[line]
    ]
    for row in _raw_rows(lines, findings, _FIELDS):
        cells = {name: unquoted(getattr(row, name)) for name in _FIELDS}
        new = {name: one_line(cell) for name, cell in cells.items() if name != "rank"}
        question = as_plain(cells["question"], also=len(cells["question"]) > task.max_characters)
        new["question"] = _LEADING_QUOTATION.sub(_typographic, question)
        changes += [
            (row.line, name, difference(getattr(row, name), value))
            for name, value in new.items()
            if value != getattr(row, name)
        ]
        by_topic[new["topic_id"]].append(row._replace(line=row.line, **new))
    if not by_topic:
        findings.raise_errors()
    mended: list[QuestionRow] = []
    renumbered = False
    for topic_id, rows in by_topic.items():
        # What is no number stands where it stands in the file.
        wanted = {
            row: int(row.rank) if _ANY_RANK.fullmatch(row.rank) else place
            for place, row in enumerate(rows, start=1)
        }
        ordered = sorted(rows, key=wanted.__getitem__)
        if ordered != rows:
            changes.append((rows[0].line, "questions sorted by rank:", f"topic {topic_id}"))
        kept: dict[str, QuestionRow] = {}
        for row in ordered:
            text = one_line(row.question).casefold()
            known = text in kept
            if known or len(kept) == task.count:
                why = "asked before" if known else f"more than {task.count}"
                changes.append((row.line, f"question left out, {why}:", quoted(row.question)))
            else:
                kept[text] = row
        rank = 0
        for left, row in zip(reversed(range(len(kept))), kept.values(), strict=True):
            rank = min(max(wanted[row], rank + 1), task.count - left)
            renumbered |= rank != wanted[row]
            if row.rank != str(rank):
                changes.append((row.line, "rank", f"{quoted(row.rank)} is now {rank}"))
            mended.append(row._replace(rank=str(rank)))
    with atomic_packer(destination) as stream:
        for row in mended:
            stream.write("\t".join(getattr(row, name) for name in _FIELDS) + "\n")
    shown = submission.changes_shown(path, file, changes, findings)
    if renumbered:
        told = f"{path}: labels of the old ranks no longer fit: judge the run again"
        shown.append(submission.Change("labels", told))
    return shown


def _with_tabs(lines: Sequence[Line], path: Path) -> list[Line]:
    """Return lines with tabs for spaces between fields whose topic, team and run others have."""
    whole = _raw_rows(lines, Findings(path), _FIELDS)
    topics, runs = {row.topic_id for row in whole}, {(row.team_id, row.run_id) for row in whole}

    def mended(line: Line) -> Line:
        found = _SPACED_LINE.fullmatch(line.text.strip())
        if line.text.count("\t") == len(_FIELDS) - 1 or not found:
            return line
        known = found[1] in topics and found.group(2, 3) in runs
        return line._replace(text="\t".join(found.groups())) if known else line

    return [*map(mended, lines)]


def _check(fields: Sequence[str], run: submission.CheckedRun[QuestionListTask]) -> None:
    file, findings = open_text(run.path), run.findings
    findings.problems += file.problems
    submission.check_encoding(file, findings)
    for line, text in file.lines:
        submission.check_characters(text, line, findings)
    lines = [line for line in file.lines if line.text.strip()]
    rows = _raw_rows(lines, findings, fields)
    if lines and not rows:  # all topics would be missing
        return
    for row in rows:
        check_active(row.question, row.line, findings)
    submission.check_ids(
        run, [submission.LineIds(row.line, row.team_id, row.run_id) for row in rows]
    )
    by_topic: dict[str, list[QuestionRow]] = defaultdict(list)
    for row in rows:
        by_topic[row.topic_id].append(row)
    submission.check_topics(run, {topic_id: rows[0].line for topic_id, rows in by_topic.items()})
    unread = {one.line for one in findings.problems} - {row.line for row in rows}
    damaged = submission.topics_of_lines(run, unread)
    csv_texts = {row.line: row.question for row in _csv_rows(lines, Findings(run.path), fields)}
    for topic_id, topic_rows in by_topic.items():
        check_ranks(topic_id, topic_rows, damaged[topic_id], run.task, findings)
        check_repeats(topic_rows, findings)
        for row in topic_rows:
            check_question(row, csv_texts.get(row.line), run.task, findings)
    if any('"' in line.text for line in lines):
        check_quoting(rows, csv_texts, findings)


check_question_run = submission.StrictCheck(partial(_check, _FIELDS))


def _typographic(match: re.Match[str]) -> str:
    return f"“{match[1]}{'”' if match[2] else ''}"


def _raw_rows(
    lines: Sequence[Line], findings: Findings, fields: Sequence[str]
) -> list[QuestionRow]:
    if lines and not any("\t" in line.text for line in lines):
        commas = all(line.text.count(",") >= len(fields) - 1 for line in lines)
        told = "commas between them" if commas else "no tab in the file"
        want, remedy = "tabs between fields", "Separate fields by one tab, without quotes."
        findings.error("field-separator", None, expected=want, found=told, remedy=remedy)
        return []
    return _rows([(line.number, line.text.split("\t")) for line in lines], findings, fields)


def _is_header(cells: Iterable[str]) -> bool:
    """Tell whether fields are names of columns: two of them are, and none is a rank."""
    held = {cell.strip(' "').casefold() for cell in cells}
    return len(_HEADINGS & held) > 1 and not any(map(_ANY_RANK.fullmatch, held))


def _csv_rows(
    lines: Sequence[Line], findings: Findings, fields: Sequence[str]
) -> list[QuestionRow]:
    reader = csv.reader((line.text + "\n" for line in lines), delimiter="\t")
    records = []
    begins = 0
    try:
        for cells in reader:
            records.append((lines[begins].number, cells))
            begins = reader.line_num
    except csv.Error as error:
        findings.error(
            "csv-syntax",
            lines[begins].number,
            expected="tab-separated CSV",
            found=f"a record that is not: {error}",
            remedy="Read the file with quoting raw.",
        )
    return _rows(records, findings, fields)


def _rows(
    records: Iterable[tuple[int, list[str]]], findings: Findings, fields: Sequence[str]
) -> list[QuestionRow]:
    rows = []
    for line, cells in records:
        if _is_header(cells):
            want, told = "no header: the format has none", f"the names {quoted(cells)}"
            findings.error("header-line", line, expected=want, found=told, remedy="Remove it.")
        elif len(cells) == len(fields):
            rows.append(QuestionRow(line=line, **dict(zip(fields, cells, strict=True))))
        else:
            findings.error(
                "field-count",
                line,
                expected=f"{len(fields)} tab-separated fields, {', '.join(fields)}",
                found=f"{len(cells)}: {quoted(cells)}",
                remedy="Separate fields by one tab and keep tabs out of questions.",
            )
    return rows


def _submitted(
    identity: RunIdentity, delivered: Iterable[submission.Delivery[tuple[str, ...]]]
) -> Iterator[SubmittedQuestion]:
    for topic, questions in delivered:
        for rank, text in enumerate(questions, start=1):
            yield SubmittedQuestion(
                topic_id=topic.topic_id,
                team_id=identity.team_id,
                run_id=identity.run_id,
                rank=rank,
                text=text,
            )


def _fits_tagged(line: str) -> bool:
    cells = line.split("\t")
    return len(cells) == len(_TAGGED_FIELDS) and _RANK.fullmatch(cells[2]) is not None


QUESTIONS: submission.RunFormat[QuestionListTask, tuple[str, ...], QuestionRun] = (
    submission.RunFormat(
        kind="question_list",
        write=lambda path, identity, delivered: write_question_run(
            path, _submitted(identity, delivered)
        ),
        read=read_question_run,
        check=check_question_run,
        as_manual=read_bytes,
        official=submission.official_questions,
        mend=mend_questions,
        fits_line=lambda line: len(line.split("\t")) == len(_FIELDS),
    )
)
TAGGED_QUESTIONS: submission.RunFormat[QuestionListTask, tuple[str, ...], QuestionRun] = (
    submission.RunFormat(
        kind="question_list",
        write=lambda path, identity, delivered: write_question_run(
            path, _submitted(identity, delivered), with_team=False
        ),
        read=lambda path: read_question_run(path, fields=_TAGGED_FIELDS),
        check=submission.StrictCheck(partial(_check, _TAGGED_FIELDS)),
        as_manual=read_bytes,
        fits_line=_fits_tagged,
    )
)
