from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.index.corpus import MS_MARCO, CorpusFields, stream_segments
from sidelight.schemas.segment import Segment


def test_reads_ms_marco_fields(small_shard: Path, small_corpus: list[Segment]) -> None:
    read = list(stream_segments(small_shard, MS_MARCO))
    assert [segment for segment, _ in read] == small_corpus
    assert [line for _, line in read] == list(range(1, 41))


def test_reads_other_fields_from_gzip(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(
            b'\xef\xbb\xbf{"no": 7, "words": "a b", "extra": 1}\r\n\n{"no": "x", "words": ""}'
        )
    read = list(stream_segments(path, CorpusFields(id="no", text="words")))
    assert [(s.segment_id, s.text, line) for s, line in read] == [("7", "a b", 1), ("x", "", 3)]


def test_broken_lines_are_named_and_the_others_yielded(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(
        b'{"docid": "a", "segment": "fine"}\n'
        b"{oops\n"
        b"[]\n"
        b'{"docid": "b c", "segment": "space in the id"}\n'
        b'{"docid": "d"}\n'
        b'{"docid": "e", "segment": "\xff"}\n'
        b'{"docid": "f", "segment": "fine"}\n'
    )
    yielded = []
    with pytest.raises(InvalidFileError) as caught:
        yielded.extend(segment.segment_id for segment, _ in stream_segments(path, MS_MARCO))
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5, 6]
    # `extend` keeps what the generator gave before it raised.
    assert yielded == ["a", "f"]
    assert "--text-field" in str(caught.value)


def test_a_file_of_another_kind_is_given_up_early(tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text("no json\n" * 1000)
    with pytest.raises(InvalidFileError) as caught:
        list(stream_segments(path, MS_MARCO))
    assert len(caught.value.problems) == 10


def test_missing_and_cut_files(tmp_path: Path, small_shard: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(stream_segments(tmp_path / "none.jsonl", MS_MARCO))
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(small_shard.read_bytes())[:-20])
    with pytest.raises(InputError, match="cannot be read"):
        list(stream_segments(cut, MS_MARCO))
    damaged = tmp_path / "damaged.jsonl.gz"
    content = bytearray(gzip.compress(small_shard.read_bytes()))
    content[40:60] = bytes(20)
    damaged.write_bytes(content)
    with pytest.raises((InputError, InvalidFileError)):
        list(stream_segments(damaged, MS_MARCO))
