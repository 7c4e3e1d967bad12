"""`sidelight rubric`: figures by hand, and those of public files."""

from dataclasses import replace
from functools import partial

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.schemas.grading.graded_passage import OfficialJudgment
from tests.helpers.commands import call, said, told
from tests.helpers.graded import example, write_bank

rubric = partial(told, "rubric")


@pytest.fixture
def graded(tmp_path):
    path = tmp_path / "graded.jsonl.gz"
    write_graded(path, example())
    return path


@pytest.fixture
def bank(tmp_path):
    return write_bank(tmp_path)


@pytest.mark.parametrize("command", ["leaderboard", "cover", "tables"])
def test_a_track_without_the_scale_is_refused(graded, command):
    with pytest.raises(UsageError, match="no scale of grades") as caught:
        rubric(command, graded, "--track", "dragun2025")
    assert "--track exam" in caught.value.remedy


def test_judgments_that_are_all_below_zero_end_no_process(tmp_path):
    """What counts ended it without a word."""

    def junk(passage):
        return replace(passage, judgments=tuple(OfficialJudgment(-2) for _ in passage.judgments))

    path = tmp_path / "graded.jsonl"
    queries = [replace(one, passages=tuple(map(junk, one.passages))) for one in example()]
    write_graded(path, queries)
    assert len(rubric("leaderboard", path)["tables"]["leaderboard"]) == 4


def test_one_more_run_bank_or_grader_counts_with_the_others(graded, bank, tmp_path):
    run = tmp_path / "mine"
    run.write_text("q Q0 m 1 2.0 x\nr Q0 e 1 2.0 x\n")
    rows = rubric("leaderboard", graded, "--run", run)["tables"]["leaderboard"]
    assert "mine" in {row["run_tag"] for row in rows}
    covered = rubric("cover", graded, "--run", run)["tables"]["exam_cover"]
    assert {row["run_tag"]: row["exam"] for row in covered}["mine"] == pytest.approx(2 / 3)
    assert rubric("cover", graded, "--min-grade", 3)["everything"] == pytest.approx(5 / 6)
    assert rubric("cover", graded, "--bank", bank)["lowest_answering_grade"] == 4
    labels = tmp_path / "other.qrels"
    said("rubric", "qrels", graded, "-o", tmp_path / "x", "--judgments", labels)
    rows = rubric("correlations", graded, "--labels", labels, "--min-grade", 2)["tables"]
    assert {row["grader"] for row in rows["correlations"]} == {"Asks@tiny", "other"}
    for words in (("leaderboard",), ("correlations", "--min-grade", "4")):
        told_of = call("rubric", words[0], graded, *words[1:]).stderr
        assert "3 runs: with fewer than 5, a correlation says nothing" in told_of


def test_what_is_missing_is_said(graded, tmp_path):
    with pytest.raises(UsageError, match="no grader 'Nobody'"):
        rubric("leaderboard", graded, "--grader", "Nobody")
    bare, other = tmp_path / "bare.jsonl", tmp_path / "other.qrels"
    bare.write_text('["q", [{"paragraph_id": "p", "text": "t"}]]\n')
    with pytest.raises(InputError, match="no rating of any passage"):
        rubric("qrels", bare, "-o", tmp_path / "x")
    other.write_text("x 0 y 1\n")
    with pytest.raises(InputError, match="no document that both files label"):
        rubric("tables", graded, "--qrels", other)


def test_every_public_passage_gets_its_best_grade(shared_data, tmp_path):
    graded = shared_data / "rubric-dl19" / "graded.jsonl.gz"
    found = rubric("qrels", graded, "-o", tmp_path / "dl19.qrels")
    assert found["written"] == {str(tmp_path / "dl19.qrels"): 9260}
    labels = read_qrels(tmp_path / "dl19.qrels")
    assert {grade for grades in labels.values() for grade in grades.values()} == {0, 1, 2, 3, 4, 5}


def test_the_released_nuggets_against_assessors(shared_data):
    folder = shared_data / "rubric-dl20"
    found = rubric(
        "tables", folder / "NuggetSelfRatedPrompt.qrel", "--qrels", folder / "qrels.official.txt"
    )
    assert sum(row["total"] for row in found["tables"]["grades_by_judgments"]) == 11386


def test_what_no_grade_reaches_is_undefined_and_what_is_unjudged_is_said(graded, tmp_path):
    covered = rubric("cover", graded, "--min-grade", 6, "-o", tmp_path)
    assert covered["undefined"] == {"n_exam": ["q", "r"]}
    assert covered["unjudged_cells"] == 1
    assert {row["n_exam"] for row in covered["tables"]["exam_cover"]} == {None}
    ranked = rubric("leaderboard", graded, "--min-grade", 6, "--measures", "RR")
    assert ranked["undefined"] == {"RR": ["q", "r"]}
    assert {row["RR"] for row in ranked["tables"]["leaderboard"]} == {None}
    for command in ("cover", "leaderboard"):
        result = call("rubric", command, graded, "--min-grade", 6)
        assert "undefined" in result.stdout
        assert "1 cell unjudged" in result.stdout
        assert "nothing to find, or no label, on all of 2 queries" in result.stderr
        assert "warning: 2 queries are too few for intervals" in result.stderr
