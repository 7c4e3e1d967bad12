"""The text of an index: shards, what is cut out of documents, and the store of it."""

import gzip
import random
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zstandard import ZstdCompressor, ZstdDecompressor

from sidelight.errors import InputError, InvalidFileError, MachineError
from sidelight.index.build import OTHERS, BuildTextPart, TextPart, text_parts
from sidelight.index.folder import DOCSTORE, LUCENE
from sidelight.index.lucene.segments import LuceneIndex
from sidelight.index.text import corpus
from sidelight.index.text.docstore import SEGMENTS, Docstore, SqliteWriter, write_offset_store
from sidelight.schemas.segment import Segment, parse_segment_id
from sidelight.schemas.topic import Article
from sidelight.text import sentence_spans
from tests.helpers.indexes.generated_collection import write_collection


def read(path, fields=corpus.MS_MARCO, *, strict=False):
    """The segments of a shard by line, and their reader."""
    reader = corpus.ShardReader(path, fields, strict=strict)
    return {line.raw.number: line.segment for line in reader if line.segment}, reader


def test_reads_fields_of_shards(small_shard, small_corpus, tmp_path):
    segments, reader = read(small_shard, strict=True)
    assert segments == dict(enumerate(small_corpus, start=1))
    assert (reader.refused, reader.problems) == (0, [])
    assert list(reader.segments()) == small_corpus
    path = tmp_path / "corpus.jsonl.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(
            b'\xef\xbb\xbf{"no": 7, "words": "a b", "extra": 1}\r\n\n{"no": "x", "words": ""}'
        )
    segments, _ = read(path, corpus.CorpusFields(id="no", text="words"), strict=True)
    found = {n: (s.segment_id, s.text) for n, s in segments.items()}
    assert found == {1: ("7", "a b"), 3: ("x", "")}


def test_lines_know_their_place(tmp_path):
    path = tmp_path / "lines.jsonl"
    content = (
        '\ufeff{"docid": "ä", "segment": "ü"}\n\nbroken\n{"docid": "b", "segment": ""}'.encode()
    )
    path.write_bytes(content)
    places = [(raw.number, raw.offset) for raw, _ in corpus.ShardReader(path, corpus.MS_MARCO)]
    assert places == [
        (n + 1, content.index(at)) for n, at in enumerate([b"\xef", b"\nb", b"br", b'{"docid": "b'])
    ]
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


def test_broken_lines_and_files_of_another_kind_are_named(tmp_path):
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
    path = tmp_path / "wrong.jsonl"
    path.write_text("no json\n" * 1000)
    segments, reader = read(path)
    assert (segments, reader.refused, len(reader.problems)) == ({}, 1000, 10)
    with pytest.raises(InvalidFileError):
        read(path, strict=True)
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


def body_of(sentences):
    return " ".join(f"Sentence number {n} stands here." for n in range(sentences))


def test_windows_end_with_the_document_and_what_is_none_leaves_no_file(tmp_path):
    for sentences, expected in ((0, 0), (1, 1), (10, 1), (11, 2), (15, 2), (16, 3), (21, 4)):
        body = body_of(sentences)
        found = list(corpus.windows(body))
        assert len(found) == expected
        if found:
            assert found[-1][1] == len(body)
    body = body_of(15)
    (_, first_end), (second_start, _) = corpus.windows(body)
    assert body[second_start:first_end] == body_of(10).partition("number 4 stands here. ")[2]
    assert len(list(corpus.windows("\n".join(f"item {n}" for n in range(100))))) == 1
    source = tmp_path / "documents.jsonl"
    source.write_text('{"docid": "1", "body": "Fine."}\n{"docid": "2"}\n')
    with pytest.raises(InvalidFileError, match=r"documents\.jsonl:2: .*body") as caught:
        corpus.write_segments(tmp_path / "out.jsonl", corpus.read_documents(source), lambda _: None)
    assert len(caught.value.problems) == 1
    assert not (tmp_path / "out.jsonl").exists()


@given(st.text(alphabet=st.sampled_from("aB .!?\n\"'é漢"), max_size=400))
def test_windows_cover_every_sentence(body):
    spans = list(sentence_spans(body, newline_ends=False))
    cut = list(corpus.windows(body))
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
    done = []
    count = corpus.write_segments(path, [article, plain], done.append)
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


def test_public_topics_are_cut_as_finely_as_public_runs_cite_them(shared_data, public_runs):
    """Of the windows of target articles that public runs cite, nearly all exist in our cutting."""
    topics = {
        article.topic_id: list(corpus.windows(article.body))
        for article in corpus.read_documents(shared_data / "dragun-2025" / "topics.jsonl")
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


def build(folder, part, *, strict=False, lexical=False):
    folder.mkdir(exist_ok=True)
    names = frozenset({NAME, part.name})
    return BuildTextPart(folder, corpus.MS_MARCO, names, strict, lexical)(part)


def test_shards_as_published_are_parts_and_all_others_are_one():
    paths = [
        Path("a/msmarco_v2.1_doc_segmented_07.json.gz"),
        Path("own.jsonl"),
        Path("msmarco_v2.1_doc_segmented_10.json"),
        Path("msmarco_v2.1_doc_segmented_7.json.gz"),
    ]
    assert text_parts(paths, corpus.MS_MARCO) == [
        TextPart("msmarco_v2.1_doc_07", (paths[0],)),
        TextPart("msmarco_v2.1_doc_10", (paths[2],)),
        TextPart(OTHERS, (paths[1], paths[3])),
    ]
    assert text_parts(paths[:1], corpus.CorpusFields(id="no")) == [TextPart(OTHERS, (paths[0],))]
    with pytest.raises(InputError, match="expected each shard once"):
        text_parts([paths[0], Path("b") / paths[0].name], corpus.MS_MARCO)


def test_a_machine_that_does_not_see_the_folder_makes_none_of_its_own(shard, tmp_path):
    work = BuildTextPart(tmp_path / "elsewhere", corpus.MS_MARCO, frozenset({NAME}), strict=False)
    with pytest.raises(MachineError, match="expected the folder of the build") as caught:
        work(TextPart(NAME, (shard,)))
    assert "all machines share" in caught.value.remedy
    assert not work.folder.exists()


def packed(lines):
    return gzip.compress(b"".join(lines))


def with_first(old, new):
    return lambda lines: packed([lines[0].replace(old, new, 1), *lines[1:]])


# How sixty sound lines are broken, how many are left, the first that is refused, and why.
DAMAGES = {
    # What follows a line too many is no longer where its ids say.
    "a line too many": (
        lambda lines: packed([*lines[:3], b"{}\n", *lines[3:]]),
        3,
        4,
        "key-missing",
    ),
    "not JSON": (with_first(b"{", b"("), 59, 1, "json-syntax"),
    "not UTF-8": (with_first(b"{", b"\xff"), 59, 1, "invalid-utf8"),
    "no text": (with_first(b'"segment"', b'"sogment"'), 59, 1, "key-missing"),
    "an id of another shard": (with_first(b"_00_0#0_0", b"_01_0#0_0"), 59, 1, "segment-place"),
    "an id of another kind": (with_first(b"_00_0#0_0", b"-00-0#0_0"), 59, 1, "segment-place"),
    "a line twice": (lambda lines: packed([*lines, lines[7]]), 60, 61, "segment-place"),
    "cut": (lambda lines: packed(lines[:50]) + packed(lines[50:])[:60], 50, 51, "shard-damaged"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_broken_shard_is_reported_and_the_rest_of_it_kept(name, lines, tmp_path):
    spoil, n_kept, line, code = DAMAGES[name]
    shard = tmp_path / "msmarco_v2.1_doc_segmented_00.json.gz"
    shard.write_bytes(spoil(lines))
    part = TextPart(NAME, (shard,))
    (report,) = build(tmp_path, part).shards
    first = report.problems[0]
    assert (report.segments, first.code, first.line) == (n_kept, code, line)
    assert (report.name, first.file) == (shard.name, shard.name)
    with Docstore(tmp_path / NAME / DOCSTORE) as docstore:
        kept = list(docstore)
        assert len(kept) == len(docstore) == n_kept
        assert docstore.get_many([one.segment_id for one in kept]) == kept
    with pytest.raises(InvalidFileError, match=code):
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
    report = build(tmp_path, part, lexical=True)
    (tmp_path / NAME).rename(tmp_path / f"{NAME}.part")
    left = tmp_path / f"{NAME}.part" / LUCENE
    for file in list(left.iterdir())[::2]:
        file.unlink()
    # That the shard is not read again shows in that it may be gone.
    assert build(tmp_path, TextPart(NAME, (tmp_path / "gone.json",)), lexical=True) == report
    assert len(LuceneIndex(tmp_path / NAME / LUCENE).searcher()) == 60


def write(folder, segments):
    with SqliteWriter(folder / SEGMENTS) as writer:
        return [writer.add(segment) for segment in segments]


@pytest.fixture
def docstore(small_corpus, tmp_path):
    assert all(write(tmp_path, random.Random(1).sample(small_corpus, len(small_corpus))))
    with Docstore(tmp_path) as opened:
        yield opened


class Collection:
    """Two generated shards and other segments, in one store."""

    def __init__(self, folder):
        self.shards = write_collection(folder / "shards", 300, shards=2, seed=3)
        self.segments = [
            segment
            for shard in self.shards
            for segment in corpus.ShardReader(shard, corpus.MS_MARCO).segments()
        ]
        others = [Segment(segment_id=f"other-{n}", text="x") for n in range(9)]
        write(folder, others)
        for number, shard in enumerate(self.shards):
            path = folder / f"msmarco_v2.1_doc_{number:02}.zst"
            assert write_offset_store(path, corpus.ShardReader(shard, corpus.MS_MARCO)) == 150
        self.segments += others
        self.folder = folder
        self.docstore = Docstore(folder)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    return Collection(tmp_path_factory.mktemp("collection"))


def test_stores_hold_what_was_written_in_the_order_of_ids(docstore, small_corpus):
    expected = sorted(small_corpus, key=lambda segment: segment.segment_id)
    assert list(docstore) == expected
    assert len(docstore) == 40
    assert expected[3].segment_id in docstore
    assert "no such id" not in docstore
    asked = [small_corpus[n] for n in (7, 3, 39, 3)]
    assert docstore.get_many([segment.segment_id for segment in asked]) == asked
    assert docstore.get_many([]) == []
    with pytest.raises(InputError, match="'invented'"):
        docstore.get_many([small_corpus[0].segment_id, "invented"])


def test_a_row_that_is_no_segment_is_refused_by_its_store(tmp_path):
    write(tmp_path, [Segment(segment_id="a", text="Peat stores carbon.")])
    with closing(sqlite3.connect(tmp_path / SEGMENTS)) as database:
        database.execute("UPDATE segments SET text = x'ff'")
        database.commit()
    for read in (list, lambda docstore: docstore.get_many(["a"])):
        with pytest.raises(InputError, match=f"{SEGMENTS}: cannot be read"):
            read(Docstore(tmp_path))


def test_an_id_is_taken_once_and_pages_of_ids_join(tmp_path):
    (tmp_path / "twice").mkdir()
    first, second = (Segment(segment_id="a", text=text) for text in "xy")
    assert write(tmp_path / "twice", [first, second]) == [True, False]
    with Docstore(tmp_path / "twice") as docstore:
        assert list(docstore) == [first]
    segments = [Segment(segment_id=f"{n}", text="t") for n in range(2500)]
    write(tmp_path, segments)
    with Docstore(tmp_path) as docstore:
        assert list(docstore) == sorted(segments, key=lambda segment: segment.segment_id)
        assert list(docstore.get_many([s.segment_id for s in segments])) == segments


class TestShardsAsPublished:
    def test_hold_what_the_shards_hold(self, collection):
        assert list(collection.docstore) == collection.segments
        assert len(collection.docstore) == 309

    @given(st.data())
    def test_any_segments_come_in_the_order_asked_for(self, collection, data):
        asked = data.draw(st.lists(st.sampled_from(collection.segments), max_size=30))
        assert collection.docstore.get_many([one.segment_id for one in asked]) == asked

    @given(st.data())
    def test_ids_that_point_elsewhere_are_unknown(self, collection, data):
        known = {one.segment_id for one in collection.segments}
        document, _, _ = data.draw(st.sampled_from(sorted(known)[:300])).rpartition("_")
        invented = f"{document}_{data.draw(st.integers(0, 300_000) | st.just(1 << 70))}"
        assert (invented in collection.docstore) == (invented in known)

    def test_any_tool_unpacks_the_shard(self, collection):
        packed = (collection.folder / "msmarco_v2.1_doc_01.zst").read_bytes()
        with ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            assert stream.read() == gzip.decompress(collection.shards[1].read_bytes())

    def test_an_empty_shard(self, tmp_path):
        (tmp_path / "empty.json").touch()
        reader = corpus.ShardReader(tmp_path / "empty.json", corpus.MS_MARCO)
        assert write_offset_store(tmp_path / "msmarco_v2.1_doc_00.zst", reader) == 0
        with Docstore(tmp_path) as docstore:
            assert list(docstore) == []
            assert "msmarco_v2.1_doc_00_0#0_0" not in docstore

    def test_many_threads_may_read(self, collection):
        ids = [segment.segment_id for segment in collection.segments]
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: collection.docstore.get_many(ids), range(16)))
        assert all(result == collection.segments for result in results)


@pytest.mark.parametrize(
    "frame",
    [b"?" * 60, ZstdCompressor().compress(b"[1]\n"), ZstdCompressor().compress(bytes(100 << 20))],
    ids=["no frame", "no segment", "100 MB"],
)
def test_a_frame_that_holds_no_segments_is_refused_by_its_store(tmp_path, frame):
    path = tmp_path / "msmarco_v2.1_doc_01.zst"
    path.write_bytes(frame)
    np.save(path.with_suffix(".npy"), np.array([[0, 0, 0], [1 << 30, len(frame), 1]]).T)
    for read in (list, lambda docstore: docstore.get_many(["msmarco_v2.1_doc_01_0#0_0"])):
        with pytest.raises(InputError, match=re.escape(str(path))):
            read(Docstore(tmp_path))
