"""The text of an index: shards, what is cut out of documents, and its part of a build."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError, MachineError
from sidelight.index.build import OTHERS, BuildTextPart, TextPart, text_parts
from sidelight.index.folder import DOCSTORE, LUCENE
from sidelight.index.lucene.segments import LuceneIndex
from sidelight.index.manifest import PartReport
from sidelight.index.text.corpus import (
    MS_MARCO,
    CorpusFields,
    ShardReader,
    read_documents,
    windows,
    write_segments,
)
from sidelight.index.text.docstore import Docstore
from sidelight.schemas.segment import Segment, parse_segment_id
from sidelight.schemas.topic import Article
from sidelight.text import sentence_spans
from tests.helpers.indexes.generated_collection import write_collection


def read(
    path: Path, fields: CorpusFields = MS_MARCO, *, strict: bool = False
) -> tuple[dict[int, Segment], ShardReader]:
    """The segments of a shard by line, and their reader."""
    reader = ShardReader(path, fields, strict=strict)
    return {line.raw.number: line.segment for line in reader if line.segment}, reader


def test_reads_ms_marco_fields(small_shard, small_corpus):
    segments, reader = read(small_shard, strict=True)
    assert segments == dict(enumerate(small_corpus, start=1))
    assert (reader.refused, reader.problems) == (0, [])
    assert list(reader.segments()) == small_corpus


def test_reads_other_fields_from_gzip(tmp_path):
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


def test_lines_know_their_place(tmp_path):
    path = tmp_path / "lines.jsonl"
    content = (
        '\ufeff{"docid": "ä", "segment": "ü"}\n\nbroken\n{"docid": "b", "segment": ""}'.encode()
    )
    path.write_bytes(content)
    places = [(raw.number, raw.offset) for raw, _ in ShardReader(path, MS_MARCO)]
    assert places == [
        (n + 1, content.index(at)) for n, at in enumerate([b"\xef", b"\nb", b"br", b'{"docid": "b'])
    ]


def test_a_line_nested_990_deep_is_refused_by_its_number(tmp_path):
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


def test_broken_lines_are_named_and_the_others_yielded(tmp_path):
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


def test_a_file_of_another_kind(tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_text("no json\n" * 1000)
    segments, reader = read(path)
    assert (segments, reader.refused, len(reader.problems)) == ({}, 1000, 10)
    with pytest.raises(InvalidFileError):
        read(path, strict=True)


def test_a_missing_file_is_an_error_of_its_own(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "none.jsonl")


def test_what_is_left_of_a_cut_or_damaged_file(tmp_path, small_shard):
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


def body_of(sentences: int) -> str:
    return " ".join(f"Sentence number {n} stands here." for n in range(sentences))


@pytest.mark.parametrize(
    ("sentences", "expected"),
    # The first window that reaches the end is the last one.
    [(0, 0), (1, 1), (10, 1), (11, 2), (15, 2), (16, 3), (20, 3), (21, 4)],
)
def test_the_last_window_ends_the_document(sentences, expected):
    body = body_of(sentences)
    found = list(windows(body))
    assert len(found) == expected
    if found:
        assert found[-1][1] == len(body)


def test_neighbours_share_five_sentences():
    body = body_of(15)
    (_, first_end), (second_start, _) = windows(body)
    assert body[second_start:first_end] == body_of(10).partition("number 4 stands here. ")[2]


def test_a_newline_is_white_space():
    assert len(list(windows("\n".join(f"item {n}" for n in range(100))))) == 1


@given(st.text(alphabet=st.sampled_from("aB .!?\n\"'é漢"), max_size=400))
def test_windows_cover_every_sentence(body):
    spans = list(sentence_spans(body, newline_ends=False))
    cut = list(windows(body))
    for start, end in spans:
        assert any(left <= start and end <= right for left, right in cut)


def test_fields_and_offsets(tmp_path):
    article = Article(
        topic_id="msmarco_v2.1_doc_04_420132660",
        url="https://a.example/é",
        title='A "title"',
        headings="One\nTwo",
        body=f"  Überall — {body_of(30)}",
    )
    plain = Article(topic_id="7", body=body_of(3))
    path = tmp_path / "segments.jsonl"
    done: list[int] = []
    count = write_segments(path, [article, plain], done.append)
    content = path.read_bytes()
    lines = [orjson.loads(line) for line in content.splitlines()]
    assert count == len(lines) == 6
    assert done == [1, 1]
    offset = 0
    for line, raw in zip(lines, content.splitlines(keepends=True), strict=True):
        assert list(line) == [
            *("docid", "url", "title", "headings", "segment", "start_char", "end_char")
        ]
        document = article if line["docid"].startswith(article.topic_id) else plain
        assert line["segment"] == document.body[line["start_char"] : line["end_char"]]
        assert line["docid"].rpartition("_")[2] == str(offset)
        offset += len(raw)
    parsed = parse_segment_id(lines[1]["docid"])
    assert parsed.window == 1
    assert lines[-1]["docid"].startswith("7#0_")


def test_a_line_that_is_no_document_leaves_no_file(tmp_path):
    source = tmp_path / "documents.jsonl"
    source.write_text('{"docid": "1", "body": "Fine."}\n{"docid": "2"}\n')
    with pytest.raises(InvalidFileError, match=r"documents\.jsonl:2: .*body") as caught:
        write_segments(tmp_path / "out.jsonl", read_documents(source), lambda _: None)
    assert len(caught.value.problems) == 1
    assert not (tmp_path / "out.jsonl").exists()


def test_public_topics_are_cut_as_finely_as_public_runs_cite_them(shared_data, public_runs):
    """Of the windows of target articles that public runs cite, nearly all exist in our cutting."""
    topics = {
        article.topic_id: list(windows(article.body))
        for article in read_documents(shared_data / "dragun-2025" / "topics.jsonl")
    }
    assert len(topics) == 30
    cited = set()
    for run in (public_runs / "task2").iterdir():
        for line in run.read_bytes().splitlines():
            for response in orjson.loads(line)["responses"]:
                parsed = (parse_segment_id(citation) for citation in response["citations"])
                cited |= {
                    (p.document_id, p.window) for p in parsed if p and p.document_id in topics
                }
    assert len(cited) >= 40
    missing = [(topic, window) for topic, window in cited if window >= len(topics[topic])]
    assert len(missing) <= 3


NAME = "msmarco_v2.1_doc_00"


@pytest.fixture(scope="module")
def shard(tmp_path_factory):
    """A shard as published of sixty segments."""
    return write_collection(tmp_path_factory.mktemp("shard"), 60, shards=1, seed=2)[0]


@pytest.fixture
def lines(shard):
    return gzip.decompress(shard.read_bytes()).splitlines(keepends=True)


def build(folder: Path, part: TextPart, *, strict: bool = False) -> PartReport:
    folder.mkdir(exist_ok=True)
    return BuildTextPart(folder, MS_MARCO, frozenset({NAME, part.name}), strict)(part)


def test_shards_as_published_are_parts_and_all_others_are_one():
    paths = [
        Path("a/msmarco_v2.1_doc_segmented_07.json.gz"),
        Path("own.jsonl"),
        Path("msmarco_v2.1_doc_segmented_10.json"),
        Path("msmarco_v2.1_doc_segmented_7.json.gz"),
    ]
    assert text_parts(paths, MS_MARCO) == [
        TextPart("msmarco_v2.1_doc_07", (paths[0],)),
        TextPart("msmarco_v2.1_doc_10", (paths[2],)),
        TextPart(OTHERS, (paths[1], paths[3])),
    ]
    assert text_parts(paths[:1], CorpusFields(id="no")) == [TextPart(OTHERS, (paths[0],))]
    with pytest.raises(InputError, match="expected each shard once"):
        text_parts([paths[0], Path("b") / paths[0].name], MS_MARCO)


def test_a_machine_that_does_not_see_the_folder_makes_none_of_its_own(shard, tmp_path):
    work = BuildTextPart(tmp_path / "elsewhere", MS_MARCO, frozenset({NAME}), strict=False)
    with pytest.raises(MachineError, match="expected the folder of the build") as caught:
        work(TextPart(NAME, (shard,)))
    assert "all machines share" in caught.value.remedy
    assert not work.folder.exists()


class Broken(NamedTuple):
    """What becomes of a shard of sixty sound lines.

    Attributes:
        spoil: Breaks the lines, or the packed file.
        kept: How many segments are left.
        line: The first line refused.
        code: Why.
    """

    spoil: Callable[[list[bytes]], bytes]
    kept: int
    line: int
    code: str


def packed(lines: list[bytes]) -> bytes:
    return gzip.compress(b"".join(lines))


def with_first(old: bytes, new: bytes) -> Callable[[list[bytes]], bytes]:
    return lambda lines: packed([lines[0].replace(old, new, 1), *lines[1:]])


DAMAGES = {
    # What follows a line too many is no longer where its ids say.
    "a line too many": Broken(
        lambda lines: packed([*lines[:3], b"{}\n", *lines[3:]]), 3, 4, "key-missing"
    ),
    "not JSON": Broken(with_first(b"{", b"("), 59, 1, "json-syntax"),
    "not UTF-8": Broken(with_first(b"{", b"\xff"), 59, 1, "invalid-utf8"),
    "no text": Broken(with_first(b'"segment"', b'"sogment"'), 59, 1, "key-missing"),
    "an id of another shard": Broken(
        with_first(b"_00_0#0_0", b"_01_0#0_0"), 59, 1, "segment-place"
    ),
    "an id of another kind": Broken(with_first(b"_00_0#0_0", b"-00-0#0_0"), 59, 1, "segment-place"),
    "a line twice": Broken(lambda lines: packed([*lines, lines[7]]), 60, 61, "segment-place"),
    "cut": Broken(
        lambda lines: packed(lines[:50]) + packed(lines[50:])[:60], 50, 51, "shard-damaged"
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_broken_shard_is_reported_and_the_rest_of_it_kept(name, lines, tmp_path):
    broken = DAMAGES[name]
    shard = tmp_path / "msmarco_v2.1_doc_segmented_00.json.gz"
    shard.write_bytes(broken.spoil(lines))
    part = TextPart(NAME, (shard,))
    (report,) = build(tmp_path, part).shards
    first = report.problems[0]
    assert (report.segments, first.code, first.line) == (broken.kept, broken.code, broken.line)
    assert (report.name, first.file) == (shard.name, shard.name)
    with Docstore(tmp_path / NAME / DOCSTORE) as docstore:
        kept = list(docstore)
        assert len(kept) == len(docstore) == broken.kept
        assert docstore.get_many([one.segment_id for one in kept]) == kept
    assert len(LuceneIndex(tmp_path / NAME / LUCENE).searcher()) == broken.kept
    with pytest.raises(InvalidFileError, match=broken.code):
        build(tmp_path / "strict", part, strict=True)


def test_other_shards_do_not_hold_what_a_shard_as_published_holds(tmp_path):
    shard = tmp_path / "own.jsonl"
    shard.write_text(
        f'{{"docid": "{NAME}_5#0_0", "segment": "hidden"}}\n{{"docid": "own", "segment": "seen"}}\n'
        f'{{"docid": "{NAME}_5", "segment": "a whole document"}}\n'
    )
    report = build(tmp_path, TextPart(OTHERS, (shard,)))
    assert report.documents == 2
    assert [problem.code for problem in report.shards[0].problems] == ["segment-shard"]


def test_a_part_goes_on_with_the_index_when_its_text_is_there(shard, tmp_path):
    part = TextPart(NAME, (shard,))
    report = build(tmp_path, part)
    (tmp_path / NAME).rename(tmp_path / f"{NAME}.part")
    left = tmp_path / f"{NAME}.part" / LUCENE
    for file in list(left.iterdir())[::2]:
        file.unlink()
    # That the shard is not read again shows in that it may be gone.
    assert build(tmp_path, TextPart(NAME, (tmp_path / "gone.json",))) == report
    assert len(LuceneIndex(tmp_path / NAME / LUCENE).searcher()) == 60
