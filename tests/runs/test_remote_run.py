"""A run over a server is the run over the local index but for where its index was."""

import re

import orjson

import sidelight
from sidelight.config.settings import Settings
from sidelight.index.folder import open_index
from sidelight.index.remote.client import RemoteAddress, write_address
from sidelight.wiring.run import make_run
from tests.helpers.indexes.rest_server import NAME, RestServer

# Of the whole of a run's inputs; the index is one of them.
FINGERPRINT = re.compile(rb'"fingerprint": "[0-9a-f]{64}"')


def files(run):
    folder = run.directory.path
    return {
        path.relative_to(folder).as_posix(): FINGERPRINT.sub(b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != run.directory.manifest
    }


def test_a_topic_comes_out_as_over_the_index_itself(mini_web_articles, mini_web_index, tmp_path):
    topics = mini_web_articles[:1]
    given = {"submission": {"run_id": "sidelight-rest"}, "retrieval": {"retriever": "bm25"}}
    settings = Settings.model_validate({**given, "investigation": {"max_rounds": 1}})
    # A folder is opened; an index that is open is searched as it is.
    local = make_run(topics, settings, str(mini_web_index.path), str(tmp_path / "local"))
    with RestServer(mini_web_index) as server:
        folder = tmp_path / "index"
        write_address(folder, RemoteAddress(url=server.url, index=NAME))
        remote = make_run(topics, settings, open_index(folder), tmp_path / "remote")
        asked = len(server.requests)
        again = make_run(topics, settings, open_index(folder), tmp_path / "again")
        assert len(server.requests) == asked
        given = {"k": 3, "retriever": "bm25"}
        assert sidelight.search("peat", open_index(folder), **given) == sidelight.search(
            "peat", mini_web_index, **given
        )
    assert remote.succeeded
    assert files(local) == files(remote) == files(again)
    assert {"task1.tsv", "task2.jsonl"} <= files(remote).keys()
    of_local, of_remote, repeated = (
        orjson.loads(run.directory.manifest.read_bytes()) for run in (local, remote, again)
    )
    assert of_remote == repeated
    assert {key for key in of_local if of_local[key] != of_remote[key]} == {"index", "files"}
