"""`sidelight rubric`: figures by hand, and those of public files."""

import json
import subprocess
import sys
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


def test_labels_and_judgments_are_written(graded, tmp_path):
    ours, theirs = tmp_path / "x.qrels", tmp_path / "y.qrels"
    found = rubric("qrels", graded, "-o", ours, "--judgments", theirs, "--at-least", 2)
    assert found["unjudged_cells"] == 1
    assert found["written"] == {str(ours): 6, str(theirs): 5}
    assert read_qrels(ours)["q"] == {"a": 2, "b": 4, "c": 0, "m": 4}
    assert read_qrels(theirs)["r"] == {"d": 1, "e": 2}


def test_a_leaderboard_stands_beside_the_official_one(graded, tmp_path):
    found = rubric("leaderboard", graded, "-o", tmp_path / "out", "--measures", "RR AP")
    runs = {row["run_tag"]: row for row in found["tables"]["leaderboard"]}
    assert runs["one"]["RR"] == 1
    assert runs["made"]["official_rank"] is None
    assert found["lowest_relevant_grade"] == 4
    assert found["n_runs_compared"] == 3
    assert [row["n_runs"] for row in found["tables"]["agreement_with_judgments"]] == [3, 3]
    assert (tmp_path / "out" / "leaderboard.csv").is_file()
    assert "official rank" in said("rubric", "leaderboard", graded)


def test_judgments_that_are_all_below_zero_end_no_process(tmp_path):
    def junk(passage):
        return replace(passage, judgments=tuple(OfficialJudgment(-2) for _ in passage.judgments))

    path = tmp_path / "graded.jsonl"
    queries = [replace(one, passages=tuple(map(junk, one.passages))) for one in example()]
    write_graded(path, queries)
    # A process of its own: what counts ended it without a word.
    words = [sys.executable, "-m", "sidelight.cli.main", "rubric", "leaderboard", path, "--json"]
    done = subprocess.run(words, capture_output=True, check=True)
    assert len(json.loads(done.stdout)["tables"]["leaderboard"]) == 4


def test_one_more_run_is_ranked_with_the_others(graded, tmp_path):
    run = tmp_path / "mine"
    run.write_text("q Q0 m 1 2.0 x\nr Q0 e 1 2.0 x\n")
    rows = rubric("leaderboard", graded, "--run", run)["tables"]["leaderboard"]
    assert "mine" in {row["run_tag"] for row in rows}
    covered = rubric("cover", graded, "--run", run)["tables"]["exam_cover"]
    assert {row["run_tag"]: row["exam"] for row in covered}["mine"] == pytest.approx(2 / 3)


def test_cover_counts_items_of_the_bank(graded, bank):
    assert rubric("cover", graded, "--min-grade", 3)["everything"] == pytest.approx(5 / 6)
    assert rubric("cover", graded, "--bank", bank)["lowest_answering_grade"] == 4
    assert "all passages together answer" in said("rubric", "cover", graded)


def test_tables_count_grades_by_judgments(graded, tmp_path):
    tables = rubric("tables", graded, "-o", tmp_path)["tables"]
    first = {"grade": 5, "3": 1, "2": 1, "1": 0, "0": 0, "total": 2}
    assert tables["grades_by_judgments"][0] == first
    first = {"first": "relevant", "relevant": 2, "not-relevant": 1}
    assert tables["relevance_confusion"][0] == first
    assert "kappa" in said("rubric", "tables", graded)


def test_graders_are_compared(graded, tmp_path):
    labels = tmp_path / "other.qrels"
    said("rubric", "qrels", graded, "-o", tmp_path / "x", "--judgments", labels)
    rows = rubric("correlations", graded, "--labels", labels, "--min-grade", 2)["tables"]
    assert {row["grader"] for row in rows["correlations"]} == {"Asks@tiny", "other"}
    assert "wins" in said("rubric", "correlations", graded)


def test_a_bank_is_kept_up(graded, bank, tmp_path):
    (worst, *_) = rubric("spurious", graded, "--bank", bank)["tables"]["spurious_items"]
    assert worst["text"] == "Which 1?"
    (missed,) = rubric("uncovered", graded, "--bank", bank)["tables"]["uncovered_passages"]
    assert missed["suggested_item"] == "Passage c."
    run = tmp_path / "mine"
    run.write_text("q Q0 new 1 2.0 x\n")
    given = (graded, "--bank", bank, "--run", run)
    assert rubric("holes", *given)["n"] == 2
    assert "not in the file: 1 passage" in said("rubric", "holes", *given)


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
        assert "warning: 2 queries: with fewer than 10" in result.stderr


def test_correlations_over_three_runs_say_nothing(graded):
    for words in (("leaderboard",), ("correlations", "--min-grade", "4")):
        result = call("rubric", words[0], graded, *words[1:])
        assert " to " not in result.stdout
        assert "3 runs: with fewer than 5, a correlation says nothing" in result.stderr
