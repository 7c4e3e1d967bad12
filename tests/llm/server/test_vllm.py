"""A real child process stands in for vLLM; what is left of it is looked up in /proc."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from sidelight.errors import MachineError, ModelUnavailableError
from sidelight.llm.server.openai_compat import OpenAICompatModel
from sidelight.llm.server.vllm import serve_vllm
from tests.helpers.models import fake_vllm


class FakeVllm:
    """What the fake server tells about itself."""

    def __init__(self, tells):
        self._tells = tells

    @property
    def arguments(self):
        told: list[str] = json.loads(self._tells.read_text())["arguments"]
        return told

    def alive(self):
        return [pid for pid in json.loads(self._tells.read_text())["pids"] if is_alive(pid)]

    def left(self):
        """Those alive after what was ended, or killed, has had time to go."""
        deadline = time.monotonic() + 15
        while (alive := self.alive()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return alive


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except (FileNotFoundError, ProcessLookupError):  # gone, or gone between open and read
        return False
    return state != "Z"


@pytest.fixture
def vllm(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    executable = folder / "vllm"
    executable.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{fake_vllm.__file__}" "$@"\n')
    executable.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    tells = tmp_path / "tells.json"
    monkeypatch.setenv("FAKE_VLLM_TELLS", str(tells))
    return FakeVllm(tells)


def serve(model, folder, work, **options):
    """Serve a model and do some work with its address."""

    async def served():
        async with serve_vllm(model, folder / "logs" / "log", **options) as url:
            await work(url)

    asyncio.run(served())


async def unreached(_):
    raise AssertionError("it is not ready")


def test_a_server_is_ready_in_the_block_and_gone_after_it(vllm, tmp_path):
    said: list[str] = []

    async def work(url):
        health = url.removesuffix("/v1") + "/health"
        with await asyncio.to_thread(urllib.request.urlopen, health) as response:
            assert response.status == 200
        assert len(vllm.alive()) == 2
        raise RuntimeError("elsewhere")  # an error in the block ends the server, too

    with pytest.raises(RuntimeError, match="elsewhere"):
        serve("tiny", tmp_path, work, progress=said.append)
    assert vllm.left() == []
    assert said == ["loading weights"]
    assert (tmp_path / "logs" / "log").read_text() == "loading weights\n"


def test_every_setting_becomes_an_argument(vllm, tmp_path):
    async def told(url):
        port = url.removesuffix("/v1").rpartition(":")[2]
        assert vllm.arguments == [
            *("serve", "tiny", "--host", "127.0.0.1", "--port", port),
            *("--tensor-parallel-size", "2", "--max-model-len", "8192"),
            "--no-enable-prefix-caching",
            *("--structured-outputs-config.backend", "xgrammar"),
            *("--reasoning-parser", "qwen3", "--dtype", "bfloat16"),
        ]

    async def left_to_vllm(_):
        assert "--enable-prefix-caching" in vllm.arguments
        assert not {"--max-model-len", "--reasoning-parser"} & set(vllm.arguments)

    serve(
        *("tiny", tmp_path, told),
        tensor_parallel_size=2,
        max_model_len=8192,
        prefix_caching=False,
        structured_outputs_backend="xgrammar",
        reasoning_parser="qwen3",
        extra_arguments=("--dtype", "bfloat16"),
    )
    serve("tiny", tmp_path, left_to_vllm)


@pytest.mark.parametrize(
    ("model", "timeout_s", "said"),
    [
        ("dies", 60.0, "(?s)ended while it started.*CUDA out of memory"),
        ("never-ready", 2.0, r"not ready in 2 s.*\nloading weights"),
    ],
)
def test_a_server_that_is_not_ready_is_reported_with_its_last_words(
    model, timeout_s, said, vllm, tmp_path
):
    with pytest.raises(MachineError, match=said) as caught:
        serve(model, tmp_path, unreached, start_timeout_s=timeout_s)
    assert str(tmp_path / "logs" / "log") in caught.value.remedy
    assert vllm.left() == []


# One that is there and refuses is not said to have ended.
@pytest.mark.parametrize(
    ("served", "error", "said"),
    [
        (
            "dies-later",
            MachineError,
            "asked; its first error: RuntimeError: Worker has no offset; .*\nleaked",
        ),
        ("tiny", ModelUnavailableError, "404"),
    ],
)
def test_a_server_that_dies_later_is_reported_too(served, error, said, vllm, tmp_path):
    async def list_models(url):
        async with OpenAICompatModel("x", url) as model:
            await model.served_models()

    with pytest.raises(error, match=said):
        serve(served, tmp_path, list_models)
    assert vllm.left() == []


@pytest.mark.parametrize("model", ["tiny", "never-ready"], ids=["ready", "starting"])
def test_kill_9_leaves_no_orphan(model, vllm, tmp_path):
    code = (
        "import asyncio, pathlib, sys\n"
        "from sidelight.llm.server.vllm import serve_vllm\n"
        "async def serve():\n"
        "    async with serve_vllm(sys.argv[1], pathlib.Path(sys.argv[2]), progress=print):\n"
        "        print('ready', flush=True)\n"
        "        await asyncio.sleep(600)\n"
        "asyncio.run(serve())\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-u", "-c", code, model, str(tmp_path / "log")],
        stdout=subprocess.PIPE,
        text=True,
    )
    with parent:
        assert parent.stdout.readline() == "loading weights\n"
        if model == "tiny":
            assert parent.stdout.readline() == "ready\n"
        assert len(vllm.alive()) == 2
        parent.kill()
    assert vllm.left() == []


def test_a_missing_vllm_is_named_with_its_install_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(MachineError, match=r"\[gpu\]'"):
        serve("tiny", tmp_path, unreached)
