"""What can be looked at of `make live` without a model server."""

import subprocess
import sys
import time

import pytest

from benchmarks.live_report import Heard, Report
from benchmarks.own_server import alive, family, left_over
from benchmarks.server_metrics import PromptTokens, ask_metrics, read_metrics
from sidelight.llm.base import JsonSchema
from tests.helpers.models.model_server import ModelServer

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


def test_metrics_are_added_up_over_engines():
    assert read_metrics(METRICS) == PromptTokens(read=2000, looked_up=2000, found=500)
    added = read_metrics(METRICS).since(PromptTokens(1000, 1000, 250))
    assert str(added) == "1,000 prompt tokens, 25.0% of them found in the prefix cache"
    assert str(PromptTokens(read=7)) == "7 prompt tokens, no prefix cache"
    with ModelServer() as server:  # which has no such metrics
        assert ask_metrics(server.base_url) is None


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"word": "wren"}', "1 answers fit, 0 do not, 0 cut short"),
        ('{"word": "w\x02n"}', "1 answers fit, 0 do not, 0 cut short; 1 hold control characters"),
        ('{"word": "ostrich"}', "0 answers fit, 1 do not, 0 cut short"),
        ("a wren", "0 answers fit, 1 do not, 0 cut short"),
    ],
)
def test_answers_are_held_against_their_schema(answer, found):
    heard, report = Heard(), Report()
    heard.take(SCHEMA, answer)
    heard.report(report, "schemas")
    assert found in report.lines[0]
    assert report.failed == found.startswith("0 answers")
    # Nothing was held against these.
    heard, report = Heard(), Report()
    heard.outcomes["cut"] += 1
    heard.report(report, "schemas")
    assert report.failed


def test_processes_that_are_left_are_found():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as parent:
        while not (processes := family(parent.pid)):
            time.sleep(0.02)
        assert alive(processes) == list(processes)
        parent.communicate()
    assert left_over(processes) == []
