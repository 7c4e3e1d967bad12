from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.formats.runs.cited_sentences import inert
from sidelight.formats.runs.question_list import (
    check_question_run,
    read_question_run,
    write_question_run,
)
from sidelight.formats.runs.submission import official_questions
from sidelight.schemas.run import SubmittedQuestion
from sidelight.text import one_line
from tests.helpers.formats.sample_runs import (
    RUN_ID,
    TASK1,
    TOPICS,
    task1_bytes,
    task1_rows,
    write_task1,
)


def check(path: Path) -> list[Problem]:
    return check_question_run(path, TASK1, TOPICS)


def found_in(path: Path) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in check(path)]


def codes(path: Path) -> list[str]:
    return [problem.code for problem in check(path)]


def test_a_valid_run_has_no_problems(tmp_path: Path) -> None:
    assert check(write_task1(tmp_path, task1_rows())) == []


# Codes and counts in the public runs; the CSV figures are those of reading the files with pandas.
PUBLIC_WARNINGS = {
    "dragun-organizers-starter-kit-task-1": {},
    "feedbackintheloop": {"crlf": 1, "run-id-prefix": 1, "file-name": 1, "csv-quoting": 1},
    "organizer-gpt-oss-t1": {"run-id-prefix": 1, "file-name": 1},
    "organizer-t1-chatgpt": {"run-id-prefix": 1, "csv-quoting": 1},
    "organizer-t1-perplex": {"run-id-prefix": 1, "csv-quoting": 1},
}


@pytest.mark.parametrize("name", PUBLIC_WARNINGS)
def test_a_public_run_has_these_warnings_and_no_error(public_runs: Path, name: str) -> None:
    problems = check(public_runs / "task1" / name)

    assert Counter(problem.code for problem in problems) == PUBLIC_WARNINGS[name]
    assert {problem.severity for problem in problems} <= {"warning"}


@pytest.mark.parametrize(
    ("name", "different"),
    [("organizer-t1-chatgpt", 216), ("organizer-t1-perplex", 77), ("feedbackintheloop", 2)],
)
def test_c27_csv_quoting_changes_these_many_public_questions(
    public_runs: Path, name: str, different: int
) -> None:
    path = public_runs / "task1" / name
    raw = read_question_run(path).questions
    as_csv = {
        (item.topic_id, item.rank): item
        for item in read_question_run(path, quoting="csv").questions
    }

    assert sum(as_csv[item.topic_id, item.rank].text != item.text for item in raw) == different
    [warning] = [problem for problem in check(path) if problem.code == "csv-quoting"]
    assert warning.found.startswith(f"{different} of 300")


def test_c27_an_unmatched_leading_quote_swallows_lines_as_csv(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[3][4] = '"Who is behind the study?'
    rows[6][4] = 'Who reads "The Lamp?"'
    path = write_task1(tmp_path, rows)

    assert len(read_question_run(path).questions) == 300
    assert len(read_question_run(path, quoting="csv").questions) < 300
    [warning] = check(path)
    assert (warning.code, warning.line) == ("csv-quoting", 4)
    assert warning.severity == "warning"


def test_c27_a_long_question_is_measured_raw_and_both_lengths_are_shown(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[0][4] = '"' + "x" * 299 + '"'
    path = write_task1(tmp_path, rows)

    [too_long, quoting] = check(path)

    assert (too_long.code, too_long.found) == ("question-length", "301 (299 as CSV)")
    assert quoting.found == (
        "1 of 300 that do not; the first has 301 characters, and as CSV has 299"
    )


def test_one_length_is_shown_where_quoting_changes_nothing(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[0][4] = "x" * 301

    [problem] = check(write_task1(tmp_path, rows))

    assert problem.found == "301"


def test_c26_na_is_a_question_only_to_a_plain_reader(tmp_path: Path) -> None:
    rows = task1_rows()
    for row, text in zip(rows, ["N/A", "None", "NULL", "nan"], strict=False):
        row[4] = text
    path = write_task1(tmp_path, rows)

    assert [item.text for item in read_question_run(path).questions[:4]] == [
        *("N/A", "None", "NULL", "nan")
    ]
    assert found_in(path) == [("question-placeholder", line) for line in (1, 2, 3, 4)]


def test_c28_crlf_does_not_change_a_question(tmp_path: Path) -> None:
    rows = task1_rows()
    plain = read_question_run(write_task1(tmp_path, rows))
    path = tmp_path / RUN_ID
    path.write_bytes(task1_bytes(rows).replace(b"\n", b"\r\n"))

    assert read_question_run(path) == plain
    assert codes(path) == ["crlf"]


def test_c29_the_run_tag_is_the_file_name_and_the_inner_id_is_kept(tmp_path: Path) -> None:
    path = write_task1(tmp_path, task1_rows()).rename(tmp_path / "submitted-name")

    run = read_question_run(path)

    assert run.run_tag == "submitted-name"
    assert {question.run_id for question in run.questions} == {RUN_ID}
    assert codes(path) == ["file-name"]


def test_c220_a_byte_order_mark_is_read_over_but_is_an_error(tmp_path: Path) -> None:
    rows = task1_rows()
    path = tmp_path / RUN_ID
    path.write_bytes(b"\xef\xbb\xbf" + task1_bytes(rows))

    assert read_question_run(path).questions[0].topic_id == TOPICS[0]
    assert found_in(path) == [("byte-order-mark", 1)]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c"])
def test_c220_unicode_line_ends_stay_inside_the_question(tmp_path: Path, separator: str) -> None:
    rows = task1_rows()
    rows[4][4] = f"Who paid{separator}for it?"
    path = write_task1(tmp_path, rows)

    assert read_question_run(path).questions[4].text == f"Who paid{separator}for it?"
    assert found_in(path) == [("control-character", 5)]


def test_c220_a_lone_carriage_return_makes_no_ghost_row(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[4][4] = "Who paid\rfor it?"
    path = write_task1(tmp_path, rows)

    run = read_question_run(path)

    assert [question.rank for question in run.questions[:10]] == list(range(1, 11))
    assert found_in(path) == [("control-character", 5)]


def test_c220_a_repeated_rank_is_an_error_to_reader_and_check(tmp_path: Path) -> None:
    rows = task1_rows()
    rows.insert(1, [*rows[0][:4], "Who else?"])
    path = write_task1(tmp_path, rows)

    with pytest.raises(InvalidFileError) as caught:
        read_question_run(path)

    assert [(item.code, item.line) for item in caught.value.problems] == [("rank-duplicate", 2)]
    assert found_in(path) == [("rank-duplicate", 2)]


@pytest.mark.parametrize("rank", ["١", "01", "²", "11", "0", "x", "", "1.0", "9" * 5000])
def test_c3_a_rank_not_in_plain_digits_is_an_error(tmp_path: Path, rank: str) -> None:
    rows = task1_rows()
    rows[0][3] = rank

    assert found_in(write_task1(tmp_path, rows)) == [("rank-value", 1), ("rank-missing", 10)]


@pytest.mark.parametrize("question", ["", " ", "???", "\u200b"])
def test_c3_an_empty_question_is_an_error(tmp_path: Path, question: str) -> None:
    rows = task1_rows()
    rows[2][4] = question

    assert found_in(write_task1(tmp_path, rows)) == [("question-empty", 3)]


def test_c3_an_extra_and_a_missing_topic_are_named(tmp_path: Path) -> None:
    path = write_task1(tmp_path, task1_rows([*TOPICS[1:], "extra-topic"]))

    [unknown, missing] = check(path)

    assert (unknown.code, unknown.line, unknown.found) == ("topic-unknown", 291, "'extra-topic'")
    assert (missing.code, missing.line) == ("topic-missing", None)
    assert missing.found.endswith(TOPICS[0])


def test_ranks_must_be_sorted(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[0], rows[1] = rows[1], rows[0]

    assert found_in(write_task1(tmp_path, rows)) == [("rank-order", 1)]


def test_a_question_repeated_within_a_topic_is_an_error(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[7][4] = rows[2][4].upper().replace(" ", "\u00a0")
    rows[12][4] = rows[2][4]  # another topic may ask the same

    assert found_in(write_task1(tmp_path, rows)) == [("question-duplicate", 8)]


@pytest.mark.parametrize(
    ("question", "fits"),
    [
        ("x" * 300, True),
        ("x" * 301, False),
        ("é" * 300, True),  # code points, not bytes
        ("e\u0301" * 151, False),  # 302 code points as the validator counts, 151 after NFC
        ("\u0958" * 151, False),  # 151 code points, 302 after NFC
    ],
)
def test_length_is_the_larger_of_plain_and_nfc(tmp_path: Path, question: str, fits: bool) -> None:
    rows = task1_rows()
    rows[0][4] = question

    assert codes(write_task1(tmp_path, rows)) == ([] if fits else ["question-length"])


@pytest.mark.parametrize(("column", "code"), [(1, "team-id"), (2, "run-id")])
def test_one_file_holds_one_run(tmp_path: Path, column: int, code: str) -> None:
    rows = task1_rows()
    rows[20][column] = rows[30][column] = "lamp-other"

    assert found_in(write_task1(tmp_path, rows)) == [(f"{code}-inconsistent", 21)]


@pytest.mark.parametrize("run_id", ["lamp run", "lamp/1", "lämp", "", "l" * 65])
def test_a_run_id_of_other_characters_is_an_error(tmp_path: Path, run_id: str) -> None:
    rows = [[row[0], row[1], run_id, *row[3:]] for row in task1_rows()]

    assert "run-id-pattern" in codes(write_task1(tmp_path, rows))


def test_a_run_id_without_the_team_is_a_warning(tmp_path: Path) -> None:
    rows = [[row[0], "team", *row[2:]] for row in task1_rows()]

    [problem] = check(write_task1(tmp_path, rows))

    assert (problem.code, problem.severity) == ("run-id-prefix", "warning")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", "blank-line"),
        (b" \t\t\t\t", "blank-line"),
        (b"one\ttwo", "field-count"),
        (b"1\t2\t3\t4\t5\t6", "field-count"),
        (b"\xff\xfe", "invalid-utf8"),
    ],
)
def test_a_line_that_is_no_record_is_an_error(tmp_path: Path, line: bytes, code: str) -> None:
    path = tmp_path / RUN_ID
    path.write_bytes(line + b"\n" + task1_bytes(task1_rows()))

    assert found_in(path) == [(code, 1)]


def test_an_empty_file_misses_every_topic(tmp_path: Path) -> None:
    assert codes(write_task1(tmp_path, [])) == ["topic-missing"]


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        check(tmp_path / "nowhere")


def submitted(rows: list[list[str]]) -> list[SubmittedQuestion]:
    return [
        SubmittedQuestion(
            topic_id=row[0], team_id=row[1], run_id=row[2], rank=int(row[3]), text=row[4]
        )
        for row in rows
    ]


def test_what_is_written_passes_both_checks(tmp_path: Path) -> None:
    rows = task1_rows()
    rows[0][4] = '"Lamp" or lantern:\twhich\r\nname is\u2028 "right"?\x00'
    path = tmp_path / RUN_ID

    write_question_run(path, submitted(rows))

    assert check(path) == []
    assert official_questions(path, TASK1, TOPICS) == []
    assert path.read_bytes().split(b"\n")[0].decode().split("\t")[4] == (
        '“Lamp” or lantern: which name is "right"?'
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('"A" and "B"?', '“A” and "B"?'),
        ('"A and B?', "“A and B?"),
        ('""?', "“”?"),
        ('Who said "A"?', 'Who said "A"?'),
    ],
)
def test_a_leading_quotation_becomes_typographic(tmp_path: Path, text: str, written: str) -> None:
    path = tmp_path / RUN_ID
    write_question_run(path, submitted([["t", "lamp", RUN_ID, "1", text]]))

    for quoting in ("raw", "csv"):
        assert read_question_run(path, quoting=quoting).questions[0].text == written


@given(texts=st.lists(st.text(), min_size=1, max_size=5))
def test_what_is_written_reads_back_alike_with_and_without_quoting(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / RUN_ID
    questions = submitted(
        [["t", "lamp", RUN_ID, str(rank), text] for rank, text in enumerate(texts, start=1)]
    )

    write_question_run(path, questions)
    run = read_question_run(path)

    assert read_question_run(path, quoting="csv") == run
    for before, after in zip(questions, run.questions, strict=True):
        cleaned = inert(one_line(before.text))
        assert after.text == cleaned or cleaned.startswith('"')
        assert before.model_copy(update={"text": ""}) == after.model_copy(update={"text": ""})


def test_files_of_a_run_directory_are_told_apart_by_their_run_id(tmp_path: Path) -> None:
    row = SubmittedQuestion(topic_id="t", team_id="lark", run_id="lark-a-t1", rank=1, text="Why?")
    for name, tag in (("task1.tsv", "lark-a-t1"), ("lark-b", "lark-b")):
        write_question_run(tmp_path / name, [row])
        assert read_question_run(tmp_path / name).run_tag == tag
