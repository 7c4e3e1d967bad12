"""Runs: what they leave, how they go on, and what they say of failures."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import cast

import orjson
import pytest

from sidelight.agents.state import InvestigationState, outcome_of
from sidelight.config.settings import Settings
from sidelight.errors import InputError, MachineError, UsageError
from sidelight.formats.runs.submission import run_format
from sidelight.runs.runner import run_topics
from sidelight.schemas.investigation.report import QuestionSet
from sidelight.tracks import load_track
from tests.helpers.mini_web import investigation
from tests.helpers.prompted_runs import files
from tests.helpers.scripted_runs import IDS, THIN, TOPICS, run, scripted, started


class KilledError(BaseException):
    """Stands for a power cut: nothing in the project may catch it."""


def failing(error, *topic_ids):
    async def investigate(article):
        outcome = await scripted(article)
        if article.topic_id in topic_ids:
            raise error
        return outcome

    return investigate


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The files of a run that nothing disturbed."""
    out = tmp_path_factory.mktemp("reference")
    assert run(out).succeeded
    return files(out)


def test_a_run_makes_both_files_in_the_order_of_its_topics(tmp_path):
    ended: list[str] = []
    summary = asyncio.run(
        run_topics(TOPICS, Settings(), "i", started(scripted), tmp_path, on_topic=ended.append)
    )
    assert (summary.done, summary.kept, summary.failures) == (tuple(IDS), (), ())
    assert summary.succeeded
    assert sorted(ended) == sorted(IDS)
    for number, task in enumerate(load_track().tasks, start=1):
        path, kept_as = summary.directory.file(task), run_format(task)
        assert kept_as.check(path, task, IDS, None) == []
        assert list(kept_as.read(path).results()) == IDS
        assert kept_as.read(path).run_ids == (f"sidelight-run-t{number}",)


def test_the_manifest_says_what_made_the_run_and_nothing_of_when_or_where(tmp_path, reference):
    summary = run(tmp_path / "elsewhere")
    assert files(tmp_path / "elsewhere") == reference
    manifest = orjson.loads(reference["manifest.json"])
    assert sorted(manifest) == [
        *("edited", "failed_topics", "fallbacks", "files", "index", "packages", "settings"),
        "sidelight",
        *("thin_topics", "topics", "track"),
    ]
    assert manifest["topics"] == IDS
    assert manifest["thin_topics"] == list(summary.thin) == [THIN]
    assert manifest["settings"] == Settings().fingerprint()
    assert sorted(manifest["files"]) == [
        *("config.yaml", "task1.tsv", "task2.jsonl"),
        *(f"traces/{topic_id}.json" for topic_id in sorted(IDS)),
    ]
    for content in reference.values():
        assert str(tmp_path.parent).encode() not in content


@pytest.mark.parametrize("topic_id", IDS)
def test_a_run_killed_at_any_topic_ends_the_same(topic_id, tmp_path, reference):
    with pytest.raises(KilledError):
        run(tmp_path, failing(KilledError(), topic_id))
    assert "manifest.json" not in files(tmp_path)
    before = {name for name in files(tmp_path) if name.startswith("traces/")}
    summary = run(tmp_path)
    assert {f"traces/{one}.json" for one in summary.kept} == before
    assert topic_id in summary.done
    assert files(tmp_path) == reference


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_run_killed_at_any_write_ends_the_same(after, tmp_path, reference, monkeypatch):
    replace = Path.replace
    calls = 0
    while True:
        left = calls

        def die(path, target):
            nonlocal left
            left -= 1
            if left >= 0 or after:
                replace(path, target)
            if left < 0:
                raise KilledError
            return target

        out = tmp_path / str(calls)
        with monkeypatch.context() as killed:
            killed.setattr(Path, "replace", die)
            try:
                run(out)
                break
            except KilledError:
                pass
        assert run(out).succeeded
        assert files(out) == reference
        calls += 1
    # The configuration, five topics, and two steps for each of four files.
    assert calls == 1 + len(TOPICS) + 2 * 4


def test_a_failing_topic_stops_no_other_and_is_tried_again(tmp_path, reference):
    summary = run(tmp_path, failing(InputError("no text", remedy="Add some."), IDS[3], IDS[1]))
    assert not summary.succeeded
    assert summary.done == (IDS[0], IDS[2], IDS[4])
    lines = summary.directory.failures.read_text().splitlines()
    assert [orjson.loads(line) for line in lines] == [
        {"error": "InputError", "message": "no text\nAdd some.", "topic_id": topic_id}
        for topic_id in (IDS[1], IDS[3])
    ]
    manifest = orjson.loads(summary.directory.manifest.read_bytes())
    assert manifest["failed_topics"] == [IDS[1], IDS[3]]
    assert manifest["topics"] == [IDS[0], IDS[2], IDS[4]]

    tried: list[str] = []

    async def investigate(article):
        tried.append(article.topic_id)
        return await scripted(article)

    assert run(tmp_path, investigate).succeeded
    assert tried == [IDS[1], IDS[3]]
    assert files(tmp_path) == reference


def test_failures_are_on_record_at_once_and_nothing_unexpected_stops_the_others(tmp_path):
    async def investigate(article):
        raise InputError("no text") if article.topic_id == IDS[0] else KilledError

    with pytest.raises(KilledError):
        run(tmp_path, investigate, parallel=1)
    assert IDS[0] in (tmp_path / "failures.jsonl").read_text()
    summary = run(tmp_path, failing(KeyError("E9"), *IDS))
    assert {(failure.error, failure.message) for failure in summary.failures} == {
        ("KeyError", "'E9'")
    }
    assert (summary.done, len(summary.failures)) == ((), len(IDS))
    assert files(tmp_path)["task1.tsv"] == b""


def test_a_machine_at_fault_ends_the_run_and_fails_no_topic(tmp_path, reference):
    def start():
        raise MachineError("no such model")

    with pytest.raises(MachineError, match="no such model"):
        asyncio.run(run_topics(TOPICS, Settings(), "index", start, tmp_path))
    assert not (tmp_path / "config.yaml").exists()
    with pytest.raises(MachineError, match="no Java"):
        run(tmp_path, failing(MachineError("no Java"), IDS[2]))
    assert not (tmp_path / "failures.jsonl").exists()
    assert f"traces/{IDS[2]}.json" not in files(tmp_path)
    assert run(tmp_path).succeeded
    assert files(tmp_path) == reference


def test_one_topic_only(tmp_path, reference):
    summary = run(tmp_path, only=[IDS[3]])
    assert (summary.done, summary.succeeded) == ((IDS[3],), True)
    task = load_track().question_list
    assert list(run_format(task).read(summary.directory.file(task)).results()) == [IDS[3]]
    summary = run(tmp_path, only=[IDS[0]])
    assert (summary.done, summary.kept) == ((IDS[0],), (IDS[3],))
    assert run(tmp_path).kept == (IDS[0], IDS[3])
    assert files(tmp_path) == reference


def test_a_finished_run_writes_nothing_and_opens_nothing(tmp_path):
    run(tmp_path)
    before = {path: path.stat() for path in tmp_path.rglob("*") if path.is_file()}

    def start():
        raise AssertionError("the index was opened")

    summary = asyncio.run(run_topics(TOPICS, Settings(), "index", start, tmp_path))
    assert (summary.kept, summary.done) == (tuple(IDS), ())
    assert summary.succeeded
    after = {path: path.stat() for path in tmp_path.rglob("*") if path.is_file()}
    assert before.keys() == after.keys()
    for path, stat in before.items():
        assert (stat.st_mtime_ns, stat.st_ino) == (after[path].st_mtime_ns, after[path].st_ino)


def test_a_folder_of_another_run_is_refused_untouched(tmp_path, reference):
    run(tmp_path)
    changed = [*TOPICS[:-1], TOPICS[-1].model_copy(update={"body": "Corrected."})]
    with pytest.raises(UsageError, match="other settings"):
        run(tmp_path, scripted, "retrieval.k=5")
    with pytest.raises(UsageError, match="another index, article or version"):
        run(tmp_path, index="other")
    with pytest.raises(UsageError, match="another index, article or version"):
        run(tmp_path, topics=changed)
    assert files(tmp_path) == reference


def test_files_of_a_finished_run_lose_no_topic(tmp_path, reference):
    run(tmp_path, scripted)
    with pytest.raises(UsageError, match="its files would lose them"):
        asyncio.run(run_topics(TOPICS[:2], Settings(), "i", started(scripted), tmp_path))
    assert files(tmp_path) == reference


def test_an_invalid_file_is_no_success(tmp_path):
    async def repetitive(article):
        outcome = await scripted(article)
        # Made for another track: the type's limits hold, those of this track do not.
        questions = QuestionSet(article.topic_id, ("Who?",), 1, 300)
        return replace(outcome, results={**outcome.results, "task1": questions})

    summary = run(tmp_path, repetitive)
    assert not summary.succeeded
    assert summary.failures == ()
    assert {problem.file for problem in summary.problems} == {str(tmp_path / "task1.tsv")}


def test_topics_at_once_change_no_result(
    tmp_path, mini_web_articles, mini_web_segments, lexical_encode
):
    end_in_state = investigation(mini_web_segments, lexical_encode)

    async def investigate(article):
        return outcome_of(cast("InvestigationState", await end_in_state(article)), load_track())

    one, two = tmp_path / "one", tmp_path / "two"
    for out, parallel in ((one, 1), (two, 2)):
        topics = list(mini_web_articles[:2])
        assert run(out, investigate, topics=topics, parallel=parallel).succeeded
        assert len(list((out / "traces").iterdir())) == 2
    assert files(one) == files(two)
