"""`sidelight index remote`, and the commands that take its folder."""

import orjson
import pytest

from sidelight.errors import InputError, MachineError, UsageError
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


def test_a_trial_that_fails_leaves_nothing_behind(
    small_index, tmp_path, quick_backoff, monkeypatch
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("SIDELIGHT_TEST_TOKEN", "s3cret-token")
    (tmp_path / "empty").mkdir()
    with RestServer(small_index) as server:
        pass
    for folder in (tmp_path / "dead", tmp_path / "empty"):
        given = (server.url, NAME, "-o", folder, "--token-variable", "SIDELIGHT_TEST_TOKEN")
        with pytest.raises(MachineError, match=r"refused|gave no answer"):
            said("index", "remote", *given)
    assert list(tmp_path.iterdir()) == [tmp_path / "empty"]
    assert not list((tmp_path / "empty").iterdir())
    with pytest.raises(InputError, match="found no such folder") as caught:
        said("search", "--index", tmp_path / "dead", "bakery study")
    assert "If a server keeps the index: sidelight index remote" in caught.value.remedy
    with RestServer(small_index, token="s3cret-token") as server:
        given = (server.url, NAME, "-o", tmp_path / "new", "--token-variable")
        said("index", "remote", *given, "SIDELIGHT_TEST_TOKEN")
        assert "study" in said("search", "--index", tmp_path / "new", "bakery study")


def test_what_a_user_gets_wrong_is_said(small_index, tmp_path):
    for address, folder, says in (
        ("localhost:8081", tmp_path / "a", "address of a server"),
        ("http://localhost", small_index.path, "new folder"),
    ):
        with pytest.raises(UsageError, match=says):
            said("index", "remote", address, NAME, "-o", folder)
    given = ("https://far.example", NAME, "-o", tmp_path / "a", "--token-variable")
    with pytest.raises(UsageError, match="name of an environment variable"):
        said("index", "remote", *given, "a b")
    with pytest.raises(UsageError, match="TOKEN_NOBODY_SET: this environment variable is not set"):
        said("index", "remote", *given, "TOKEN_NOBODY_SET")
    assert not (tmp_path / "a").exists()
