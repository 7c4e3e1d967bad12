"""Files of scores and labels: their columns, and that no spelling changes a score."""

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.evaluation.scoring.organizers import compat_report_scores
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.table import (
    ScoreTable,
    label_source,
    read_topic_scores,
    write_score_files,
)
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, answer, pair, rubric, verdict, write_csv

TRACK = load_track()
SCALES = TRACK.scales

TWO_TOPICS = {"b": rubric("b", (HAVE, 1)), "a": rubric("a", (HAVE, 3))}


def test_default_columns_follow_the_organizers(tmp_path):
    labels = [answer("a", "r", "na-1", "supports"), answer("b", "r", "na-1", "contradicts")]
    per_topic, per_run = write_score_files(
        score_reports(TRACK, TWO_TOPICS, labels), tmp_path, "auto_report_generation"
    )
    assert per_topic.name == "auto_report_generation_per_topic_results.csv"
    assert per_run.name == "auto_report_generation_per_run_results.csv"
    # a: 1 / 3 supported; b contradicted; floats are written so that they read back the same
    assert per_topic.read_text() == (
        "run_tag,topic_id,supportive_score,contradictory_score,unjudged\n"
        "r,a,0.3333333333333333,0.0,0.6666666666666667\n"
        "r,b,0.0,1.0,0.0\n"
    )
    assert per_run.read_text() == (
        "run_tag,supportive_score,contradictory_score,unjudged,n_topics\n"
        "r,0.16666666666666666,0.5,0.33333333333333337,2\n"
    )


def test_question_columns(tmp_path):
    table = score_questions(
        TRACK, TWO_TOPICS, [pair("a", 1, "r", 1, "similar")], [verdict("a", "r", 1, "not-compound")]
    )
    _, per_run = write_score_files(table, tmp_path, "human_question_generation")
    assert per_run.read_text().splitlines()[0] == (
        "run_tag,score,unjudged,score_unfiltered,credit_lost,n_topics"
    )


def test_compatible_files_have_the_organizers_columns_only(tmp_path):
    file = write_csv(
        tmp_path / "a.csv", "topic_id,run_tag,answer_id,annotation", ("b", "r", "na-1", "partial")
    )
    per_topic, per_run = write_score_files(
        compat_report_scores(TRACK, TWO_TOPICS, file), tmp_path, "human_report_generation"
    )
    assert per_topic.read_text() == (
        "run_tag,topic_id,supportive_score,contradictory_score\nr,b,0.5,0.0\n"
    )
    assert per_run.read_text() == "run_tag,supportive_score,contradictory_score\nr,0.5,0.0\n"


@pytest.mark.parametrize(
    ("column", "source"), [("annotation", "human"), ("auto_assessment", "auto")]
)
def test_the_label_column_says_who_labelled(tmp_path, column, source):
    file = write_csv(tmp_path / "a.csv", f"topic_id,run_tag,answer_id,{column}")
    assert label_source(file) == source


@pytest.mark.parametrize("written", ["1e308", "-1e308", "nan", "inf"])
def test_a_score_that_no_measure_has_is_named_with_its_line(tmp_path, written):
    path = tmp_path / "scores.csv"
    path.write_text(f"run_tag,topic_id,score\nr,a,0.5\nr,b,{written}\n")
    with pytest.raises(InvalidFileError, match=r"scores\.csv:3: .*in score"):
        read_topic_scores(path)


# How a file of labels is spelled changes no score.
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
def test_of_answers(rows, spelling):
    table = scored(spelled(ANSWER_HEADER, rows, spelling))
    assert table == scored(spelled(ANSWER_HEADER, rows, PLAIN))
    assert {run.run_tag for run in table.runs} == {run_tag for _, run_tag, _ in rows}


@given(pair_rows, spellings)
def test_of_pairs(rows, spelling):
    table = scored(spelled(PAIR_HEADER, rows, spelling))
    assert table == scored(spelled(PAIR_HEADER, rows, PLAIN))
    assert {run.run_tag for run in table.runs} == {run_tag for _, _, run_tag, _ in rows}
