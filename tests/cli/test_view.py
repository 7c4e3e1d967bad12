import json
import re
import shutil
import subprocess
import sys
from functools import partial

import pytest

from sidelight.config.settings import Settings
from sidelight.errors import InputError, UsageError
from sidelight.formats.banks.rubrics import read_rubrics, write_rubric
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    write_assessments,
)
from sidelight.sample import sample_path
from sidelight.schemas.grading.judgment import AnswerAssessment, QuestionAssessment
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track
from tests.helpers.commands import call, said
from tests.helpers.html_tree import parse
from tests.helpers.viewed_runs import TOPIC, write_run

SCALES = load_track().scales
view = partial(said, "view")


def texts(path, tag):
    return [one.words for one in parse(path.read_text()) if one.tag == tag]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("runs") / "one")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """What evaluators have, in the organizers' layout: labels of our run and of another."""
    folder = tmp_path_factory.mktemp("data")
    question = RubricQuestion(
        question_id=f"{TOPIC}-1",
        rank=1,
        text="Who pays?",
        importance=SCALES["importance"].label("have to know"),
        answers=(RubricAnswer(answer_id="a", text="They do."),),
    )
    write_rubric(folder / "human_rubrics" / "1.json", Rubric(topic_id=TOPIC, questions=(question,)))
    tags = {"sidelight-view": "partial", "another": "supports"}
    write_assessments(
        folder / "human_assessments" / "report_assessments.csv",
        ANSWER_ASSESSMENTS,
        [
            AnswerAssessment(topic_id=TOPIC, run_tag=f"{tag}-t2", answer_id="a", label=label)
            for tag, label in tags.items()
        ],
    )
    write_assessments(
        folder / "human_assessments" / "question_assessments.csv",
        QUESTION_ASSESSMENTS,
        [
            QuestionAssessment(
                topic_id=TOPIC,
                rubric_question_rank=1,
                run_tag=f"{tag}-t1",
                run_question_rank=2,
                label="similar",
            )
            for tag in tags
        ],
    )
    return folder


def test_the_page_lies_in_the_run_directory(run):
    assert view(run.path) == f"  {run.path / 'page.html'}\n"
    assert texts(run.path / "page.html", "h1") == ["sidelight-view"]


def test_pages_of_a_small_index_that_no_search_found_are_named(
    run, small_index, mini_web_index, tmp_path, monkeypatch
):
    page, told = tmp_path / "page.html", "8 pages of the index were found by no search: "
    said("view", run.path, "--index", small_index.path, "-o", page)
    (line, _) = (one.text for one in parse(page.read_text()) if told in one.text and one.tag == "p")
    assert all(one.title in line for one in small_index.docstore)
    said("view", run.path, "--index", mini_web_index.path, "-o", page)
    shown = page.read_text()
    assert "45 pages of the index were found by no search; they are too many to be named" in shown
    # The five that the run found are of another index: 5 and 45 are 50.
    assert "Searched: 5 of the 50 pages of the index found by" in shown
    # Too many to be counted.
    monkeypatch.setattr("sidelight.view.shown_run._MOST_PAGES", 44)
    said("view", run.path, "--index", mini_web_index.path, "-o", page)
    assert "so many pages that those that no search found are not counted" in page.read_text()
    assert "Searched: 5 pages found by" in page.read_text()
    said("view", run.path, "-o", page)  # of an index that nobody names, nothing is known
    assert "no search found" not in page.read_text()


def test_evaluators_see_marks_the_leaderboard_and_labels_held_against_the_runs_own(data, tmp_path):
    judged = write_run(tmp_path / "judged")
    (judged.path / "scores").mkdir()
    given = (data / "human_assessments" / "report_assessments.csv").read_text()
    (judged.path / "scores" / "auto_report_assessments.csv").write_text(
        given.replace("supports", "none")
    )
    view(judged.path, "-o", tmp_path / "page.html", "--data", data)
    marked = "Asked by question 2 (similar). 50.0 points earned, 50.0 lost"
    assert any(marked in one for one in texts(tmp_path / "page.html", "li"))
    rows = texts(tmp_path / "page.html", "tr")
    assert rows.index("another-t2 1 1.000 – 0.000 0.000 1") < rows.index(
        "sidelight-view-t2 this run 2 0.500 – 0.000 0.000 1"
    )
    captions = [one for one in texts(tmp_path / "page.html", "h3") if "two sources" in one]
    assert captions == ["Reports (Task 2): two sources of labels"]
    few = "tau-b undefined over 2 runs, which are too few"
    assert any(few in one for one in texts(tmp_path / "page.html", "p"))


def test_a_page_is_written_where_no_parser_is_installed(run, tmp_path):
    code = "import sys; sys.modules['spacy'] = None; from sidelight.cli.main import main; main()"
    command = [sys.executable, "-c", code, "view", str(run.path), "-o", str(tmp_path / "page.html")]
    subprocess.run(command, check=True)


def test_labels_of_a_data_folder_mark_before_others(data, tmp_path):
    run, model = write_run(tmp_path / "run"), tmp_path / "model"
    model.mkdir()
    given = (data / "human_assessments" / "report_assessments.csv").read_text()
    (model / "report_assessments.csv").write_text(given.replace("supports", "none"))
    view(run.path, "-o", tmp_path / "page.html", "--data", data, "--labels", model)
    marked = "Asked by question 2 (similar). 50.0 points earned, 50.0 lost"
    assert any(marked in one for one in texts(tmp_path / "page.html", "li"))


def test_a_run_that_judged_itself_by_a_drafted_rubric_is_marked_by_that(data, tmp_path):
    judged = write_run(tmp_path / "judged")
    scores = judged.path / "scores"
    scores.mkdir()
    shutil.copytree(data / "human_rubrics", scores / "rubrics")
    labels = (data / "human_assessments" / "report_assessments.csv").read_text()
    (scores / "auto_report_assessments.csv").write_text(labels)
    (scores / "funnel.csv").write_text(f"topic_id,answer_id,lost_at\n{TOPIC},a,selected\n")
    view(judged.path)
    (lost, *_) = (
        one for one in texts(judged.path / "page.html", "p") if one.startswith("Where points")
    )
    assert lost == "Where points were lost: found, but not taken as evidence 50.0 ."
    view(judged.path, "--data", data)
    assert not any("two sources" in one for one in texts(judged.path / "page.html", "h3"))


def test_labels_of_support_stand_beside_the_sentences(data, tmp_path):
    judged = write_run(tmp_path / "judged")
    scores = judged.path / "scores"
    shutil.copytree(data / "human_assessments", scores)
    shutil.copytree(data / "human_rubrics", scores / "rubrics")
    (scores / "auto_support_sentences.csv").write_text(
        "run_tag,topic_id,sentence,all,reason\n"
        f"sidelight-view-t2,{TOPIC},1,partial,half of it\n"
        f"sidelight-view-t2,{TOPIC},2,,no reply\n"
    )
    view(judged.path)
    shown = texts(judged.path / "page.html", "span")
    assert any(
        one.startswith("Supported in part by found.example") and one.endswith("half of it")
        for one in shown
    )
    assert any(one.startswith("Support not judged by found.example") for one in shown)
    (scores / "auto_support_sentences.csv").write_text("run_tag,all\na,full\n")
    with pytest.raises(InputError, match="expected the columns run_tag, topic_id"):
        view(judged.path)


def test_what_cannot_be_shown_is_named(run, data, tmp_path):
    with pytest.raises(InputError, match="a finished run, or run files; found neither") as caught:
        view(tmp_path)
    assert "after it has ended" in caught.value.remedy
    with pytest.raises(UsageError, match="marks need rubrics and labels"):
        view(run.path, "--rubrics", data / "human_rubrics")
    with pytest.raises(UsageError, match="marks need rubrics and labels"):
        view(run.path, "--labels", data / "human_assessments")
    with pytest.raises(InputError, match="found neither"):
        view(run.path, "--rubrics", data / "human_rubrics", "--labels", tmp_path)


def test_a_folder_of_run_files_is_shown_where_they_are_one_run(run, tmp_path):
    folder = tmp_path / "handed in"
    folder.mkdir()
    (folder / "notes.txt").write_text("Ask for the third run.\n")
    for task, name in zip(load_track().tasks, ("mine-t1", "mine-t2"), strict=True):
        shutil.copy(run.file(task), folder / name)
    assert view(folder) == f"  {folder}/page.html\n"
    view(folder / "mine-t1", folder / "mine-t2", "-o", tmp_path / "page.html")
    assert (folder / "page.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    assert texts(folder / "page.html", "h1") == ["sidelight-view"]
    shutil.copy(folder / "mine-t1", folder / "other-t1")
    with pytest.raises(InputError, match="other-t1: expected one file for each task of a run"):
        view(run.path, "--compare", folder)


def test_a_run_beside_another_says_what_differs_and_whether_that_changed_anything(run, tmp_path):
    wide = write_run(tmp_path / "wide", run_id="sidelight-wide", settings=["retrieval.k=7"])
    page = tmp_path / "page.html"
    done = call("view", run.path, "--compare", wide.path, "-o", page)
    same = "sidelight-view and sidelight-wide are the same, word for word, on every topic.\n"
    assert done.stderr == same
    told = [one for one in texts(page, "p") if one.startswith("Settings that differ: ")]
    k = Settings().retrieval.k
    assert told == [f"Settings that differ: retrieval.k 7 (sidelight-view: {k})"] * 2
    other = write_run(tmp_path / "other", "It is so.", run_id="sidelight-other")
    assert call("view", run.path, "--compare", other.path, "-o", page).stderr == ""


def test_the_files_of_several_teams_are_listed_and_compared(data, tmp_path):
    folder, page = tmp_path / "handed in", tmp_path / "handed in" / "runs.html"
    for number, name in enumerate(("sidelight-view", "another")):
        made = write_run(
            tmp_path / name, f"It is told {number} times.", run_id=f"sidelight-{name[-4:]}"
        )
        for task, kind in zip(load_track().tasks, ("questions", "reports"), strict=True):
            (folder / kind).mkdir(parents=True, exist_ok=True)
            shutil.copy(made.file(task), folder / kind / f"{name}-t{task.name[-1]}")
    topics = made.result(TOPIC).topic
    (folder / "topics.jsonl").write_text(
        json.dumps({"docid": TOPIC, "url": topics.url, "title": topics.title, "body": topics.body})
    )
    (folder / "reports" / "notes.txt").write_text("Ask for the third run.\n")
    given = ("--topics", folder / "topics.jsonl", "--data", data)
    assert view(folder, *given) == f"  {page}\n"
    listed = [one.split() for one in texts(page, "tr") if "dragun2025" in one]
    assert [[row[0], *row[2:5]] for row in listed] == [
        ["questions/another-t1", "0.500", "–", "–"],
        ["questions/sidelight-view-t1", "0.500", "–", "–"],
        ["reports/another-t2", "–", "1.000", "0.000"],
        ["reports/sidelight-view-t2", "–", "0.500", "0.000"],
    ]
    columns = texts(page, "th")
    assert {"Labels", "Track"} < set(columns)
    assert not {"Failed", "With fallbacks", "Settings", "Index"} & set(columns)
    assert "They do. – – Supported Partly" in texts(page, "tr")
    near = "Nearest submitted question similar question 2 similar question 2 – –"
    assert near in texts(page, "tr")
    assert topics.title in texts(page, "h2")
    shown = " ".join(texts(page, "li"))
    assert "It is told 0 times" in shown
    assert "It is told 1 times" in shown
    assert not [one for one in texts(page, "summary") if "no run" in one]
    # A data folder has the articles, too. What no run asks or tells is listed.
    held = shutil.copytree(data, tmp_path / "held")
    shutil.copy(folder / "topics.jsonl", held)
    answer = RubricAnswer(answer_id="b", text="Nobody does.")
    (known,) = read_rubrics(held / "human_rubrics", SCALES)[TOPIC].questions
    unmet = known.model_copy(
        update={"question_id": f"{TOPIC}-2", "rank": 2, "text": "Who checks?", "answers": (answer,)}
    )
    rubric = Rubric(topic_id=TOPIC, questions=(known, unmet))
    write_rubric(held / "human_rubrics" / "1.json", rubric)
    view(folder, "--data", held)
    assert topics.title in texts(page, "h2")
    folded = [one for one in texts(page, "summary") if "no run" in one]
    unmet_kinds = ("question", "asks"), ("answer", "gives")
    assert folded == [f"1 {what} that no run with labels {does}" for what, does in unmet_kinds]
    unmet_texts = {unmet.text, answer.text}
    assert {one for one in texts(page, "li") if one in unmet_texts} == unmet_texts
    # Of a folder in the organizers' layout, the files are in folders of `runs`.
    for kind in ("questions", "reports"):
        shutil.copytree(folder / kind, held / "runs" / kind)
    view(held, "--data", held)
    listed = [one.split()[0] for one in texts(held / "runs.html", "tr") if "dragun2025" in one]
    assert listed[0] == "runs/questions/another-t1"
    assert len(listed) == 4
    # A file that cannot be read is named.
    (folder / "reports" / "third-t2").write_text(
        (folder / "reports" / "another-t2")
        .read_text()
        .replace('"responses"', '"responses": 7, "x"', 1)
    )
    view(folder, *given)
    told = "Damaged: third-t2:1; `sidelight validate` says more."
    assert f"Not shown: reports/third-t2. {told}" in texts(page, "p")
    with pytest.raises(UsageError, match="--compare is for one"):
        view(folder, "--compare", folder / "reports" / "another-t2")


def test_files_of_one_run_id_are_marked_by_the_labels_of_their_own_task(tmp_path):
    data, folder, page = sample_path(), tmp_path / "received", tmp_path / "page.html"
    folder.mkdir()
    for name in ("quillmark", "tidepool"):
        for kind, tag in (("question", f"{name}-t1"), ("report", f"{name}-t2")):
            run = (data / "runs" / f"{kind}_generation_runs" / tag).read_text()
            (folder / f"{name}-{kind}").write_text(run.replace(tag, name))
    given = ("--rubrics", data / "human_rubrics")
    labels, marks = tmp_path / "judged", list[str]()
    for task in ("task1", "task2"):
        call("judge", folder, "--task", task, *given, "--words-only", "-o", labels / task)
        marks += ["--labels", str(labels / task)]
    for some in (marks, ["--labels", str(labels)]):
        assert call("view", folder, *given, *some, "-o", page) == (f"  {page}\n", "")
        rows = [one.split() for one in texts(page, "tr") if "dragun2025" in one]
        defined = [(row[0], row[2] != "–", row[3] != "–") for row in rows]
        assert defined == [
            (f"{name}-{kind}", kind == "question", kind == "report")
            for name in ("quillmark", "tidepool")
            for kind in ("question", "report")
        ]
        # The files of one run have the labels of both.
        files = (folder / "tidepool-question", folder / "tidepool-report")
        assert call("view", *files, *given, *some, "-o", page) == (f"  {page}\n", "")
    (folder / "peat-report").touch()
    (folder / "notes.txt").touch()
    view(folder, *given, *marks, "-o", page)
    (left_out,) = (one for one in texts(page, "p") if one.startswith("Not shown: "))
    assert left_out.startswith("Not shown: peat-report. ")


def test_the_page_of_several_runs_has_the_places_and_intervals_of_score(tmp_path):
    runs, page = sample_path() / "runs" / "question_generation_runs", tmp_path / "page.html"
    view(runs, "--data", sample_path(), "-o", page)
    scored = json.loads(said("score", "task1", "--data", sample_path(), "--json"))
    expected = [
        f"{one['run_tag']} {place} {one['score']:.3f} "
        f"{one['interval']['low']:.3f} to {one['interval']['high']:.3f} "
        for place, one in enumerate(scored["runs"], start=1)
    ]
    rows = texts(page, "tr")
    assert len(expected) > 1
    assert all(any(row.startswith(one) for row in rows) for one in expected)


def test_a_compound_question_that_earns_nothing_is_shown_as_asked(tmp_path):
    runs, page = sample_path() / "runs" / "question_generation_runs", tmp_path / "page.html"
    view(runs, "--data", sample_path(), "-o", page)
    assert any("very similar question 8 (compound: no credit)" in one for one in texts(page, "tr"))
    view(runs / "quillmark-t1", "--data", sample_path(), "-o", page)
    why = "no credit, because it is compound: it asks several things."
    assert any(f"Asked by question 8 (very similar); {why}" in one for one in texts(page, "p"))


def test_with_data_compound_verdicts_are_peoples_as_in_score(tmp_path):
    runs, page = sample_path() / "runs" / "question_generation_runs", tmp_path / "page.html"
    labels = sample_path() / "human_assessments" / "question_assessments.csv"
    by_judge = tmp_path / "judged"
    by_judge.mkdir()
    shutil.copy(labels, by_judge)
    view(runs, "--data", sample_path(), "--labels", by_judge, "-o", page)
    (both,) = texts(page, "figcaption")
    assert both.endswith("Up: human labels in judged, compound verdicts by people.")
    rows = [one.split() for one in texts(page, "tr") if re.fullmatch(r"[\w-]+-t1 \S+ \S+", one)]
    assert len(rows) > 1
    assert all(first == second for _, first, second in rows)


def test_other_labels_are_compared_and_given_ones_that_are_not_shown_are_named(data, tmp_path):
    folder, page = tmp_path / "reports", tmp_path / "reports" / "runs.html"
    folder.mkdir()
    for name in ("sidelight-view", "another"):
        made = write_run(tmp_path / name, run_id=f"sidelight-{name[-4:]}")
        shutil.copy(made.file(load_track().tasks[1]), folder / f"{name}-t2")
    second, third = tmp_path / "second", tmp_path / "third"
    people = (data / "human_assessments" / "report_assessments.csv").read_text()
    for other, labels in ((second, people), (third, people.replace("another", "unknown"))):
        other.mkdir()
        (other / "report_assessments.csv").write_text(labels)
    (second / "again.csv").write_text(people)
    given = ("--data", data, "--labels", second, "--labels", third)
    done = call("view", folder, *given)
    first, other = (f"auto labels in {one}" for one in ("human_assessments", "second"))
    assert "Reports (Task 2): two sources of labels" in texts(page, "h3")
    assert texts(page, "figcaption") == [f"Across: {first}. Up: {other}."]
    assert f"{second / 'again.csv'}: not read; the name of such a file ends in" in done.stderr
    # A file by any name, and the folder of `agree vote`, which holds votes beside the majority.
    third = tmp_path / "second_assessor.csv"
    third.write_text(people)
    voted = tmp_path / "voted"
    call("agree", "vote", second / "report_assessments.csv", third, "-o", voted)
    for labels in (third, voted):
        call("view", folder, "--data", data, "--labels", labels)
        assert "Reports (Task 2): two sources of labels" in texts(page, "h3")
    unused = "Not shown: auto labels in third. They mark no run here, and there are no two runs"
    assert unused in done.stderr
    alone = call("view", folder / "another-t2", "-o", tmp_path / "one.html", *given)
    assert unused in alone.stderr
    assert "Not shown: auto labels in second" not in done.stderr + alone.stderr


def test_the_runs_of_a_folder_are_listed_and_compared(data, tmp_path):
    runs = tmp_path / "runs"
    hostile = "Other </script><b>words</b>."
    made = {
        "arms/theirs": write_run(runs / "arms" / "theirs", hostile, run_id="sidelight-other"),
        "mine": write_run(runs / "mine"),
    }
    labels = shutil.copytree(data / "human_assessments", tmp_path / "labels")
    for path in labels.iterdir():
        path.write_text(path.read_text().replace("another", "sidelight-other"))
    view(made["mine"].path)
    (runs / "killed").mkdir()
    shutil.copytree(runs / "mine", runs / "odd")
    for name in ("killed", "odd"):
        (runs / name / "config.yaml").write_text("odd: 1\n")
    page = runs / "runs.html"
    # By given labels a topic without any counts, as in `score`; by those of a run it does not.
    rubrics = shutil.copytree(data / "human_rubrics", tmp_path / "rubrics")
    other = (rubrics / "1.json").read_text().replace(TOPIC, "msmarco_v2.1_doc_99_9")
    (rubrics / "2.json").write_text(other)
    given = ("--rubrics", rubrics, "--labels", labels)
    assert view(runs, *given) == f"  {page}\n"
    shown = parse(page.read_text())
    assert {one.attributes["href"] for one in shown if one.tag == "a"} >= {"mine/page.html"}
    assert not [one for one in shown if one.tag == "b" and one.text == "words"]
    rows = texts(page, "tr")
    listed = [one for one in rows if "dragun2025" in one and "labels" in one]
    assert [one.split()[:5] for one in listed] == [
        ["arms/theirs", "sidelight-other", "0.250", "0.500", "0.000"],
        ["mine", "sidelight-view", "0.250", "0.250", "0.000"],
    ]
    by_people = ("--assessments", labels / "question_assessments.csv", "--json")
    scored = json.loads(said("score", "task1", "--rubrics", rubrics, *by_people))["runs"]
    assert [run["score"] for run in scored] == [0.25, 0.25]
    # Of the two topics one has a rubric, and none failed.
    assert [one.split()[5:8] for one in listed] == [["2", "1", "0"]] * 2
    assert "They do. Supported Partly" in rows
    assert not [one for one in texts(page, "p") if "identical" in one]
    left_out = [one for one in texts(page, "p") if one.startswith("Not shown: ")]
    assert [one.split()[2] for one in left_out] == ["killed.", "odd."]
    # Scores that there are and cannot be shown are named, on the terminal, too.
    scores, others = (
        shutil.copytree(labels, runs / one / "scores") for one in ("mine", "arms/theirs")
    )
    done = call("view", runs)
    assert "Without scores: arms/theirs, mine. There are some: give the rubrics" in " ".join(
        texts(page, "p")
    )
    shutil.rmtree(others)
    assert [one.split(".")[0] for one in done.stderr.splitlines() if ": " in one] == [
        "Not shown: killed",
        "Not shown: odd",
        "Without scores: arms/theirs, mine",
    ]
    view(runs, "--rubrics", rubrics)
    assert [one.split()[2:4] for one in texts(page, "tr") if one.startswith("mine sidelight")] == [
        ["0.500", "0.500"]
    ]
    (scores / "auto_question_assessments.csv").write_text("x\n")
    view(runs, *given)
    assert "arms/theirs" in str(texts(page, "th"))
    assert [one for one in texts(page, "p") if one.startswith("Without scores: mine. ")]
    shutil.rmtree(scores)
    view(runs, *given)
    assert "expected a finished run" in left_out[0]
    assert "unknown setting odd" in left_out[1]
    # Whatever the runs hold stands on the page, each in its own column.
    for number, run in enumerate(made.values(), start=1):
        columns = [
            one.words
            for one in shown
            if one.tag == "div" and one.attributes.get("data-run") == str(number)
        ]
        assert len(columns) == 2
        for column, topic_id in zip(columns, run.read_manifest().topics, strict=True):
            result = run.result(topic_id)
            known = {one.segment_id: one.text for one in result.evidence}
            for task in run.read_track().tasks:
                for one in result.result(task):
                    assert " ".join(getattr(one, "text", one).split()) in column
                    for cited in getattr(one, "citations", ()):
                        assert known[cited].partition(".")[0] in column


def test_judges_of_one_task_are_told_apart_and_those_of_two_tasks_are_not(data, tmp_path):
    rubrics, folder = ("--rubrics", data / "human_rubrics"), tmp_path / "runs"
    for name in ("one", "two"):
        scores = write_run(folder / name).path / "scores"
        shutil.copytree(data / "human_assessments", scores)
        manifest = {"judge": name, "version": "1", "kind": "embedded", "runs": {}, "n_topics": 1}
        manifest |= {"n_unjudged": {}, "example_run_tags": [], "agreement": {}}
        (scores / "manifest.json").write_text(json.dumps(manifest))

    def warned():
        view(folder, *rubrics)
        said = texts(folder / "runs.html", "p")
        return [one.partition(":")[0] for one in said if "several judges labelled" in one]

    assert warned() == ["Questions (Task 1)", "Reports (Task 2)"]
    (folder / "one" / "scores" / "question_assessments.csv").unlink()
    assert warned() == ["Reports (Task 2)"]
    (folder / "two" / "scores" / "report_assessments.csv").unlink()
    assert warned() == []


def test_labels_of_compared_runs_stand_side_by_side(run, data, tmp_path):
    labels = shutil.copytree(data / "human_assessments", tmp_path / "labels")
    for path in labels.iterdir():
        path.write_text(path.read_text().replace("another", "sidelight-other"))
    other = write_run(tmp_path / "other", "Other words.", run_id="sidelight-other")
    third = write_run(tmp_path / "third", run_id="sidelight-third")
    page, given = tmp_path / "page.html", ("--rubrics", data / "human_rubrics", "--labels", labels)
    view(run.path, "--compare", other.path, "--compare", third.path, *given, "-o", page)
    rows, hints = texts(page, "tr"), texts(page, "p")
    assert "Answer sidelight-view sidelight-other sidelight-third" in rows
    assert "They do. Partly Supported –" in rows
    assert "questions 0.500; report supportive 1.000, contradictory 0.000; auto labels" in hints
    assert "No labels of sidelight-third are known here." in hints
    same = (
        "10 questions, 2 sentences and 2 cited passages in common with sidelight-view: both are "
        "the same, word for word"
    )
    assert hints.count(same) == 2  # topics
    assert "1 of 2" in texts(page, "dd")  # topics that have a rubric
    # A judge's labels of two tasks may go by different rules; the page names both.
    manifest = {"judge": "some", "version": "1", "kind": "embedded", "runs": {}, "n_topics": 1}
    manifest |= {"titles": {"task1": "some 1 (a)", "task2": "some 1 (b)"}, "n_unjudged": {}}
    manifest |= {"example_run_tags": [], "agreement": {}}
    (labels / "manifest.json").write_text(json.dumps(manifest))
    view(run.path, *given, "-o", page)
    hints = texts(page, "p") + texts(page, "span")
    assert [
        one for one in hints if "contradictory 0.000; task1: some 1 (a); task2: some 1 (b)" in one
    ]
    (labels / "manifest.json").unlink()
    # What a compared run was judged by itself is shown, too.
    shutil.copytree(labels, other.path / "scores")
    shutil.copytree(data / "human_rubrics", other.path / "scores" / "rubrics")
    view(third.path, "--compare", other.path, "-o", page)
    assert "They do. – Supported" in texts(page, "tr")
    assert "No labels of sidelight-third are known here." in texts(page, "p")
    view(third.path, "--compare", run.path, "-o", page)
    assert not [one for one in texts(page, "p") if "labels" in one]


def test_one_run_is_compared_by_its_own_page(run, data, tmp_path):
    write_run(tmp_path / "runs" / "mine")
    write_run(tmp_path / "runs" / "same", run_id="sidelight-same")
    view(tmp_path / "runs")
    said_of_both = "same and mine are identical: equal on every topic."
    assert said_of_both in texts(tmp_path / "runs" / "runs.html", "p")
    shutil.rmtree(tmp_path / "runs" / "same")
    with pytest.raises(UsageError, match="--compare is for one"):
        view(tmp_path / "runs", "--compare", run.path)
    # A run directory has its own topics.
    done = call("view", tmp_path / "runs", "--topics", data / "topics.jsonl")
    assert "run directories have their own" in " ".join(done.stderr.split())
    with pytest.raises(UsageError, match="marks need rubrics and labels"):
        view(tmp_path / "runs", "--labels", data / "human_assessments")
    shutil.rmtree(tmp_path / "runs" / "mine" / "traces")
    with pytest.raises(InputError, match="found 1 that cannot be shown"):
        view(tmp_path / "runs")
