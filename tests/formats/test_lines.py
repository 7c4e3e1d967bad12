"""Lines of any file, verdicts on files, and tables that read back."""

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.formats.lines import (
    MAX_LINE_BYTES,
    Findings,
    Line,
    decode_list,
    open_text,
    parsed_lines,
    read_lines,
    stream_lines,
)
from sidelight.formats.table import latex_table, read_table, write_table
from sidelight.formats.verdict import judge_file, mend_file
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from tests.helpers.formats.sample_runs import TOPICS, TRACK, task1_bytes, task1_rows


def write(tmp_path, content, name="file"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        *((b"", []), (b"a", ["a"]), (b"a\n", ["a"]), (b"a\nb", ["a", "b"]), (b"a\n\n", ["a", ""])),
        *((b"a\r\nb\r\n", ["a", "b"]), (b"a\rb\n", ["a\rb"]), (b"a\r\r\n", ["a\r"])),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n".encode(), ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
    ],
)
def test_only_a_line_feed_ends_a_line(tmp_path, content, lines):
    file = open_text(write(tmp_path, content))
    assert [line.text for line in file.lines] == lines
    assert [line.number for line in file.lines] == list(range(1, len(lines) + 1))
    assert file.problems == ()


def test_reading_lines_keeps_numbers_and_names_what_cannot_be_read(tmp_path):
    file = open_text(write(tmp_path, b"one\nt\xe9\nthree\n\xff\n"))
    assert file.lines == (Line(1, "one"), Line(3, "three"))
    first, second = file.problems
    assert (first.code, first.line, second.line) == ("invalid-utf8", 2, 4)
    assert "byte 0xe9 at position 2" in first.found
    assert read_lines(write(tmp_path, b"a\n \n\nb\n")) == (Line(1, "a"), Line(4, "b"))
    with pytest.raises(InvalidFileError, match="invalid-utf8"):
        read_lines(write(tmp_path, b"\xff"))
    assert read_lines(write(tmp_path, gzip.compress(b"a\n"), "file.gz")) == (Line(1, "a"),)
    whole = gzip.compress(b"a" * 1000)
    refused = {tmp_path: r"found a folder\nName a file of this folder: 0.gz, 1.gz, "}
    refused[tmp_path / "nowhere"] = "nowhere: no such file"
    for place, content in enumerate((b"not gzip", whole[:-9], whole[:12])):
        refused[write(tmp_path, content, f"{place}.gz")] = "cannot be read"
    for path, says in refused.items():
        with pytest.raises(InputError, match=says):
            open_text(path)


def read_json_lines(path):
    findings = Findings(path)
    return list(parsed_lines(path, dict, "an object", findings)), findings.problems


def test_json_lines_come_with_their_numbers_and_others_are_named(tmp_path):
    path = write(tmp_path, b'{"a": 1}\n\n{"b": "\xe2\x80\xa8"}')
    assert read_json_lines(path) == ([(1, {"a": 1}), (3, {"b": "\u2028"})], [])
    wrong = [b"{", b"[1]", b'{"a": NaN}', b'{"a": 1, "a": 2}', b'{"a": {"b": 1, "b": 1}}']
    wrong.append(b'{"a": [{"b": 1, "\\u0062": 2}]}')
    good, problems = read_json_lines(write(tmp_path, b'{"a": 1}\n' + b"\n".join(wrong)))
    assert good == [(1, {"a": 1})]
    codes = ["json-syntax", "json-type", "json-syntax", *["key-repeated"] * 3]
    seen = [(item.code, item.line) for item in problems]
    assert seen == [(code, line) for line, code in enumerate(codes, start=2)]


@given(content=st.binary())
def test_any_bytes_can_be_opened(tmp_path_factory, content):
    path = write(tmp_path_factory.getbasetemp(), content)
    if 3 * content.count(0) > len(content):
        with pytest.raises(InvalidFileError, match="expected UTF-8; found UTF-16"):
            open_text(path)
        return
    file = open_text(path)
    assert len(file.lines) + len(file.problems) == len(
        content.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
    ) - (content in {b"", b"\xef\xbb\xbf"})


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_run_in_utf_16_is_neither_read_nor_mended(tmp_path, encoding):
    path = write(tmp_path, task1_bytes(task1_rows()).decode().encode(encoding))
    verdict = judge_file(path, TRACK, TOPICS)
    assert [(one.code, one.line) for one in verdict.problems] == [("utf-16", None)]
    with pytest.raises(InvalidFileError):
        mend_file(path, TRACK, tmp_path / "mended", TOPICS)
    assert not (tmp_path / "mended").exists()


LONG = b"x" * (3 * MAX_LINE_BYTES)


def packed(path, content):
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(content)
    return path


def test_long_lines_and_files_that_unpack_large_are_refused(tmp_path):
    path = packed(tmp_path / "a.jsonl.gz", b'{"a": 1}\n' + LONG + b'\n{"a": 2}\n')
    file = open_text(path)
    assert [line.number for line in file.lines] == [1, 3]
    (problem,) = file.problems
    assert (problem.code, problem.line) == ("line-long", 2)
    assert [(one.code, one.line) for one in read_json_lines(path)[1]] == [("line-long", 2)]
    path = packed(tmp_path / "a.gz", b"\n" * (80 << 20))
    with pytest.raises(InputError, match=r"a\.gz: expected at most [\d,]+ bytes when unpacked"):
        open_text(path)
    with pytest.raises(InputError, match="at most 10000000 lines"):
        open_text(packed(tmp_path / "b.gz", b"\n" * 10_000_001))
    path = packed(tmp_path / "a.gz", (b"x" * (1 << 20) + b"\n") * 100)
    for lines in (stream_lines(path), ShardReader(path, MS_MARCO)):
        with pytest.raises(InputError, match=r"a\.gz: .*at most [\d,]+ bytes when unpacked"):
            list(lines)


def test_a_shard_is_read_in_bounded_memory_and_goes_on_after_a_long_line(tmp_path):
    line = b'{"docid": "d%d", "segment": "Some words."}\n'
    path = tmp_path / "a.jsonl"
    path.write_bytes(line % 1 + LONG + LONG + b"\n" + line % 2 + LONG)
    reader = ShardReader(path, MS_MARCO)
    tracemalloc.start()
    found = [(one.raw.number, one.raw.offset, one.segment) for one in reader]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [number for number, _, segment in found if segment] == [1, 3]
    assert found[2][1] == len(line % 1) + 2 * len(LONG) + 1
    assert [(one.code, one.line) for one in reader.problems] == [("line-long", 2), ("line-long", 4)]
    assert most < 4 * MAX_LINE_BYTES


def test_lines_are_streamed_one_at_a_time_as_they_are_read_whole(tmp_path):
    content = b"\xef\xbb\xbfone\r\n\n two\xe2\x80\xa8 \n\nthree"
    path = write(tmp_path, content)
    assert tuple(stream_lines(path)) == read_lines(path)
    packed = write(tmp_path, gzip.compress(content), "file.gz")
    assert tuple(stream_lines(packed)) == read_lines(path)
    path = write(tmp_path, gzip.compress((b"x" * 100_000 + b"\n") * 300), "file.gz")
    tracemalloc.start()
    assert sum(1 for _ in stream_lines(path)) == 300
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000
    for content in (b"ok\n\xff\n", b"ok\n" + b"x" * (MAX_LINE_BYTES + 1)):
        with pytest.raises(InvalidFileError) as caught:
            list(stream_lines(write(tmp_path, content)))
        assert caught.value.problems[0].line == 2


class Part(BaseModel):
    name: str


class Whole(BaseModel, extra="forbid"):
    parts: tuple[Part, ...] = Field(min_length=1)


def found(content):
    findings = Findings(Path("f"))
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate(content)
    findings.invalid(caught.value, 1, "a whole")
    return [(problem.code, problem.found) for problem in findings.problems]


def test_faults_of_a_value_are_said_without_python_classes():
    assert found({"parts": [{}]}) == [("key-missing", "no parts.0.name")]
    assert found({"parts": []}) == [("value", "parts = []: expected a length of at least 1")]
    assert found({"parts": ["x"]}) == [("value", "parts.0 = 'x': expected an object")]
    assert found({"parts": [{"name": 1}], "more": 2}) == [
        ("value", "parts.0.name = 1: expected text"),
        ("key-unknown", "more = 2: there is no such field; remove it"),
    ]
    findings = Findings(Path("file"))
    assert decode_list(f"[{10**30 + 7}]", 1, findings) == [10**30 + 7]
    assert not findings.problems


# Files are judged by reading them, and tables are written so that they read back.


def test_a_file_of_another_kind_is_judged_by_reading_it(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n1 0 b x\n1 0 a 2\n2 0 a 1\n3 0 a 1\n")
    verdict = judge_file(path, TRACK, TOPICS)
    assert (verdict.kind and verdict.kind.name, verdict.valid) == ("qrels", False)
    seen = [(item.code, item.line) for item in verdict.problems]
    assert seen == [("grade", 2), ("grade-conflict", 3)]
    path.write_text("1 0 a 1\n")
    with pytest.raises(UsageError, match="this is a qrels file"):
        judge_file(path, TRACK, TOPICS, official=True)
    for unreadable in (tmp_path / "nowhere", tmp_path):
        verdict = judge_file(unreadable, TRACK, TOPICS)
        assert (verdict.kind, verdict.valid) == (None, False)
        assert [item.code for item in verdict.problems] == ["unreadable"]


def test_tables_read_back_and_have_booktabs_rules(tmp_path):
    path = tmp_path / "new" / "table.csv"
    write_table(path, ["run", "score"], [['a,"b"', 0.1 + 0.2], ["N/A", None], ["c\rd", 1 / 3]])
    header, rows = read_table(path)
    assert header == ("run", "score")
    cells = [row.cells for row in rows]
    assert [row["run"] for row in cells] == ['a,"b"', "N/A", "c\nd"]
    assert [row["score"] for row in cells] == [repr(0.1 + 0.2), "", repr(1 / 3)]
    for other in ";\t":  # as spreadsheets write it
        path.write_text(f'run{other}score\n"a{other}b"{other}"1,5"\n', "utf-8")
        assert [row.cells for row in read_table(path)[1]] == [{"run": f"a{other}b", "score": "1,5"}]
    assert latex_table(["run", "score"], [["a_b&c", "50%"], ["[x]", "\\~^"]]) == (
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "run & score \\\\\n"
        "\\midrule\n"
        "a\\_b\\&c & 50\\% \\\\\n"
        "{[}x{]} & \\textbackslash{}\\textasciitilde{}\\textasciicircum{} \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )
    cells = [["-0.1", "[-.5, 2-3]"], ["k-5", "--1"]]
    shown = latex_table(["run-1", "score"], cells)
    assert "$-$0.1 & {[}$-$.5, 2-3{]}" in shown
    assert "k-5 & -{}-1" in shown
    captioned = latex_table(["run", "score"], [], "Of `judge --all`, - 1", "t")
    assert "\\caption{Of \\textasciigrave{}judge -{}-all\\textasciigrave{}, - 1}" in captioned
    assert captioned.count("{") == captioned.count("}")
    assert "\\resizebox{" in captioned
