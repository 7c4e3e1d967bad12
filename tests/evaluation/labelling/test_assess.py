from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.assess import (
    COMPOUND_FILE,
    QUESTION_FILE,
    REPORT_FILE,
    assess_question_runs,
    assess_report_runs,
    judge_question_runs,
    judge_report_runs,
)
from sidelight.evaluation.labelling.embedded import EmbeddedJudge
from sidelight.evaluation.labelling.manifest import JudgingManifest, read_manifest_beside
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.schemas.judgment import Unjudged
from sidelight.schemas.run import QuestionRun, ReportRun
from sidelight.tracks import load_track
from tests.helpers.labels.labelled import N_QUESTIONS, TOPICS, examples, question, report, rubric

SCALES = load_track().scales

RUBRICS = {topic_id: rubric(topic_id) for topic_id in TOPICS}
JUDGE = EmbeddedJudge(RUBRICS, examples())


def question_run(tag: str, *topics: str) -> QuestionRun:
    ranks = range(1, N_QUESTIONS + 1)
    # Written backwards, since a run file may have any order.
    questions = [question(topic, rank, tag) for topic in topics for rank in ranks]
    return QuestionRun(run_tag=tag, questions=tuple(reversed(questions)))


def report_run(tag: str, *topics: str) -> ReportRun:
    return ReportRun(run_tag=tag, reports=tuple(report(topic, tag) for topic in reversed(topics)))


def test_every_pair_exactly_once_in_a_fixed_order() -> None:
    runs = [question_run("z", *TOPICS), question_run("a", "t1")]
    pairs, verdicts = asyncio.run(assess_question_runs(JUDGE, RUBRICS, runs))
    keys = [
        (item.topic_id, item.rubric_question_rank, item.run_tag, item.run_question_rank)
        for item in pairs
    ]
    assert keys == sorted(keys)
    assert len(keys) == len(set(keys)) == 4 * N_QUESTIONS**2
    assert [item.run_tag for item in verdicts] == ["a"] * N_QUESTIONS + ["z"] * 3 * N_QUESTIONS
    assert (pairs, verdicts) == asyncio.run(
        assess_question_runs(JUDGE, RUBRICS, list(reversed(runs)))
    )


def test_every_answer_exactly_once_in_the_rubrics_order() -> None:
    runs = [report_run("z", *TOPICS), report_run("a", "t1")]
    answers = asyncio.run(assess_report_runs(JUDGE, RUBRICS, runs))
    keys = [(item.topic_id, item.run_tag, item.answer_id) for item in answers]
    expected = [
        (topic, tag, f"na-{number}")
        for topic, tag in (("t1", "a"), ("t1", "z"), ("t2", "z"), ("t3", "z"))
        for number in range(1, N_QUESTIONS + 1)
    ]
    assert keys == expected


def test_topics_without_a_rubric_are_left_out() -> None:
    one = {"t2": RUBRICS["t2"]}
    answers = asyncio.run(assess_report_runs(JUDGE, one, [report_run("r", *TOPICS)]))
    assert {item.topic_id for item in answers} == {"t2"}
    pairs, verdicts = asyncio.run(assess_question_runs(JUDGE, one, [question_run("r", *TOPICS)]))
    assert {item.topic_id for item in (*pairs, *verdicts)} == {"t2"}


def test_an_example_run_is_never_judged() -> None:
    with pytest.raises(UsageError, match="seen labels of example-t1"):
        asyncio.run(assess_question_runs(JUDGE, RUBRICS, [question_run("example-t1", "t1")]))
    with pytest.raises(UsageError, match="seen labels of example-t2"):
        asyncio.run(assess_report_runs(JUDGE, RUBRICS, [report_run("example-t2", "t1")]))


def test_a_run_given_twice_is_an_error() -> None:
    with pytest.raises(UsageError, match="given twice"):
        asyncio.run(assess_report_runs(JUDGE, RUBRICS, [report_run("r", "t1")] * 2))


def test_what_cannot_be_told_apart_is_an_error() -> None:
    twice = QuestionRun(run_tag="r", questions=(question("t1", 1), question("t1", 1)))
    with pytest.raises(InputError, match="two questions of rank 1 for topic t1"):
        asyncio.run(assess_question_runs(JUDGE, RUBRICS, [twice]))
    with pytest.raises(InputError, match="two reports for topic t1"):
        asyncio.run(assess_report_runs(JUDGE, RUBRICS, [report_run("r", "t1", "t1")]))


def test_files_and_manifest(tmp_path: Path) -> None:
    known = examples()
    asyncio.run(judge_question_runs(JUDGE, RUBRICS, [question_run("q", "t1")], known, tmp_path))
    asyncio.run(judge_report_runs(JUDGE, RUBRICS, [report_run("r", "t1")], known, tmp_path))
    assert (
        len(read_assessments(tmp_path / QUESTION_FILE, QUESTION_ASSESSMENTS, SCALES))
        == N_QUESTIONS**2
    )
    assert (
        len(read_assessments(tmp_path / COMPOUND_FILE, COMPOUND_ASSESSMENTS, SCALES)) == N_QUESTIONS
    )
    assert len(read_assessments(tmp_path / REPORT_FILE, ANSWER_ASSESSMENTS, SCALES)) == N_QUESTIONS
    manifest = read_manifest_beside(tmp_path / REPORT_FILE)
    assert manifest is not None
    assert manifest.label == "embedded 2 (words only), embedded"
    assert manifest.n_unjudged == {"task1": 0, "task2": 0}
    assert manifest.example_run_tags == ("example-t1", "example-t2")
    # Both runs are copies of an example, which must not go unseen.
    assert manifest.runs == {"task1": {"q": 1.0}, "task2": {"r": 1.0}}
    assert manifest.agreement.keys() == {"questions", "answers"}


def test_judging_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in (tmp_path / "a", tmp_path / "b"):
        judge = EmbeddedJudge(RUBRICS, examples())
        asyncio.run(
            judge_report_runs(judge, RUBRICS, [report_run("r", *TOPICS)], examples(), folder)
        )
    for name in (REPORT_FILE, "manifest.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


class UnsureJudge(EmbeddedJudge):
    """Another judge, who cannot read the reports."""

    name = "unsure"

    async def assess_report(self, rubric, run_tag, report):
        assessed = await super().assess_report(rubric, run_tag, report)
        unread = Unjudged(reason="unreadable")
        return [replace(item, label=unread) for item in assessed]


def test_unjudged_verdicts_are_counted(tmp_path: Path) -> None:
    judge = UnsureJudge(RUBRICS)
    manifest = asyncio.run(
        judge_report_runs(judge, RUBRICS, [report_run("r", "t1", "t2")], None, tmp_path)
    )
    assert manifest.n_unjudged == {"task2": 2 * N_QUESTIONS}
    assert manifest.runs == {"task2": {"r": 0.0}}


def test_two_judges_do_not_share_a_folder(tmp_path: Path) -> None:
    asyncio.run(judge_report_runs(JUDGE, RUBRICS, [report_run("r", "t1")], None, tmp_path))
    before = (tmp_path / REPORT_FILE).read_bytes()
    with pytest.raises(InputError, match="must not be mixed"):
        asyncio.run(
            judge_report_runs(
                UnsureJudge(RUBRICS), RUBRICS, [report_run("s", "t1")], None, tmp_path
            )
        )
    assert (tmp_path / REPORT_FILE).read_bytes() == before


def test_a_manifest_of_something_else_is_an_error(tmp_path: Path) -> None:
    assert read_manifest_beside(tmp_path / REPORT_FILE) is None
    (tmp_path / "manifest.json").write_text('{"judge": "x"}')
    with pytest.raises(InputError, match="expected the manifest of a judge"):
        read_manifest_beside(tmp_path / REPORT_FILE)


def test_a_manifest_reads_back(tmp_path: Path) -> None:
    manifest = asyncio.run(
        judge_report_runs(JUDGE, RUBRICS, [report_run("r", "t1")], None, tmp_path)
    )
    assert isinstance(manifest, JudgingManifest)
    assert read_manifest_beside(tmp_path / "any.csv") == manifest
