from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.verdict import detect_format, read_articles, read_topics
from tests.helpers.formats.sample_runs import task1_bytes, task1_rows, task2_bytes, task2_objects

EXAMPLES = {
    "questions_tsv": task1_bytes(task1_rows()),
    "reports_jsonl": task2_bytes(task2_objects()),
    "articles_jsonl": b'{"docid": "t", "body": "the \\"responses\\": of readers"}\n',
    "segments": b'{"docid": "d#0", "segment": "the body", "start_char": 0, "end_char": 8}\n',
    "rubric": b'{\n  "topic_id": "t",\n  "rubrics": []\n}\n',
    "question_assessments": (
        b"topic_id,rubric_question_rank,run_tag,run_question_rank,annotation\nt,1,r,1,similar\n"
    ),
    "report_assessments": b"topic_id,run_tag,answer_id,auto_assessment,auto_rationale\n",
    "compound_assessments": (
        b"topic_id,run_tag,run_question_rank,run_question_text,auto_compound_question_assessment\n"
    ),
    "nuggets": b'{"query": "q", "qid": "t", "nuggets": [{"text": "x", "importance": "vital"}]}\n',
    "nugget_assignments": (
        b'{"query": "q", "qid": "t", "nuggets": [{"text": "x", "importance": "vital", '
        b'"assignment": "support"}], "run_id": "r"}\n'
    ),
    "trec_run": b"1 Q0 d#1 1 12.5 bm25\n1 Q0 d#2 2 -1e-3 bm25\n",
    "qrels": b"1 0 d#1 2\n1 0 d#2 -1\n",
    "judgments": b"1 Q0 d#1 3 1 me\n1 Q0 d#2 2 1 me\n1 Q0 d#3 3 1 me\n",
}


def detect(tmp_path: Path, content: bytes) -> str | None:
    path = tmp_path / "any-name"
    path.write_bytes(content)
    return detect_format(path)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_tells_each_kind_by_its_content(tmp_path, kind):
    assert detect(tmp_path, EXAMPLES[kind]) == kind
    assert detect(tmp_path, b"\xef\xbb\xbf" + EXAMPLES[kind].replace(b"\n", b"\r\n")) == kind


@pytest.mark.parametrize(
    ("kind", "title"), [("questions_tsv", "Task 1 run"), ("reports_jsonl", "Task 2 run")]
)
def test_a_run_in_place_of_topics_is_named(tmp_path, kind, title):
    (tmp_path / "run").write_bytes(EXAMPLES[kind])
    with pytest.raises(InputError, match=f"expected the topics of .* DRAGUN; found a {title}"):
        read_topics(tmp_path / "run")
    (tmp_path / "broken").write_text('{"docid": "t"}\n')
    with pytest.raises(InvalidFileError, match="found no body"):
        read_topics(tmp_path / "broken")


def test_a_web_page_in_place_of_topics_is_named(tmp_path):
    page = tmp_path / "page.html"
    for content, found in (
        ("<!DOCTYPE html>\n<p>It\n<p>is\n", "a web page"),
        ("<html><p>It", "a web page"),
        ("It\nis\n", "text"),
    ):
        page.write_text(content)
        with pytest.raises(InvalidFileError, match=rf":1: error .*found {found}\. Name ") as caught:
            read_topics(page)
        assert "`sidelight read` takes one article" in str(caught.value)
        assert ":2: " not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        *(("questions_tsv", "a Task 1 run"), ("reports_jsonl", "a Task 2 run")),
        *(("qrels", "a qrels file"), ("rubric", "a rubric"), ("segments", "a segments file")),
        *(("nuggets", "nuggets"), ("narratives_jsonl", "narratives_jsonl")),
    ],
)
def test_another_file_in_place_of_articles_is_named(tmp_path, kind, found):
    narrative = b'{"id": "t", "title": "Peat", "narrative": "Who sells it?"}\n'
    (tmp_path / "file").write_bytes(EXAMPLES.get(kind, narrative))
    with pytest.raises(InputError, match=f"file: expected articles; found {found}\n"):
        read_articles(tmp_path / "file")
    (tmp_path / "broken").write_text('{"docid": "t"}\n')
    with pytest.raises(InvalidFileError, match="found no body"):
        read_articles(tmp_path / "broken")


def ranking(*ranks):
    return "".join(f"1 Q0 d#{n} {rank} {9 - n} me\n" for n, rank in enumerate(ranks)).encode()


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("questions_tsv", b"\n\xff\t\n" + EXAMPLES["questions_tsv"]),
        ("questions_tsv", EXAMPLES["questions_tsv"].replace(b"\n", b"\r")),
        ("questions_tsv", EXAMPLES["questions_tsv"].replace(b"\t", b"  ")),
        ("questions_tsv", EXAMPLES["questions_tsv"].replace(b"\t", b",")),
        (None, b"t,1,r,1,similar in part\nt,r,2,3,supports the answer\n"),
        (None, b"q Q0 d#1 1 high me\nWe counted about 500 birds\n"),
        ("reports_jsonl", EXAMPLES["reports_jsonl"].replace(b'"metadata', b'\xff"metadata')),
        *((kind, EXAMPLES[kind] + b"\xff\n") for kind in ("trec_run", "qrels", "judgments")),
        *(("trec_run", ranking(*ranks)) for ranks in ((1, 2, 3), (1, 1, 1), (0, 0, 1))),
        *((None, content) for content in (b"", b"\n \n", b"Once upon a time\n", b"[1]", b"{}")),
    ],
)
def test_tells_a_kind_by_what_a_broken_file_still_has(tmp_path, kind, content):
    assert detect(tmp_path, content) == kind


def test_tells_public_files(shared_data):
    for name, kind in [
        ("dragun-2025/topics.jsonl", "articles_jsonl"),
        ("dragun-2025/runs/task1/organizer-t1-chatgpt", "questions_tsv"),
        ("dragun-2025/runs/task2/garag_rubric", "reports_jsonl"),
        ("dragun-2025/autojudge/auto_report_assessments.csv", "report_assessments"),
        ("rubric-dl20/Sun.qrel", "qrels"),
        ("rag-2025/nuggets.jsonl", "nuggets"),
        ("cranfield/queries.tsv", None),
    ]:
        assert detect_format(shared_data / name) == kind
