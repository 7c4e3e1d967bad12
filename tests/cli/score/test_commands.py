import json
import shutil
from functools import partial

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.data_folder import DataPart
from sidelight.sample import sample_path
from tests.helpers.commands import call
from tests.helpers.labels.toy import HAVE, rubric, write_rubrics

ANSWERS = "topic_id,run_tag,answer_id,{label}\n"
PAIRS = "topic_id,rubric_question_rank,run_tag,run_question_rank,annotation\n"
VERDICTS = (
    "topic_id,run_tag,run_question_rank,run_question_text,"
    "auto_compound_question_assessment,auto_assessment_rationale\n"
)
score = partial(call, "score")


@pytest.fixture
def rubrics(tmp_path):
    return write_rubrics(tmp_path / "rubrics", rubric("a", (HAVE, 1)), rubric("b", (HAVE, 1)))


def answers(path, *rows, label="auto_assessment"):
    path.write_text(ANSWERS.format(label=label) + "".join(f"{row}\n" for row in rows))
    return path


def pairs(path, *rows):
    path.write_text(PAIRS + "".join(f"{row}\n" for row in rows))
    return path


def verdicts(path, *rows):
    path.write_text(VERDICTS + "".join(f"{row},Who?,not-compound,x\n" for row in rows))
    return path


def test_reports_as_a_table_and_files(tmp_path, rubrics):
    file = answers(tmp_path / "a.csv", "a,long-run-tag,na-1,supports")
    shown, warned = score(
        "task2", "--rubrics", rubrics, "--assessments", file, "-o", tmp_path / "out"
    )
    # (1 + 0) / 2: topic b has no judgment
    assert "long-run-tag" in shown
    assert "0.5000" in shown
    assert "1/2" in shown
    assert "labels: auto" in shown
    assert "no intervals: fewer than 3 topics (2)" in shown
    assert "long-run-tag: no submission, or no label, on 1 topic (counted as 0): b" in warned
    per_run = tmp_path / "out" / "auto_report_generation_per_run_results.csv"
    assert per_run.read_text().splitlines()[1] == "long-run-tag,0.5,0.0,0.0,1,,"


def test_a_sheet_that_nobody_filled_in_is_told_in_one_sentence(tmp_path, rubrics):
    file = pairs(tmp_path / "p.csv", "a,1,r,1,", "b,1,r,1,")
    shown, warned = score("task1", "--rubrics", rubrics, "--assessments", file)
    assert "undefined" in shown
    assert "very different" not in shown
    assert warned == "no score is defined: no run has a label on any of 2 topics\n"


def test_three_topics_have_an_interval(tmp_path, rubrics):
    write_rubrics(rubrics, rubric("c", (HAVE, 1)))
    file = answers(tmp_path / "a.csv", "a,r,na-1,supports")
    common = ("task2", "--rubrics", rubrics, "--assessments", file)
    shown, warned = score(*common, "--samples", 500, "--seed", 7, "-o", tmp_path)
    assert "warning: 3 topics: with fewer than 10, 95% intervals hold the true" in warned
    # scores 1, 0, 0: among 500 draws of three topics there are some of three zeros and three ones
    assert "[0.0000, 1.0000]" in shown
    assert "intervals: bootstrap over 3 topics, 500 samples, seed 7" in shown
    per_run = (tmp_path / "auto_report_generation_per_run_results.csv").read_text().splitlines()
    assert per_run[0].endswith(",n_topics,interval_low,interval_high")
    assert per_run[1].endswith(",1,0.0,1.0")
    latex = (tmp_path / "auto_report_generation_per_run_results.tex").read_text()
    how = r"95\% intervals: expanded percentile bootstrap over topics, "
    assert (
        rf"\caption{{Scores (auto\_report\_generation) over 3 topics; labels: auto. {how}" in latex
    )
    shown, _ = score(*common, "--samples", 500, "--json")
    assert json.loads(shown)["runs"][0]["interval"] == {"low": 0.0, "high": 1.0}
    score(*common, "--organizer-compat", "-o", tmp_path / "compat")
    per_run = (tmp_path / "compat" / "auto_report_generation_per_run_results.csv").read_text()
    assert per_run == "run_tag,supportive_score,contradictory_score\nr,1.0,0.0\n"


def test_a_topic_without_a_label_is_no_0_to_be_correlated(tmp_path, rubrics):
    people = ["a,x,na-1,supports", "a,y,na-1,partial", "a,z,na-1,none"]
    judge = [*people, "b,z,na-1,supports", "b,y,na-1,none"]
    common = ("task2", "--rubrics", rubrics, "-o", tmp_path, "--assessments")
    for label, rows, lacking in (
        ("annotation", people, "x, y, z"),
        ("auto_assessment", judge, "x"),
    ):
        _, warned = score(*common, answers(tmp_path / "a.csv", *rows, label=label))
        assert f"{lacking}: no submission, or no label, on 1 topic (counted as 0): b\n" in warned
        assert ("or no label, on 1 of 2 topics (counted as 0): b" in warned) is (rows is people)
    human, auto = (
        tmp_path / f"{by}_report_generation_per_topic_results.csv" for by in ("human", "auto")
    )
    assert human.read_text().splitlines()[-1] == "z,b,,,"
    shown = call("agree", "scores", human, auto).stdout
    assert "supportive_score: 3 runs, 1 topic\n" in shown
    assert f"topics scored only in {auto.name}: b\n" in shown


def test_a_run_without_a_label_is_named_and_not_scored(tmp_path, rubrics):
    file = answers(tmp_path / "a.csv", "a,r,na-1,supports", "a,blank,na-1,", "b,blank,na-1,")
    shown, _ = score("task2", "--rubrics", rubrics, "--assessments", file)
    assert "note: not scored, because they have no labels: blank\n" in shown
    assert "│ blank" not in shown
    grades = tmp_path / "grades.tsv"
    rows = ("1\td\t1\tr\t1\t4\t\tWho pays?", "1\td\t2\tblank\t1\t\t\tWho gains?")
    grades.write_text("".join(f"{row}\n" for row in rows))
    shown, _ = score("quality", "--grades", grades, "--track", "lateral2024")
    assert "note: not scored, because they have no labels: blank\n" in shown
    assert "│ blank" not in shown
    assert "note: 1 topic not of TREC 2024 Lateral Reading: d\n" in shown
    compared = call("agree", "grades", grades, grades, "--track", "lateral2024")
    assert compared.stderr.endswith("1 topic not of TREC 2024 Lateral Reading: d\n")


def test_headroom_with_unit_weights_is_over_all_answers(tmp_path, rubrics):
    pytest.importorskip("matplotlib")
    file = answers(tmp_path / "a.csv", "a,r,na-1,supports", "a,s,na-2,supports", "a,s,na-1,none")
    common = ("headroom", "task2", "--assessments", file, "-o", tmp_path / "out")
    shown, _ = score(*common, "--unit-weights", "--json")
    found = json.loads(shown)
    # Of the two answers each run has one, and both together have both.
    assert found["topics"][0]["ceiling"] == 1
    assert found["topics"][0]["best"] == found["topics"][0]["mean"] == 0.5
    assert "no rubrics: scored against all answers that any run was judged on" in found["notes"]
    with pytest.raises(UsageError, match="expected --rubrics, or --data"):
        score(*common)


def test_grades_on_another_scale_are_no_usefulness(tmp_path):
    qrels, trec = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("t-Q01 0 d1 2\nt-Q02 0 d1 4\n")
    trec.write_text("t-Q01 Q0 d1 1 1.0 r\n")
    with pytest.raises(InputError, match="grades of usefulness, 2 1 0; found others on t-Q02\n"):
        score("usefulness", "--qrels", qrels, "--run", trec)


def test_conflicting_labels_need_merge(tmp_path, rubrics):
    file = answers(tmp_path / "a.csv", "a,r,na-1,supports", "a,r,na-1,contradicts")
    with pytest.raises(InputError, match="label-conflict"):
        score("task2", "--rubrics", rubrics, "--assessments", file)
    shown, _ = score("task2", "--rubrics", rubrics, "--assessments", file, "--merge", "--json")
    assert json.loads(shown)["runs"][0]["contradictory_score"] == 0.5


def test_unit_weights_without_rubrics_say_so(tmp_path):
    file = answers(tmp_path / "a.csv", "a,r,na-1,supports", "a,r,na-2,partial")
    with pytest.raises(UsageError, match="expected --rubrics"):
        score("task2", "--assessments", file)
    shown, _ = score("task2", "--assessments", file, "--unit-weights")
    assert "0.7500" in shown
    assert "no rubrics: scored against all answers that any run was judged on" in shown


def test_a_data_folder_may_lack_what_is_not_needed_and_runs_are_those_it_has(tmp_path):
    data = shutil.copytree(sample_path(), tmp_path / "data")
    labels = data / DataPart.REPORT_ASSESSMENTS
    first = labels.read_text().partition("lantern-t2")
    labels.write_text(f"{first[0]}latnern-t2{first[2]}")
    (data / DataPart.COMPOUND_CHECK).unlink()
    shown, _ = score("--data", data)
    assert "compound questions were not filtered out" in shown
    runs = data / DataPart.REPORT_RUNS
    assert f"latnern-t2: there is no such run in {runs}; did you mean lantern-t2?" in shown
    (data / DataPart.QUESTION_ASSESSMENTS).unlink()
    assert len(json.loads(score("--data", data, "--json").stdout)) == 1
    _, warned = score("--data", data)
    assert f"not scored, not in {data}: {DataPart.QUESTION_ASSESSMENTS}\n" in warned
    shutil.rmtree(data / DataPart.RUBRICS)
    with pytest.raises(InputError, match=f"{data / DataPart.RUBRICS}: expected"):
        score("--data", data)


def test_compatible_mode_refuses_what_the_script_cannot(tmp_path, rubrics):
    file = answers(tmp_path / "a.csv", "a,r,na-1,supports")
    common = ("task2", "--rubrics", rubrics, "--assessments", file, "--organizer-compat")
    shown, warned = score(*common)
    assert "1.0000" in shown  # over one topic
    assert "unjudged" not in shown
    assert "interval" not in shown
    assert warned == ""
    for option in ("--merge", "--unit-weights"):
        with pytest.raises(UsageError, match="cannot be combined with"):
            score(*common, option)
    file = pairs(tmp_path / "p.csv", "a,1,r,1,very-similar")
    common = ("task1", "--rubrics", rubrics, "--assessments", file, "--organizer-compat")
    with pytest.raises(UsageError, match="needs --compound"):
        score(*common)
    shown, _ = score(*common, "--compound", verdicts(tmp_path / "c.csv", "a,r,1"), "--json")
    assert json.loads(shown)["runs"] == [{"run_tag": "r", "score": 1.0}]


def test_labels_and_verdicts_of_two_judges_do_not_mix(tmp_path, rubrics):
    files, rows = [], ("a,1,r,1,very-similar", "a,r,1")
    for kind, make, row in zip(("embedded", "prompted"), (pairs, verdicts), rows, strict=True):
        folder = tmp_path / kind
        folder.mkdir()
        manifest = {"judge": "some", "version": "1", "kind": kind, "runs": {}, "n_topics": 2}
        manifest |= {"example_run_tags": [], "agreement": {}, "n_unjudged": {}}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        files.append(make(folder / "file.csv", row))
    common = ("task1", "--rubrics", rubrics, "--assessments", files[0])
    shown, _ = score(*common)
    assert "some 1, embedded" in shown
    with pytest.raises(InputError, match="different judges"):
        score(*common, "--compound", files[1])


def test_scores_of_searches_go_on_to_other_commands(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 b 1\n3 0 c 1\n")
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("1 Q0 a 1 2.0 x\n2 Q0 b 1 2.0 x\n3 Q0 c 1 2.0 x\n")
    bad.write_text("1 Q0 a 1 2.0 x\n")
    runs = ("--run", good, "--run", bad, "--measures", "P@1", "-o", tmp_path / "out")
    score("retrieval", "--qrels", tmp_path / "qrels.txt", *runs)
    per_topic = tmp_path / "out" / "retrieval_per_topic_results.csv"
    shown, _ = score("compare", per_topic, "--json")
    (pair,) = json.loads(shown)["pairs"]
    assert (pair["first"], pair["won"], pair["tied"]) == ("good", 2, 1)
    named = ()
    for folder in ("other", "third", "again/other"):
        same = tmp_path / folder / "good.txt"
        same.parent.mkdir(parents=True)
        same.write_bytes(bad.read_bytes())
        named += ("--run", same)
    shown, _ = score("retrieval", "--qrels", tmp_path / "qrels.txt", *named[:4])
    assert "other" in shown
    assert "third" in shown
    with pytest.raises(UsageError, match="found 2 called other"):
        score("retrieval", "--qrels", tmp_path / "qrels.txt", *named, *runs)


def test_queries_without_a_relevant_label_are_undefined(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    run.write_text("1 Q0 a 1 2.0 x\n2 Q0 b 1 2.0 x\n")
    common = ("retrieval", "--qrels", qrels, "--run", run, "--measures", "nDCG@10 R(rel=2)@10")
    qrels.write_text("1 0 a 0\n2 0 b 0\n")
    shown, warned = score(*common)
    assert shown.count("undefined") == 2
    assert "nothing to find, or no label, on all of 2 queries" in warned
    found = json.loads(score(*common, "--json").stdout)
    assert found["runs"][0]["mean"] == {"nDCG@10": None, "R(rel=2)@10": None}
    assert found["undefined"] == {"R(rel=2)@10": ["1", "2"], "nDCG@10": ["1", "2"]}
    qrels.write_text("1 0 a 1\n2 0 b 2\n")
    shown, warned = score(*common, "--per-query", "-o", tmp_path)
    assert shown.count("undefined") == 1
    assert (
        "R(rel=2)@10: nothing to find, or no label, on 1 of 2 queries (counted as 0): 1" in warned
    )
    per_topic = tmp_path / "retrieval_per_topic_results.csv"
    assert per_topic.read_text().splitlines()[1:] == ["run,1,1.0,", "run,2,1.0,1.0"]


def test_an_option_of_which_the_last_alone_would_count_is_refused(tmp_path):
    for words in (
        ("retrieval", "--qrels", "q", "--run", "r", "--measures", "RR", "--measures", "P@1"),
        ("retrieval", "--qrels", "q", "--measures=RR", "--run", "r", "--measures=P@1"),
    ):
        with pytest.raises(UsageError, match="expected --measures once; found it 2 times"):
            score(*words)
    with pytest.raises(UsageError, match="expected --data once; found it 3 times"):
        score("--data", tmp_path, "--data", tmp_path, "--data", tmp_path)


def test_gaps_to_the_organizers_script_are_explained(tmp_path):
    rubrics = write_rubrics(tmp_path / "rubrics", rubric("a", (HAVE, 5)))
    labels = answers(tmp_path / "a.csv", "a,r,na-1,supports", label="annotation")
    given = ("diff", "task2", "--rubrics", rubrics, "--assessments", labels)
    shown, _ = score(*given)
    # 1 of 1 against 1 of 5
    assert "1.0000" in shown
    assert "0.2000" in shown
    assert "rows-missing (na-2, na-3, na-4 and 1 more)" in shown
    assert "script divides by the rows that are present; sidelight takes a missing" in shown
    found = json.loads(score(*given, "--json").stdout)
    assert found["stops"] == []
    assert found["gaps"][0]["causes"][0]["ids"] == ["na-2", "na-3", "na-4", "na-5"]
    answers(labels, "a,r,na-9,supports", label="annotation")
    shown, _ = score(*given)
    assert "a.csv:2: [id-unknown]" in shown
    assert "The organizers' script stops there and gives no score." in shown
    assert "sidelight gives no score" in shown
    asked = pairs(tmp_path / "p.csv", "a,1,r,1,similar"), verdicts(tmp_path / "c.csv", "a,r,1")
    common = ("--rubrics", rubrics, "--assessments", asked[0], "--compound", asked[1])
    assert score("diff", "task1", *common).stdout == "no difference\n"
