import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
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


def check(path):
    return check_question_run(path, TASK1, TOPICS)


def found_in(path):
    return [(problem.code, problem.line) for problem in check(path)]


def changed(tmp_path, change):
    """Write a valid run of which some rows are changed."""
    rows = task1_rows()
    change(rows)
    return write_task1(tmp_path, rows)


def cell(row, column, text):
    return lambda rows: rows[row].__setitem__(column, text)


def question(row, text):
    return cell(row, 4, text)


def column(number, text):
    return lambda rows: [row.__setitem__(number, text) for row in rows]


def both(*changes):
    return lambda rows: [change(rows) for change in changes]


# A change, and the codes and lines of all that the strict check finds in it.
FOUND = {
    "a valid run": (lambda rows: None, []),
    "a line separator in a question": (
        question(4, "Who paid\u2028for it?"),
        [("control-character", 5)],
    ),
    "a repeated rank": (
        lambda rows: rows.insert(1, [*rows[0][:4], "Who else?"]),
        [("rank-duplicate", 2)],
    ),
    "no fourth question": (lambda rows: rows.pop(3), [("rank-missing", 4)]),
    "no last question": (lambda rows: rows.pop(9), [("rank-missing", 9)]),
    "ranks out of order": (
        lambda rows: rows.__setitem__(slice(2), rows[1::-1]),
        [("rank-order", 1)],
    ),
    # Another topic may ask the same.
    "a question repeated in its topic": (
        lambda rows: both(
            question(7, rows[2][4].upper().replace(" ", "\u00a0")), question(12, rows[2][4])
        )(rows),
        [("question-duplicate", 8)],
    ),
    "300 characters": (question(0, "x" * 300), []),
    "301 characters": (question(0, "x" * 301), [("question-length", 1)]),
    "300 code points of two bytes": (question(0, "é" * 300), []),
    "302 code points, 151 after NFC": (question(0, "e\u0301" * 151), [("question-length", 1)]),
    "151 code points, 302 after NFC": (question(0, "\u0958" * 151), [("question-length", 1)]),
    "a second team": (
        both(cell(20, 1, "lamp-other"), cell(30, 1, "lamp-other")),
        [("team-id-inconsistent", 21)],
    ),
    "a second run": (
        both(cell(20, 2, "lamp-other"), cell(30, 2, "lamp-other")),
        [("run-id-inconsistent", 21)],
    ),
    "a run id without the team": (column(1, "team"), [("run-id-prefix", 1)]),
    "no rows": (lambda rows: rows.clear(), [("topic-missing", None)]),
    **{
        f"{text} in a question's place": (question(2, text), [("question-placeholder", 3)])
        for text in ("N/A", "None", "NULL", "nan")
    },
    **{
        f"the rank {rank[:5]!r}": (cell(0, 3, rank), [("rank-value", 1), ("rank-missing", 2)])
        for rank in ("١", "01", "²", "11", "0", "x", "", "1.0", "9" * 5000)
    },
    **{
        f"the question {text!r}": (question(2, text), [("question-empty", 3)])
        for text in ("", " ", "???", "\u200b")
    },
}


@pytest.mark.parametrize("name", FOUND)
def test_a_run_has_these_problems(tmp_path, name):
    change, found = FOUND[name]
    assert found_in(changed(tmp_path, change)) == found


def test_more_questions_than_ten_are_told_as_such(tmp_path):
    def more(rows):
        rows[10:10] = [[*rows[0][:3], str(rank), f"Who sold {rank}?"] for rank in (11, 12)]

    first, second = check(changed(tmp_path, more))
    assert first.found == f"'11'; topic {TOPICS[0]} has 12 questions"
    assert (second.line, second.remedy) == (12, "Leave out 2 of them.")


# Codes in the public runs, and of how many of 300 questions pandas makes others.
PUBLIC_WARNINGS = {
    "dragun-organizers-starter-kit-task-1": ([], 0),
    "feedbackintheloop": (["crlf", "run-id-prefix", "file-name", "csv-quoting"], 2),
    "organizer-gpt-oss-t1": (["run-id-prefix", "file-name"], 0),
    "organizer-t1-chatgpt": (["run-id-prefix", "csv-quoting"], 216),
    "organizer-t1-perplex": (["run-id-prefix", "csv-quoting"], 77),
}


@pytest.mark.parametrize("name", PUBLIC_WARNINGS)
def test_public_runs_have_these_warnings_and_no_error(public_runs, name):
    codes, different = PUBLIC_WARNINGS[name]
    problems = check(public_runs / "task1" / name)
    assert sorted(problem.code for problem in problems) == sorted(codes)
    assert {problem.severity for problem in problems} <= {"warning"}
    quoting = [problem.found for problem in problems if problem.code == "csv-quoting"]
    assert not quoting or quoting[0].startswith(f"{different} of 300")


def test_c27_quotation_marks_are_text_and_csv_readers_are_warned_of(tmp_path):
    quoted = question(3, '"Who is behind the study?'), question(6, 'Who reads "The Lamp?"')
    path = changed(tmp_path, both(*quoted))
    assert len(read_question_run(path).questions) == 300
    assert len(read_question_run(path, quoting="csv").questions) < 300
    [warning] = check(path)
    assert (warning.code, warning.line, warning.severity) == ("csv-quoting", 4, "warning")
    [too_long, quoting] = check(changed(tmp_path, question(0, '"' + "x" * 299 + '"')))
    assert (too_long.code, too_long.found) == ("question-length", "301 (299 as CSV)")
    found = quoting.found
    assert found == "1 of 300 that do not; the first has 301 characters, and as CSV has 299"
    [problem] = check(changed(tmp_path, question(0, "x" * 301)))
    assert problem.found == "301"


def test_c28_c29_neither_line_ends_nor_the_file_name_change_a_question(tmp_path):
    rows = task1_rows()
    plain = read_question_run(write_task1(tmp_path, rows))
    path = tmp_path / RUN_ID
    path.write_bytes(task1_bytes(rows).replace(b"\n", b"\r\n"))
    assert read_question_run(path) == plain
    assert found_in(path) == [("crlf", None)]
    path = write_task1(tmp_path, rows).rename(tmp_path / "submitted-name")
    run = read_question_run(path)
    assert run.run_tag == "submitted-name"
    assert {question.run_id for question in run.questions} == {RUN_ID}
    assert found_in(path) == [("file-name", None)]
    row = SubmittedQuestion(topic_id="t", team_id="lark", run_id="lark-a-t1", rank=1, text="Why?")
    names = {"task1.tsv": "lark-a-t1", "lark-b": "lark-b", "lark-1.5": "lark-1.5"}
    for name, tag in (names | {"lark-b.tsv": "lark-b", "lark.v2.txt": "lark.v2"}).items():
        write_question_run(tmp_path / name, [row])
        assert read_question_run(tmp_path / name).run_tag == tag


def test_c26_c220_odd_texts_are_read_as_they_are(tmp_path):
    for text in ["N/A", "None", "NULL", "nan"]:
        path = changed(tmp_path, question(0, text))
        assert read_question_run(path).questions[0].text == text
    for separator in ["\u2028", "\u2029", "\x85", "\x0b", "\x1c", "\r"]:
        path = changed(tmp_path, question(4, f"Who paid{separator}for it?"))
        questions = read_question_run(path).questions
        assert questions[4].text == f"Who paid{separator}for it?"
        assert [one.rank for one in questions[:10]] == list(range(1, 11))
        assert found_in(path) == [("control-character", 5)]
    with pytest.raises(InvalidFileError, match=r":2: error \[rank-duplicate\]"):
        read_question_run(changed(tmp_path, FOUND["a repeated rank"][0]))


def test_c3_topics_run_ids_and_files_that_do_not_fit_are_named(tmp_path):
    [unknown, missing] = check(write_task1(tmp_path, task1_rows([*TOPICS[1:], "extra-topic"])))
    assert (unknown.code, unknown.line, unknown.found) == ("topic-unknown", 291, "'extra-topic'")
    assert (missing.code, missing.line) == ("topic-missing", None)
    assert missing.found.endswith(TOPICS[0])
    for run_id in ["lamp run", "lamp/1", "lämp", "", "l" * 65]:
        found = found_in(changed(tmp_path, column(2, run_id)))
        assert "run-id-pattern" in {code for code, _ in found}


@pytest.mark.parametrize(
    ("before", "code"),
    [
        *((b"\n", "blank-line"), (b" \t\t\t\t\n", "blank-line"), (b"one\ttwo\n", "field-count")),
        (b"1\t2\t3\t4\t5\t6\n", "field-count"),
        (b"\xff\xfe\n", "invalid-utf8"),
        (b"\xef\xbb\xbf", "byte-order-mark"),
    ],
)
def test_bytes_before_the_first_record_are_an_error(tmp_path, before, code):
    path = tmp_path / RUN_ID
    path.write_bytes(before + task1_bytes(task1_rows()))
    assert found_in(path) == [(code, 1)]
    if code == "byte-order-mark":
        assert read_question_run(path).questions[0].topic_id == TOPICS[0]


def submitted(rows):
    fields = ("topic_id", "team_id", "run_id", "rank", "text")
    made = (dict(zip(fields, row, strict=True)) for row in rows)
    return [SubmittedQuestion(**one | {"rank": int(one["rank"])}) for one in made]


def test_what_is_written_passes_both_checks(tmp_path):
    rows = task1_rows()
    rows[0][4] = '"Lamp" or lantern:\twhich\r\nname is\u2028 "right"?\x00'
    path = tmp_path / RUN_ID
    write_question_run(path, submitted(rows))
    assert check(path) == []
    assert official_questions(path, TASK1, TOPICS) == []
    found = path.read_bytes().split(b"\n")[0].decode().split("\t")[4]
    assert found == '“Lamp” or lantern: which name is "right"?'
    for text, written in [
        *(('"A" and "B"?', '“A” and "B"?'), ('"A and B?', "“A and B?"), ('""?', "“”?")),
        ('Who said "A"?', 'Who said "A"?'),
    ]:
        path = tmp_path / RUN_ID
        write_question_run(path, submitted([["t", "lamp", RUN_ID, "1", text]]))
        for quoting in ("raw", "csv"):
            assert read_question_run(path, quoting=quoting).questions[0].text == written


@given(texts=st.lists(st.text(), min_size=1, max_size=5))
def test_what_is_written_reads_back_alike_with_and_without_quoting(tmp_path_factory, texts):
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
