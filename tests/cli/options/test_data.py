import shutil

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.data_folder import DataPart
from sidelight.sample import sample_path
from tests.helpers.commands import call, said, told

SAMPLE = sample_path()
RUBRICS = ("--rubrics", SAMPLE / "human_rubrics")
PAIRS = ("--assessments", SAMPLE / "human_assessments" / "question_assessments.csv")
ANSWERS = ("--assessments", SAMPLE / "human_assessments" / "report_assessments.csv")
COMPOUND = ("--compound", SAMPLE / "human_assessments" / "compound_question_check.csv")


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (("task1",), (*RUBRICS, *PAIRS, *COMPOUND)),
        (("task2",), (*RUBRICS, *ANSWERS)),
        (("diff", "task1"), (*RUBRICS, *PAIRS, *COMPOUND)),
        (("diff", "task2"), (*RUBRICS, *ANSWERS)),
    ],
)
def test_the_folder_stands_for_the_options(command, named):
    by_folder, by_options = (
        told("score", *command, "--data", SAMPLE),
        told("score", *command, *named),
    )
    for one in (by_folder, by_options):
        one.pop("notes", None)  # the folder tells which runs have no labels
    assert by_folder == by_options


def test_runs_of_the_folder_without_labels_are_named():
    assert told("score", "task2", "--data", SAMPLE)["notes"] == [
        "not scored, because they have no labels: tidepool-t2"
    ]


def test_score_alone_scores_both_tasks(tmp_path):
    said("score", "--data", SAMPLE, "-o", tmp_path)
    for task, kind in (("task1", "question"), ("task2", "report")):
        said("score", task, "--data", SAMPLE, "-o", tmp_path / "single")
        name = f"human_{kind}_generation_per_topic_results.csv"
        assert (tmp_path / name).read_text() == (tmp_path / "single" / name).read_text()


def test_an_option_wins(tmp_path):
    one_row = tmp_path / "labels.csv"
    one_row.write_text("".join(ANSWERS[1].read_text().splitlines(keepends=True)[:2]))
    assert len(told("score", "task2", "--data", SAMPLE, "--assessments", one_row)["runs"]) == 1


@pytest.mark.parametrize("part", ["human_rubrics", "human_assessments/report_assessments.csv"])
def test_what_the_folder_lacks_is_named(tmp_path, part):
    folder = tmp_path / "data"
    shutil.copytree(SAMPLE, folder)
    (folder / part).rename(tmp_path / "gone")
    with pytest.raises(InputError, match=f"{folder / part}: expected"):
        said("score", "task2", "--data", folder)


def test_labels_of_a_judge_are_named_where_those_of_people_are_lacking(tmp_path):
    folder = tmp_path / "data"
    shutil.copytree(SAMPLE, folder)
    labels = folder / "human_assessments" / "report_assessments.csv"
    by_judge = folder / "auto_judge" / "output" / "auto_report_assessments.csv"
    by_judge.parent.mkdir(parents=True)
    by_judge.write_text(labels.read_text().replace("annotation", "auto_assessment", 1))
    labels.unlink()
    with pytest.raises(InputError, match="found only labels by a judge") as caught:
        said("score", "task2", "--data", folder)
    assert f"with --assessments {by_judge}." in caught.value.remedy
    done = call("score", "--data", folder)
    assert f"{labels.relative_to(folder)}; by a judge, for --assessments: {by_judge}" in done.stderr
    # What the message says is what can be done.
    found = told("score", "task2", "--data", folder, "--assessments", by_judge)
    assert found["labels"] == "auto"


def test_judge_takes_the_rubrics(tmp_path):
    run = SAMPLE / DataPart.REPORT_RUNS / "lantern-t2"
    common = ("judge", run, "--task", "task2", "--words-only")
    said(*common, "--data", SAMPLE, "-o", tmp_path / "a")
    said(
        *common,
        *RUBRICS,
        "--examples",
        SAMPLE,
        "--example-run",
        "quillmark-t2",
        "-o",
        tmp_path / "b",
    )
    name = "auto_report_assessments.csv"
    assert (tmp_path / "a" / name).read_text() == (tmp_path / "b" / name).read_text()


def test_agreement_with_people():
    for labels in (PAIRS[1], ANSWERS[1]):
        shown = told("agree", "labels", labels, "--data", SAMPLE)
        assert shown == told("agree", "labels", labels, labels, *RUBRICS)
        parts = ["have to know", "good to know", "nice to know"]
        assert sorted(shown["schemes"][0]["by_importance"]) == sorted(parts)
        lines = said("agree", "labels", labels, "--data", SAMPLE).splitlines()
        counts = [
            int(line.split("│")[2]) for line in lines if line[2:].startswith(("agreement", *parts))
        ]
        assert counts[0] == sum(counts[1:4])
    # Compound questions need no rubrics.
    assert told("agree", "labels", COMPOUND[1], "--data", SAMPLE)["schemes"][0]["raw"] == 1


@pytest.mark.parametrize(("task", "kind"), [("task1", "question"), ("task2", "report")])
def test_scores_by_people(tmp_path, task, kind):
    said("score", task, "--data", SAMPLE, "-o", tmp_path)
    file = tmp_path / f"human_{kind}_generation_per_topic_results.csv"
    common = ("score", "compare", "--samples", "100", "--json")
    assert said(*common, "--data", SAMPLE, "--task", task) == said(*common, file)
    with pytest.raises(UsageError, match="expected a second file, or --data"):
        said("agree", "scores", file)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("score", "--data", SAMPLE, "task1"), "score task1 --data DIR"),
        (("score", "task2", *RUBRICS), "expected --assessments, or --data"),
        (("agree", "labels", PAIRS[1]), "expected a second file, or --data"),
        (("score", "compare", "--data", SAMPLE), "per-topic results file, or --data and --task"),
    ],
)
def test_what_must_be_given(words, says):
    with pytest.raises(UsageError, match=says):
        said(*words)
