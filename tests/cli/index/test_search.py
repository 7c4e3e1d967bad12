from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from sidelight.errors import UsageError
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.index.folder import IndexFolder
from sidelight.schemas.segment import Segment
from tests.helpers.commands import said


def test_from_documents_to_hits(tmp_path: Path) -> None:
    documents = tmp_path / "documents.jsonl.gz"
    body = " ".join(f"The {word} stands here." for word in ["vase", "lamp"] * 8)
    document = {"docid": "m_doc_00_1", "body": body, "title": "A [bold] house"}
    documents.write_bytes(gzip.compress(orjson.dumps(document)))
    segments, index = tmp_path / "segments.jsonl", tmp_path / "index"
    cut = said("corpus", "segment", documents, "-o", segments)
    assert cut == f"Wrote 3 segments to {segments}\n"
    built = said("index", "build", segments, "-o", index)
    assert "3 of 1 document" in built
    assert said("index", "info", index) == built
    info = orjson.loads(said("index", "info", index, "--json"))
    assert info["segments"] == 3
    assert info["fingerprint"] in built
    shown = said("search", "--index", index, "lamps", "--k", 1)
    assert shown.startswith("  1  ")
    assert "A [bold] house" in shown


def test_hits_as_json(small_index: IndexFolder, small_corpus: list[Segment]) -> None:
    query = ("bakery accounts", "--retriever", "bm25")
    found = orjson.loads(said("search", "--index", small_index.path, *query, "--json"))
    assert [hit["rank"] for hit in found] == list(range(1, len(found) + 1))
    best = next(s for s in small_corpus if s.segment_id == found[0]["segment_id"])
    assert found[0].items() >= best.model_dump().items()
    assert "accounts" in best.text
    assert "bakery" in best.text


def test_no_hit(small_index: IndexFolder) -> None:
    shown = said("search", "--index", small_index.path, "xyzzy", "--retriever", "bm25")
    assert shown == "No segment was found.\n"


def test_queries_make_a_trec_run(small_index: IndexFolder, tmp_path: Path) -> None:
    queries = tmp_path / "queries.tsv"
    queries.write_text("7\twho owns the ferry\n8\tunsafe glacier\n")
    output = tmp_path / "run.txt"
    arguments = ("--queries", queries, "--retriever", "rm3", "--k", 3, "--output", output)
    shown = said("search", "--index", small_index.path, *arguments)
    assert shown == f"Wrote 6 hits for 2 queries to {output}\n"
    assert {query: len(hits) for query, hits in read_trec_run(output).items()} == {"7": 3, "8": 3}
    assert output.read_text().splitlines()[0].endswith(" sidelight-rm3")


@pytest.mark.parametrize("arguments", [[], ["words", "--queries", "q"], ["--queries", "q"]])
def test_words_or_queries(small_index: IndexFolder, arguments: list[str]) -> None:
    with pytest.raises(UsageError, match="either words"):
        said("search", "--index", small_index.path, *arguments)


def test_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    healthy = orjson.loads(said("doctor", "--json"))
    assert healthy["ok"]
    assert {check["name"] for check in healthy["checks"]} >= {"Java", "FAISS", "torch", "disk"}
    monkeypatch.setattr("sidelight.index.vectors.capacity._MIN_MEMORY", 10**9)
    assert "Use a machine with at least" in said("doctor", code=3)


@pytest.mark.parametrize("words", ["", "   "])
def test_no_words_are_refused(words: str, small_index: IndexFolder) -> None:
    with pytest.raises(UsageError, match="expected words to search for; found none"):
        said("search", "--index", small_index.path, words)
