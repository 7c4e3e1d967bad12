from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.judge import Judge, Judgment, RubricCase
from sidelight.evaluation.labelling.judged_runs import (
    JudgingManifest,
    assess_runs,
    judge_runs,
    read_manifest_beside,
)
from sidelight.evaluation.labelling.judges import EmbeddedJudge
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
)
from sidelight.evaluation.labelling.run_kinds import TaskRuns
from sidelight.formats.labels.assessments import read_assessments
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import QuestionRun, ReportRun, SubmittedReport
from sidelight.tracks import load_track
from tests.helpers.labels.labelled import N_QUESTIONS, TOPICS, examples, question, report, rubric

TRACK = load_track()
SCALES = TRACK.scales
REPORT_FILE = REPORT_ANSWERS.file_name

RUBRICS = {topic_id: rubric(topic_id) for topic_id in TOPICS}
JUDGE = EmbeddedJudge(RUBRICS, examples())
N_ASKED = TRACK.question_list.count


def question_run(tag: str, *topics: str) -> QuestionRun:
    ranks = range(1, N_ASKED + 1)
    # Written backwards, since a run file may have any order.
    questions = [question(topic, rank, tag) for topic in topics for rank in ranks]
    return QuestionRun(run_tag=tag, questions=tuple(reversed(questions)))


def report_run(tag: str, *topics: str) -> ReportRun:
    return ReportRun(run_tag=tag, reports=tuple(report(topic, tag) for topic in reversed(topics)))


async def question_labels(judge: Judge, rubrics: dict[str, Rubric], runs: list[QuestionRun]):
    """Return the labels of pairs and those of compound questions."""
    found = await assess_runs(judge, TaskRuns(TRACK.question_list, rubrics, runs))
    return found[QUESTION_SIMILARITY], found[COMPOUND_QUESTIONS]


async def answer_labels(judge: Judge, rubrics: dict[str, Rubric], runs: list[ReportRun]):
    found = await assess_runs(judge, TaskRuns(TRACK.cited_text, rubrics, runs))
    return found[REPORT_ANSWERS]


def judged(judge: Judge, run: ReportRun, folder: Path) -> JudgingManifest:
    return asyncio.run(judge_runs(judge, TaskRuns(TRACK.cited_text, RUBRICS, [run]), folder))


def test_every_pair_exactly_once_in_a_fixed_order() -> None:
    runs = [question_run("z", *TOPICS), question_run("a", "t1")]
    pairs, verdicts = asyncio.run(question_labels(JUDGE, RUBRICS, runs))
    keys = [
        (item.topic_id, item.rubric_question_rank, item.run_tag, item.run_question_rank)
        for item in pairs
    ]
    assert keys == sorted(keys)
    assert len(keys) == len(set(keys)) == 4 * N_QUESTIONS * N_ASKED
    assert [item.run_tag for item in verdicts] == ["a"] * N_ASKED + ["z"] * 3 * N_ASKED
    assert (pairs, verdicts) == asyncio.run(question_labels(JUDGE, RUBRICS, list(reversed(runs))))


def test_every_answer_exactly_once_in_the_rubrics_order() -> None:
    runs = [report_run("z", *TOPICS), report_run("a", "t1")]
    answers = asyncio.run(answer_labels(JUDGE, RUBRICS, runs))
    keys = [(item.topic_id, item.run_tag, item.answer_id) for item in answers]
    expected = [
        (topic, tag, f"na-{number}")
        for topic, tag in (("t1", "a"), ("t1", "z"), ("t2", "z"), ("t3", "z"))
        for number in range(1, N_QUESTIONS + 1)
    ]
    assert keys == expected


def test_topics_without_a_rubric_are_left_out() -> None:
    one = {"t2": RUBRICS["t2"]}
    answers = asyncio.run(answer_labels(JUDGE, one, [report_run("r", *TOPICS)]))
    assert {item.topic_id for item in answers} == {"t2"}
    pairs, verdicts = asyncio.run(question_labels(JUDGE, one, [question_run("r", *TOPICS)]))
    assert {item.topic_id for item in (*pairs, *verdicts)} == {"t2"}


def test_an_example_run_is_never_judged() -> None:
    with pytest.raises(UsageError, match="seen labels of example-t1"):
        asyncio.run(question_labels(JUDGE, RUBRICS, [question_run("example-t1", "t1")]))
    with pytest.raises(UsageError, match="seen labels of example-t2"):
        asyncio.run(answer_labels(JUDGE, RUBRICS, [report_run("example-t2", "t1")]))


def test_a_run_given_twice_is_an_error() -> None:
    with pytest.raises(UsageError, match="given twice"):
        asyncio.run(answer_labels(JUDGE, RUBRICS, [report_run("r", "t1")] * 2))


def test_what_cannot_be_told_apart_is_an_error() -> None:
    twice = QuestionRun(run_tag="r", questions=(question("t1", 1), question("t1", 1)))
    with pytest.raises(InputError, match="two questions of rank 1 for topic t1"):
        asyncio.run(question_labels(JUDGE, RUBRICS, [twice]))
    with pytest.raises(InputError, match="two reports for topic t1"):
        asyncio.run(answer_labels(JUDGE, RUBRICS, [report_run("r", "t1", "t1")]))


def test_files_and_manifest(tmp_path: Path) -> None:
    for task, run in (
        (TRACK.question_list, question_run("q", "t1")),
        (TRACK.cited_text, report_run("r", "t1")),
    ):
        asyncio.run(judge_runs(JUDGE, TaskRuns(task, RUBRICS, [run]), tmp_path))
    for protocol, count in (
        (QUESTION_SIMILARITY, N_QUESTIONS * N_ASKED),
        (COMPOUND_QUESTIONS, N_ASKED),
        (REPORT_ANSWERS, N_QUESTIONS),
    ):
        labels = read_assessments(tmp_path / protocol.file_name, protocol.kind, SCALES)
        assert len(labels) == count
    manifest = read_manifest_beside(tmp_path / REPORT_FILE)
    assert manifest is not None
    assert manifest.label == JUDGE.title
    assert manifest.n_unjudged == {"task1": 0, "task2": 0}
    assert manifest.example_run_tags == ("example-t1", "example-t2")
    # Both runs are copies of an example, which must not go unseen.
    assert manifest.runs == {"task1": {"q": 1.0}, "task2": {"r": 1.0}}
    assert manifest.agreement.keys() == {"questions", "answers"}


def test_judging_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in (tmp_path / "a", tmp_path / "b"):
        judge = EmbeddedJudge(RUBRICS, examples())
        asyncio.run(
            judge_runs(
                judge, TaskRuns(TRACK.cited_text, RUBRICS, [report_run("r", *TOPICS)]), folder
            )
        )
    for name in (REPORT_FILE, "manifest.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


class UnsureJudge(EmbeddedJudge):
    """Another judge, who cannot read the reports."""

    name = "unsure"

    def __init__(self, rubrics: dict[str, Rubric]) -> None:
        super().__init__(rubrics)
        self.labellers = {**self.labellers, REPORT_ANSWERS: self.read}

    async def read(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        return [Judgment(Unjudged(reason="unreadable"))] * len(REPORT_ANSWERS.units(case))


def test_unjudged_verdicts_are_counted(tmp_path: Path) -> None:
    judge = UnsureJudge(RUBRICS)
    manifest = asyncio.run(
        judge_runs(
            judge, TaskRuns(TRACK.cited_text, RUBRICS, [report_run("r", "t1", "t2")]), tmp_path
        )
    )
    assert manifest.n_unjudged == {"task2": 2 * N_QUESTIONS}
    assert manifest.runs == {"task2": {"r": 0.0}}


def test_two_judges_do_not_share_a_folder(tmp_path: Path) -> None:
    judged(JUDGE, report_run("r", "t1"), tmp_path)
    before = (tmp_path / REPORT_FILE).read_bytes()
    with pytest.raises(InputError, match="must not be mixed"):
        asyncio.run(
            judge_runs(
                UnsureJudge(RUBRICS),
                TaskRuns(TRACK.cited_text, RUBRICS, [report_run("s", "t1")]),
                tmp_path,
            )
        )
    assert (tmp_path / REPORT_FILE).read_bytes() == before


def test_a_manifest_of_something_else_is_an_error(tmp_path: Path) -> None:
    assert read_manifest_beside(tmp_path / REPORT_FILE) is None
    (tmp_path / "manifest.json").write_text('{"judge": "x"}')
    with pytest.raises(InputError, match="expected the manifest of a judge"):
        read_manifest_beside(tmp_path / REPORT_FILE)


def test_a_manifest_reads_back(tmp_path: Path) -> None:
    manifest = judged(JUDGE, report_run("r", "t1"), tmp_path)
    assert isinstance(manifest, JudgingManifest)
    assert read_manifest_beside(tmp_path / "any.csv") == manifest


class CarelessJudge(Judge):
    """A judge of somebody else's, which does not keep to the protocol."""

    name = "careless"
    version = "1"

    def __init__(self, *judgments: Judgment) -> None:
        self.labellers = {REPORT_ANSWERS: self.read}
        self._judgments = list(judgments)

    async def read(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        return self._judgments


def test_a_judge_that_does_not_keep_to_the_protocol_is_refused() -> None:
    runs = [report_run("r", "t1")]
    wrong = CarelessJudge(*[Judgment("fine")] * N_QUESTIONS)
    with pytest.raises(UsageError, match=r"careless.*'fine'.*expected one of supports, partial"):
        asyncio.run(answer_labels(wrong, RUBRICS, runs))
    with pytest.raises(UsageError, match=rf"1 label; expected {N_QUESTIONS}"):
        asyncio.run(answer_labels(CarelessJudge(Judgment("none")), RUBRICS, runs))


def test_a_judge_that_lacks_a_labeller_says_so() -> None:
    with pytest.raises(UsageError, match="labels report answers, and not compound questions"):
        asyncio.run(question_labels(CarelessJudge(), RUBRICS, [question_run("r", "t1")]))
