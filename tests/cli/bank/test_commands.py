"""`sidelight bank`: made, changed, compared and shown."""

import json

import pytest

from sidelight.errors import UsageError
from sidelight.formats.banks.exams import read_exams
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery
from tests.helpers.commands import call, said, told
from tests.helpers.models.model_server import ModelServer, completion

QUESTIONS = json.dumps({"items": ["Who burns peat?", "What grows on peat?"]})


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "queries.json"
    path.write_text('{"q": "what is peat used for"}')
    return path


@pytest.fixture
def drafted(queries, tmp_path):
    texts = ["Peat is burnt for heat in Irish homes.", "Gardeners mix peat into the soil of pots."]
    passages = tuple(GradedPassage("q", str(n), text) for n, text in enumerate(texts))
    graded, path = tmp_path / "passages.jsonl", tmp_path / "bank.jsonl.gz"
    write_graded(graded, [GradedQuery("q", passages)])
    given = ("--queries", queries, "--passages", graded, "--style", "nuggets", "-o", path)
    assert told("bank", "draft", *given)["items"] == 2
    return path


def test_a_model_drafts_as_estimated_and_its_replies_are_kept(queries, tmp_path):
    given = ("draft", "--queries", queries, "--model", "tiny", "--count", 2)
    output = ("-o", tmp_path / "bank.jsonl")
    estimate = told("bank", *given, *output, "--estimate")
    assert estimate["calls"] == 1
    assert estimate["prompt_tokens"] > 100
    with ModelServer(completion(QUESTIONS)) as server:
        first = told("bank", *given, *output, "--base-url", server.base_url)
    assert [item.text for item in read_exams(tmp_path / "bank.jsonl")[0].items] == [
        "Who burns peat?",
        "What grows on peat?",
    ]
    assert told("bank", *given, *output, "--offline") == first


def test_an_id_with_a_slash_is_a_query_and_a_subtopic(tmp_path):
    queries, path = tmp_path / "queries.tsv", tmp_path / "bank.jsonl"
    queries.write_text("wet/peat\tWetlands / How peat forms\n")
    given = ("draft", "--queries", queries, "--style", "car", "--model", "tiny", "--count", 2)
    with ModelServer(completion(QUESTIONS)) as server:
        told("bank", *given, "-o", path, "--base-url", server.base_url)
    (found,) = read_exams(path)
    assert found.key == ("wet", "peat")
    assert found.items[0].item_id.startswith("wet/peat/")


def test_a_query_without_a_bank_is_an_error(queries, tmp_path):
    given = ("draft", "--queries", queries, "--model", "tiny", "--count", 2)
    with ModelServer(completion("no")) as server:
        url = ("--base-url", server.base_url)
        found = told("bank", *given, "-o", tmp_path / "bank.jsonl", *url, code=1)
    assert found["written"] is None
    assert list(found["failed"]) == ["q"]


def test_a_draft_needs_a_model_or_passages(queries, tmp_path):
    given = ("draft", "--queries", queries, "-o", tmp_path / "x")
    with pytest.raises(UsageError, match="--model, which drafts, or --passages"):
        said("bank", *given)
    with pytest.raises(UsageError, match="only key facts"):
        said("bank", *given, "--passages", tmp_path / "none")


def test_a_bank_is_edited_compared_and_merged(drafted, tmp_path):
    (first, second) = read_exams(drafted)[0].items
    edited, merged = tmp_path / "edited.jsonl", tmp_path / "merged.jsonl"
    told(
        "bank", "edit", drafted, "-o", edited, "--add", "q=Peat is a fuel.", "--drop", first.item_id
    )
    changes = told("bank", "diff", drafted, edited)["changes"]
    assert [one["what"] for one in changes] == ["dropped", "added"]
    assert "2 items in one bank only" in said("bank", "diff", drafted, edited)
    found = told("bank", "merge", drafted, edited, "-o", merged)
    assert found["version"] == told("bank", "show", merged)["version"]
    (shown,) = told("bank", "show", merged, "--query", "q")["queries"]
    assert [one["item_id"] for one in shown["items"]][:2] == [first.item_id, second.item_id]
    assert "Peat is a fuel." in said("bank", "show", merged, "--query", "q")
    assert "3 items" in said("bank", "show", merged)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--add", "q"), "expected NAME=TEXT"),
        (("--add", "x=y"), "no query x"),
        (("--drop", "x"), "no item x"),
    ],
)
def test_what_cannot_be_edited_is_named(drafted, tmp_path, given, says):
    with pytest.raises(UsageError, match=says):
        said("bank", "edit", drafted, "-o", tmp_path / "x", *given)
    with pytest.raises(UsageError, match="no query x"):
        said("bank", "show", drafted, "--query", "x")


def test_a_bank_that_grades_the_passages_it_was_drafted_from_is_warned_of(drafted, tmp_path):
    passages = tmp_path / "passages.jsonl"
    _, warned = call("grade", passages, "--bank", drafted, "-o", tmp_path / "graded.jsonl")
    assert "the bank was drafted from 2 of these passages" in warned
    others = tmp_path / "others.jsonl"
    other = GradedPassage("q", "elsewhere", "Peat is burnt for heat.")
    write_graded(others, [GradedQuery("q", (other,))])
    _, warned = call("grade", others, "--bank", drafted, "-o", tmp_path / "more.jsonl")
    assert "drafted from" not in warned
