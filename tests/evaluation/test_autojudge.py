"""The real auto-judge command, where its package and the word list it loads are installed."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
from sidelight.sample import sample_path
from sidelight.tracks import load_track
from tests.helpers.models.model_server import ModelServer, completion, error

pytestmark = pytest.mark.usefixtures("installed")
SCALES = load_track().scales

WORKFLOW = Path(str(files("sidelight.cli") / "autojudge.yml"))
RUBRICS = sample_path() / "human_rubrics"
REPORTS = sample_path() / "runs" / "report_generation_runs"
TOPICS = sorted(read_rubrics(RUBRICS, SCALES))

SENTENCE = "The bridge at Harrow opened in 1931."
SOURCES = {
    "d1": {"id": "d1", "text": SENTENCE},
    "d2": {"id": "d2", "text": "Salmon return to the river in autumn."},
}


@pytest.fixture(scope="module")
def installed():
    if find_spec("autojudge_base") is None:
        pytest.skip("needs autojudge-base: pip install 'sidelight[autojudge]'")
    import nltk

    try:
        nltk.data.find("corpora/stopwords")
    except LookupError:
        pytest.skip("autojudge-base needs NLTK's stop words: python -m nltk.downloader stopwords")


def auto_judge(runs, titles, *options, workflow=WORKFLOW, out="judged", **environment):
    topics = runs.parent / "topics.jsonl"
    asked = ({"request_id": topic, "title": title} for topic, title in titles.items())
    topics.write_text("".join(f"{json.dumps(one)}\n" for one in asked))
    where = {
        "--workflow": workflow,
        "--rag-responses": runs,
        "--rag-topics": topics,
        "--out-dir": runs.parent / out,
    }
    given = [str(part) for pair in where.items() for part in pair]
    return subprocess.run(
        [sys.executable, "-m", "autojudge_base.cli", "run", *given, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def leaderboard(runs, topic_ids, *options):
    """Run the command and return (run, topic) -> the main measure."""
    done = auto_judge(runs, dict(zip(topic_ids, topic_ids, strict=True)), *options)
    assert done.returncode == 0, done.stderr
    folder = runs.parent / "judged"
    measures = yaml.safe_load((folder / "sidelight.eval.measures.yml").read_text())["measures"]
    assert all(measure["description"] for measure in measures)
    rows = [line.split("\t") for line in (folder / "sidelight.eval.txt").read_text().splitlines()]
    return {
        (run, topic): float(value)
        for run, topic, measure, value in rows
        if measure == measures[0]["name"]
    }


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def line(run_id, topic_id, *cited, **more):
    metadata = {"team_id": "team", "run_id": run_id, "topic_id": topic_id}
    responses = [{"text": SENTENCE, "citations": [source]} for source in cited]
    return json.dumps({"metadata": metadata, "responses": responses, **more}) + "\n"


def test_without_rubrics_support_decides(runs, tmp_path):
    # The second report calls another text d2: each is held against its own documents.
    renamed = {"d2": {"id": "d2", "text": SENTENCE}}
    (runs / "one.jsonl").write_text(
        line("one", "a", "d1", "d2", documents=SOURCES) + line("one", "b", "d2", documents=renamed)
    )
    (runs / "two.jsonl").write_text(line("two", "a", "d2", documents=SOURCES))
    assert leaderboard(runs, ["a", "b"]) == {
        ("one", "a"): 0.5,  # one of two sentences
        ("one", "b"): 1.0,
        ("one", "all"): 0.75,
        ("two", "a"): 0.0,
        ("two", "b"): 0.0,  # no report
        ("two", "all"): 0.0,
    }
    assert len((tmp_path / "judged" / "auto_support_sentences.csv").read_text().splitlines()) == 5


def test_a_source_that_is_not_carried_leaves_the_sentence_unjudged(runs, tmp_path):
    (runs / "one.jsonl").write_text(line("one", "a", "d1"))
    assert leaderboard(runs, ["a"])["one", "all"] == 0.0
    shown = (tmp_path / "judged" / "sidelight.eval.txt").read_text()
    assert "one\tall\tunjudged\t1.0" in shown


def test_with_rubrics_the_embedded_judge_decides(runs, tmp_path):
    for path in REPORTS.iterdir():
        (runs / f"{path.name}.jsonl").write_bytes(path.read_bytes())
    board = leaderboard(runs, TOPICS, "--set", f"rubrics={RUBRICS}")
    means = {run: score for (run, topic), score in board.items() if topic == "all"}
    # The mini web has one strong run, one middling and one weak.
    assert sorted(means, key=means.__getitem__) == ["tidepool-t2", "quillmark-t2", "lantern-t2"]
    assert len(board) == len(means) * (len(TOPICS) + 1)
    labels = read_assessments(
        tmp_path / "judged" / "auto_report_assessments.csv", ANSWER_ASSESSMENTS, SCALES
    )
    assert {label.run_tag for label in labels} == means.keys()
    manifest = json.loads((tmp_path / "judged" / "manifest.json").read_text())
    assert manifest["judge"] == "embedded"
    assert "words only" in manifest["version"]


def test_a_topic_without_a_rubric_is_named(runs):
    (runs / "one.jsonl").write_text(line("one", "a", "d1"))
    done = auto_judge(runs, {"a": "a"}, "--set", f"rubrics={RUBRICS}")
    assert done.returncode != 0
    assert "holds no rubric for the topic a" in done.stderr


def test_the_runs_of_the_starter_kit(runs, shared_data):
    for path in (shared_data / "autojudge-kiddie").glob("run*.jsonl"):
        (runs / path.name).write_bytes(path.read_bytes())
    board = leaderboard(runs, ["bee", "cloud", "earthworms", "hibernation", "leaf"])
    means = {run: score for (run, topic), score in board.items() if topic == "all"}
    # Observed; run1 quotes its sources most closely.
    assert means == pytest.approx({"run1": 0.72, "run2": 0.375, "run3": 0.18, "run4": 0.3})


# AutoJudge with a model: three phases, and the same again without a server.
MODEL_WORKFLOW = Path(str(files("sidelight.cli") / "autojudge_model.yml"))
BRIDGE, SALMON = "Bridge at Harrow opened in 1931.", "Salmon return in autumn."
KEY = "s3cret-key"


class JudgingServer(ModelServer):
    """Finds two facts, grades documents on bridges, and believes that reports tell of bridges."""

    def __init__(self):
        super().__init__(models=("tiny",))
        self.kinds = []

    def _chat(self, request):
        kind = request["response_format"]["json_schema"]["name"]
        self.kinds.append(kind)
        asked = request["messages"][-1]["content"]
        labels = ["support", "not_support"]
        replies = {
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


def judged_by_model(runs, out, base_url):
    return auto_judge(
        runs,
        {"a": "the bridge at Harrow"},
        workflow=MODEL_WORKFLOW,
        out=out,
        OPENAI_MODEL="tiny",
        OPENAI_BASE_URL=base_url,
        OPENAI_API_KEY=KEY,
        CACHE_DIR=str(runs.parent / "replies"),
    )


def test_three_phases_and_their_replay_without_a_server(runs, tmp_path):
    (runs / "one.jsonl").write_text(line("one", "a", "d1", "d2", documents=SOURCES))
    with JudgingServer() as server:
        done = judged_by_model(runs, "first", server.base_url)
        assert done.returncode == 0, done.stderr
    assert set(server.kinds) == {"NuggetList", "WeighedList", "DirectVerdict", "AssignedList"}
    # The server is gone, and the address is another: keys do not hold it.
    again = judged_by_model(runs, "second", "http://127.0.0.1:9/v1")
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
