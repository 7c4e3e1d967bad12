"""Each task of each track, from topics to submission to score, as the page says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidelight.index.folder import open_index
from sidelight.sample import sample_path
from sidelight.schemas.segment import document_id_of
from sidelight.schemas.topic import question_id
from sidelight.tracks import load_track
from tests.helpers.commands import said
from tests.helpers.models.model_server import ModelServer, completion
from tests.helpers.recipes import carry_out, read_recipes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tracks.md"
RECIPES = {recipe.title.partition(":")[0]: recipe for recipe in read_recipes(PAGE)}
GRADE = {"covered": [1], "beside": "none", "grade": "3"}


@pytest.fixture
def inputs(tmp_path, mini_web_index):
    """What the page asks a reader to set: one article and one narrative of the mini web."""
    (tmp_path / "configs").symlink_to(PAGE.parents[1] / "configs")
    sample = sample_path()
    files = {name: tmp_path / name for name in ("articles.jsonl", "narratives.jsonl", "qrels")}
    articles = (sample / "topics.jsonl").read_text("utf-8").splitlines(keepends=True)
    files["articles.jsonl"].write_text(articles[0], "utf-8")
    narrative = json.loads((sample / "narratives.jsonl").read_text("utf-8").splitlines()[0])
    narrative["sub_questions"] = ["who is behind the Sentinel Policy Journal", "jobs in peat"]
    files["narratives.jsonl"].write_text(json.dumps(narrative) + "\n", "utf-8")
    found = said("search", "--index", mini_web_index.path, "--k", 50, "--json", narrative["title"])
    names = [hit["segment_id"] for hit in json.loads(found)]
    files["qrels"].write_text("".join(f"peat 0 {name} {n % 4}\n" for n, name in enumerate(names)))
    # Every document for every question; the run is not to know what it is scored by.
    article = json.loads(articles[0])["docid"]
    documents = sorted({document_id_of(one.segment_id) for one in mini_web_index.docstore})
    useful = tmp_path / "useful"
    useful.write_text(
        "".join(
            f"{question_id(article, number)} 0 {name} {(place + number) % 3}\n"
            for number in range(1, 11)
            for place, name in enumerate(documents)
        )
    )
    nuggets = tmp_path / "nuggets.jsonl"
    facts = [{"text": "the institute publishes the journal", "importance": "vital"}]
    nuggets.write_text(json.dumps({"qid": "peat", "query": "who", "nuggets": facts}) + "\n")
    return {
        "INDEX": str(mini_web_index.path),
        "ARTICLES": str(files["articles.jsonl"]),
        "NARRATIVES": str(files["narratives.jsonl"]),
        "DATA": str(sample),
        "QRELS": str(files["qrels"]),
        "NUGGETS": str(nuggets),
        "USEFUL": str(useful),
        "MODEL": "tiny",
    }


def test_the_page_has_every_track():
    named = PAGE.read_text(encoding="utf-8")
    for name in ("dragun2025", "dragun2026testbed", "lateral2024", "rag2024", "rag2025", "rag2026"):
        assert f"| `{name}` |" in named
        if name != "lateral2024":
            assert f"{load_track(name).cited_text.max_words:,} words" in named


@pytest.mark.parametrize(
    "title",
    [
        pytest.param("TREC 2025 DRAGUN", marks=pytest.mark.slow),
        pytest.param("DRAGUN testbed of 2026", marks=pytest.mark.slow),
        pytest.param("TREC 2024 Lateral Reading", marks=pytest.mark.slow),
        pytest.param("TREC 2024 RAG", marks=pytest.mark.slow),
        "TREC 2025 RAG",
    ],
)
def test_a_track_over_the_mini_web(title, tmp_path, inputs):
    with ModelServer(completion(json.dumps(GRADE))) as server:
        carry_out(RECIPES[title], tmp_path, SERVER=server.base_url, **inputs)
    assert (tmp_path / "runs").is_dir()


@pytest.mark.slow
def test_the_track_of_2026_over_documents_of_its_ids(tmp_path, mini_web_index, inputs):
    documents = tmp_path / "documents.jsonl"
    segments = open_index(mini_web_index.path).docstore
    lines = (
        {"docid": f"shard_00000_{number}", "segment": one.text, "title": "", "url": ""}
        for number, one in enumerate(segments)
    )
    documents.write_text("".join(json.dumps(line) + "\n" for line in lines))
    said("index", "build", documents, "--profile", "none", "-o", tmp_path / "climbmix")
    carry_out(RECIPES["TREC 2026 RAG"], tmp_path, CLIMBMIX=str(tmp_path / "climbmix"), **inputs)


def test_every_recipe_is_carried_out():
    carried_out = [RECIPES["TREC 2026 RAG"]]
    assert len(RECIPES) == 5 + len(carried_out)
