from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
    read_merged_assessments,
    write_assessments,
)
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.tracks import load_track
from tests.helpers.public_data import PublicData

SCALES = load_track().scales

QUESTION_HEADER = "topic_id,rubric_question_rank,run_tag,run_question_rank,annotation"
ANSWER_HEADER = "topic_id,run_tag,answer_id,auto_assessment,auto_rationale"
COMPOUND_HEADER = (
    "topic_id,run_tag,run_question_rank,run_question_text,auto_compound_question_assessment"
)


def write_csv(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "assessments.csv"
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    return path


def test_reads_human_question_assessments(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path,
        "topic_id,rubric_question_rank,run_tag,run_question_rank,run_question_text,annotation",
        't,1,run,2,"Who, then?",very-similar',
    )
    assert read_assessments(path, QUESTION_ASSESSMENTS, SCALES) == [
        QuestionAssessment(
            topic_id="t",
            rubric_question_rank=1,
            run_tag="run",
            run_question_rank=2,
            label="very-similar",
        )
    ]


def test_reads_the_published_automatic_report_assessments(shared_data: PublicData) -> None:
    path = shared_data / "dragun-2025" / "autojudge" / "auto_report_assessments.csv"
    assessments = read_assessments(path, ANSWER_ASSESSMENTS, SCALES)
    assert len(assessments) == 26 * 551
    assert Counter(assessment.label for assessment in assessments) == {
        "none": 11_841,
        "supports": 1_126,
        "partial": 1_126,
        "contradicts": 233,
    }


def test_writes_the_published_file_byte_for_byte(shared_data: PublicData, tmp_path: Path) -> None:
    path = shared_data / "dragun-2025" / "autojudge" / "auto_report_assessments.csv"
    copy = tmp_path / "copy.csv"
    write_assessments(copy, ANSWER_ASSESSMENTS, read_assessments(path, ANSWER_ASSESSMENTS, SCALES))
    assert copy.read_bytes() == path.read_bytes()


def test_writes_the_organizers_columns(tmp_path: Path) -> None:
    write_assessments(tmp_path / "q.csv", QUESTION_ASSESSMENTS, [])
    write_assessments(tmp_path / "a.csv", ANSWER_ASSESSMENTS, [])
    write_assessments(tmp_path / "c.csv", COMPOUND_ASSESSMENTS, [])
    assert (tmp_path / "q.csv").read_text() == (
        "topic_id,rubric_question_rank,run_tag,run_question_rank,auto_assessment,auto_rationale\n"
    )
    assert (tmp_path / "a.csv").read_text() == (
        "topic_id,run_tag,answer_id,auto_assessment,auto_rationale\n"
    )
    assert (tmp_path / "c.csv").read_text() == (
        "topic_id,run_tag,run_question_rank,run_question_text,"
        "auto_compound_question_assessment,auto_assessment_rationale\n"
    )


@pytest.mark.parametrize("name", ["N/A", "None", "NULL", "nan"])
def test_names_that_pandas_takes_for_missing_stay_text(tmp_path: Path, name: str) -> None:
    path = write_csv(tmp_path, ANSWER_HEADER, f"t,{name},na-1,none,{name}")
    [assessment] = read_assessments(path, ANSWER_ASSESSMENTS, SCALES)
    assert (assessment.run_tag, assessment.rationale) == (name, name)


def test_an_empty_label_is_unjudged(tmp_path: Path) -> None:
    path = write_csv(tmp_path, QUESTION_HEADER, "t,1,run,2,")
    assert read_assessments(path, QUESTION_ASSESSMENTS, SCALES)[0].label == Unjudged(
        reason="empty label"
    )


@pytest.mark.parametrize("label", ["Very-Similar", "very_similar", "VERY SIMILAR", " very-similar"])
def test_spellings_of_a_label_are_folded(tmp_path: Path, label: str) -> None:
    path = write_csv(tmp_path, QUESTION_HEADER, f"t,1,run,2,{label}")
    assert read_assessments(path, QUESTION_ASSESSMENTS, SCALES)[0].label == "very-similar"


@pytest.mark.parametrize(("cell", "rank"), [("1", 1), ("1.0", 1), ("01", 1), ("10.00", 10)])
def test_a_rank_that_pandas_made_a_float_reads_as_an_integer(
    tmp_path: Path, cell: str, rank: int
) -> None:
    path = write_csv(tmp_path, QUESTION_HEADER, f"t,{cell},run,2,similar")
    assert read_assessments(path, QUESTION_ASSESSMENTS, SCALES)[0].rubric_question_rank == rank


def test_identical_rows_collapse(tmp_path: Path) -> None:
    path = write_csv(tmp_path, ANSWER_HEADER, "t,run,na-1,none,first", "t,run,na-1,none,again")
    [assessment] = read_assessments(path, ANSWER_ASSESSMENTS, SCALES)
    assert assessment.rationale == "first"


@given(
    labels=st.lists(
        st.sampled_from(["", "none", "partial", "supports", "contradicts"]), min_size=1
    ).flatmap(lambda labels: st.tuples(st.just(labels), st.permutations(labels)))
)
def test_merging_keeps_the_weightiest_label_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, labels: tuple[list[str], list[str]]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    merged = []
    for order in labels:
        path = write_csv(folder, ANSWER_HEADER, *(f"t,run,na-1,{label}," for label in order))
        [assessment] = read_merged_assessments(path, ANSWER_ASSESSMENTS, SCALES)
        merged.append(assessment.label)
    order = ["", "none", "partial", "supports", "contradicts"]
    heaviest = max(labels[0], key=order.index)
    expected = heaviest or Unjudged(reason="empty label")
    assert merged == [expected, expected]


# A kind, the lines of a file, and the code and line of what is wrong with it.
REFUSED = [
    *(
        (
            ANSWER_ASSESSMENTS,
            [ANSWER_HEADER, "t,run,na-1,none,", f"t,run,na-2,{label},"],
            "label",
            3,
        )
        for label in ("supported", "N/A", "nan", "-1")
    ),
    *(
        (QUESTION_ASSESSMENTS, [QUESTION_HEADER, f"t,1,run,{cell},similar"], "rank", 2)
        for cell in ("١", "²", "abc", "1.5", "0", "-1", "", "9" * 5000)
    ),
    (
        ANSWER_ASSESSMENTS,
        [ANSWER_HEADER, "t,run,na-1,none,", "t,run,na-1,supports,"],
        "label-conflict",
        3,
    ),
    # Whatever the text of a question is.
    (
        COMPOUND_ASSESSMENTS,
        [COMPOUND_HEADER, "t,run,1,Who?,compound", "t,run,1,Who ?,not-compound"],
        "label-conflict",
        3,
    ),
    # No answer_id, no label column, and two of them.
    *(
        (ANSWER_ASSESSMENTS, [header, ",".join("x" for _ in header.split(","))], "csv-columns", 1)
        for header in (
            "topic_id,run_tag,auto_assessment",
            "topic_id,run_tag,answer_id,label",
            "topic_id,run_tag,answer_id,annotation,auto_assessment",
        )
    ),
    # Line breaks inside of cells count.
    (
        ANSWER_ASSESSMENTS,
        [ANSWER_HEADER, 't,run,na-1,none,"two', 'lines"', "t,run,na-2,bad,"],
        "label",
        4,
    ),
]


@pytest.mark.parametrize(("kind", "lines", "code", "line"), REFUSED)
def test_what_is_wrong_is_an_error_with_its_line(
    tmp_path: Path, kind: Any, lines: list[str], code: str, line: int
) -> None:
    with pytest.raises(InvalidFileError) as caught:
        read_assessments(write_csv(tmp_path, *lines), kind, SCALES)
    assert [(one.code, one.line) for one in caught.value.problems] == [(code, line)]
    assert code != "label-conflict" or "line 2" in str(caught.value)


# A carriage return is written as a line feed: the csv module cannot read it back otherwise.
text = st.text(min_size=1).filter(lambda value: "\r" not in value)
rank = st.integers(1, 999)
rationale = st.text().filter(lambda value: "\r" not in value)
question_assessments = st.builds(
    QuestionAssessment,
    topic_id=text,
    rubric_question_rank=rank,
    run_tag=text,
    run_question_rank=rank,
    label=st.sampled_from(SCALES["similarity"].names),
    rationale=rationale,
)
answer_assessments = st.builds(
    AnswerAssessment,
    topic_id=text,
    run_tag=text,
    answer_id=text,
    label=st.sampled_from(SCALES["answers"].names),
    rationale=rationale,
)
compound_assessments = st.builds(
    CompoundAssessment,
    topic_id=text,
    run_tag=text,
    run_question_rank=rank,
    run_question_text=text,
    label=st.sampled_from(SCALES["compound"].names),
    rationale=rationale,
)


@given(
    questions=st.lists(question_assessments, max_size=3, unique_by=lambda item: item.topic_id),
    answers=st.lists(answer_assessments, max_size=3, unique_by=lambda item: item.topic_id),
    compounds=st.lists(compound_assessments, max_size=3, unique_by=lambda item: item.topic_id),
)
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory,
    questions: list[QuestionAssessment],
    answers: list[AnswerAssessment],
    compounds: list[CompoundAssessment],
) -> None:
    path = tmp_path_factory.getbasetemp() / "assessments.csv"
    write_assessments(path, QUESTION_ASSESSMENTS, questions)
    assert read_assessments(path, QUESTION_ASSESSMENTS, SCALES) == questions
    write_assessments(path, ANSWER_ASSESSMENTS, answers)
    assert read_assessments(path, ANSWER_ASSESSMENTS, SCALES) == answers
    write_assessments(path, COMPOUND_ASSESSMENTS, compounds)
    assert read_assessments(path, COMPOUND_ASSESSMENTS, SCALES) == compounds


def test_an_unjudged_verdict_keeps_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    unjudged = AnswerAssessment(
        topic_id="t", run_tag="run", answer_id="na-1", label=Unjudged(reason="no JSON, twice")
    )
    write_assessments(path, ANSWER_ASSESSMENTS, [unjudged])
    assert path.read_text().splitlines()[1] == 't,run,na-1,,"no JSON, twice"'
    assert read_assessments(path, ANSWER_ASSESSMENTS, SCALES) == [unjudged]


def test_a_carriage_return_is_written_as_a_line_feed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    item = AnswerAssessment(
        topic_id="t", run_tag="r", answer_id="a", label="none", rationale="one\rtwo\r\n3"
    )
    write_assessments(path, ANSWER_ASSESSMENTS, [item])
    assert read_assessments(path, ANSWER_ASSESSMENTS, SCALES)[0].rationale == "one\ntwo\n3"
