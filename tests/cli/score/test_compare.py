import json
import re
from functools import partial

import pytest

import sidelight
from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.sample import sample_path
from tests.helpers.commands import call, said

compare = partial(said, "score", "compare")


@pytest.fixture
def per_topic(tmp_path):
    path = tmp_path / "per_topic.csv"
    path.write_text(
        "run_tag,topic_id,score,unjudged\n"
        "x,a,0.5,0\nx,b,0.5,0\nx,c,1.0,0\ny,a,0.25,0\ny,b,0.5,0\ny,c,0.0,0.5\n"
    )
    return path


def test_a_table_says_what_its_figures_are(per_topic):
    shown = compare(per_topic, "--samples", 200, "--seed", 3)
    # differences 0.25, 0, 1
    told = ("x - y", "+0.4167", "[0.0000, 1.0000]", "corrected for 1 pair")
    for one in (*told, "note: score on 3 topics; 200 samples, seed 3"):
        assert one in shown
    with pytest.raises(UsageError, match="no measure speed"):
        compare(per_topic, "--measure", "speed")


def test_the_only_scores_per_topic_in_a_folder_are_compared(per_topic, tmp_path):
    of_file = compare(per_topic)
    one, two = (tmp_path / f"{name}_per_topic_results.csv" for name in ("one", "two"))
    per_topic.rename(one)
    assert compare(tmp_path) == of_file
    two.write_text(one.read_text())
    with pytest.raises(
        InputError, match="expected one file of scores per topic; found 2"
    ) as caught:
        compare(tmp_path)
    assert caught.value.remedy == f"Name those to compare: {one} {two}"


def test_why_no_difference_is_detectable_is_said(per_topic):
    told, alike = "a test on 3 topics, corrected for 1 pair, can show no difference", "on no topic"
    shown = compare(per_topic)
    assert (told in shown, alike in shown) == (True, False)
    rows = [f"{run},{topic},{(run == 'z') * topic}" for run in "xyz" for topic in range(12)]
    per_topic.write_text("\n".join(["run_tag,topic_id,score", *rows, ""]))
    shown = compare(per_topic)
    assert ("can show no" in shown, alike in shown) == (False, True)
    per_topic.write_text("\n".join(["run_tag,topic_id,score", *rows[12:], ""]))
    assert "detectable -" not in compare(per_topic)


def test_too_few_samples_for_the_correction_are_said(tmp_path):
    path = tmp_path / "per_topic.csv"
    # Where few topics differ, the test is exact, and no samples are drawn.
    few = [f"run{run},{topic},{run + topic}" for run in range(5) for topic in range(4)]
    path.write_text("\n".join(["run_tag,topic_id,score", *few, ""]))
    assert "can be below" not in call("score", "compare", path, "--samples", 100).stderr
    rows = [f"run{run},{topic},{run + topic}" for run in range(5) for topic in range(20)]
    path.write_text("\n".join(["run_tag,topic_id,score", *rows, ""]))
    warned = "no corrected p-value of 10 pairs can be below 0.0990; 400 samples are enough"
    assert warned in call("score", "compare", path, "--samples", 100).stderr
    assert "can be below" not in call("score", "compare", path, "--samples", 400).stderr


def test_of_many_pairs_the_surest_are_printed_and_all_are_written(tmp_path):
    path = tmp_path / "per_topic.csv"
    # 26 runs: one is far below the others on all of eight topics, and these hardly differ.
    rows = [
        f"run{run:02},{topic},{(run > 0) * 0.8 + 0.001 * (run * topic % 7)}"
        for run in range(26)
        for topic in range(8)
    ]
    path.write_text("\n".join(["run_tag,topic_id,score", *rows, ""]))
    shown = compare(path, "--samples", 200, "-o", tmp_path / "all")
    pairs = re.findall(r"run\d\d - run\d\d", shown)
    assert len(pairs) == 30
    assert sum("run00" in one for one in pairs[:25]) == 25
    assert "the 30 pairs with the smallest p, the largest difference first; 295 more, " in shown
    for name in ("csv", "tex"):
        written = (tmp_path / "all" / f"score_run_pairs.{name}").read_text()
        assert len(re.findall(r"run\d\d(?: - |,)run\d\d", written)) == 325
    assert len(json.loads(compare(path, "--samples", 200, "--json"))["pairs"]) == 325


def test_a_measure_that_describes_has_no_winner_and_other_names_are_told(per_topic):
    per_topic.write_text(per_topic.read_text().replace(",unjudged", ",words", 1))
    (pair,) = json.loads(compare(per_topic, "--measure", "words", "--json"))["pairs"]
    assert (pair["won"], pair["lost"], pair["tied"]) == (None, None, 2)
    with pytest.raises(
        UsageError, match=r"has no measure question_score; it has score \(question_"
    ):
        compare(per_topic, "--measure", "question_score")


def test_lower_is_better_by_what_is_unjudged(per_topic):
    found = json.loads(compare(per_topic, "--measure", "unjudged", "--baseline", "x", "--json"))
    (pair,) = found["pairs"]
    assert (pair["first"], pair["second"]) == ("y", "x")
    # y has more unjudged, which is worse
    assert (pair["won"], pair["lost"], pair["tied"]) == (0, 1, 2)
    assert pair["interval"] == {"low": 0.0, "high": 0.5}


def test_runs_of_several_files_are_compared(per_topic, tmp_path):
    lines = per_topic.read_text().splitlines(keepends=True)
    files = [tmp_path / name for name in ("x.csv", "y.csv")]
    for path, rows in zip(files, (lines[1:4], lines[4:]), strict=True):
        path.write_text("".join([lines[0], *rows]))
    assert compare(*files, "--samples", 200) == compare(per_topic, "--samples", 200)
    with pytest.raises(InputError, match=r"y\.csv: expected runs that no other file has; found y"):
        compare(per_topic, files[1])


def test_files_of_two_tasks_are_compared_by_task(per_topic, tmp_path):
    reports, more = tmp_path / "reports.csv", tmp_path / "more.csv"
    reports.write_text(per_topic.read_text().replace("score,", "supportive_score,"))
    more.write_text("run_tag,topic_id,score,extra\nz,a,0,1\nz,b,0,1\nz,c,0,1\n")
    files = per_topic, reports, more
    found = json.loads(compare(*files, "--samples", 200, "--json"))
    counts = [(one["measure"], len(one["pairs"])) for one in found]
    assert counts == [("score", 3), ("supportive_score", 1)]
    shown = compare(*files, "--samples", 200)
    assert "note: score on 3" in shown
    assert "note: supportive_score on 3" in shown
    one = compare(*files, "--samples", 200, "--task", "task2")
    assert one == compare(reports, "--samples", 200)
    one = compare(per_topic, reports, "--samples", 200, "--measure", "supportive_score")
    assert one == compare(reports, "--samples", 200)
    with pytest.raises(UsageError, match="several tasks have the measure unjudged"):
        compare(per_topic, reports, "--measure", "unjudged")
    with pytest.raises(UsageError, match=r"has no measure extra; it has score \(question_score\)$"):
        compare(more, per_topic, "--measure", "extra")
    with pytest.raises(InputError, match="expected scores of task1; found supportive_score"):
        compare(reports, "--task", "task1")
    with pytest.raises(UsageError, match="expected scores of one task"):
        sidelight.compare([per_topic, reports])
    with pytest.raises(InputError, match="two runs to compare by score; found z"):
        compare(more)


def test_a_run_in_place_of_scores_or_labels_is_called_so(per_topic, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    file = run / "task1.tsv"
    file.write_text("t\tteam\trun\t1\tWho says so?\n")
    with pytest.raises(InputError, match="expected scores per topic; found a run\n") as caught:
        compare(file)
    assert f"sidelight judge {file} --task" in caught.value.remedy
    (run / "config.yaml").touch()
    with pytest.raises(InputError, match="expected scores per topic; found a run dir") as caught:
        compare(run)
    assert f"sidelight evaluate {run} --index" in caught.value.remedy
    (run / "scores").mkdir()
    scores = run / "scores/auto_question_generation_per_topic_results.csv"
    scores.write_text(per_topic.read_text())
    with pytest.raises(InputError) as caught:
        compare(run)
    assert str(scores) in caught.value.remedy
    rubrics = sample_path() / "human_rubrics"
    for task, given in (("task1", file), ("task2", run)):
        with pytest.raises(InputError, match=r"expected labels .*; found a run"):
            said("score", task, "--assessments", given, "--rubrics", rubrics)


def test_csv_and_latex_hold_the_pairs(per_topic, tmp_path):
    folder = tmp_path / "out"
    shown = compare(per_topic, "--samples", 200, "-o", folder)
    assert shown.endswith(f"  {folder}/score_run_pairs.csv\n  {folder}/score_run_pairs.tex\n")
    latex = (folder / "score_run_pairs.tex").read_text()
    assert r"x - y & +0.4167 & {[}0.0000, 1.0000{]}" in latex
    how = r"95\% intervals: expanded percentile bootstrap over topics, 200 samples, seed 0."
    assert rf"\caption{{score: differences between runs over 3 topics. {how} Two-sided" in latex
    assert "Holm's correction for 1 pair.}" in latex
    found = json.loads(compare(per_topic, "--samples", 200, "-o", folder, "--json"))
    assert found["files"] == [f"{folder}/score_run_pairs.{ending}" for ending in ("csv", "tex")]


def test_what_is_unknown_is_an_empty_cell(per_topic, tmp_path):
    lines = [line for line in per_topic.read_text().splitlines() if ",c," not in line]
    per_topic.write_text("\n".join(lines) + "\n")
    compare(per_topic, "-o", tmp_path / "out")
    row = (tmp_path / "out" / "score_run_pairs.csv").read_text().splitlines()[1]
    assert row.startswith("x,y,0.125,,,")
    assert row.endswith(",1,0,1,")


@pytest.mark.parametrize("score", ["1_0", "１", " 1", "nan", "inf", "1e999", "0x1"])
def test_a_score_is_a_finite_number_in_ascii_digits(tmp_path, score):
    file = tmp_path / "scores.csv"
    file.write_text(f"run_tag,topic_id,score\nx,a,{score}\ny,a,0.5\n")
    with pytest.raises(InvalidFileError, match=r"scores\.csv:2: .* a number from .* in score"):
        compare(file)


def test_topics_on_which_a_measure_is_undefined_are_said(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("run_tag,topic_id,score\nx,a,\ny,a,\nx,b,1\ny,b,0.5\n")
    assert json.loads(compare(file, "--json"))["undefined"] == ["a"]
    file.write_text("run_tag,topic_id,score\nx,a,\ny,a,\n")
    with pytest.raises(InputError, match="score, undefined on all of 1 topic"):
        compare(file)
    file.write_text("run_tag,topic_id,score\nx,a,\ny,a,1\n")
    with pytest.raises(InvalidFileError, match="a score that other runs have may not be missing"):
        compare(file)
