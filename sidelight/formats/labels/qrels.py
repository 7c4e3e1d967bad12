"""Relevance labels in the four columns of trec_eval: `query iteration segment grade`.

Labels that a participant hands in have six: `query Q0 segment grade confidence run`. So do search
results, whose fourth column is a rank, which no query has twice; five grades of one query recur.

No form says who gave the labels: of those that a judge gave, `FILE.judge.json` beside them does.

Grades of questions by people, as the organizers publish them: eight columns, tabs, no header.

`topic number, article id, place, run, rank, grade, redundant, question`. The place is that of the
run among those that the assessor of the article was shown; who that was, the file does not say. A
judge's file looks alike; there an empty grade says that nobody could tell.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.files import atomic_write, atomic_writer, read_json
from sidelight.formats import lines
from sidelight.formats.runs import submission
from sidelight.formats.runs.cited_sentences import check_segments
from sidelight.schemas.grading.graded_passage import HIGHEST_RELEVANCE, LOWEST_RELEVANCE
from sidelight.schemas.grading.judgment import LabelScale, QuestionGrade, Scales, Unjudged
from sidelight.schemas.task import JudgmentsTask
from sidelight.text import finite_number, one_line, quoted

QRELS_COLUMNS = ("query", "iteration", "segment", "grade")
_JUDGMENT_COLUMNS = ("query", "Q0", "segment", "grade", "confidence", "run")
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
_TOLD_BY = 50  # lines; more than there are grades in any query


def holds_judgments(lines: Iterable[str]) -> bool:
    """Tell whether lines of six columns hold labels rather than a ranking, well-formed or not."""
    rows = [cells for cells in map(str.split, lines) if len(cells) == len(_JUDGMENT_COLUMNS)]
    graded = [(cells[0], cells[3]) for cells in rows if re.fullmatch(r"-?[0-9]", cells[3])]
    if not graded or len(graded) < len(rows) or len(set(graded)) == len(graded):
        return False
    # A ranking whose ranks are wrong still has scores that fall.
    sure = [
        [finite_number(cells[4]) or 0.0 for cells in of_query]
        for _, of_query in groupby(rows, key=lambda cells: cells[0])
    ]
    return any(later >= earlier for one in sure for earlier, later in pairwise(one))


def _read_labels(path: Path) -> list[tuple[int, list[str]]]:
    """Return the line number and the cells of every label, whichever of the two forms it has."""
    judged = holds_judgments(text for _, text in lines.read_lines(path, "qrels")[:_TOLD_BY])
    return lines.read_columns(path, _JUDGMENT_COLUMNS if judged else QRELS_COLUMNS, "qrels")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read grades by query and segment; ids stay text, so that `007` and `7` are two queries.

    Lines have four columns, or six in the form that is handed in. Grades are whole numbers from
    `LOWEST_RELEVANCE` to `HIGHEST_RELEVANCE`. A path `irds:NAME` names a data set of ir_datasets.
    """
    findings = lines.Findings(path)
    grades: dict[str, dict[str, int]] = {}
    for line, cells in _read_labels(path):
        query_id, segment_id, cell = cells[0], cells[2], cells[3]
        grade = int(cell) if _GRADE.fullmatch(cell) else None
        if grade is None or not LOWEST_RELEVANCE <= grade <= HIGHEST_RELEVANCE:
            findings.error(
                "grade",
                line,
                expected=f"a whole number from {LOWEST_RELEVANCE} to {HIGHEST_RELEVANCE} in the "
                "fourth column",
                found=quoted(cell),
                remedy="Write grades as integers, on the scale of the collection.",
            )
            continue
        earlier = grades.setdefault(query_id, {}).setdefault(segment_id, grade)
        if earlier != grade:
            told = f"one grade for query {query_id} and {segment_id}, {earlier}"
            findings.again("grade-conflict", line, told, str(grade))
    findings.raise_errors()
    return grades


def check_qrels(path: Path, scale: LabelScale, topic_ids: Collection[str]) -> list[Problem]:
    """Return all that is wrong with labels to hand in; they need not cover all of `topic_ids`."""
    findings = lines.Findings(path)
    try:
        read_qrels(path)
    except InvalidFileError as error:
        return list(error.problems)
    _check_labels(_read_labels(path), scale.writings, topic_ids, findings)
    return findings.problems


def _check_labels(
    rows: Iterable[tuple[int, Sequence[str]]],
    grades: Collection[str],
    topic_ids: Collection[str],
    findings: lines.Findings,
) -> None:
    """Find grades and topics that the track does not have."""
    for line, cells in rows:
        query_id, cell = cells[0], cells[3]
        if cell not in grades:
            findings.error(
                "grade-unknown",
                line,
                expected=f"one of {', '.join(grades)}",
                found=quoted(cell),
                remedy="Give the grades of the track.",
            )
        findings.topics([query_id], topic_ids, line)


@submission.StrictCheck
def check_judgments(run: submission.CheckedRun[JudgmentsTask]) -> None:
    """Find all that is wrong with labels handed in; topics that have none are told."""
    submission.check_encoding(lines.open_text(run.path), run.findings)
    rows = lines.read_columns(run.path, _JUDGMENT_COLUMNS)
    graded = read_qrels(run.path)
    submission.check_ids(run, [submission.LineIds(line, "", cells[-1]) for line, cells in rows])
    writings = [str(grade) for grade in range(run.task.highest + 1)]
    _check_labels(rows, writings, run.topic_ids, run.findings)
    for line, (_, fixed, segment_id, _, confidence, _) in rows:
        if fixed != "Q0" or finite_number(confidence) is None:
            run.findings.error(
                "judgment-columns",
                line,
                expected="Q0 in the second column, and a confidence in the fifth",
                found=quoted(f"{fixed} {confidence}"),
                remedy="Write 1 where the judge gives no confidence.",
            )
        check_segments(run, line, [segment_id])
    missing = [topic_id for topic_id in run.topic_ids if topic_id not in graded]
    if missing:
        run.findings.warning(
            "topic-missing",
            None,
            expected=f"labels for all {len(run.topic_ids)} topics",
            found=f"none for {len(missing)}, such as {missing[0]}",
            remedy="Grade passages of these topics as well, to compare runs on them.",
        )


def write_judgments(
    path: Path, grades: Mapping[str, Mapping[str, tuple[int, float]]], run_id: str
) -> None:
    """Write grades, each with how sure the judge is, in the form that is handed in."""
    lines.write_columns(
        path,
        (
            (query_id, "Q0", segment_id, grade, f"{sure:.4g}", run_id)
            for query_id, segments in grades.items()
            for segment_id, (grade, sure) in segments.items()
        ),
    )


def _judge_file(labels: Path) -> Path:
    return labels.with_name(f"{labels.name}.judge.json")


def write_judge(labels: Path, judge: str, notes: Sequence[str] = ()) -> None:
    """Write beside a file of labels who gave them, and notes on scores by them."""
    told = {"judge": judge} | ({"notes": [*notes]} if notes else {})
    atomic_write(_judge_file(labels), json.dumps(told) + "\n")


def read_judge(labels: Path) -> str | None:
    """Return the judge that gave the labels of a file; None where nothing says who did."""
    path = _judge_file(labels)
    if not path.is_file():
        return None
    with contextlib.suppress(ValueError, KeyError, TypeError):
        judge = read_json(lines.read_bytes(path))["judge"]
        if isinstance(judge, str) and judge.strip():
            return one_line(judge)
    raise InputError(f'{path}: expected {{"judge": "who gave the labels"}}; found something else')


def read_judge_notes(labels: Path) -> list[str]:
    """Return what a judge noted on scores by its labels."""
    judge = read_json(lines.read_bytes(_judge_file(labels))) if read_judge(labels) else {}
    notes = judge.get("notes")
    return [one_line(one) for one in notes if isinstance(one, str)] if type(notes) is list else []


def write_qrels(path: Path, grades: Mapping[str, Mapping[str, int]]) -> None:
    """Write grades by query and segment, in the order given."""
    lines.write_columns(
        path,
        (
            (query_id, 0, segment_id, grade)
            for query_id, segments in grades.items()
            for segment_id, grade in segments.items()
        ),
    )


QUESTION_GRADE_CELLS = (
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

    Labels are those of the scales `question_quality` and `redundancy`. A question that is graded
    twice is an error.
    """
    findings = lines.Findings(path)
    quality, redundancy = scales["question_quality"], scales["redundancy"]
    grades: dict[tuple[str, str, int], QuestionGrade] = {}
    for line, text in lines.read_lines(path):
        cells = text.split("\t")
        if len(cells) != len(QUESTION_GRADE_CELLS):
            findings.error(
                "column-count",
                line,
                expected=f"{len(QUESTION_GRADE_CELLS)} columns: {', '.join(QUESTION_GRADE_CELLS)}",
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
        label = _label(line, grade, "as the grade in the sixth column", quality, findings)
        flag = _label(line, redundant, "as the flag in the seventh column", redundancy, findings)
        key = (topic_id, run_tag, int(rank))
        if key in grades:
            told = f"one grade for rank {rank} of run {run_tag}"
            findings.again("label-conflict", line, told)
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


def _label(
    line: int, cell: str, what: str, scale: LabelScale, findings: lines.Findings
) -> str | None:
    if not cell.strip():
        return None
    found = scale.read(cell.strip())
    if found is None:
        findings.label(line, scale.writings, what, cell)
        return None
    return found.name
