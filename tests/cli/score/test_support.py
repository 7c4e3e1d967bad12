import gzip
import json
from functools import partial

import pytest

from sidelight.errors import BudgetExhaustedError, InputError, UsageError
from sidelight.index.folder import open_index
from tests.helpers.commands import said
from tests.helpers.models.fault_server import FaultServer

# Segments of the small corpus, and one that no index holds.
SOLD, COUNTED, INVENTED = "small_doc_00_0#0_0", "small_doc_00_0#1_1", "small_doc_99_9#9_9"
VIOLIN = "small_doc_00_6#1_6001"
REPORT = {
    "metadata": {"team_id": "t", "run_id": "r", "topic_id": "a"},
    "responses": [
        {"text": "The quarry was sold to an investor who also owns a newspaper.", "citations": []},
        {"text": "A study of the quarry counted twelve visitors a day.", "citations": [COUNTED]},
        {
            "text": "The quarry was sold to an investor who also owns a newspaper.",
            "citations": [VIOLIN, SOLD],
        },
    ],
}
support = partial(said, "score", "support")


@pytest.fixture
def given(tmp_path, small_index):
    (tmp_path / "r").write_text(json.dumps(REPORT) + "\n")
    return tmp_path / "r", "--index", small_index.path


def test_the_texts_of_what_is_cited_may_stand_in_a_file(tmp_path, given):
    expected = json.loads(support(*given, "--json"))["runs"]
    ids = [COUNTED, VIOLIN, SOLD]
    found = open_index(given[2]).docstore.find(ids)
    texts = [found[name].text for name in ids]
    topic = {"topic": "a", "query": "?", "references_ids": ids, "references_texts": texts}
    segments = [{"docid": name, "segment": text} for name, text in zip(ids, texts, strict=True)]
    for lines in ([topic], segments):
        path = tmp_path / "references.jsonl.gz"
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
        assert json.loads(support(given[0], "--index", path, "--json"))["runs"] == expected
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps(topic | {"references_texts": texts[1:]}) + "\n")
    with pytest.raises(InputError, match=r"wrong.jsonl:1: .* found 3 ids and 2 texts"):
        support(given[0], "--index", wrong)


def test_by_the_embedded_judge(tmp_path, given):
    shown = support(*given, "-o", tmp_path / "out")
    # first citations: (1 + 0) / 2 and (1 + 0) / 3; all: (1 + 1) / 2 and (1 + 1) / 3
    for figure in ("0.5000", "0.3333", "1.0000", "0.6667", "embedded", "words only"):
        assert figure in shown
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "auto_support_per_run_results.csv",
        "auto_support_per_run_results.tex",
        "auto_support_per_topic_results.csv",
        "auto_support_sentences.csv",
    }
    (found,) = json.loads(support(*given, "--json"))["runs"]
    assert found["weighted_precision"] == 0.5
    assert found["nothing_cited"] == found["unjudged"] == 0
    run = given[0]
    run.write_text(run.read_text().replace(COUNTED, INVENTED))
    again = support(*given, "--words-only", "--json")
    assert "embedded 8 (words only, weights " in again
    lacking = f"1 of 3 cited segments are not in {given[2]}: sentences that cite them are unjudged"
    assert lacking in json.loads(again)["notes"]
    (found,) = json.loads(again)["runs"]
    assert found["unjudged"] == 0.5
    # Of three sentences one cites nothing, one is unjudged: 1 of 2 and of 3, or 1 of 1 and of 2.
    assert found["weighted_precision_all"] == 0.5
    assert found["weighted_recall_all"] == pytest.approx(1 / 3)
    told = json.loads(support(*given, "--leave-out-unjudged", "--json"))
    assert "sentences that could not be judged are left out" in told["notes"]
    assert told["runs"][0]["weighted_precision_all"] == 1
    assert told["runs"][0]["weighted_recall_all"] == 0.5


def test_the_query_of_a_topic_is_read(tmp_path, small_index):
    run, topics = tmp_path / "r", tmp_path / "topics.jsonl"
    answer = {"text": "The quarry has an owner.", "citations": [0]}
    line = {"run_id": "r", "topic_id": "2024-1", "topic": "", "references": [COUNTED]}
    run.write_text(json.dumps({**line, "response_length": 5, "answer": [answer]}) + "\n")
    topics.write_text(json.dumps({"id": "2024-1", "title": "who owns the quarry"}) + "\n")
    given = (run, "--index", small_index.path, "--track", "rag2024", "--words-only", "--json")
    (unread,) = json.loads(support(*given))["runs"]
    (read,) = json.loads(support(*given, "--topics", topics))["runs"]
    # What counts visitors names no owner: words that the query has anyway tell nothing.
    assert (unread["weighted_precision"], read["weighted_precision"]) == (1, 0)


def test_by_a_model_resumed_and_replayed(tmp_path, given):
    with FaultServer() as server:
        asked = (*given, "--model", "tiny", "--json")
        online = (*asked, "--base-url", server.base_url, "-o", tmp_path / "made")
        # One sentence with one citation, one with two: 1 + 2 calls.
        with pytest.raises(BudgetExhaustedError):
            support(*online, "--max-calls", 2)
        with pytest.raises(BudgetExhaustedError):
            support(*online, "--max-tokens", 0)
        made = json.loads(support(*online))
        stats = server.stats()
        assert stats.calls == len(stats.asked) == 3
        cache = ("--cache", tmp_path / "made" / "replies", "--offline")
        again = json.loads(support(*asked, *cache))
        assert server.stats().calls == 3
    assert again["runs"] == made["runs"]
    assert made["judge"].startswith("tiny, prompt ")


def test_what_is_missing_is_said(tmp_path, given):
    run, _, index = given
    topics = tmp_path / "topics.jsonl"
    topics.write_text(
        json.dumps({"docid": "b", "url": "u", "title": "t", "headings": "", "body": "B."}) + "\n"
    )
    with pytest.raises(InputError, match="not one of the topics"):
        support(*given, "--topics", topics)
    for name in (COUNTED, SOLD, VIOLIN):
        run.write_text(run.read_text().replace(name, INVENTED))
    with pytest.raises(InputError, match=f"{index}: expected .* {INVENTED}; found none of 1"):
        support(*given, "--words-only")
    with pytest.raises(UsageError, match="replies need a folder"):
        support(*given, "--model", "tiny", "--base-url", "http://127.0.0.1:9/v1")
