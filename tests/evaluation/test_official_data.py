"""The organizers' own layout and run sets: what is read, and which runs agreement is about."""

import random
import shutil
from itertools import product
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest
from scipy.stats import kendalltau

from sidelight.errors import InputError
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.formats.data_folder import DataPart, find_part
from sidelight.sample import sample_path
from sidelight.tracks import load_track
from tests.helpers.commands import said, told
from tests.helpers.labels import toy

QUESTION_EXAMPLES = (
    "dragun-organizers-starter-kit-task-1",
    "organizer-gpt-oss-t1",
    "organizer-t1-chatgpt",
    "organizer-t1-perplex",
)
REPORT_EXAMPLES = ("dragun-organizers-starter-kit-task-2", "organizer-gpt-oss-t2")
N_QUESTION_RUNS, N_REPORT_RUNS = 14, 10
BOTH_ASKED, BOTH_REPORTED = 10, 8  # runs that people and the judge labelled

TRACK = load_track()
TOPICS = tuple(f"msmarco_v2.1_doc_{number:02}_{number}" for number in range(1, 7))
RUBRICS = {
    topic: toy.rubric(topic, (toy.HAVE, 2), (toy.GOOD, 1), (toy.NICE, 2)) for topic in TOPICS
}
_PAIR_LABELS = ("very-different", "different", "similar", "very-similar")
_ANSWER_LABELS = ("none", "none", "partial", "supports")


class OfficialData(NamedTuple):
    """A generated repository, and the mean score of each run by side and by run."""

    folder: Path
    questions: dict[str, dict[str, float]]
    reports: dict[str, dict[str, float]]


def write_official_data(folder):
    """Write question runs and report runs, of which AutoJudge did not label 4 and 2."""
    choose = random.Random(5)
    data, judged = folder / "data", folder / "auto_judge" / "output"
    for made in (data / "human_assessments", judged):
        made.mkdir(parents=True)
    toy.write_rubrics(data / "human_rubrics", *RUBRICS.values())
    lines = [
        orjson.dumps({"docid": topic, "url": "u", "title": "T", "headings": "", "body": "Body."})
        for topic in TOPICS
    ]
    (data / "trec-2025-dragun-topics.jsonl").write_bytes(b"\n".join(lines))
    return OfficialData(folder, _questions(choose, data, judged), _reports(choose, data, judged))


def _label(choose, quality, labels):
    return labels[min(3, max(0, round(4 * quality + choose.gauss(-0.5, 1))))]


def _questions(choose, data, judged):
    tags = [*QUESTION_EXAMPLES, *(f"q{number:02}" for number in range(N_QUESTION_RUNS - 4))]
    quality = {tag: choose.random() for tag in tags}
    rows = {"people": [], "judge": []}
    asked = list(product(TOPICS, tags, range(1, 11)))
    for topic, tag, rank in asked:
        for place in (1, 2, 3):
            # Assessors saw two of ten questions at most; the judge saw all, but not of all runs.
            sides = ["people"] if (rank + place) % 5 == 0 else []
            sides += ["judge"] if tag not in QUESTION_EXAMPLES else []
            for side in sides:
                label = _label(choose, quality[tag] / 2, _PAIR_LABELS)
                rows[side].append((topic, place, tag, rank, label))
    keys = "topic_id,rubric_question_rank,run_tag,run_question_rank"
    people = data / "human_assessments" / "question_assessments.csv"
    toy.write_csv(people, f"{keys},annotation", *rows["people"])
    toy.write_csv(
        judged / "auto_question_assessments.csv",
        f"{keys},auto_assessment,auto_rationale",
        *((*row, "why") for row in rows["judge"]),
    )
    toy.write_csv(
        judged / "auto_compound_question_check.csv",
        "topic_id,run_tag,run_question_rank,run_question_text,"
        "auto_compound_question_assessment,auto_assessment_rationale",
        *((*key, "Who?", "not-compound", "why") for key in asked),
    )
    return {
        side: means(score_questions(TRACK, RUBRICS, [toy.pair(*row) for row in labels], None))
        for side, labels in rows.items()
    }


def _reports(choose, data, judged):
    tags = [*REPORT_EXAMPLES, *(f"r{number:02}" for number in range(N_REPORT_RUNS - 2))]
    quality = {tag: choose.random() for tag in tags}
    scores = {}
    for side, path, column, unlabelled in (
        ("people", data / "human_assessments" / "report_assessments.csv", "annotation", ()),
        ("judge", judged / "auto_report_assessments.csv", "auto_assessment", REPORT_EXAMPLES),
    ):
        rows = [
            (topic, tag, f"na-{number}", _label(choose, quality[tag], _ANSWER_LABELS))
            for tag in tags
            if tag not in unlabelled
            for topic in TOPICS
            for number in range(1, 6)
        ]
        toy.write_csv(path, f"topic_id,run_tag,answer_id,{column}", *rows)
        labels = [toy.answer(*row) for row in rows]
        scores[side] = means(score_reports(TRACK, RUBRICS, labels))
    return scores


def means(table):
    return {run.run_tag: run.values[table.main.name] for run in table.runs}


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    return write_official_data(tmp_path_factory.mktemp("resources"))


def tau(people, judge, runs):
    """Return tau-b; a run that a side has no score of counts 0 there."""
    sides = ([round(side.get(run, 0.0), 12) for run in sorted(runs)] for side in (people, judge))
    return float(kendalltau(*sides).statistic)


def test_agreement_is_over_the_runs_that_both_judged(official, tmp_path):
    shown = told("reproduce", "dragun-judge", "--data", official.folder, code=1)
    figures = {figure["name"]: figure for figure in shown["figures"]}
    for task, scores, examples, n in (
        ("Task 1", official.questions, QUESTION_EXAMPLES, BOTH_ASKED),
        ("Task 2", official.reports, REPORT_EXAMPLES, BOTH_REPORTED),
    ):
        both = set(scores["people"]) & set(scores["judge"])
        assert figures[f"{task}: runs that both judged"]["here"] == n == len(both)
        assert figures[f"{task}: runs left out"]["names"] == list(examples)
        right = tau(scores["people"], scores["judge"], both)
        assert figures[f"{task}: Kendall tau of runs"]["here"] == pytest.approx(right)
        # With the examples at 0 it would be another figure.
        wrong = tau(scores["people"], scores["judge"], set(scores["people"]))
        assert abs(right - wrong) > 0.05
    labels = official.folder / "auto_judge" / "output" / "auto_report_assessments.csv"
    common = ("agree", "labels", labels, "--data", official.folder)
    found = told(*common)
    assert found["only_runs"] == [list(REPORT_EXAMPLES), []]
    assert found["n_runs"] == BOTH_REPORTED
    assert f"only in report_assessments.csv: {', '.join(REPORT_EXAMPLES)}" in said(*common)
    folder = shutil.copytree(official.folder, tmp_path / "copy")
    people = folder / "data/human_assessments/report_assessments.csv"
    judge = folder / "auto_judge/output/auto_report_assessments.csv"
    copied = [line for line in people.read_text().splitlines() if REPORT_EXAMPLES[0] in line]
    judge.write_text(judge.read_text() + "\n".join(copied) + "\n")
    before, after = (
        told("reproduce", "dragun-judge", "--data", data, code=1)
        for data in (official.folder, folder)
    )
    assert before == after


def test_scores_agree_over_the_same_runs_and_headroom_is_over_runs_with_labels(official, tmp_path):
    judged = official.folder / "auto_judge" / "output"
    shown = said(
        *("score", "task1", "--data", official.folder, "-o", tmp_path),
        *("--assessments", judged / "auto_question_assessments.csv"),
    )
    assert f"not scored, because they have no labels: {', '.join(QUESTION_EXAMPLES)}" in shown
    scores = tmp_path / "auto_question_generation_per_topic_results.csv"
    common = ("agree", "scores", scores, "--data", official.folder, "--samples", "100")
    found = told(*common)
    both = set(official.questions["judge"])
    assert len(found["run_tags"]) == BOTH_ASKED
    assert found["only_runs"] == [list(QUESTION_EXAMPLES), []]
    right = tau(official.questions["people"], official.questions["judge"], both)
    assert found["runs"]["tau_b"] == pytest.approx(right)
    shown = said(*common)
    assert shown.startswith(f"score: {BOTH_ASKED} runs, 6 topics\n")
    assert ", ".join(QUESTION_EXAMPLES) in shown
    pytest.importorskip("matplotlib")
    labels = judged / "auto_question_assessments.csv"
    command = ("score", "headroom", "task1", "--data", official.folder, "-o", tmp_path)
    topics = told(*command, "--assessments", labels)["topics"]
    mean = sum(topic["mean"] for topic in topics) / len(topics)
    scores = official.questions["judge"].values()
    assert mean == pytest.approx(sum(scores) / BOTH_ASKED)


def test_their_layout_is_scored_counted_and_judged(official, tmp_path):
    said("score", "--data", official.folder, "-o", tmp_path)
    for kind, scores, column in (
        ("question", official.questions, "score"),
        ("report", official.reports, "supportive_score"),
    ):
        path = tmp_path / f"human_{kind}_generation_per_run_results.csv"
        header, *rows = (line.split(",") for line in path.read_text().splitlines())
        found = {row[0]: float(row[header.index(column)]) for row in rows}
        assert found == pytest.approx(scores["people"], abs=1e-6)
    shown = told("reproduce", "dragun-collection", "--data", official.folder, code=1)
    figures = {figure["name"]: figure["here"] for figure in shown["figures"]}
    counted = [figures[name] for name in ("Task 1 runs", "Task 2 runs", "topics")]
    assert counted == [N_QUESTION_RUNS, N_REPORT_RUNS, len(TOPICS)]
    run = tmp_path / "mine"
    rows = [
        f"{topic}\tteam\tmine\t{rank}\tWho said number {rank}?"
        for topic in TOPICS
        for rank in range(1, 11)
    ]
    run.write_text("\n".join(rows) + "\n")
    out = tmp_path / "out"
    said("judge", run, "--task", "task1", "--data", official.folder, "--words-only", "-o", out)
    # Every pair of a rubric question and a submitted one, and the header.
    labels = (out / "auto_question_assessments.csv").read_text().splitlines()
    assert len(labels) == 1 + len(TOPICS) * 3 * 10


def test_a_part_is_found_by_what_it_holds_and_never_guessed(official, tmp_path):
    found = find_part(official.folder, DataPart.TOPICS)
    assert found.name == "trec-2025-dragun-topics.jsonl"
    folder = shutil.copytree(official.folder, tmp_path / "copy")
    first = folder / "auto_judge" / "output" / "auto_compound_question_check.csv"
    second = folder / "other" / "verdicts.csv"
    second.parent.mkdir()
    shutil.copy(first, second)
    with pytest.raises(InputError) as caught:
        find_part(folder, DataPart.COMPOUND_CHECK)
    assert str(first) in caught.value.message
    assert str(second) in caught.value.message
    moved = folder / "submitted"
    shutil.copytree(sample_path() / DataPart.QUESTION_RUNS, moved)
    shutil.rmtree(folder / DataPart.QUESTION_RUNS, ignore_errors=True)
    assert find_part(folder, DataPart.QUESTION_RUNS) == moved
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="no other file in the folder is of the kind report ass"):
        find_part(tmp_path / "bare", DataPart.REPORT_ASSESSMENTS)
