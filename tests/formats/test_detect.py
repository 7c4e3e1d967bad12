from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.formats.verdict import detect_format
from tests.helpers.formats.sample_runs import (
    TOPICS,
    task1_bytes,
    task1_rows,
    task2_bytes,
    task2_objects,
)

EXAMPLES = {
    "questions_tsv": task1_bytes(task1_rows()),
    "reports_jsonl": task2_bytes(task2_objects()),
    "articles_jsonl": b'{"docid": "t", "body": "the \\"responses\\": of readers"}\n',
    "rubric": b'{\n  "topic_id": "t",\n  "rubrics": []\n}\n',
    "question_assessments": (
        b"topic_id,rubric_question_rank,run_tag,run_question_rank,annotation\nt,1,r,1,similar\n"
    ),
    "report_assessments": b"topic_id,run_tag,answer_id,auto_assessment,auto_rationale\n",
    "compound_assessments": (
        b"topic_id,run_tag,run_question_rank,run_question_text,auto_compound_question_assessment\n"
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
    "kind", ["questions_tsv", "reports_jsonl", "trec_run", "qrels", "judgments"]
)
def test_tells_a_kind_by_what_a_broken_file_still_has(tmp_path, kind):
    head, tail = EXAMPLES[kind][:4], EXAMPLES[kind][4:]
    broken = {"reports_jsonl": head + b"\xff" + tail, "questions_tsv": b"\n\xff\t\n" + head + tail}
    assert detect(tmp_path, broken.get(kind, EXAMPLES[kind] + b"\xff\n")) == kind


def test_a_run_with_old_macintosh_line_ends_is_still_a_run(tmp_path):
    assert detect(tmp_path, EXAMPLES["questions_tsv"].replace(b"\n", b"\r")) == "questions_tsv"


@pytest.mark.parametrize("ranks", ["1 2 3", "1 1 1", "0 0 1"])
def test_a_ranking_whose_ranks_are_wrong_is_still_one(tmp_path, ranks):
    lines = (f"1 Q0 d#{n} {rank} {9 - n} me\n" for n, rank in enumerate(ranks.split()))
    assert detect(tmp_path, "".join(lines).encode()) == "trec_run"


@pytest.mark.parametrize("content", [b"", b"\n \n", b"Once upon a time\n", b"[1, 2]", b"{}"])
def test_says_so_when_it_cannot_tell(tmp_path, content):
    assert detect(tmp_path, content) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("dragun-2025/topics.jsonl", "articles_jsonl"),
        ("dragun-2025/runs/task1/organizer-t1-chatgpt", "questions_tsv"),
        ("dragun-2025/runs/task2/garag_rubric", "reports_jsonl"),
        ("dragun-2025/autojudge/auto_report_assessments.csv", "report_assessments"),
        ("rubric-dl20/Sun.qrel", "qrels"),
        ("cranfield/queries.tsv", None),
    ],
)
def test_tells_public_files(shared_data, name, kind):
    assert detect_format(shared_data / name) == kind


def test_examples_of_runs_cover_the_track():
    assert EXAMPLES["questions_tsv"].count(b"\n") == 10 * len(TOPICS)
