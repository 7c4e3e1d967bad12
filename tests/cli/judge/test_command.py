from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidelight.errors import UsageError
from sidelight.sample import sample_path
from tests.helpers.commands import call

SAMPLE = sample_path()
QUESTIONS = SAMPLE / "runs" / "question_generation_runs"
REPORTS = SAMPLE / "runs" / "report_generation_runs"
RUBRICS = SAMPLE / "human_rubrics"


def judge(*arguments: object) -> tuple[str, str]:
    return call("judge", *arguments, "--rubrics", RUBRICS, "--words-only")


def test_judged_runs_can_be_scored(tmp_path: Path) -> None:
    judge(QUESTIONS / "tidepool-t1", "--task", "task1", "--examples", SAMPLE, "-o", tmp_path)
    shown, _ = judge(
        REPORTS / "tidepool-t2", "--task", "task2", "--examples", SAMPLE, "-o", tmp_path
    )
    assert "agreement with people on answers" in shown
    assert "runs held out, too: raw 0." in shown
    labels = tmp_path / "auto_question_assessments.csv"
    compound = tmp_path / "auto_compound_question_check.csv"
    common = ("--rubrics", RUBRICS, "--json", "--assessments")
    shown, _ = call("score", "task1", *common, labels, "--compound", compound)
    (questions,) = json.loads(shown)["runs"]
    shown, _ = call("score", "task2", *common, tmp_path / "auto_report_assessments.csv")
    found = json.loads(shown)
    (reports,) = found["runs"]
    assert found["judge"].startswith("embedded 5 (words only, weights ")
    assert (questions["n_topics"], questions["unjudged"]) == (5, 0)
    assert (reports["n_topics"], reports["unjudged"]) == (5, 0)
    # tidepool is written to be weak, and people gave the strong run 0.84 for its reports
    assert questions["score"] < 0.2
    assert reports["supportive_score"] < 0.1


def test_agreement_with_the_labels_of_the_mini_web(tmp_path: Path) -> None:
    shown, _ = judge(
        *(REPORTS / "tidepool-t2", "--task", "task2", "--examples", SAMPLE, "-o", tmp_path),
        "--json",
    )
    manifest = json.loads(shown)
    assert manifest == json.loads((tmp_path / "manifest.json").read_text())
    # Observed: 0.54 for answers and 0.47 for questions, words only, each topic held out.
    assert manifest["agreement"]["answers"]["kappa"] > 0.5
    assert manifest["agreement"]["questions"]["kappa"] > 0.4
    assert manifest["agreement"]["answers"]["n_topics"] == 5
    # Where one of the two example runs is judged by what the other taught, less is left of it.
    answers = manifest["agreement"]["answers"]
    assert answers["n_runs"] == 2
    assert 0.4 < answers["kappa_new_runs"] < answers["kappa"] - 0.05


def test_the_order_of_the_written_runs_is_kept(tmp_path: Path) -> None:
    runs = [REPORTS / f"{name}-t2" for name in ("tidepool", "lantern")]
    chosen = ("--examples", SAMPLE, "--example-run", "quillmark-t2")
    judge(*runs, "--task", "task2", *chosen, "-o", tmp_path)
    shown, _ = call(
        *("score", "task2", "--rubrics", RUBRICS, "--json"),
        *("--assessments", tmp_path / "auto_report_assessments.csv"),
    )
    assert [run["run_tag"] for run in json.loads(shown)["runs"]] == ["lantern-t2", "tidepool-t2"]


def test_an_example_run_is_refused(tmp_path: Path) -> None:
    run = REPORTS / "lantern-t2"
    with pytest.raises(UsageError, match="seen labels of lantern-t2"):
        judge(run, "--task", "task2", "--examples", SAMPLE, "-o", tmp_path)
    assert not list(tmp_path.iterdir())


def test_without_examples_it_says_so(tmp_path: Path) -> None:
    _, warned = judge(REPORTS / "lantern-t2", "--task", "task2", "-o", tmp_path)
    assert "no labelled examples" in warned


def test_wrong_usage(tmp_path: Path) -> None:
    run = REPORTS / "lantern-t2"
    with pytest.raises(UsageError, match="--example-run"):
        judge(run, "--task", "task2", "--example-run", "x", "-o", tmp_path)
    with pytest.raises(UsageError, match="unknown judge 'oracle'"):
        judge(run, "--task", "task2", "--judge", "oracle", "-o", tmp_path)


def test_vectors_are_used_by_default(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    run = REPORTS / "tidepool-t2"
    shown, _ = call(
        *("judge", run, "--task", "task2", "--rubrics", RUBRICS, "--examples", SAMPLE),
        *("-o", tmp_path, "--json"),
    )
    manifest = json.loads(shown)
    assert manifest["version"].startswith("5 (all-MiniLM-L6-v2, weights ")
    assert manifest["agreement"]["questions"]["kappa"] > 0.5  # observed: 0.56


def test_people_labels_of_the_data_folder_are_learned_from_or_it_says_why_not(
    tmp_path: Path,
) -> None:
    given = ("--task", "task2", "--data", SAMPLE, "-o", tmp_path)
    shown, _ = judge(REPORTS / "tidepool-t2", *given)
    assert "agreement with people on answers" in shown
    assert f"Next: sidelight score task2 --data {SAMPLE} --assessments {tmp_path}" in shown
    _, warned = judge(*sorted(REPORTS.iterdir()), *given[:-1], tmp_path / "all")
    assert "has people's labels of none but the runs that are to be judged" in warned
