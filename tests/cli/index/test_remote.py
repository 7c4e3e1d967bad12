"""`sidelight index remote`, and the commands that take its folder."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from sidelight.errors import MachineError, UsageError
from sidelight.index.folder import IndexFolder
from sidelight.index.remote.client import tokens_file
from tests.helpers.commands import said
from tests.helpers.indexes.rest_server import NAME, RestServer

TOKEN = "s3cret-of-the-tests"


def test_a_folder_stands_for_an_index_on_a_server(small_index: IndexFolder, tmp_path: Path) -> None:
    folder = tmp_path / "remote"
    with RestServer(small_index) as server:
        made = said("index", "remote", server.url, NAME, "-o", folder)
        assert made == said("index", "info", folder)
        assert server.url in made
        assert orjson.loads(said("index", "info", folder, "--json"))["index"] == NAME
        found = said("search", "--index", folder, "bakery study")
        local = said("search", "--index", small_index.path, "--retriever", "bm25", "bakery study")
        assert found == local
        config = tmp_path / "config.yaml"
        config.write_text("retrieval: {retriever: bm25}\n")
        assert NAME in said("doctor", "--index", folder, "--config", config)
        config.write_text("retrieval: {retriever: hybrid}\n")
        assert "need vectors" in said("doctor", "--index", folder, "--config", config, code=3)
    with pytest.raises(MachineError, match=r"refused|gave no answer"):  # the server has ended
        said("index", "remote", server.url, NAME, "-o", tmp_path / "dead")


def test_what_a_user_gets_wrong_is_said(small_index: IndexFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="address of a server"):
        said("index", "remote", "localhost:8081", NAME, "-o", tmp_path / "a")
    with pytest.raises(UsageError, match="environment variable"):
        said("index", "remote", "http://me:secret@localhost", NAME, "-o", tmp_path / "a")
    with pytest.raises(UsageError, match="new folder"):
        said("index", "remote", "http://localhost", NAME, "-o", small_index.path)
    assert not (tmp_path / "a").exists()


def test_a_server_receives_the_token_that_the_user_allows_it(
    small_index: IndexFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSERINI_API_TOKEN", TOKEN)
    with RestServer(small_index, token=TOKEN) as server:
        folder = tmp_path / "remote"
        searched = ("search", "--index", folder, "--retriever", "bm25", "bakery study")
        with pytest.raises(MachineError, match="401") as refused:
            said("index", "remote", server.url, NAME, "-o", folder)
        assert "--token-variable PYSERINI_API_TOKEN" in refused.value.remedy
        assert server.authorizations == [""]
        allowed = ("--token-variable", "PYSERINI_API_TOKEN")
        said("index", "remote", server.url, NAME, "-o", folder, *allowed)
        assert said(*searched)
        assert server.authorizations[-1] == f"Bearer {TOKEN}"
    written = (folder / "remote.json").read_text() + tokens_file().read_text()
    assert TOKEN not in written


def test_a_token_in_plain_text_is_refused(tmp_path: Path) -> None:
    allowed = ("--token-variable", "PYSERINI_API_TOKEN")
    with pytest.raises(UsageError, match="unencrypted"):
        said("index", "remote", "http://far.example", NAME, "-o", tmp_path / "far", *allowed)
    with pytest.raises(UsageError, match="name of an environment variable"):
        said(
            "index",
            "remote",
            "https://far.example",
            NAME,
            "-o",
            tmp_path / "far",
            allowed[0],
            "a b",
        )
    assert not (tmp_path / "far").exists()
