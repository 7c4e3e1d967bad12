import csv
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    ASSESSMENT_KINDS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
    read_merged_assessments,
    write_assessments,
)
from sidelight.formats.verdict import detect_format
from sidelight.schemas.grading.judgment import AnswerAssessment, Unjudged
from sidelight.tracks import load_track

SCALES = load_track().scales

QUESTION_HEADER = "topic_id,rubric_question_rank,run_tag,run_question_rank,annotation"
ANSWER_HEADER = "topic_id,run_tag,answer_id,auto_assessment,auto_rationale"
COMPOUND_HEADER = (
    "topic_id,run_tag,run_question_rank,run_question_text,auto_compound_question_assessment"
)


def write_csv(tmp_path, *lines):
    path = tmp_path / "assessments.csv"
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    return path


def test_writes_the_published_file_byte_for_byte(shared_data, tmp_path):
    path = shared_data / "dragun-2025" / "autojudge" / "auto_report_assessments.csv"
    assessments = read_assessments(path, ANSWER_ASSESSMENTS, SCALES)
    copy = tmp_path / "copy.csv"
    write_assessments(copy, ANSWER_ASSESSMENTS, assessments)
    assert copy.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("separator", [";", "\t"])
def test_what_a_spreadsheet_of_another_country_wrote_is_read(tmp_path, separator):
    rows = ("t,r,na-1,supports,names; and dates", 't,r,na-2,none,"one, two"')
    plain = read_assessments(write_csv(tmp_path, ANSWER_HEADER, *rows), ANSWER_ASSESSMENTS, SCALES)
    cells = [next(csv.reader([row])) for row in (ANSWER_HEADER, *rows)]
    lines = [separator.join(f'"{one}"' for one in row) + "\r" for row in cells]
    path = write_csv(tmp_path, "\ufeff" + lines[0], *lines[1:])
    assert detect_format(path) == "report_assessments"
    assert read_assessments(path, ANSWER_ASSESSMENTS, SCALES) == plain
    assert [one.rationale for one in plain] == ["names; and dates", "one, two"]
    path = write_csv(tmp_path, lines[0], f"t{separator}r")
    with pytest.raises(InvalidFileError, match=r"csv-cells.*Quote cells that hold separators"):
        read_assessments(path, ANSWER_ASSESSMENTS, SCALES)


def test_writes_the_organizers_columns(tmp_path):
    for kind, header in (
        (QUESTION_ASSESSMENTS, f"{QUESTION_HEADER[:-10]}auto_assessment,auto_rationale"),
        (ANSWER_ASSESSMENTS, ANSWER_HEADER),
        (COMPOUND_ASSESSMENTS, f"{COMPOUND_HEADER},auto_assessment_rationale"),
    ):
        write_assessments(tmp_path / "a.csv", kind, [])
        assert (tmp_path / "a.csv").read_text() == f"{header}\n"


@pytest.mark.parametrize(
    ("rank", "label", "found"),
    [
        ("1", "", (1, Unjudged(reason="empty label"))),
        *(
            ("2", label, (2, "very-similar"))
            for label in ("Very-Similar", "very_similar", "VERY SIMILAR", " very-similar")
        ),
        # pandas writes whole numbers as floats where a cell of the column is empty.
        *(("1.0", "similar", (1, "similar")), ("01", "similar", (1, "similar"))),
        ("10.00", "similar", (10, "similar")),
    ],
)
def test_what_a_cell_says(tmp_path, rank, label, found):
    path = write_csv(tmp_path, QUESTION_HEADER, f"t,{rank},run,2,{label}")
    (one,) = read_assessments(path, QUESTION_ASSESSMENTS, SCALES)
    assert (one.rubric_question_rank, one.label) == found
    for name in ("N/A", "None", "NULL", "nan"):
        path = write_csv(tmp_path, ANSWER_HEADER, f"t,{name},na-1,none,{name}")
        (one,) = read_assessments(path, ANSWER_ASSESSMENTS, SCALES)
        assert (one.run_tag, one.rationale) == (name, name)


@given(
    labels=st.lists(
        st.sampled_from(["", "none", "partial", "supports", "contradicts"]), min_size=1
    ).flatmap(lambda labels: st.tuples(st.just(labels), st.permutations(labels)))
)
def test_merging_keeps_the_weightiest_label_in_any_order(tmp_path_factory, labels):
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
FIRST = (ANSWER_HEADER, "t,run,na-1,none,")
REFUSED = [
    *(
        (ANSWER_ASSESSMENTS, [*FIRST, f"t,run,na-2,{label},"], "label", 3)
        for label in ("supported", "N/A", "nan", "-1")
    ),
    *(
        (QUESTION_ASSESSMENTS, [QUESTION_HEADER, f"t,1,run,{cell},similar"], "rank", 2)
        for cell in ("١", "²", "abc", "1.5", "0", "-1", "", "9" * 5000)
    ),
    (ANSWER_ASSESSMENTS, [*FIRST, "t,run,na-1,supports,"], "label-conflict", 3),
    # Whatever the text of a question is.
    (
        COMPOUND_ASSESSMENTS,
        [COMPOUND_HEADER, "t,run,1,Who?,compound", "t,run,1,Who ?,not-compound"],
        *("label-conflict", 3),
    ),
    # No answer_id, no label column, and two of them.
    *(
        (ANSWER_ASSESSMENTS, [f"topic_id,run_tag,{more}", more], "csv-columns", 1)
        for more in ("auto_assessment", "answer_id,label", "answer_id,annotation,auto_assessment")
    ),
    # Line breaks inside of cells count.
    (ANSWER_ASSESSMENTS, [FIRST[0], 't,r,na-1,none,"a', 'b"', "t,r,na-2,bad,"], "label", 4),
]


@pytest.mark.parametrize(("kind", "lines", "code", "line"), REFUSED)
def test_what_is_wrong_is_an_error_with_its_line(tmp_path, kind, lines, code, line):
    with pytest.raises(InvalidFileError) as caught:
        read_assessments(write_csv(tmp_path, *lines), kind, SCALES)
    assert [(one.code, one.line) for one in caught.value.problems] == [(code, line)]
    assert code != "label-conflict" or "line 2" in str(caught.value)


# A carriage return is written as a line feed: the csv module cannot read it back otherwise.
rationale = st.text().filter(lambda value: "\r" not in value)
text, rank = rationale.filter(bool), st.integers(1, 999)
labels = {name: st.sampled_from(scale.names) for name, scale in SCALES.items()}
BUILT = {
    "question_assessments": (text, rank, text, rank, labels["similarity"], rationale),
    "report_assessments": (text, text, text, labels["answers"], rationale),
    "compound_assessments": (text, text, rank, text, labels["compound"], rationale),
}


@given(data=st.data())
@pytest.mark.parametrize("name", ASSESSMENT_KINDS)
def test_what_is_written_reads_back(tmp_path_factory, name, data):
    path, kind = tmp_path_factory.getbasetemp() / "assessments.csv", ASSESSMENT_KINDS[name]
    one = st.builds(kind.value_type, *BUILT[name])
    found = data.draw(st.lists(one, max_size=3, unique_by=lambda item: item.topic_id))
    write_assessments(path, kind, found)
    assert read_assessments(path, kind, SCALES) == found


def test_an_unjudged_verdict_keeps_its_reason_and_identical_rows_collapse(tmp_path):
    path = tmp_path / "a.csv"
    unjudged = AnswerAssessment(
        topic_id="t", run_tag="run", answer_id="na-1", label=Unjudged(reason="no JSON, twice")
    )
    write_assessments(path, ANSWER_ASSESSMENTS, [unjudged])
    assert path.read_text().splitlines()[1] == 't,run,na-1,,"no JSON, twice"'
    assert read_assessments(path, ANSWER_ASSESSMENTS, SCALES) == [unjudged]
    path = write_csv(tmp_path, ANSWER_HEADER, "t,run,na-1,none,first", "t,run,na-1,none,again")
    [assessment] = read_assessments(path, ANSWER_ASSESSMENTS, SCALES)
    assert assessment.rationale == "first"
    # A carriage return is written as a line feed.
    write_assessments(path, ANSWER_ASSESSMENTS, [replace(assessment, rationale="one\rtwo\r\n3")])
    assert read_assessments(path, ANSWER_ASSESSMENTS, SCALES)[0].rationale == "one\ntwo\n3"
