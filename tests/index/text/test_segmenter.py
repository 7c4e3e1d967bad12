from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.index.text.corpus import read_documents, windows, write_segments
from sidelight.schemas.segment import parse_segment_id
from sidelight.schemas.topic import Article
from sidelight.text import sentence_spans
from tests.helpers.public_data import PublicData


def body_of(sentences: int) -> str:
    return " ".join(f"Sentence number {n} stands here." for n in range(sentences))


@pytest.mark.parametrize(
    ("sentences", "expected"),
    # The first window that reaches the end is the last one.
    [(0, 0), (1, 1), (10, 1), (11, 2), (15, 2), (16, 3), (20, 3), (21, 4)],
)
def test_the_last_window_ends_the_document(sentences: int, expected: int) -> None:
    body = body_of(sentences)
    found = list(windows(body))
    assert len(found) == expected
    if found:
        assert found[-1][1] == len(body)


def test_neighbours_share_five_sentences() -> None:
    body = body_of(15)
    (_, first_end), (second_start, _) = windows(body)
    assert body[second_start:first_end] == body_of(10).partition("number 4 stands here. ")[2]


def test_a_newline_is_white_space() -> None:
    assert len(list(windows("\n".join(f"item {n}" for n in range(100))))) == 1


@given(st.text(alphabet=st.sampled_from("aB .!?\n\"'é漢"), max_size=400))
def test_windows_cover_every_sentence(body: str) -> None:
    spans = list(sentence_spans(body, newline_ends=False))
    cut = list(windows(body))
    for start, end in spans:
        assert any(left <= start and end <= right for left, right in cut)


def test_fields_and_offsets(tmp_path: Path) -> None:
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
    assert parsed is not None
    assert parsed.window == 1
    assert lines[-1]["docid"].startswith("7#0_")


def test_a_line_that_is_no_document_leaves_no_file(tmp_path: Path) -> None:
    source = tmp_path / "documents.jsonl"
    source.write_text('{"docid": "1", "body": "Fine."}\n{"docid": "2"}\n')
    with pytest.raises(InvalidFileError, match=r"documents\.jsonl:2: .*body") as caught:
        write_segments(tmp_path / "out.jsonl", read_documents(source), lambda _: None)
    assert len(caught.value.problems) == 1
    assert not (tmp_path / "out.jsonl").exists()


def test_public_topics_are_cut_as_finely_as_public_runs_cite_them(
    shared_data: PublicData, public_runs: Path
) -> None:
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
