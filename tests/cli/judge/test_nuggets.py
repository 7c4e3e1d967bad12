import json

import orjson
import pytest

from sidelight.errors import InputError, UsageError
from sidelight.sample import sample_path
from sidelight.text import one_line
from tests.helpers.asking.conversation import scripted
from tests.helpers.commands import call, said
from tests.helpers.models.model_server import ModelServer, completion

RUBRICS = sample_path() / "human_rubrics"
RELATED, UNRELATED = "small_doc_00_0#0_0", "small_doc_00_0#1_1"


def nuggets(folder, index, qrels, code=0):
    (folder / "topics.tsv").write_text("1\tWho sold the quarry?\n2\tWho bought it?\n")
    (folder / "qrels").write_text(qrels)
    given = {
        "--topics": folder / "topics.tsv",
        "--qrels": folder / "qrels",
        "--index": index.path,
        "--model": "one",
        "--cache": folder / "cache",
        "--track": "rag2024",
        "-o": folder / "nuggets.jsonl",
    }
    return "\n".join(call("nuggets", *(one for pair in given.items() for one in pair), code=code))


def ask_only(asked, monkeypatch):
    """Let every command ask one model."""

    async def ask(_, __, work):
        return await work({"one": asked.model})

    monkeypatch.setattr("sidelight.cli.bank.ask", ask)


@pytest.fixture
def asked(monkeypatch):
    """The model that every command asks."""
    asked = scripted(
        json.dumps({"nuggets": ["The quarry was sold"]}),
        json.dumps({"labels": [{"number": 1, "label": "vital"}]}),
    )
    ask_only(asked, monkeypatch)
    return asked


def test_nuggets_are_made_of_related_documents(tmp_path, small_index, asked):
    qrels = f"1 0 {UNRELATED} 0\n1 0 {RELATED} 1\n1 0 elsewhere 3\n"
    assert "1 nugget of 1 topic" in nuggets(tmp_path, small_index, qrels)
    asked.script.assert_finished()
    assert "BEGIN passage 2" not in asked.user()
    assert orjson.loads((tmp_path / "nuggets.jsonl").read_bytes()) == {
        "query": "Who sold the quarry?",
        "qid": "1",
        "nuggets": [{"text": "The quarry was sold", "importance": "vital"}],
    }


def test_a_bad_reply_costs_its_topic_and_is_asked_for_again(tmp_path, small_index, monkeypatch):
    good = completion('{"nuggets": ["The quarry was sold"]}')
    vital = completion('{"labels": [{"number": 1, "label": "vital"}]}')
    mended = False

    def answers(request):
        said = request["messages"][1]["content"]
        if "Who bought it?" in said and not mended:
            return completion('{"nuggets": ["' + 50 * "too long " + '"]}')
        return good if "vital" not in str(request["response_format"]) else vital

    qrels = f"1 0 {RELATED} 1\n2 0 {RELATED} 1\n"
    with ModelServer(models=("one",), answers=answers) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        shown = nuggets(tmp_path, small_index, qrels, code=1)
        assert "1 nugget of 1 topic" in shown
        assert "2: no nuggets: the reply does not fit the schema: " in shown
        kept, asked, mended = (tmp_path / "nuggets.jsonl").read_text(), len(server.requests), True
        assert "2 nuggets of 2 topics" in nuggets(tmp_path, small_index, qrels)
        # Of the first topic nothing is asked again, and its line is the same.
        assert len(server.requests) == asked + 2
    assert (tmp_path / "nuggets.jsonl").read_text().startswith(kept)


def test_grades_are_those_of_the_topics(tmp_path, small_index, asked):
    with pytest.raises(InputError, match="expected those of the topics"):
        nuggets(tmp_path, small_index, f"9 0 {RELATED} 1\n")


def test_nuggets_belong_to_sub_narratives(tmp_path, monkeypatch):
    model = scripted(
        json.dumps({"labels": [{"number": 1, "part": 2}, {"number": 2, "part": 3}]}),
        json.dumps({"labels": [{"number": 1, "part": 2}, {"number": 2, "part": 0}]}),
    )
    ask_only(model, monkeypatch)
    topics, given, made = (tmp_path / name for name in ("t.jsonl", "given.jsonl", "made.jsonl"))
    line = {"id": "1", "title": "Who sold it, and why?", "sub_questions": ["who sold", "why"]}
    topics.write_text(json.dumps(line) + "\n")
    facts = [{"text": one, "importance": "vital"} for one in ("It lost money", "It has a lake")]
    given.write_text(json.dumps({"qid": "1", "nuggets": facts}) + "\n")
    common = ("--topics", topics, "--model", "one", "--cache", tmp_path, "--track", "rag2025")
    said("nuggets", "--nuggets", given, *common, "-o", made)
    model.script.assert_finished()  # the first reply named a part that there is not
    parts = [one.get("mapped_sub_narrative") for one in orjson.loads(made.read_bytes())["nuggets"]]
    assert parts == ["why", None]
    run = tmp_path / "run"
    answer = {"text": "It lost money.", "citations": []}
    about = {"run_id": "r", "narrative_id": "1"}
    run.write_text(json.dumps({"metadata": about, "references": [], "answer": [answer]}) + "\n")
    shown = said("score", "nuggets", run, "--nuggets", made, "--words-only", "--json")
    assert json.loads(shown)["runs"][0]["sub_narrative_coverage"] == 1.0
    with pytest.raises(UsageError, match="expected --qrels and --index"):
        said("nuggets", *common, "-o", made)


def test_the_query_of_an_answer_comes_from_topics_or_nuggets_or_is_said_to_lack(tmp_path):
    run, given, topics, out = (tmp_path / one for one in ("r.jsonl", "n.jsonl", "t.jsonl", "out"))
    answer = {"text": "The quarry was sold to pay a debt.", "citations": []}
    about = {"run_id": "r", "narrative_id": "1"}
    run.write_text(json.dumps({"metadata": about, "references": [], "answer": [answer]}) + "\n")
    topics.write_text(json.dumps({"id": "1", "title": "Why was the quarry sold?"}) + "\n")
    fact = {"text": "The quarry was sold", "importance": "vital"}

    def scored(*options, **query):
        given.write_text(json.dumps({"qid": "1", "nuggets": [fact], **query}) + "\n")
        named = ("--nuggets", given, "--track", "rag2025", "--words-only", "-o", out)
        shown = said("score", "nuggets", run, *named, *options)
        (line,) = next(out.glob("*_assignments.jsonl")).read_text().splitlines()
        again = said("score", "nuggets", out / "nuggets_assignments.jsonl")
        lacking = [
            "the queries of 1 topic are not known" in one_line(one) for one in (shown, again)
        ]
        assert len(set(lacking)) == 1
        return json.loads(line)["query"], lacking[0]

    assert scored() == ("", True)
    assert scored(query="Who sold it?") == ("Who sold it?", False)
    asked = ("Why was the quarry sold?", False)
    assert scored("--topics", topics, query="Who sold it?") == asked


def test_an_article_is_no_query(tmp_path):
    run, given, topics = (tmp_path / one for one in ("r.jsonl", "n.jsonl", "t.jsonl"))
    responses = [{"text": "The quarry was sold by its owners.", "citations": []}]
    about = {"team_id": "t", "run_id": "r", "topic_id": "msmarco_v2.1_doc_04_420132660"}
    run.write_text(json.dumps({"metadata": about, "responses": responses}) + "\n")
    fact = {"text": "The quarry was sold", "importance": "vital"}
    given.write_text(json.dumps({"qid": about["topic_id"], "nuggets": [fact]}) + "\n")
    article = {"docid": about["topic_id"], "title": "Quarry sold", "body": "A text."}
    topics.write_text(json.dumps(article) + "\n")

    def scored(*options):
        named = ("--nuggets", given, "--words-only", "--json")
        return json.loads(said("score", "nuggets", run, *named, *options))

    assert scored("--topics", topics) == scored()  # as `sidelight judge` labels reports
    assert scored()["notes"] == []
    assert scored()["runs"][0]["strict_vital_score"] == 1.0


def test_the_answers_of_rubrics_are_nuggets(tmp_path):
    made = tmp_path / "made.jsonl"
    assert "97 nuggets of 5 topics" in said("nuggets", "--rubrics", RUBRICS, "-o", made)
    first, *_ = map(orjson.loads, made.read_bytes().splitlines())
    rubric = orjson.loads((RUBRICS / f"{first['qid']}.json").read_bytes())
    expected = [
        {"text": answer["answer_text"], "importance": "vital" if vital else "okay"}
        for question in rubric["rubrics"]
        for vital in [question["importance"].startswith("A")]
        for answer in question["short_answers"]
    ]
    assert first["nuggets"] == expected
    assert {one["importance"] for one in expected} == {"vital", "okay"}
    with pytest.raises(UsageError, match="or --rubrics alone, whose answers are nuggets"):
        said("nuggets", "--rubrics", RUBRICS, "--model", "one", "-o", made)
    with pytest.raises(UsageError, match="or --rubrics alone, whose answers are nuggets"):
        said("nuggets", "--topics", made, "-o", made)
