"""A server for LangSmith's traces that anybody may have set up for other programs hears nothing."""

import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from sidelight.sample import sample_path
from sidelight.versions import VARIABLE, untraced
from tests.helpers.vectors import PROGRAM

TOPIC = "msmarco_v2.1_doc_90_9184"


class Sink(BaseHTTPRequestHandler):
    heard: list[str]

    def do_GET(self):
        self.heard.append(self.path)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_PATCH = do_GET  # noqa: N815

    def log_message(self, *_): ...


@pytest.fixture
def sink():
    """The address of a server, and the paths that it was asked for."""
    Sink.heard = heard = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Sink) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield SimpleNamespace(url=f"http://127.0.0.1:{server.server_port}", heard=heard)
        server.shutdown()


def variables(sink):
    return {
        f"{maker}_{name}": value
        for maker in ("LANGSMITH", "LANGCHAIN")
        for name, value in (
            ("TRACING", "true"),
            ("TRACING_V2", "true"),
            ("ENDPOINT", sink.url),
            ("API_KEY", "lsv2_pt_0"),
        )
    }


@pytest.mark.parametrize("wanted", ["", pytest.param("on", marks=pytest.mark.slow)])
def test_a_run_is_traced_only_where_that_is_wanted(wanted, sink, small_index, tmp_path):
    command = ["run", "--topic", TOPIC, "--topics", sample_path() / "topics.jsonl"]
    where = ["--index", small_index.path, "--output", tmp_path / "run"]
    where += ["--set", "retrieval.retriever=bm25", "--set", "investigation.max_rounds=1"]
    done = subprocess.run(
        [*PROGRAM, *map(str, (*command, *where))],
        env=os.environ | variables(sink) | {VARIABLE: wanted},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert bool(sink.heard) == bool(wanted)


def test_a_program_that_traces_its_own_work_does_not_trace_ours(sink, monkeypatch):
    from langsmith.utils import get_env_var, tracing_is_enabled

    for name, value in variables(sink).items():
        monkeypatch.setenv(name, value)
    get_env_var.cache_clear()
    try:
        assert tracing_is_enabled()
        with untraced():
            assert not tracing_is_enabled()
        assert tracing_is_enabled()
    finally:
        monkeypatch.undo()
        get_env_var.cache_clear()
