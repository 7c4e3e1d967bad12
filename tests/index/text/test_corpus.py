from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.index.text.corpus import MS_MARCO, CorpusFields, ShardReader
from sidelight.schemas.segment import Segment


def read(
    path: Path, fields: CorpusFields = MS_MARCO, *, strict: bool = False
) -> tuple[dict[int, Segment], ShardReader]:
    """The segments of a shard by line, and their reader."""
    reader = ShardReader(path, fields, strict=strict)
    return {line.raw.number: line.segment for line in reader if line.segment}, reader


def test_reads_ms_marco_fields(small_shard: Path, small_corpus: list[Segment]) -> None:
    segments, reader = read(small_shard, strict=True)
    assert segments == dict(enumerate(small_corpus, start=1))
    assert (reader.refused, reader.problems) == (0, [])
    assert list(reader.segments()) == small_corpus


def test_reads_other_fields_from_gzip(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(
            b'\xef\xbb\xbf{"no": 7, "words": "a b", "extra": 1}\r\n\n{"no": "x", "words": ""}'
        )
    segments, _ = read(path, CorpusFields(id="no", text="words"), strict=True)
    assert {n: (s.segment_id, s.text) for n, s in segments.items()} == {
        1: ("7", "a b"),
        3: ("x", ""),
    }


def test_lines_know_their_place(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    content = (
        '\ufeff{"docid": "ä", "segment": "ü"}\n\nbroken\n{"docid": "b", "segment": ""}'.encode()
    )
    path.write_bytes(content)
    places = [(raw.number, raw.offset) for raw, _ in ShardReader(path, MS_MARCO)]
    assert places == [
        (n + 1, content.index(at)) for n, at in enumerate([b"\xef", b"\nb", b"br", b'{"docid": "b'])
    ]


def test_a_line_nested_990_deep_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text('{"docid": "a", "segment": "fine"}\n{"a": ' + "[" * 989 + "]" * 989 + "}\n")
    segments, reader = read(path)
    assert list(segments) == [1]
    assert [(one.line, one.code) for one in reader.problems] == [(2, "json-syntax")]


BROKEN = (
    b'{"docid": "a", "segment": "fine"}\n'
    b"{oops\n"
    b"[]\n"
    b'{"docid": "b c", "segment": "space in the id"}\n'
    b'{"docid": "d"}\n'
    b'{"docid": "e", "segment": "\xff"}\n'
    b'{"docid": "f", "segment": "fine"}\n'
)


def test_broken_lines_are_named_and_the_others_yielded(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(BROKEN)
    segments, reader = read(path)
    assert {n: s.segment_id for n, s in segments.items()} == {1: "a", 7: "f"}
    assert [problem.line for problem in reader.problems] == [2, 3, 4, 5, 6]
    assert reader.refused == 5
    assert "--text-field" in str(reader.problems[-2])
    with pytest.raises(InvalidFileError) as caught:
        read(path, strict=True)
    assert list(caught.value.problems) == reader.problems


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text("no json\n" * 1000)
    segments, reader = read(path)
    assert (segments, reader.refused, len(reader.problems)) == ({}, 1000, 10)
    with pytest.raises(InvalidFileError):
        read(path, strict=True)


def test_a_missing_file_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "none.jsonl")


def test_what_is_left_of_a_cut_or_damaged_file(tmp_path: Path, small_shard: Path) -> None:
    content = gzip.compress(small_shard.read_bytes())
    damaged = bytearray(content)
    damaged[len(content) // 2 : len(content) // 2 + 20] = bytes(20)
    whole, _ = read(small_shard)
    for name, held in {"cut": content[:-200], "damaged": bytes(damaged), "no": b"plain"}.items():
        path = tmp_path / f"{name}.jsonl.gz"
        path.write_bytes(held)
        segments, reader = read(path)
        # Damage that still unpacks makes broken lines; in the end the checksum does not fit.
        assert segments.items() <= whole.items()
        assert reader.problems[-1].code == "shard-damaged"
        assert reader.problems[-1].line == (len(segments) + reader.refused if name != "no" else 1)
        with pytest.raises(InvalidFileError, match="shard-damaged"):
            read(path, strict=True)
