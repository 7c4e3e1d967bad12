import sys
from pathlib import Path

from sidelight.config.load import load_settings
from sidelight.wiring.estimate import check_settings
from tests.helpers.models.model_server import ModelServer, completion

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def checks(index, *overrides, base_url=""):
    settings = load_settings(None, overrides)
    return {check.name: check for check in check_settings(settings, index, base_url)}


def test_a_run_that_could_work(small_index):
    found = checks(small_index.path)
    assert all(check.ok for check in found.values())
    assert found["index"].found.endswith("40 segments, 0.0 GB")
    assert found["vectors"].found == "exact, 384 numbers each, 0.0 GB"
    assert found["text"].found == "Docstore, 40 segments"


def test_what_a_retriever_reads_is_looked_for(small_index):
    assert checks(small_index.path, "retrieval.retriever=rm3")["retriever rm3"].ok
    weights = checks(small_index.path, "retrieval.retriever=splade")["retriever splade"]
    assert weights.remedy.endswith("or build the index with --impact.")


def test_no_index(tmp_path):
    check = checks(tmp_path)["index"]
    assert check.found == f"{tmp_path}: expected an index; found none"
    assert check.remedy.startswith("Make one of web pages, texts or documents, and ")


def test_a_reranker_that_is_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    own = checks(None, "retrieval.reranker=boost:Boost")["reranker"]
    assert "docs/extending.md. Set: retrieval.retriever=boost:Boost" in own.remedy
    check = checks(None, "retrieval.reranker=cross-encoder/none-such")["reranker"]
    assert check.remedy.startswith("Fetch it with: hf download cross-encoder/none-such")
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    assert checks(None, f"retrieval.reranker={model}")["reranker"].ok


def test_models_and_their_servers():
    asking = "roles.default=prompted"
    assert checks(None, asking)["model writer"].remedy.startswith("Add models.writer.name")
    named = "models.writer.name=m"
    nowhere = checks(None, asking, named)["model writer"]
    assert nowhere.found == "m: no address of its server 'default'"
    assert nowhere.remedy.startswith("Add servers.default.base_url")
    with ModelServer(completion('{"name": "cat", "legs": 4}')) as server:
        there = checks(None, asking, named, base_url=server.base_url)
    assert there["model writer"] == ("model writer", f"m at {server.base_url}", "")
    assert there["model server"].ok
    gone = checks(None, asking, named, base_url=server.base_url)
    assert gone["model server"].remedy.startswith("Start the server")
    told = checks(None, asking, named, "servers.default.base_url=http://localhost:1/v1")
    assert told["model writer"].ok
    assert "model checker" not in told
    listwise = checks(None, "retrieval.listwise_depth=40")
    assert listwise["model ranker"].remedy.startswith("Add models.ranker.name")
    assert "model writer" not in listwise


def test_the_vllm_that_is_to_serve_may_be_of_another_environment(tmp_path, monkeypatch):
    started = ("roles.default=prompted", "models.writer.name=m", "servers.default.start=vllm")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    remedy = checks(None, *started)["model writer"].remedy
    assert remedy.startswith(
        "Name a server: --base-url; or, in an environment of its own, add vLLM"
    )
    assert remedy.endswith("-e '.[gpu]'")
    (tmp_path / "vllm").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "vllm").chmod(0o755)
    assert checks(None, *started)["model writer"].ok


def test_a_preset_that_is_not_filled_in_fails():
    address = "https://api.example/v1"
    for preset, base_url, found, wanted in (
        (
            "hosted",
            "",
            f"your-model at {address}",
            "models.writer.name and servers.default.base_url",
        ),
        ("hosted", "http://localhost:1/v1", "your-model", "models.writer.name"),
        ("small", "", "your-model", "models.writer.name"),
    ):
        settings = load_settings(CONFIGS / f"{preset}.yaml")
        check = check_settings(settings, None, base_url)[-1]
        assert check.found == f"only a placeholder: {found}"
        assert check.remedy == f"Fill in {wanted} in a copy of the configuration."
    filled = load_settings(CONFIGS / "hosted.yaml", ["models.writer.name=m"])
    assert check_settings(filled, None)[-1].found == f"only a placeholder: {address}"


def test_the_preset_of_the_reference_asks_for_its_models():
    settings = load_settings(CONFIGS / "reference-rag25.yaml")
    names = [check.name for check in check_settings(settings, None)]
    assert names[-2:] == ["model writer", "model ranker"]
