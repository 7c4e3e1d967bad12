import json
from functools import partial

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring.table import read_topic_scores
from sidelight.formats.labels.qrels import write_judge
from tests.helpers.commands import call, said

TEXT = "The Peat Association pays half of the journal's budget."
RUN = {"run_id": "r", "topic_id": "1", "topic": "who pays?", "references": []}
RUN |= {"response_length": 9, "answer": [{"text": TEXT, "citations": []}]}
NUGGETS = (
    {"text": "Peat Association pays half of the budget", "importance": "vital"},
    {"text": "The moon is made of cheese", "importance": "okay"},
)
BANK = {"qid": "1", "nuggets": NUGGETS}
nuggets = partial(said, "score", "nuggets")


@pytest.fixture
def given(tmp_path):
    (tmp_path / "r").write_text(json.dumps(RUN) + "\n")
    (tmp_path / "nuggets.jsonl").write_text(json.dumps(BANK) + "\n")
    return tmp_path / "r", "--nuggets", tmp_path / "nuggets.jsonl", "--track", "rag2024"


def test_runs_are_assigned_and_scored(tmp_path, given):
    out = tmp_path / "out"
    (found,) = json.loads(nuggets(*given, "--words-only", "--json", "-o", out))["runs"]
    assert found["run_tag"] == "r"
    assert (found["strict_vital_score"], found["all_score"]) == (1.0, 0.5)
    # What was assigned is scored again without being judged again.
    again = json.loads(nuggets(out / "nuggets_assignments.jsonl", "--json"))
    assert (again["labels"], again["runs"]) == ("auto", [found])
    assert again["judge"].startswith("embedded 8 (words only, weights ")
    listed = json.loads(nuggets(*given, "--words-only", "--json", "-o", out))["files"]
    assert listed[0] == str(out / "nuggets_assignments.jsonl")
    # They name the nuggets of a topic with each of its answers, and other runs are scored by them.
    labels = out / "nuggets_assignments.jsonl"
    labels.write_text(labels.read_text() * 2)
    (other,) = json.loads(nuggets(given[0], "--nuggets", labels, *given[3:], "--json"))["runs"]
    assert other == found


def test_what_judges_needs_nuggets(given):
    with pytest.raises(UsageError, match="judging needs --nuggets"):
        nuggets(given[0], "--words-only")
    with pytest.raises(UsageError, match="has no scale of nuggets"):
        nuggets(*given[:3], "--track", "dragun2025")


def test_a_file_of_another_kind_is_called_so(tmp_path, given):
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 a 1\n")
    with pytest.raises(
        InputError, match=r"qrels: expected nugget assignments, .*; found a qrels f"
    ):
        nuggets(qrels, *given[3:])
    with pytest.raises(InputError, match="qrels: expected nuggets; found a qrels file"):
        nuggets(given[0], "--nuggets", qrels, *given[3:])
    with pytest.raises(InputError, match="r: expected nugget assignments, or a run and --nuggets"):
        nuggets(given[0], *given[3:])


def assigned(path, *topics):
    """Write assignments of one run: of each topic a nugget, its importance and its label."""
    nuggets = [
        {"text": TEXT, "importance": importance, "assignment": label}
        for _, importance, label in topics
    ]
    lines = [
        {"qid": topic, "query": "who?", "run_id": "r", "answer_text": TEXT, "nuggets": [nugget]}
        for (topic, *_), nugget in zip(topics, nuggets, strict=True)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_nuggets_that_nobody_could_judge_are_said(tmp_path):
    file = assigned(tmp_path / "a.jsonl", ("1", "vital", "failed"), ("2", "vital", "failed"))
    assert "100.0%" in nuggets(file)
    found = json.loads(nuggets(file, "--json", "-o", tmp_path / "out"))
    assert [one["unjudged"] for one in (*found["runs"], *found["topics"])] == [1.0] * 3
    written = (tmp_path / "out" / "not_stated_nuggets_per_run_results.csv").read_text().splitlines()
    assert written[0].startswith(
        "run_tag,strict_vital_score,vital_score,strict_all_score,all_score,unjudged,"
    )
    assert written[1].startswith("r,0.0,0.0,0.0,0.0,1.0,")


def test_a_topic_without_a_vital_nugget_is_named(tmp_path):
    topics = ("1", "okay", "support"), ("2", "vital", "support")
    file = assigned(tmp_path / "a.jsonl", *topics)
    found = json.loads(nuggets(file, "--json", "-o", tmp_path / "out"))
    assert found["undefined"] == {"strict_vital_score": ["1"], "vital_score": ["1"]}
    assert [one["strict_vital_score"] for one in found["topics"]] == [None, 1.0]
    assert found["runs"][0]["strict_vital_score"] == 0.5
    said = "vital score: nothing to find, or no label, on 1 of 2 topics (counted as 0): 1\n"
    assert said in call("score", "nuggets", file).stderr
    per_topic = tmp_path / "out" / "not_stated_nuggets_per_topic_results.csv"
    again = read_topic_scores(per_topic)
    assert [one.row["strict_vital_score"] for one in again] == [None, 1.0]


def test_who_gave_labels_is_told_by_what_stands_beside_them(tmp_path):
    file = assigned(tmp_path / "a.jsonl", ("1", "vital", "support"))
    assert "labels: source not stated" in nuggets(file)
    assert "labels: human" in nuggets(file, "--graded-by", "people")
    write_judge(file, "llama, prompt 1234")
    assert "labels: auto (llama, prompt 1234)" in nuggets(file)
    with pytest.raises(UsageError, match="not by people: llama"):
        nuggets(file, "--graded-by", "people")
    file.with_name("a.jsonl.judge.json").write_text("[]")
    with pytest.raises(InputError, match="who gave the labels"):
        nuggets(file)
