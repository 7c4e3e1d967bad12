"""How a file of labels is spelled changes no score."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.table import ScoreTable
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, rubric

TRACK = load_track()
SCALES = TRACK.scales

# pandas takes these run tags for missing values.
RUN_TAGS = ("N/A", "nan", "NULL", "None", 'say "so", twice')
RUBRICS = {"t": rubric("t", (HAVE, 2), (NICE, 1))}
ANSWER_HEADER = ("topic_id", "run_tag", "answer_id", "annotation", "rationale")
PAIR_HEADER = (
    *("topic_id", "rubric_question_rank", "run_tag", "run_question_rank"),
    *("annotation", "rationale"),
)
REASONS = st.sampled_from(["", "N/A", "two\nlines", 'a "word", and more', "\ufeff"])

answer_rows = st.dictionaries(
    st.tuples(st.just("t"), st.sampled_from(RUN_TAGS), st.sampled_from(["na-1", "na-2", "na-3"])),
    st.tuples(st.sampled_from(["supports", "partial", "contradicts", "none"]), REASONS),
    min_size=1,
)
pair_rows = st.dictionaries(
    st.tuples(
        *(st.just("t"), st.sampled_from("12"), st.sampled_from(RUN_TAGS), st.sampled_from("12"))
    ),
    st.tuples(st.sampled_from(["very-similar", "similar", "different"]), REASONS),
    min_size=1,
)
# Byte order mark, line ending, quoting, blank lines, the same rows again, and what pandas writes
# where a lone carriage return gave it one row too many: a row of empty cells, and ranks as floats.
spellings = st.tuples(
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
PLAIN = (False, "\n", csv.QUOTE_MINIMAL, False, False, False)


def spelled(header, rows, spelling) -> bytes:
    mark, ending, quoting, blank, again, ghost = spelling
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=ending, quoting=quoting)
    writer.writerow(header)
    for key, value in [*rows.items()] * (2 if again else 1):
        writer.writerow(
            f"{cell}.0" if ghost and cell in {"1", "2"} else cell for cell in (*key, *value)
        )
        if ghost:
            writer.writerow([""] * len(header))
        if blank:
            text.write(ending)
    return text.getvalue().encode("utf-8-sig" if mark else "utf-8")


def scored(content: bytes) -> ScoreTable:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        path.write_bytes(content)
        if b"answer_id" in content:
            return score_reports(TRACK, RUBRICS, read_assessments(path, ANSWER_ASSESSMENTS, SCALES))
        return score_questions(
            TRACK, RUBRICS, read_assessments(path, QUESTION_ASSESSMENTS, SCALES), None
        )


@given(answer_rows, spellings)
def test_of_answers(rows, spelling) -> None:
    table = scored(spelled(ANSWER_HEADER, rows, spelling))
    assert table == scored(spelled(ANSWER_HEADER, rows, PLAIN))
    assert {run.run_tag for run in table.runs} == {run_tag for _, run_tag, _ in rows}


@given(pair_rows, spellings)
def test_of_pairs(rows, spelling) -> None:
    table = scored(spelled(PAIR_HEADER, rows, spelling))
    assert table == scored(spelled(PAIR_HEADER, rows, PLAIN))
    assert {run.run_tag for run in table.runs} == {run_tag for _, _, run_tag, _ in rows}
