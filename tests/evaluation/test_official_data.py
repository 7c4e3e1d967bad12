"""The organizers' own layout and run sets: what is read, and which runs agreement is about."""

import json
import shutil

import pytest
from scipy.stats import kendalltau
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError
from sidelight.formats.data_folder import DataPart, find_part
from tests.helpers.labels.official_layout import (
    QUESTION_EXAMPLES,
    REPORT_EXAMPLES,
    TOPICS,
    write_official_data,
)


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    return write_official_data(tmp_path_factory.mktemp("resources"))


def sidelight(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code
    return result.stdout


def tau(people: dict[str, float], judge: dict[str, float], runs: set[str]) -> float:
    """Return tau-b; a run that a side has no score of counts 0 there."""
    sides = ([round(side.get(run, 0.0), 12) for run in sorted(runs)] for side in (people, judge))
    return float(kendalltau(*sides).statistic)


def test_agreement_is_over_the_runs_that_both_judged(official):
    shown = sidelight("reproduce", "dragun-judge", "--data", official.folder, "--json", code=1)
    figures = {figure["name"]: figure for figure in json.loads(shown)["figures"]}
    for task, scores, examples, n in (
        ("Task 1", official.questions, QUESTION_EXAMPLES, 33),
        ("Task 2", official.reports, REPORT_EXAMPLES, 26),
    ):
        both = set(scores["people"]) & set(scores["judge"])
        assert figures[f"{task}: runs that both judged"]["here"] == n == len(both)
        assert figures[f"{task}: runs left out"]["names"] == list(examples)
        right = tau(scores["people"], scores["judge"], both)
        assert figures[f"{task}: Kendall tau of runs"]["here"] == pytest.approx(right)
        # With the examples at 0 it would be another figure.
        wrong = tau(scores["people"], scores["judge"], set(scores["people"]))
        assert abs(right - wrong) > 0.05


def test_labels_of_runs_that_the_judge_was_shown_do_not_count(official, tmp_path):
    folder = shutil.copytree(official.folder, tmp_path / "copy")
    people = folder / "data/human_assessments/report_assessments.csv"
    judge = folder / "auto_judge/output/auto_report_assessments.csv"
    copied = [line for line in people.read_text().splitlines() if REPORT_EXAMPLES[0] in line]
    judge.write_text(judge.read_text() + "\n".join(copied) + "\n")
    before, after = (
        sidelight("reproduce", "dragun-judge", "--data", data, "--json", code=1)
        for data in (official.folder, folder)
    )
    assert before == after


def test_scores_agree_over_the_same_runs(official, tmp_path):
    judged = official.folder / "auto_judge" / "output"
    shown = sidelight(
        *("score", "task1", "--data", official.folder, "-o", tmp_path),
        *("--assessments", judged / "auto_question_assessments.csv"),
    )
    assert f"not scored, for want of labels: {', '.join(QUESTION_EXAMPLES)}" in shown
    scores = tmp_path / "auto_question_generation_per_topic_results.csv"
    common = ("agree", "scores", scores, "--data", official.folder, "--samples", "100")
    found = json.loads(sidelight(*common, "--json"))
    both = set(official.questions["judge"])
    assert len(found["run_tags"]) == 33
    assert found["only_runs"] == [list(QUESTION_EXAMPLES), []]
    right = tau(official.questions["people"], official.questions["judge"], both)
    assert found["runs"]["tau_b"] == pytest.approx(right)
    shown = sidelight(*common)
    assert shown.startswith("score: 33 runs, 6 topics\n")
    assert ", ".join(QUESTION_EXAMPLES) in shown


def test_headroom_is_over_runs_with_labels(official, tmp_path):
    pytest.importorskip("matplotlib")
    labels = official.folder / "auto_judge" / "output" / "auto_question_assessments.csv"
    shown = sidelight(
        *("score", "headroom", "task1", "--data", official.folder, "--assessments", labels),
        *("-o", tmp_path, "--json"),
    )
    topics = json.loads(shown)["topics"]
    mean = sum(topic["mean"] for topic in topics) / len(topics)
    scores = official.questions["judge"].values()
    assert mean == pytest.approx(sum(scores) / 33)


def test_labels_name_the_runs_left_out(official):
    labels = official.folder / "auto_judge" / "output" / "auto_report_assessments.csv"
    common = ("agree", "labels", labels, "--data", official.folder)
    found = json.loads(sidelight(*common, "--json"))
    assert found["only_runs"] == [list(REPORT_EXAMPLES), []]
    assert found["n_runs"] == 26
    assert f"only in report_assessments.csv: {', '.join(REPORT_EXAMPLES)}" in sidelight(*common)


def test_their_layout_is_scored(official, tmp_path):
    sidelight("score", "--data", official.folder, "-o", tmp_path)
    for kind, scores, column in (
        ("question", official.questions, "score"),
        ("report", official.reports, "supportive_score"),
    ):
        path = tmp_path / f"human_{kind}_generation_per_run_results.csv"
        header, *rows = (line.split(",") for line in path.read_text().splitlines())
        found = {row[0]: float(row[header.index(column)]) for row in rows}
        assert found == pytest.approx(scores["people"], abs=1e-6)


def test_their_layout_is_counted(official):
    shown = sidelight("reproduce", "dragun-collection", "--data", official.folder, "--json", code=1)
    figures = {figure["name"]: figure for figure in json.loads(shown)["figures"]}
    assert figures["Task 1 runs"]["here"] == 37
    assert figures["Task 2 runs"]["here"] == 28
    assert figures["topics"]["here"] == len(TOPICS)


def test_their_layout_is_judged(official, tmp_path):
    run = tmp_path / "mine"
    rows = [
        f"{topic}\tteam\tmine\t{rank}\tWho said number {rank}?"
        for topic in TOPICS
        for rank in range(1, 11)
    ]
    run.write_text("\n".join(rows) + "\n")
    out = tmp_path / "out"
    sidelight(
        *("judge", run, "--task", "task1", "--data", official.folder, "--words-only", "-o", out)
    )
    # Every pair of a rubric question and a submitted one, and the header.
    labels = (out / "auto_question_assessments.csv").read_text().splitlines()
    assert len(labels) == 1 + len(TOPICS) * 3 * 10


def test_topics_are_found_by_what_they_hold(official):
    found = find_part(official.folder, DataPart.TOPICS)
    assert found.name == "trec-2025-dragun-topics.jsonl"


def test_two_that_hold_the_like_are_not_guessed_between(official, tmp_path):
    folder = shutil.copytree(official.folder, tmp_path / "copy")
    first = folder / "auto_judge" / "output" / "auto_compound_question_check.csv"
    second = folder / "other" / "verdicts.csv"
    second.parent.mkdir()
    shutil.copy(first, second)
    with pytest.raises(InputError) as caught:
        find_part(folder, DataPart.COMPOUND_CHECK)
    assert str(first) in caught.value.message
    assert str(second) in caught.value.message


def test_a_part_that_nothing_holds_is_named(tmp_path):
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="nothing else in the folder holds report assessments"):
        find_part(tmp_path, DataPart.REPORT_ASSESSMENTS)
