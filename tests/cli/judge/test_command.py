import gzip
import json
import re
import shutil

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.files import sha256_file
from sidelight.sample import sample_path
from tests.helpers.commands import call, told

SAMPLE = sample_path()
QUESTIONS = SAMPLE / "runs" / "question_generation_runs"
REPORTS = SAMPLE / "runs" / "report_generation_runs"
RUBRICS = SAMPLE / "human_rubrics"


def judge(*arguments):
    return call("judge", *arguments, "--rubrics", RUBRICS, "--words-only")


def test_judged_runs_can_be_scored(tmp_path):
    asked = (QUESTIONS / "tidepool-t1", "--task", "task1", "--examples", SAMPLE, "-o", tmp_path)
    warned = " ".join(judge(*asked).stderr.split())
    assert "with these examples the judge of questions agrees less with people than" in warned
    given = (REPORTS / "tidepool-t2", "--task", "task2", "--examples", SAMPLE, "-o")
    shown, _ = judge(*given, tmp_path)
    assert "agreement with people on answers" in shown
    assert "agreement with people on questions" not in shown
    assert "with runs held out as well: raw 0." in shown
    labels = tmp_path / "auto_question_assessments.csv"
    compound = tmp_path / "auto_compound_question_check.csv"
    common = ("--rubrics", RUBRICS, "--assessments")
    (questions,) = told("score", "task1", *common, labels, "--compound", compound)["runs"]
    found = told("score", "task2", *common, tmp_path / "auto_report_assessments.csv")
    (reports,) = found["runs"]
    assert found["judge"].startswith("embedded 8 (words only, weights ")
    assert (questions["n_topics"], questions["unjudged"]) == (5, 0)
    assert (reports["n_topics"], reports["unjudged"]) == (5, 0)
    # tidepool is written to be weak, and people gave the strong run 0.84 for its reports
    assert questions["score"] < 0.2
    assert reports["supportive_score"] < 0.1
    alone = tmp_path / "alone"
    manifest = json.loads(judge(*given, alone, "--json").stdout)
    assert manifest == json.loads((alone / "manifest.json").read_text())
    # Observed: 0.48 for answers and 0.35 for questions, words only, each topic held out.
    answers = manifest["agreement"]["answers"]
    assert answers["kappa"] > 0.45
    assert manifest["agreement"]["questions"]["kappa"] > 0.3
    assert (answers["n_topics"], answers["n_runs"]) == (5, 2)
    # Observed: without examples 0.42 for answers, and 0.49 for questions, which is said to be more.
    assert answers["kappa_without"] < answers["kappa"]
    warned = " ".join(judge(*given, tmp_path / "again").stderr.split())
    assert "agrees less with people" not in warned
    # Where one of the two example runs is judged by what the other taught, less is left of it.
    assert 0.38 < answers["kappa_new_runs"] < answers["kappa"] - 0.02


def test_of_a_folder_the_run_files_of_the_task_are_judged(tmp_path):
    folder = SAMPLE / "runs"  # with a folder for each task
    for task, kind in (("task1", "question"), ("task2", "report")):
        judge(folder, "--task", task, "-o", tmp_path)
        rows = (tmp_path / f"auto_{kind}_assessments.csv").read_text()
        runs = {path.name for path in folder.glob(f"{kind}_*/*")}
        assert runs == set(re.findall(rf"[a-z]+-{task[0]}{task[-1]}(?=,)", rows))
        hashes = json.loads((tmp_path / "manifest.json").read_text())["hashes"][task]
        assert hashes == {one.name: sha256_file(one) for one in folder.glob(f"{kind}_*/*")}
    # What is judged is no example.
    shown = call("judge", folder, "--task", "task2", "--data", SAMPLE, "-o", tmp_path / "all")
    assert "every run that people labelled is among the runs to judge" in shown.stderr
    with pytest.raises(InputError, match="expected runs of Task 2; found no run"):
        judge(RUBRICS, "--task", "task2", "-o", tmp_path)
    with pytest.raises(InputError, match="expected runs of Task 1; found only 3 runs of other tas"):
        judge(REPORTS, "--task", "task1", "-o", tmp_path)


def test_an_empty_file_among_runs_is_named(tmp_path):
    folder = tmp_path / "received"
    folder.mkdir()
    (folder / "peat.jsonl").touch()
    (folder / "notes.txt").touch()
    shutil.copy(REPORTS / "tidepool-t2", folder / "tidepool.jsonl")
    for path in (folder, folder / "peat.jsonl"):
        with pytest.raises(InputError, match=r"peat\.jsonl: expected a run; found an empty file"):
            judge(path, "--task", "task2", "-o", tmp_path / "labels")
    (folder / "peat.jsonl").unlink()
    judge(folder, "--task", "task2", "-o", tmp_path / "labels")


def test_of_a_run_directory_the_file_of_the_task_is_judged(tmp_path):
    run = tmp_path / "mine"
    run.mkdir()
    shutil.copy(QUESTIONS / "tidepool-t1", run / "task1.tsv")
    shutil.copy(REPORTS / "tidepool-t2", run / "task2.jsonl")
    for task in ("task1", "task2"):
        judge(run, "--task", task, "-o", tmp_path / "labels")
    # The reason names the features that the model uses.
    reasons = (tmp_path / "labels" / "auto_question_assessments.csv").read_text()
    assert re.search(r'1,tidepool-t1,1,[a-z-]+,"rubric words 0\.\d\d, own words ', reasons)
    manifest = json.loads((tmp_path / "labels" / "manifest.json").read_text())
    assert {task: [*runs] for task, runs in manifest["runs"].items()} == {
        "task1": ["tidepool-t1"],
        "task2": ["tidepool-t2"],
    }


def test_scores_say_where_labels_were_given_by_another_rubric(tmp_path):
    packed = tmp_path / "tidepool-t2.jsonl.gz"
    packed.write_bytes(gzip.compress((REPORTS / "tidepool-t2").read_bytes()))
    judge(packed, "--task", "task2", "-o", tmp_path / "labels")
    labels = ("--assessments", tmp_path / "labels" / "auto_report_assessments.csv")
    found = told("score", "task2", "--rubrics", RUBRICS, *labels)
    assert (found["runs"][0]["run_tag"], found["notes"]) == ("tidepool-t2", [])
    other = shutil.copytree(RUBRICS, tmp_path / "rubrics")
    changed = min(other.iterdir())
    changed.write_text(
        changed.read_text().replace("Good to Know", "Nice to Know").replace("B:", "C:")
    )
    note = f"labels were given by another rubric: {changed.stem}"
    assert told("score", "task2", "--rubrics", other, *labels)["notes"] == [note]


def test_runs_that_answer_alike_are_named(tmp_path):
    data = shutil.copytree(SAMPLE, tmp_path / "data")
    run = data / "runs" / "report_generation_runs" / "lantern-t2"
    copied = run.read_text().replace("lantern", "copied")
    (run.parent / "copied-t2").write_text(copied)
    runs = run, run.parent / "copied-t2", run.parent / "tidepool-t2"
    _, warned = judge(*runs, "--task", "task2", "-o", tmp_path / "out")
    told_once = "copied-t2 and lantern-t2 are identical: equal on every topic"
    assert warned.count("are identical") == warned.count(told_once) == 1
    turned = [json.loads(line) for line in copied.splitlines()]
    lines = [json.dumps(one | {"responses": one["responses"][::-1]}) for one in turned]
    (tmp_path / "turned-t2").write_text("\n".join(lines) + "\n")
    _, warned = judge(run, tmp_path / "turned-t2", "--task", "task2", "-o", tmp_path / "near")
    assert "turned-t2 and lantern-t2 are near twins: the same texts on every topic" in warned
    labels = data / "human_assessments" / "report_assessments.csv"
    rows = labels.read_text().splitlines(keepends=True)
    more = [row.replace("lantern-t2", "copied-t2") for row in rows if "lantern-t2" in row]
    labels.write_text("".join([*rows, *more]))
    notes = told("score", "task2", "--data", data)["notes"]
    assert notes == [
        "not scored, because they have no labels: tidepool-t2",
        "lantern-t2 and copied-t2 are identical: equal on every topic",
    ]


def test_wrong_usage(tmp_path):
    run = REPORTS / "lantern-t2"
    for words, says in (
        (("--example-run", "x"), "--example-run"),
        (("--judge", "oracle"), "unknown judge 'oracle'"),
        (("--examples", SAMPLE), "seen labels of lantern-t2"),
    ):
        with pytest.raises(UsageError, match=says):
            judge(run, "--task", "task2", *words, "-o", tmp_path)
    assert not list(tmp_path.iterdir())
    lines = run.read_text().splitlines(keepends=True)
    other = tmp_path / "other-t2"
    unknown = lines[1].replace("msmarco_v2.1_doc_", "unknown_").replace("lantern", "other")
    other.write_text(lines[0].replace("lantern", "other") + unknown)
    third = tmp_path / "third-t2"
    third.write_text(unknown.replace("other", "third") + lines[0].replace("lantern", "third"))
    shown, warned = judge(other, third, run, "--task", "task2", "-o", tmp_path)
    assert "judged without examples: no folder of labelled runs was named (--examples)" in warned
    assert "could not be judged" not in shown
    # What is so of several runs is said once.
    assert re.search(r"\nwarning: runs other-t2, third-t2: no rubric for unknown_.*\n", warned)
    assert re.search(r"\nwarning: runs other-t2, third-t2: nothing submitted on .*, .*", warned)
    assert warned.count("no rubric for") == 1
    shown, _ = judge(run, "--task", "task2", "-o", tmp_path)
    assert "kept the labels of 2 runs" in shown
    other.write_text(unknown)
    for words, says in (
        ((run, "--task", "task1"), "expected a run of Task 1; found a Task 2 run"),
        ((QUESTIONS / "lantern-t1", "--task", "task2"), "of Task 2; found a Task 1 run"),
        ((other, "--task", "task2"), "no run holds anything on a topic that has a rubric"),
    ):
        with pytest.raises(InputError, match=says):
            judge(*words, "-o", tmp_path / "none")


def test_vectors_are_used_by_default(rubrics, tmp_path):
    given = ("--task", "task2", "--rubrics", rubrics, "-o", tmp_path)
    manifest = told("judge", REPORTS / "tidepool-t2", *given)
    assert manifest["version"].startswith("8 (all-MiniLM-L6-v2, weights ")


@pytest.mark.slow
def test_with_vectors_it_agrees_with_people(tmp_path):
    given = ("--task", "task2", "--rubrics", RUBRICS, "--examples", SAMPLE, "-o", tmp_path)
    manifest = told("judge", REPORTS / "tidepool-t2", *given)
    assert manifest["agreement"]["questions"]["kappa"] > 0.5  # observed: 0.56


def test_a_run_that_repeats_an_example_under_another_name_is_named(tmp_path):
    (tmp_path / "copied-t2").write_text(
        (REPORTS / "lantern-t2").read_text().replace("lantern", "copied")
    )
    given = ("--task", "task2", "--data", SAMPLE, "-o", tmp_path / "labels")
    _, warned = judge(tmp_path / "copied-t2", REPORTS / "tidepool-t2", *given)
    assert "warning: copied-t2: on a topic or more all of its text is that of an example" in warned


def test_people_labels_of_the_data_folder_are_learned_from_or_it_says_why_not(tmp_path):
    given = ("--task", "task2", "--data", SAMPLE, "-o", tmp_path)
    shown, _ = judge(REPORTS / "tidepool-t2", *given)
    assert "agreement with people on answers" in shown
    assert f"Next: sidelight score task2 --data {SAMPLE} --assessments {tmp_path}" in shown
    # A judge that learned from the same runs has one name, so one folder takes both tasks.
    questions = (QUESTIONS / "tidepool-t1", "--task", "task1")
    shown, _ = judge(*questions, *given[2:])
    people = SAMPLE / "human_assessments" / "compound_question_check.csv"
    assert re.search(
        rf"compound verdicts differ on \d+ of 50 questions: --compound {people}\n", shown
    )
    labels = tmp_path / "auto_question_assessments.csv"
    scored = ("--data", SAMPLE, "--assessments", labels)
    parts = (*scored, "--compound", people, "-o", tmp_path / "scores")
    assert shown.endswith(f"Next: sidelight score task1 {' '.join(map(str, parts))}\n")
    labels = tmp_path / "auto_report_assessments.csv"
    by = told("score", "task2", "--data", SAMPLE, "--assessments", labels)["judge"]
    assert f"judged on 5 topics by {by}." in shown
    (tmp_path / "auto_compound_question_check.csv").write_bytes(people.read_bytes())  # of all runs
    verdicts = ("--compound", tmp_path / "auto_compound_question_check.csv")
    told_by = told("score", "task1", "--data", SAMPLE, *verdicts)["judge"]
    assert told_by == f"pairs by people, compound verdicts by {by}"
    pairs = tmp_path / "auto_question_assessments.csv"  # with people's verdicts, which --data has
    told_by = told("score", "task1", "--data", SAMPLE, "--assessments", pairs)["judge"]
    assert told_by == f"pairs by {by}, compound verdicts by people"
    elsewhere, _ = judge(*questions, "--examples", SAMPLE, "-o", tmp_path / "elsewhere")
    assert f"judged on 5 topics by {by}." in elsewhere
    _, warned = judge(*sorted(REPORTS.iterdir()), *given[:-1], tmp_path / "all")
    assert "judged without examples: every run that people labelled is among the" in warned
    people = SAMPLE / "human_assessments" / "report_assessments.csv"
    assert f"agree labels {people} LABELS\n" in warned
    call("agree", "labels", people, tmp_path / "all" / "auto_report_assessments.csv")
    # A run that is named as an example is one, or the judge refuses.
    given = (*given[:-1], tmp_path / "named", "--example-run")
    with pytest.raises(UsageError, match="has seen labels of lantern-t2"):
        judge(*sorted(REPORTS.iterdir()), *given, "lantern-t2")
    with pytest.raises(InputError, match="nowhere"):
        judge(REPORTS / "tidepool-t2", *given, "nowhere")
