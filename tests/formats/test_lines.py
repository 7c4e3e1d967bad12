from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.lines import (
    MAX_LINE_BYTES,
    Findings,
    Line,
    decode_list,
    open_text,
    read_json_lines,
    read_lines,
    stream_lines,
)
from sidelight.index.text.corpus import MS_MARCO, ShardReader


def write(tmp_path: Path, content: bytes, name: str = "file") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r\r\n", ["a\r"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n".encode(), ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
    ],
)
def test_only_a_line_feed_ends_a_line(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    file = open_text(write(tmp_path, content))
    assert [line.text for line in file.lines] == lines
    assert [line.number for line in file.lines] == list(range(1, len(lines) + 1))
    assert file.problems == ()


def test_tells_of_a_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    file = open_text(write(tmp_path, b"\xef\xbb\xbfa\r\nb\nc\r\n"))
    assert (file.has_bom, file.crlf_lines) == (True, 2)


def test_names_every_line_that_is_not_utf8_and_keeps_the_others(tmp_path: Path) -> None:
    file = open_text(write(tmp_path, b"one\nt\xe9\nthree\n\xff\n"))
    assert file.lines == (Line(1, "one"), Line(3, "three"))
    assert [(problem.code, problem.line) for problem in file.problems] == [
        ("invalid-utf8", 2),
        ("invalid-utf8", 4),
    ]
    assert "byte 0xe9 at position 2" in file.problems[0].found


def test_reading_lines_leaves_blank_ones_out_and_keeps_numbers(tmp_path: Path) -> None:
    assert read_lines(write(tmp_path, b"a\n \n\nb\n")) == (Line(1, "a"), Line(4, "b"))


def test_reading_lines_stops_at_bad_bytes(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="invalid-utf8"):
        read_lines(write(tmp_path, b"\xff"))


def test_reads_gzip_by_its_name(tmp_path: Path) -> None:
    assert read_lines(write(tmp_path, gzip.compress(b"a\n"), "file.gz")) == (Line(1, "a"),)


@pytest.mark.parametrize(
    "content",
    # Packed at no time: names of tests are the same in every process.
    [b"not gzip", gzip.compress(b"a" * 1000, mtime=0)[:-9], gzip.compress(b"a", mtime=0)[:12]],
)
def test_a_broken_gzip_file_is_an_input_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        open_text(write(tmp_path, content, "file.gz"))


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            open_text(path)


def test_json_lines_come_with_their_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"a": 1}\n\n{"b": "\xe2\x80\xa8"}')
    assert read_json_lines(path) == [(1, {"a": 1}), (3, {"b": "\u2028"})]


def test_every_line_that_is_no_json_object_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"a": 1}\n{\n[1]\n{"a": NaN}\n')
    with pytest.raises(InvalidFileError) as caught:
        read_json_lines(path)
    assert [(item.code, item.line) for item in caught.value.problems] == [
        ("json-syntax", 2),
        ("json-type", 3),
        ("json-syntax", 4),
    ]


@given(content=st.binary())
def test_any_bytes_can_be_opened(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = write(tmp_path_factory.getbasetemp(), content)
    file = open_text(path)
    assert len(file.lines) + len(file.problems) == len(
        content.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
    ) - (content in {b"", b"\xef\xbb\xbf"})


LONG = b"x" * (3 * MAX_LINE_BYTES)


def packed(path: Path, content: bytes) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(content)
    return path


def test_a_line_without_end_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.jsonl.gz", b'{"a": 1}\n' + LONG + b'\n{"a": 2}\n')
    file = open_text(path)
    assert [line.number for line in file.lines] == [1, 3]
    (problem,) = file.problems
    assert (problem.code, problem.line) == ("line-long", 2)
    with pytest.raises(InvalidFileError, match=r"a\.jsonl\.gz:2: .*line-long"):
        read_json_lines(path)


def test_a_file_that_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.gz", b"\n" * (80 << 20))
    with pytest.raises(InputError, match=r"a\.gz: expected at most [\d,]+ bytes when unpacked"):
        open_text(path)
    with pytest.raises(InputError, match="at most 10000000 lines"):
        open_text(packed(tmp_path / "b.gz", b"\n" * 10_000_001))


def test_a_streamed_file_that_unpacks_to_a_thousand_times_its_size_is_refused(
    tmp_path: Path,
) -> None:
    path = packed(tmp_path / "a.gz", (b"x" * (1 << 20) + b"\n") * 100)
    for lines in (stream_lines(path), ShardReader(path, MS_MARCO)):
        with pytest.raises(InputError, match=r"a\.gz: .*at most [\d,]+ bytes when unpacked"):
            list(lines)


def test_a_shard_is_read_in_bounded_memory_and_goes_on_after_a_long_line(tmp_path: Path) -> None:
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


def test_lines_are_streamed_as_they_are_read_whole(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfone\r\n\n two\xe2\x80\xa8 \n\nthree"
    path = write(tmp_path, content)
    assert tuple(stream_lines(path)) == read_lines(path)
    packed = write(tmp_path, gzip.compress(content), "file.gz")
    assert tuple(stream_lines(packed)) == read_lines(path)


@pytest.mark.parametrize("content", [b"ok\n\xff\n", b"ok\n" + b"x" * (MAX_LINE_BYTES + 1)])
def test_a_line_that_cannot_be_is_named_where_it_is_streamed(
    tmp_path: Path, content: bytes
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InvalidFileError) as caught:
        list(stream_lines(path))
    assert caught.value.problems[0].line == 2


def test_streaming_holds_one_line_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress((b"x" * 100_000 + b"\n") * 300), "file.gz")
    tracemalloc.start()
    assert sum(1 for _ in stream_lines(path)) == 300
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000


def test_a_list_keeps_numbers_of_any_size() -> None:
    findings = Findings(Path("file"))
    assert decode_list(f"[{10**30 + 7}]", 1, findings) == [10**30 + 7]
    assert not findings.problems


class Part(BaseModel):
    name: str


class Whole(BaseModel, extra="forbid"):
    parts: tuple[Part, ...] = Field(min_length=1)


def found(content: object) -> list[tuple[str, str]]:
    findings = Findings(Path("f"))
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate(content)
    findings.invalid(caught.value, 1, what="a whole", remedy="Mend it.")
    return [(problem.code, problem.found) for problem in findings.problems]


def test_a_list_of_invalid_items_is_not_called_empty_as_well() -> None:
    assert found({"parts": [{}]}) == [("key-missing", "no parts.0.name")]
    assert found({"parts": []}) == [("value", "parts = []: Input should not be empty")]


def test_says_nothing_of_python_classes() -> None:
    assert found({"parts": ["x"]}) == [("value", "parts.0 = 'x': Input should be an object")]


def test_names_every_fault_of_a_value() -> None:
    assert found({"parts": [{"name": 1}], "more": 2}) == [
        ("value", "parts.0.name = 1: Input should be a valid string"),
        ("key-unknown", "more = 2: Extra inputs are not permitted"),
    ]
