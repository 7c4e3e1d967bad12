"""Runs judged against rubrics, within the limits of the track, with what is shown to a judge."""

import asyncio
import json

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.examples import read_examples
from sidelight.evaluation.labelling.judge import Judge, Judgment
from sidelight.evaluation.labelling.judged_runs import assess_runs, judge_runs, read_manifest_beside
from sidelight.evaluation.labelling.judges import EmbeddedJudge
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)
from sidelight.evaluation.labelling.run_kinds import TaskRuns, fit_questions, fit_report
from sidelight.formats.labels.assessments import read_assessments
from sidelight.formats.runs.question_list import write_question_run
from sidelight.sample import sample_path
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.run import CitedSentence, QuestionRun, ReportRun
from sidelight.tracks import load_track
from tests.helpers.commands import call
from tests.helpers.labels.labelled import N_QUESTIONS, TOPICS, examples, question, report, rubric
from tests.helpers.labels.toy import HAVE, question_run, write_csv, write_rubrics
from tests.helpers.labels.toy import rubric as toy_rubric

TRACK = load_track()
SCALES = TRACK.scales
QUESTIONS, REPORTS = TRACK.question_list, TRACK.cited_text
REPORT_FILE = REPORT_ANSWERS.file_name

RUBRICS = {topic_id: rubric(topic_id) for topic_id in TOPICS}
N_ASKED = QUESTIONS.count


def questions_of(tag, *topics):
    ranks = range(1, N_ASKED + 1)
    # Written backwards, since a run file may have any order.
    questions = [question(topic, rank, tag) for topic in topics for rank in ranks]
    return QuestionRun(run_tag=tag, questions=tuple(reversed(questions)))


def reports_of(tag, *topics):
    return ReportRun(run_tag=tag, reports=tuple(report(topic, tag) for topic in reversed(topics)))


def question_labels(judge, rubrics, runs):
    """Return the labels of pairs and those of compound questions."""
    found = asyncio.run(assess_runs(judge, TaskRuns(QUESTIONS, rubrics, runs)))
    return found[QUESTION_SIMILARITY], found[COMPOUND_QUESTIONS]


def answer_labels(judge, rubrics, runs):
    found = asyncio.run(assess_runs(judge, TaskRuns(REPORTS, rubrics, runs)))
    return found[REPORT_ANSWERS]


def judged(judge, run, folder):
    return asyncio.run(judge_runs(judge, TaskRuns(REPORTS, RUBRICS, [run]), folder))


def test_every_pair_and_every_answer_exactly_once_in_a_fixed_order(embedded):
    runs = [questions_of("z", *TOPICS), questions_of("a", "t1")]
    pairs, verdicts = question_labels(embedded, RUBRICS, runs)
    keys = [
        (item.topic_id, item.rubric_question_rank, item.run_tag, item.run_question_rank)
        for item in pairs
    ]
    assert keys == sorted(keys)
    assert len(keys) == len(set(keys)) == 4 * N_QUESTIONS * N_ASKED
    assert [item.run_tag for item in verdicts] == ["a"] * N_ASKED + ["z"] * 3 * N_ASKED
    assert (pairs, verdicts) == question_labels(embedded, RUBRICS, list(reversed(runs)))
    runs = [reports_of("z", *TOPICS), reports_of("a", "t1")]
    answers = answer_labels(embedded, RUBRICS, runs)
    keys = [(item.topic_id, item.run_tag, item.answer_id) for item in answers]
    expected = [
        (topic, tag, f"na-{number}")
        for topic, tag in (("t1", "a"), ("t1", "z"), ("t2", "z"), ("t3", "z"))
        for number in range(1, N_QUESTIONS + 1)
    ]
    assert keys == expected
    one = {"t2": RUBRICS["t2"]}
    answers = answer_labels(embedded, one, [reports_of("r", *TOPICS)])
    assert {item.topic_id for item in answers} == {"t2"}
    pairs, verdicts = question_labels(embedded, one, [questions_of("r", *TOPICS)])
    assert {item.topic_id for item in (*pairs, *verdicts)} == {"t2"}


def test_runs_that_cannot_be_judged_are_an_error(embedded):
    with pytest.raises(UsageError, match="seen labels of example-t1"):
        question_labels(embedded, RUBRICS, [questions_of("example-t1", "t1")])
    with pytest.raises(UsageError, match="seen labels of example-t2"):
        answer_labels(embedded, RUBRICS, [reports_of("example-t2", "t1")])
    with pytest.raises(InputError, match="found r given twice"):
        answer_labels(embedded, RUBRICS, [reports_of("r", "t1")] * 2)
    twice = QuestionRun(run_tag="r", questions=(question("t1", 1), question("t1", 1)))
    with pytest.raises(InputError, match="two questions of rank 1 for topic t1"):
        question_labels(embedded, RUBRICS, [twice])
    with pytest.raises(InputError, match="two reports for topic t1"):
        answer_labels(embedded, RUBRICS, [reports_of("r", "t1", "t1")])


def test_files_and_manifest(tmp_path, embedded):
    for task, run in (
        (QUESTIONS, questions_of("q", "t1")),
        (REPORTS, reports_of("r", "t1")),
    ):
        asyncio.run(judge_runs(embedded, TaskRuns(task, RUBRICS, [run]), tmp_path))
    for protocol, count in (
        (QUESTION_SIMILARITY, N_QUESTIONS * N_ASKED),
        (COMPOUND_QUESTIONS, N_ASKED),
        (REPORT_ANSWERS, N_QUESTIONS),
    ):
        labels = read_assessments(tmp_path / protocol.file_name, protocol.kind, SCALES)
        assert len(labels) == count
    manifest = read_manifest_beside(tmp_path / REPORT_FILE)
    assert manifest.label == embedded.title
    assert manifest.n_unjudged == {"task1": 0, "task2": 0}
    assert manifest.example_run_tags == ("example-t1", "example-t2")
    # Both runs are copies of an example, which must not go unseen.
    assert manifest.runs == {"task1": {"q": 1.0}, "task2": {"r": 1.0}}
    assert manifest.agreement.keys() == {"questions", "answers"}
    for judge, name in ((embedded, "a"), (EmbeddedJudge(examples()), "b")):
        judged(judge, reports_of("r", *TOPICS), tmp_path / name)
    for name in (REPORT_FILE, "manifest.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    manifest = judged(UnsureJudge(), reports_of("r", "t1", "t2"), tmp_path / "c")
    assert manifest.n_unjudged == {"task2": 2 * N_QUESTIONS}
    assert manifest.runs == {"task2": {"r": 0.0}}


class UnsureJudge(EmbeddedJudge):
    """Another judge, who cannot read the reports."""

    name = "unsure"

    def __init__(self):
        super().__init__()
        self.labellers = {**self.labellers, REPORT_ANSWERS: self.read}

    async def read(self, case):
        return [Judgment(Unjudged(reason="unreadable"))] * len(REPORT_ANSWERS.units(case))


def test_labels_of_runs_that_are_not_judged_again_stay(tmp_path, embedded):
    for topics in (TOPICS, ("t1",), TOPICS[:2]):
        judged(embedded, reports_of("a", *topics), tmp_path / "one")
        judged(embedded, reports_of("b", "t1"), tmp_path / "one")
    runs = [reports_of("a", *TOPICS[:2]), reports_of("b", "t1")]
    asyncio.run(judge_runs(embedded, TaskRuns(REPORTS, RUBRICS, runs), tmp_path / "two"))
    for name in (REPORT_FILE, "manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    (tmp_path / "one" / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"a judge that no manifest\.json"):
        judged(embedded, reports_of("c", "t1"), tmp_path / "one")


def test_two_judges_do_not_share_a_folder(tmp_path, embedded):
    assert read_manifest_beside(tmp_path / REPORT_FILE) is None
    manifest = judged(embedded, reports_of("r", "t1"), tmp_path)
    assert read_manifest_beside(tmp_path / "any.csv") == manifest
    before = (tmp_path / REPORT_FILE).read_bytes()
    with pytest.raises(InputError, match="must not be mixed"):
        judged(UnsureJudge(), reports_of("s", "t1"), tmp_path)
    assert (tmp_path / REPORT_FILE).read_bytes() == before
    (tmp_path / "manifest.json").write_text('{"judge": "x"}')
    with pytest.raises(InputError, match="expected the manifest of a judge"):
        read_manifest_beside(tmp_path / REPORT_FILE)


def test_labels_by_other_rubrics_are_not_mixed(tmp_path, embedded):
    judged(embedded, reports_of("r", "t1"), tmp_path)
    first = RUBRICS["t1"].questions[0].model_copy(update={"text": "Who else?"})
    other = RUBRICS["t1"].model_copy(update={"questions": (first,)})
    given = TaskRuns(REPORTS, {**RUBRICS, "t1": other}, [reports_of("s", "t1")])
    with pytest.raises(InputError, match="holds labels by other rubrics of t1; they must not be"):
        asyncio.run(judge_runs(embedded, given, tmp_path))
    manifest = read_manifest_beside(tmp_path / REPORT_FILE)
    assert manifest.rubrics == {name: one.fingerprint() for name, one in RUBRICS.items()}


class CarelessJudge(Judge):
    """A judge of somebody else's, which does not keep to the protocol."""

    name = "careless"
    version = "1"

    def __init__(self, *judgments):
        self.labellers = {REPORT_ANSWERS: self.read}
        self._judgments = list(judgments)

    async def read(self, case):
        return self._judgments


def test_a_judge_that_does_not_keep_to_the_protocol_is_refused():
    runs = [reports_of("r", "t1")]
    wrong = CarelessJudge(*[Judgment("fine")] * N_QUESTIONS)
    with pytest.raises(UsageError, match=r"careless.*'fine'.*expected one of supports, partial"):
        answer_labels(wrong, RUBRICS, runs)
    with pytest.raises(UsageError, match=rf"1 label; expected {N_QUESTIONS}"):
        answer_labels(CarelessJudge(Judgment("none")), RUBRICS, runs)
    with pytest.raises(UsageError, match="labels report answers, and not compound questions"):
        question_labels(CarelessJudge(), RUBRICS, [questions_of("r", "t1")])


SAMPLE = sample_path()


def saying(*n_words):
    sentences = tuple(CitedSentence(text=" ".join(["word"] * count)) for count in n_words)
    return report("t1").model_copy(update={"responses": sentences})


def test_reports_and_questions_are_cut_at_the_limit():
    for given, kept in [
        *(((100, 150), [100, 150]), ((100, 151), [100, 150]), ((250, 1), [250])),
        *(((240, 20, 5), [240, 10]), ((12_479,), [250]), ((), [])),
    ]:
        found = fit_report(saying(*given), REPORTS)
        assert [len(one.text.split()) for one in found.submission.responses] == kept
        assert bool(found.over) is (sum(given) > 250)
        if found.over:
            assert found.over == f"{sum(given)} words; at most 250"
    spaced = report("t1").model_copy(update={"responses": (CitedSentence(text="two  words "),)})
    assert fit_report(spaced, REPORTS) == (spaced, "")
    asked = [question("t1", rank) for rank in range(1, 11)]
    assert fit_questions(asked, QUESTIONS) == (asked, "")
    asked = [question("t1", rank) for rank in range(1, 13)]
    asked[2] = asked[2].model_copy(update={"text": "é" * 301})
    asked[3] = asked[3].model_copy(update={"text": "e\u0301" * 300})  # 300 once composed
    found = fit_questions(asked, QUESTIONS)
    assert [one.rank for one in found.submission] == list(range(1, 11))
    assert found.submission[2].text == "é" * 300
    assert found.submission[3] == asked[3]
    assert found.over == (
        "question 3 has 301 characters, question 11 of 10, question 12 of 10; "
        "at most 10 questions of 300 characters"
    )


def test_the_judge_says_so_and_gives_no_credit_for_the_rest(tmp_path):
    """A report that repeats a good one behind 250 words of nothing earns nothing by it."""
    lines = (SAMPLE / "runs/report_generation_runs/lantern-t2").read_text().splitlines()
    padded = []
    for line in lines:
        one = json.loads(line)
        one["responses"].insert(0, {"text": " ".join(["Hm"] * 250) + ".", "citations": []})
        padded.append(json.dumps(one))
    run = tmp_path / "padded"
    run.write_text("\n".join(padded) + "\n")
    out = tmp_path / "out"
    rubrics = ("--rubrics", SAMPLE / "human_rubrics", "--words-only")
    shown = call("judge", run, "--task", "task2", *rubrics, "-o", out)
    topic = json.loads(lines[0])["metadata"]["topic_id"]
    assert f"warning: run padded, topic {topic}: " in shown.stderr
    over = json.loads((out / "manifest.json").read_text())["over_limits"]["task2"]
    assert set(over) == {"padded"}
    assert len(over["padded"]) == len(lines)
    labels = (out / "auto_report_assessments.csv").read_text()
    assert "supports" not in labels
    assert "partial" not in labels


@pytest.fixture
def folder(tmp_path):
    write_rubrics(tmp_path / "human_rubrics", toy_rubric("a", (HAVE, 1)))
    runs = tmp_path / "runs" / "question_generation_runs"
    runs.mkdir(parents=True)
    for tag in ("one", "two", "unlabelled"):
        asked = question_run(tag, a=[f"Who {tag}?"], b=[f"Who {tag}?"])
        write_question_run(runs / tag, asked.questions)
    (runs / ".DS_Store").write_bytes(b"\x00")
    assessments = tmp_path / "human_assessments"
    assessments.mkdir()
    write_csv(
        assessments / "question_assessments.csv",
        "topic_id,rubric_question_rank,run_tag,run_question_rank,run_question_text,annotation",
        ("a", 1, "one", 1, "other spelling", "similar"),
        ("a", 1, "two", 1, "Who two?", "different"),
        ("a", 1, "one", 9, "not in the run", "similar"),
        ("a", 1, "elsewhere", 1, "run file not here", "similar"),
        ("b", 1, "one", 1, "topic without a rubric", "similar"),
    )
    return tmp_path


def test_labels_find_their_submission_by_rank_and_examples_can_be_chosen(folder):
    examples = read_examples(folder)
    found = [(label.run_tag, label.label) for label in examples.question_labels]
    assert found == [("one", "similar"), ("two", "different")]
    assert examples.questions["one", "a", 1].text == "Who one?"
    assert examples.run_tags == {"one", "two"}
    assert examples.answer_labels == ()
    assert read_examples(folder, ["two"]).run_tags == {"two"}
    with pytest.raises(InputError, match="found none for unlabelled"):
        read_examples(folder, ["two", "unlabelled"])
    (folder / "bare").mkdir()
    write_rubrics(folder / "bare" / "human_rubrics", toy_rubric("a", (HAVE, 1)))
    with pytest.raises(InputError, match="found none for any run"):
        read_examples(folder / "bare")
