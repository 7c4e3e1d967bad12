"""`sidelight index remote`, and the commands that take its folder."""

import orjson
import pytest

from sidelight.errors import MachineError, UsageError
from tests.helpers.commands import said
from tests.helpers.indexes.rest_server import NAME, RestServer


def test_a_folder_stands_for_an_index_on_a_server(small_index, tmp_path, quick_backoff):
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
    assert not (tmp_path / "dead").exists()


def test_what_a_user_gets_wrong_is_said(small_index, tmp_path):
    for address, folder, says in (
        ("localhost:8081", tmp_path / "a", "address of a server"),
        ("http://localhost", small_index.path, "new folder"),
    ):
        with pytest.raises(UsageError, match=says):
            said("index", "remote", address, NAME, "-o", folder)
    given = ("https://far.example", NAME, "-o", tmp_path / "a", "--token-variable", "a b")
    with pytest.raises(UsageError, match="name of an environment variable"):
        said("index", "remote", *given)
    assert not (tmp_path / "a").exists()
