"""AutoJudge with a model: three phases, and the same again without a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.test_autojudge import SOURCES, installed, line
from tests.helpers.models.model_server import Answer, ModelServer, completion, error

__all__ = ["installed"]

WORKFLOW = Path(str(files("sidelight.cli") / "autojudge_model.yml"))
BRIDGE, SALMON = "Bridge at Harrow opened in 1931.", "Salmon return in autumn."
KEY = "s3cret-key"


class JudgingServer(ModelServer):
    """Finds two facts, grades documents on bridges, and believes that reports tell of bridges."""

    def __init__(self) -> None:
        super().__init__(models=("tiny",))
        self.kinds: list[str] = []

    def _chat(self, request: dict[str, Any]) -> Answer:
        kind = request["response_format"]["json_schema"]["name"]
        self.kinds.append(kind)
        asked = request["messages"][-1]["content"]
        labels = ["support", "not_support"]
        replies: dict[str, Any] = {
            "NuggetList": {"nuggets": [BRIDGE, SALMON]},
            "WeighedList": {
                "labels": [{"number": 1, "label": "vital"}, {"number": 2, "label": "okay"}]
            },
            "DirectVerdict": {"reasons": "read", "verdict": "3" if "1931" in asked else "0"},
            "AssignedList": {
                "labels": [
                    {"number": number, "reason": "read", "label": label}
                    for number, label in enumerate(labels, start=1)
                ]
            },
        }
        return completion(json.dumps(replies[kind])) if kind in replies else error(400, kind)


def auto_judge(runs: Path, out: Path, base_url: str) -> subprocess.CompletedProcess[str]:
    topics = runs.parent / "topics.jsonl"
    topics.write_text(json.dumps({"request_id": "a", "title": "the bridge at Harrow"}) + "\n")
    where = {
        "--workflow": WORKFLOW,
        "--rag-responses": runs,
        "--rag-topics": topics,
        "--out-dir": out,
    }
    given = [str(part) for pair in where.items() for part in pair]
    settings = {
        "OPENAI_MODEL": "tiny",
        "OPENAI_BASE_URL": base_url,
        "OPENAI_API_KEY": KEY,
        "CACHE_DIR": str(runs.parent / "replies"),
    }
    return subprocess.run(
        [sys.executable, "-m", "autojudge_base.cli", "run", *given],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **settings},
    )


@pytest.mark.usefixtures("installed")
def test_three_phases_and_their_replay_without_a_server(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "one.jsonl").write_text(line("one", "a", "d1", "d2", documents=SOURCES))
    with JudgingServer() as server:
        done = auto_judge(runs, tmp_path / "first", server.base_url)
        assert done.returncode == 0, done.stderr
    assert set(server.kinds) == {"NuggetList", "WeighedList", "DirectVerdict", "AssignedList"}
    # The server is gone, and the address is another: keys do not hold it.
    again = auto_judge(runs, tmp_path / "second", "http://127.0.0.1:9/v1")
    assert again.returncode == 0, again.stderr
    first, second = (
        {
            path.name: path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.suffix in {".txt", ".qrels", ".jsonl"} and path.is_file()
        }
        for name in ("first", "second")
    )
    assert first == second
    assert any(b"1931" in content for name, content in first.items() if "nugget" in name)
    scores = first["sidelight.eval.txt"].decode()
    assert "one\ta\tstrict_vital_score\t1.0" in scores
    assert "one\ta\tstrict_all_score\t0.5" in scores
    (graded,) = (content for name, content in first.items() if "qrel" in name)
    assert sorted(graded.decode().split("\n")[:-1]) == ["a 0 d1 3", "a 0 d2 0"]
    told = done.stdout + done.stderr + again.stdout + again.stderr
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY not in told
    assert KEY.encode() not in written
