import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sidelight.cli.demo import _next
from sidelight.formats.topics import read_articles
from sidelight.formats.verdict import judge_file
from sidelight.sample import sample_path
from sidelight.tracks import load_track

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment in which sidelight is what its wheel brings; all else is as it is."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", site, wheel], check=True)
    return {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(site)}


def test_the_demo_ends_with_what_to_type_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sidelight.cli.demo.which", lambda _: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "activate").touch()
    assert _next(Path("demo/index")) == [
        "Your own article, with these sources:",
        "  . .venv/bin/activate",
        "  sidelight read FILE --index demo/index",
    ]


@pytest.mark.slow
def test_a_wheel_brings_what_a_clone_has(installed, tmp_path):
    site = Path(installed["PYTHONPATH"])
    listed = ["git", "ls-files", "sidelight", "sidelight_research", "configs"]
    tracked = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in tracked.splitlines():
        packed = site / ("sidelight" if name.startswith("configs/") else "") / name
        assert packed.read_bytes() == (ROOT / name).read_bytes()
    grid = ("ablate", "configs/ablations/retrieval.yaml", "-o", "out", "--dry-run")
    config = ("run", "--config", "configs/rest.yaml", "-o", "out", "--index", "none")
    for command, says in (
        ((*grid, "--queries", "queries.tsv", "--qrels", "qrels.txt"), "bm25"),
        ((*config, "--topics", "none.jsonl"), "none.jsonl"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "sidelight.cli.main", *command],
            check=False,
            cwd=tmp_path,
            env=installed,
            capture_output=True,
            text=True,
        )
        assert says in done.stdout + done.stderr, done
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_demo_makes_valid_scored_files(installed, tmp_path):
    shown = subprocess.run(
        [sys.executable, "-m", "sidelight.cli.main", "demo"],
        cwd=tmp_path,
        env=installed,
        check=True,
        capture_output=True,
        text=True,
    )
    # Where a machine is slow, a line a minute says so.
    assert all(" min" in line for line in shown.stderr.splitlines())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.findall(r"^> (.*)$", readme, re.MULTILINE)
    assert len(example) > 6
    assert " ".join(" ".join(example).split()) in " ".join(shown.stdout.split())
    (folder,) = tmp_path.iterdir()
    assert folder.name == "sidelight-demo"
    topic_ids = [article.topic_id for article in read_articles(sample_path() / "topics.jsonl")]
    for name in ("task1.tsv", "task2.jsonl"):
        for official in (False, True):
            verdict = judge_file(folder / "run" / name, load_track(), topic_ids, official=official)
            assert verdict.valid
    assert len(list((folder / "run" / "traces").glob("*.json"))) == len(topic_ids)
    assert list((folder / "scores").glob("auto_question_generation*"))
    assert list((folder / "scores").glob("auto_report_generation*"))
    page = (folder / "page.html").read_text()
    assert all(f"<code>{topic_id}</code>" in page for topic_id in topic_ids)
    assert "\nOpen in a browser:\n  sidelight-demo/page.html\n" in shown.stdout
    assert shown.stdout.endswith("  sidelight read FILE --index sidelight-demo/index\n")
    score = {
        cells[1].strip(): [float(cell) for cell in cells[2:5]]
        for line in shown.stdout.splitlines()
        if len(cells := line.split("│")) == 6
    }
    strong, weak = "lantern (strong, by hand)", "tidepool (weak, by hand)"
    assert set(score) == {"sidelight-demo", strong, weak}
    written = {}
    for name in ("question", "report"):
        with (folder / "scores" / f"auto_{name}_generation_per_run_results.csv").open() as stream:
            rows = {row["run_tag"]: row for row in csv.DictReader(stream)}
        (tag,) = [tag for tag in rows if tag.startswith("sidelight-demo")]
        written |= rows[tag]
    figures = ("score", "supportive_score", "contradictory_score")
    assert [f"{float(written[name]):.3f}" for name in figures] == [
        f"{value:.3f}" for value in score["sidelight-demo"]
    ]
    for name in ("question", "report"):
        by_people = folder / "scores" / f"human_{name}_generation_per_run_results.csv"
        assert "lantern" in by_people.read_text()
    # Ours and the strong run beat the weak one in both tasks.
    for task in (0, 1):
        assert score["sidelight-demo"][task] > 2 * score[weak][task]
        assert score[strong][task] > 2 * score[weak][task]
    assert "judge: embedded 8 (all-MiniLM-L6-v2, " in shown.stdout
    # People's own scores of the strong run, whatever the judge makes of it.
    assert score[strong] == [0.743, 0.841, 0.0]
