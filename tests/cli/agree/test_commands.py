import json
import sys
from functools import partial
from pathlib import Path

import pytest

from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.formats.labels.qrels import read_qrels, write_judge, write_qrels
from sidelight.sample import sample_path
from sidelight.text import one_line
from tests.helpers.commands import call, said, told

ASSESSMENTS = sample_path() / "human_assessments"
agree = partial(said, "agree")


def line_of(output, beginning):
    """Return the cells of the one table row that begins so."""
    rows = [line.replace("│", " ").split() for line in output.splitlines()]
    [row] = [row for row in rows if row[: len(beginning.split())] == beginning.split()]
    return row[len(beginning.split()) :]


def write(path, *lines):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture
def people(tmp_path):
    rows = ("t,r,na-1,supports", "t,r,na-2,none", "t,r,na-3,none", "t,r,na-4,partial")
    return write(tmp_path / "people.csv", "topic_id,run_tag,answer_id,annotation", *rows)


@pytest.fixture
def judge(tmp_path):
    rows = ("t,r,na-1,supports", "t,r,na-2,supports", "t,r,na-3,none", "t,r,na-4,")
    return write(tmp_path / "judge.csv", "topic_id,run_tag,answer_id,auto_assessment", *rows)


def score_file(path, *rows):
    return write(path, "run_tag,topic_id,supportive_score,unjudged", *rows)


@pytest.fixture
def score_files(tmp_path):
    return (
        score_file(tmp_path / "human.csv", "a,t,0.5,0", "b,t,0.4,0", "c,t,0.4,0", "d,t,0.1,0"),
        score_file(tmp_path / "auto.csv", "a,t,0.6,0", "b,t,0.7,0", "c,t,0.2,0", "e,t,0.1,0"),
    )


def test_labels_as_tables_and_files(people, judge, tmp_path):
    pytest.importorskip("matplotlib")
    folder, stem = tmp_path / "out", "report_assessments_4_labels"
    output = agree("labels", people, judge, "-o", folder)
    # 2 of 3 agree; kappa: p_e = (1 * 2 + 2 * 1) / 9, (6 / 9 - 4 / 9) / (5 / 9)
    # AC1: pi = (.5, 0, 0, .5), p_e = .5 / 3, (2 / 3 - 1 / 6) / (5 / 6); alpha: 1 - 5 * 2 / 18
    # One topic says nothing of others.
    undefined = ["undefined", "undefined"]
    assert line_of(output, "agreement") == ["3", "0.667", "0.400", "0.600", "0.444", *undefined]
    assert "people.csv (rows), judge.csv" in output
    assert output.partition(f"  {folder}")[0].splitlines()[-2:] == [
        "judge.csv: left out 1 unjudged of the shared rows, and 0 rows of this file alone",
        "1 run, 1 topic; intervals: 95%, bootstrap over topics, 1000 samples, seed 0",
    ]
    shares = output.partition("share of labels")[2]
    assert line_of(shares, "supports") == ["33.3%", "66.7%", "+33.3%", "2.00"]
    assert {path.name for path in folder.iterdir()} == {
        *(f"{stem}_agreement.{ending}" for ending in ("csv", "tex")),
        *(f"{stem}_confusion.{ending}" for ending in ("csv", "tex", "svg", "png")),
        *(f"{stem}_shares.{ending}" for ending in ("csv", "tex", "svg", "png")),
        *(
            f"report_assessments_{name}.{ending}"
            for name in ("by_topic", "by_run", "differing")
            for ending in ("csv", "tex")
        ),
    }
    header, supports, *_, none = rows(folder / f"{stem}_confusion.csv")
    assert header == ["first", "supports", "partial", "contradicts", "none"]
    assert (supports[1:], none[1:]) == (["1", "0", "0", "0"], ["1", "0", "0", "1"])
    shares = {row[0]: row[1:] for row in rows(folder / f"{stem}_shares.csv")}
    assert shares["label"] == ["first", "second", "difference", "ratio"]
    assert shares["partial"] == ["0.0", "0.0", "0.0", ""]
    none = "none & 66.7\\% & 33.3\\% & $-$33.3\\% & 0.50"
    assert none in (folder / f"{stem}_shares.tex").read_text()


def test_topics_and_runs_that_differ_most_and_all_that_differs(tmp_path):
    labels = {
        "human": [f"t{n},{run},na-1,supports" for n in range(6) for run in "rs"],
        "auto": [
            f"t{n},{run},na-1,{'none' if n == 4 or (n, run) == (2, 's') else 'supports'}"
            for n in range(6)
            for run in "rs"
        ],
    }
    header = "topic_id,run_tag,answer_id,annotation"
    files = [write(tmp_path / f"{name}.csv", header, *its) for name, its in labels.items()]
    shown = agree("labels", *files, "-o", tmp_path / "out")
    topics = shown.partition("topic (most differing of 6)")[2].partition("run (most")[0]
    assert [line_of(topics, f"t{n}") for n in (4, 2, 0, 1, 3)] == [
        ["2", "2", "100.0%"],
        ["2", "1", "50.0%"],
        *[["2", "0", "0.0%"]] * 3,
    ]
    assert "t5" not in topics
    assert line_of(shown.partition("run (most differing of 2)")[2], "s") == ["6", "2", "33.3%"]
    written = tmp_path / "out" / "report_assessments_by_topic.csv"
    assert [row[0] for row in rows(written)] == ["topic_id", "t4", "t2", "t0", "t1", "t3", "t5"]
    assert rows(tmp_path / "out" / "report_assessments_differing.csv") == [
        ["topic_id", "run_tag", "answer_id", "first", "second"],
        ["t2", "s", "na-1", "supports", "none"],
        ["t4", "r", "na-1", "supports", "none"],
        ["t4", "s", "na-1", "supports", "none"],
    ]
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InputError, match="expected an assessment file; found an empty file"):
        agree("labels", files[0], tmp_path / "empty.csv")
    found = json.loads(agree("labels", *files, "--json"))
    assert found["topics"][0] == {"topic_id": "t4", "n": 2, "differing": 2, "share": 1.0}
    assert not agree("labels", files[0], files[0], "-o", tmp_path / "same").count("differing.csv")


def test_what_differs_stands_beside_what_the_rubrics_want(tmp_path):
    rubric = min((sample_path() / "human_rubrics").iterdir())
    item = json.loads(rubric.read_text())["rubrics"][0]
    header = "topic_id,rubric_question_rank,run_tag,run_question_rank,annotation"
    files = [
        write(tmp_path / f"{label}.csv", header, f"{rubric.stem},1,r,1,{label}")
        for label in ("similar", "different")
    ]
    agree("labels", *files, "--rubrics", rubric.parent, "-o", tmp_path / "out")
    header, (*_, wanted) = rows(tmp_path / "out" / "question_assessments_differing.csv")
    assert (header[-1], wanted) == ("wanted", item["question_text"])


def test_undefined_is_said(tmp_path):
    file = write(tmp_path / "a.csv", "topic_id,run_tag,answer_id,annotation", "t,r,na-1,none")
    same = tmp_path / "two" / "a.csv"
    same.parent.mkdir()
    same.write_bytes(file.read_bytes())
    shown = agree("labels", file, same)
    assert line_of(shown, "agreement")[:4] == ["1", "1.000", "undefined", "1.000"]
    assert f"{tmp_path.name}/a.csv (rows), two/a.csv" in shown  # names that are alike
    assert json.loads(agree("labels", file, file, "--json"))["schemes"][0]["kappa"] is None
    first = write(tmp_path / "a.txt", "q 0 a 1", "q 0 b 1")
    second = write(tmp_path / "b.txt", "q 0 a 1", "q 0 b 0")
    assert "document pairs within queries: undefined" in agree("qrels", first, second)


def test_five_runs_have_an_interval_of_a_correlation(tmp_path):
    rows = [f"r{n},t{topic},{n / 8},0" for n in range(5) for topic in range(2)]
    back = [f"r{n},t{topic},{-n / 8},0" for n in range(5) for topic in range(2)]
    files = score_file(tmp_path / "a.csv", *rows), score_file(tmp_path / "b.csv", *back)
    shown, warned = call("agree", "scores", *files)
    assert line_of(shown, "tau-b")[:4] == ["-1.000", "-1.000", "to", "-1.000"]
    assert "intervals: 95%, bootstrap over runs, 1000 samples, seed 0; " in shown
    assert "warning: 5 runs: with fewer than 10" in warned


def test_what_cannot_be_compared_is_refused(tmp_path, people):
    with pytest.raises(InputError, match="Compare two files of one kind"):
        agree("labels", people, ASSESSMENTS / "question_assessments.csv")
    with pytest.raises(UsageError, match="go together"):
        agree("qrels", people, people, "--min-first", 1)
    labels = ASSESSMENTS / "question_assessments.csv"
    with pytest.raises(InvalidFileError, match="found labels of questions") as caught:
        agree("scores", labels, labels)
    assert "Compare labels with `sidelight agree labels`" in caught.value.problems[0].remedy
    file = score_file(tmp_path / "empty.csv")
    with pytest.raises(InputError, match="holds no score"):
        agree("scores", file, file)
    file = score_file(tmp_path / "bad.csv", "a,t,nan,0", "a,t,0.5,0", "b,t,,0")
    with pytest.raises(InvalidFileError) as caught:
        agree("scores", file, file)
    found = [(item.code, item.line) for item in caught.value.problems]
    assert found == [("score", 2), ("score-duplicate", 3), ("score", 4)]


def test_qrels_as_tables(tmp_path):
    first = write(tmp_path / "sun.txt", "q 0 a 1", "q 0 b 1", "q 0 c 0")
    second = write(tmp_path / "nist.txt", "q 0 a 3", "q 0 b 1", "q 0 c 0", "q 0 d 0")
    output = agree("qrels", first, second, "--min-first", 1, "--min-second", 2)
    assert "note: the grades used differ (0 1 and 0 1 3)" in output
    assert "document pairs within queries: concordant 0.667, tied 0.333, reversed 0.000" in output
    relevance = output.partition("Relevant: from 1 and from 2")[2]
    # 2 of 3 agree; kappa: p_e = (2 * 1 + 1 * 2) / 9; AC1: pi = (.5, .5), p_e = .5
    assert line_of(relevance, "agreement") == ["3", "0.667", "0.400", "0.333", "0.444"]
    assert output.endswith("nist.txt: 1 label only in this file, not compared\n")


def rows(path):
    return [line.split(",") for line in path.read_text().splitlines()]


def test_scores_as_a_table_and_files(tmp_path, score_files):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    shown, warned = call("agree", "scores", *score_files, "-o", folder)
    # a, b, c: ab reversed, ac alike, bc tied by people: tau-b = 0; three runs have no interval
    assert shown.startswith("supportive_score: 3 runs, 1 topic\n")
    assert line_of(shown, "tau-b")[:2] == ["0.000", "-"]
    assert "tied by human.csv: b, c\n" in shown
    assert "runs scored only in human.csv: d\n" in shown
    assert "runs scored only in auto.csv: e\n" in shown
    assert "3 runs: with fewer than 5, a correlation says nothing" in warned
    constant = agree("scores", *score_files, "--measure", "unjudged")
    assert set(line_of(constant, "spearman")) == {"undefined", "-", "to"}
    assert "undefined on 1 topic," in constant
    written = [Path(line.strip()) for line in shown.splitlines() if line.startswith("  /")]
    assert sorted(written) == sorted(folder.iterdir())
    means = ["a,0.5,0.6", "b,0.4,0.7", "c,0.4,0.2"]
    written = (folder / "supportive_score_run_means.csv").read_text().splitlines()
    assert written == ["run_tag,first,second", *means]
    header, *correlations = rows(folder / "supportive_score_correlations.csv")
    assert header[:2] == ["correlation", "runs"]
    found = {row[0]: float(row[1]) for row in correlations}
    # As worked above; less their mean, the ranks are 1, -.5, -.5 and 0, 1, -1: 0 - .5 + .5
    assert found == {
        "tau_b": pytest.approx(0),
        "spearman": pytest.approx(0),
        "tau_ap": pytest.approx(-0.25),
        # by people's order: b -1, c +1; by the judge's, b, a, c: a -1, c 2 / 2 - 1: (0 - 1 / 2) / 2
        "tau_ap_b": pytest.approx(-0.25),
    }


def test_without_matplotlib_tables_are_still_written(tmp_path, people, judge, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shown, errors = call("agree", "labels", people, judge, "-o", tmp_path / "out", "--json")
    files = [*(tmp_path / "out").iterdir()]
    assert {path.suffix for path in files} == {".csv", ".tex"}
    assert sorted(json.loads(shown)["written"]) == sorted(map(str, files))
    assert errors.startswith(f"left out: {tmp_path / 'out'}")
    assert ": a figure needs the package 'matplotlib', which is not installed\n" in errors


@pytest.mark.slow
def test_people_and_the_shipped_judge_on_public_labels(shared_data):
    # What it was fitted on: these figures say that it is the judge that was shipped.
    path = shared_data / "rag-2024" / "nugget-assignments.jsonl.gz"
    assert told("agree-people", path, "--words-only")["kappa"] > 0.45


def test_the_majority_is_written_with_what_each_said(tmp_path):
    for name, lines in {"a": "1 0 x 3\n1 0 y 0\n", "b": "1 0 x 3\n", "c": "1 0 x 1\n"}.items():
        (tmp_path / name).write_text(lines)
    out = tmp_path / "out"
    shown = agree("vote", tmp_path / "a", tmp_path / "b", tmp_path / "c", "-o", out)
    assert (out / "majority.qrels").read_text() == "1 0 x 3\n"
    votes = (out / "votes_qrels.csv").read_text().splitlines()
    assert votes == ["query,segment,majority,a,b,c", "1,x,3,3,3,1", "1,y,,0,,"]
    assert "1 passage that 2 judges give the same grade" in shown
    assert "1 passage that only one judge grades" in shown
    assert "1 passage without a label, though graded: too few judges 1;" in shown
    # To the scale of another: what c calls 1 is 3 where both others say so.
    (tmp_path / "d").write_text("1 0 x 3\n2 0 x 3\n")
    (tmp_path / "c").write_text("1 0 x 1\n2 0 x 1\n")
    agree("vote", tmp_path / "c", "-o", out, "--reference", tmp_path / "d")
    assert (out / "votes_qrels.csv").read_text().splitlines()[1:] == ["1,x,3,3", "2,x,3,3"]
    with pytest.raises(UsageError, match="two files have one name"):
        agree("vote", tmp_path / "a", tmp_path / "a", "-o", out)
    with pytest.raises(InputError, match="cannot write 'a b'"):
        write_qrels(tmp_path / "q", {"1": {"a b": 0}})


def test_votes_on_assessments_and_graded_questions(tmp_path):
    header, rows = "topic_id,run_tag,answer_id,annotation", ("t,r,na-1", "t,r,na-2", "t,r,na-3")
    given = ("supports none supports", "supports none none", "none none contradicts")
    files = []
    for name, labels in zip("abc", given, strict=True):
        (tmp_path / name).mkdir()
        lines = map(",".join, zip(rows, labels.split(), strict=True))
        files.append(write(tmp_path / name / "labels.csv", header, *lines))
    out = tmp_path / "out"
    shown = agree("vote", *files, "-o", out)
    assert "1 row that 3 judges give the same grade" in shown
    assert "1 row without a label, though graded: undecided 1;" in shown
    lowered = "scores by these labels can be below those by each judge's"
    assert f"note: what has no label earns nothing: {lowered}" in one_line(shown)
    # Three say three things of the last one, and what contradicts is neither more nor less.
    assert (out / "majority_report_assessments.csv").read_text().splitlines() == [
        "topic_id,run_tag,answer_id,annotation,auto_rationale",
        *("t,r,na-1,supports,", "t,r,na-2,none,", "t,r,na-3,,undecided"),
    ]
    assert (out / "votes_report_assessments.csv").read_text().splitlines() == [
        "topic_id,run_tag,answer_id,majority,a/labels.csv,b/labels.csv,c/labels.csv",
        "t,r,na-1,supports,supports,supports,none",
        "t,r,na-2,none,none,none,none",
        "t,r,na-3,,supports,none,contradicts",
    ]
    with pytest.raises(UsageError, match="--reference is for relevance labels"):
        agree("vote", *files, "-o", out, "--reference", files[0])
    # Grades of questions stand in order: of three grades the middle one counts.
    graded = [
        write(tmp_path / f"{name}.tsv", f"1\td\t1\tr\t1\t{grade}\t{flag}\tWho pays?")
        for name, grade, flag in (("a", 4, 1), ("b", 0, 1), ("c", 2, 0))
    ]
    shown = agree("vote", *graded, "-o", out)
    assert "1 row without a majority: the median grade, the lower of two, was taken\n" in shown
    assert "0 rows without a label, though graded; files" in shown
    assert (out / "majority.tsv").read_text() == "1\td\t1\tr\t1\t2\t1\tWho pays?\n"
    assert "2 valid" in said("validate", "--track", "lateral2024", out / "majority.tsv", graded[0])
    shown = agree("vote", *graded[:2], "-o", out)
    assert "1 row without a majority: the lower grade was taken\n" in shown
    assert f"note: where judges differ, the lower of two grades counts: {lowered}" in shown
    assert (out / "majority.tsv").read_text().split("\t")[5] == "0"
    # What each judge said stays beside each kind of labels.
    assert {path.name for path in out.glob("votes*")} == {
        "votes_report_assessments.csv",
        "votes_question_grades.csv",
    }
    again = write(tmp_path / "again.csv", *files[0].read_text().splitlines())
    assert "can be below" not in agree("vote", files[0], again, "-o", out)


def test_labels_of_judges_who_share_the_topics_are_kept(tmp_path):
    header = "topic_id,run_tag,answer_id,annotation"
    halves = ("t,r,na-1,supports", "u,r,na-1,"), ("t,r,na-1,", "u,r,na-1,none")
    files = [write(tmp_path / name, header, *rows) for name, rows in zip("ab", halves, strict=True)]
    shown = agree("vote", *files, "-o", tmp_path / "out")
    assert "0 rows without a label, though graded; " in shown
    assert "labelled by one judge alone, whose labels are kept: r\n" in shown
    voted = (tmp_path / "out" / "majority_report_assessments.csv").read_text().splitlines()
    assert voted[1:] == ["t,r,na-1,supports,", "u,r,na-1,none,"]


def test_rows_left_blank_are_counted_apart_from_rows_judged_differently(tmp_path):
    header, labels = "topic_id,run_tag,answer_id,annotation", {"a": ["none"] * 3 + [""] * 2}
    labels["b"] = ["none", "supports", "", "", ""]
    files = [
        write(tmp_path / name, header, *(f"t,r,na-{n},{one}" for n, one in enumerate(its)))
        for name, its in labels.items()
    ]
    out = tmp_path / "out"
    shown = agree("vote", *files, "-o", out)
    assert shown.splitlines()[:-1] == [
        "1 row that 2 judges give the same grade",
        "1 row that each judge grades differently",
        "1 row that only one judge grades",
        "2 rows that no judge grades",
        f"2 rows without a label, though graded: undecided 1, too few judges 1; files: {out}",
    ]
    # What has no label is told where it is scored.
    labels = out / "majority_report_assessments.csv"
    scored = said("score", "task2", "--unit-weights", "--assessments", labels)
    told = "note: unjudged: mean over topics of the share of answers without a label, which earn no"
    assert told in scored
    found = json.loads(agree("vote", *files, "-o", out, "--json"))
    assert found["agreeing"] == {"2": 1, "1": 1}
    assert (found["judged_once"], found["unjudged"], found["undecided"]) == (1, 2, 2)
    assert found["by_median"] == 0
    written = rows(out / "majority_report_assessments.csv")
    assert [row[-2:] for row in written[1:]] == [
        ["none", ""],
        ["", "undecided"],
        ["", "too few judges"],
        *[["", "no judge"]] * 2,
    ]


def test_labels_of_people_and_of_a_judge_are_named_as_of_both(tmp_path):
    header = "topic_id,run_tag,answer_id,{}"
    people = write(tmp_path / "people.csv", header.format("annotation"), "t,r,na-1,none")
    auto = write(tmp_path / "auto.csv", header.format("auto_assessment"), "t,s,na-1,supports")
    said("agree", "vote", people, auto, "-o", tmp_path / "unnamed")
    scored = ("score", "task2", "--unit-weights", "--assessments")
    merged = "majority_report_assessments.csv"
    told = "labels: auto (majority of people (people.csv); {})"
    assert told.format("auto.csv") in said(*scored, tmp_path / "unnamed" / merged)
    write_judge(auto, "embedded 8")
    said("agree", "vote", people, auto, "-o", tmp_path / "out")
    assert told.format("embedded 8") in said(*scored, tmp_path / "out" / merged)
    said("agree", "vote", people, "-o", tmp_path / "alone")
    assert "labels: human\n" in said(*scored, tmp_path / "alone" / merged)


def test_files_on_different_runs_are_joined(tmp_path):
    header, runs = (
        "topic_id,run_tag,answer_id,annotation",
        {"anna": "rs", "bert": "r", "carla": "q"},
    )
    files = [
        write(tmp_path / name, header, *(f"t,{run},na-{n},none" for run in its for n in (1, 2)))
        for name, its in runs.items()
    ]
    files[1].write_text(files[1].read_text().replace("na-2,none", "na-2,"))
    shown = one_line(agree("vote", *files, "-o", tmp_path / "out"))
    assert "labelled by one judge alone, whose labels are kept: q, s" in shown
    # Of the two who label r, one says nothing of its second answer.
    assert [row[1:4] for row in rows(tmp_path / "out" / "majority_report_assessments.csv")[1:]] == [
        ["r", "na-1", "none"],
        ["r", "na-2", ""],
        *(["s", f"na-{n}", "none"] for n in (1, 2)),
        *(["q", f"na-{n}", "none"] for n in (1, 2)),
    ]
    with pytest.raises(UsageError, match="expected --assessments once") as refused:
        said("score", "task2", "--assessments", files[0], "--assessments", files[2])
    assert "`sidelight agree vote A B -o FOLDER` makes one file of several" in str(refused.value)


def test_three_public_models(shared_data, tmp_path):
    judges = sorted((shared_data / "rag-2025" / "umbrela-2026").iterdir())
    found = json.loads(agree("vote", *judges, "-o", tmp_path, "--json"))
    assert found["agreeing"] == {"3": 6888, "2": 16753, "1": 2700}
    assert found["undecided"] == 0
    labels = read_qrels(tmp_path / "majority.qrels")
    assert sum(map(len, labels.values())) == found["passages"] == 26341
