"""What every task of every track keeps to: files, their checks, packing, and runs that go on."""

import asyncio
import re
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from sidelight.config.load import load_settings
from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.formats.runs.submission import Delivery, run_format
from sidelight.formats.topics import topic_format
from sidelight.formats.verdict import judge_file
from sidelight.registry import names
from sidelight.runs.directory import pack_runs
from sidelight.runs.runner import run_topics
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.investigation.report import QuestionSet, Report
from sidelight.schemas.investigation.trace import Outcome, Trace
from sidelight.schemas.run import (
    CitedSentence,
    QuestionHits,
    QuestionRankings,
    Ranking,
    RunIdentity,
)
from sidelight.schemas.task import (
    CitedTextTask,
    QuestionListTask,
    QuestionRankingsTask,
    RankingTask,
)
from sidelight.schemas.topic import Article, Narrative, question_id
from sidelight.tracks import load_track
from tests.helpers.prompted_runs import files

TASKS = [(track, task.name) for track in names("track") for task in load_track(track).tasks]
IDS = ("topic-b", "topic-a", "topic-c")
RUN_ID = "lamp-one"


def segment(number, task=None):
    """Return an id as the collection of a task has them; as the default track's without one."""
    ids = (
        f"msmarco_v2.1_doc_61_{number}#0_{number}",
        f"shard_{number:05}_{number}",
        f"https://{number}.example/page",
    )
    if task is None or isinstance(task, QuestionListTask):
        return ids[0]
    return next(one for one in ids if re.fullmatch(task.segment_id_pattern, one))


def document(number):
    return f"msmarco_v2.1_doc_61_{number}"


def topics(track, ids=IDS):
    """Return topics of the track's kind, as a file of them would be read."""
    if topic_format(track).noun == "article":
        return [Article(topic_id=name, body=f"Text of {name}.") for name in ids]
    return [Narrative(topic_id=name, narrative=f"I want to know all of {name}.") for name in ids]


def depth_of(task):
    return task.depth or 50


def full(task, topic_id="t"):
    """Return the result with most in it that the task allows."""
    if isinstance(task, QuestionListTask):
        found = tuple(
            f"Who paid for {rank} of {topic_id}".ljust(task.max_characters - 1, "x") + "?"
            for rank in range(task.count)
        )
        return QuestionSet(topic_id, found, task.count, task.max_characters)
    if isinstance(task, CitedTextTask):
        ids = tuple(segment(number, task) for number in range(task.citations_written))
        words = (task.max_words // 10 - 1) * [" ".join(["Word"] * 10) + "."]
        sentences = tuple(CitedSentence(text=text, citations=ids) for text in words)
        return Report(topic_id, sentences, frozenset(ids), task)
    if isinstance(task, QuestionRankingsTask):
        hits = tuple(Hit(document(rank), 1000.0 - rank) for rank in range(task.depth))
        rankings = tuple(
            QuestionHits(question_id=question_id(topic_id, number), hits=hits)
            for number in (1, 2, 3)
        )
        return QuestionRankings(topic_id, rankings, task.depth)
    hits = tuple(Hit(segment(rank, task), 1000.0 - rank) for rank in range(depth_of(task)))
    return Ranking(topic_id, hits, task.depth)


def written(folder, task, contents, track, name=""):
    """Write a run that holds some results, under its run id."""
    identity = RunIdentity(team_id="lamp", run_id=f"{RUN_ID}{task.run_id_suffix}")
    path = folder / (name or identity.run_id)
    delivered = [Delivery(one, contents[one.topic_id]) for one in topics(track, list(contents))]
    run_format(task).write(path, identity, delivered)
    return path


def errors(path, task, ids=IDS):
    """Return what the strict check says, with the lines; every problem names the file."""
    problems = run_format(task).check(path, task, ids, None)
    assert {problem.file for problem in problems} <= {str(path)}
    assert all(problem.remedy for problem in problems)
    return [(one.code, one.line) for one in problems if one.severity == "error"]


def full_contents(task):
    return {topic_id: full(task, topic_id).content for topic_id in IDS}


@pytest.fixture(params=TASKS, ids="-".join)
def of(request):
    """The rules of a track, and one of its tasks."""
    rules = load_track(request.param[0])
    return rules, rules.task(request.param[1])


def test_a_full_run_is_read_again_and_valid_for_its_track_and_topics(tmp_path, of):
    rules, task = of
    contents = full_contents(task)
    path = written(tmp_path, task, contents, rules)
    run = run_format(task).read(path)
    assert dict(run.results()) == contents
    assert tuple(run.results()) == IDS
    assert run.run_ids == (path.name,)
    assert run.run_tag == path.name
    assert run.types <= {"automatic"}
    again = written(tmp_path, task, run.results(), rules, "again")
    assert again.read_bytes() == path.read_bytes()
    verdict = judge_file(path, rules, IDS)
    assert verdict.valid, verdict.problems
    assert (verdict.kind.name, verdict.size) == (task.name, len(IDS))
    if run_format(task).official:
        assert judge_file(path, rules, IDS, official=True).valid
    else:
        with pytest.raises(UsageError, match="--official is for"):
            judge_file(path, rules, IDS, official=True)
    assert errors(path, task, [*IDS, "topic-d"]) == [("topic-missing", None)]
    ((code, line),) = errors(path, task, IDS[:-1])
    assert code == "topic-unknown"
    assert line is not None
    for other in names("track"):
        if task.format not in {one.format for one in load_track(other).tasks}:
            verdict = judge_file(path, load_track(other), IDS)
            kind = verdict.kind.name if verdict.kind else None
            assert (kind, verdict.valid) in {(None, False), ("trec_run", True)}


class Broken(NamedTuple):
    """A limit, how a result breaks it, and what is said of which line of which topic's."""

    code: str
    change: Callable[[Any, Any], Any]
    at: Callable[[Any], int] = lambda _: 2  # a line a topic, and the second is broken


def _with_text(sentences, text):
    return (sentences[0].model_copy(update={"text": text}), *sentences[1:])


def _citing(sentences, *ids):
    return (sentences[0].model_copy(update={"citations": ids}), *sentences[1:])


def _answering(rankings, *hits):
    return (rankings[0].model_copy(update={"hits": hits}), *rankings[1:])


# A result as it is handed in is `a`, its task `t`.
BROKEN = {
    "question_list": {
        "too few": Broken("rank-missing", lambda _, a: a[:-1], lambda t: 2 * t.count - 1),
        "too many": Broken("rank-value", lambda _, a: (*a, "Who else?"), lambda t: 2 * t.count + 1),
        "too long": Broken(
            "question-length", lambda _, a: ("x" + a[0], *a[1:]), lambda t: t.count + 1
        ),
        "twice": Broken("question-duplicate", lambda _, a: (a[0], *a[:-1]), lambda t: t.count + 2),
        "empty": Broken("question-empty", lambda _, a: ("", *a[1:]), lambda t: t.count + 1),
    },
    "cited_text": {
        "too long": Broken("report-words", lambda _, a: (*a, *a)),
        "too many citations": Broken(
            "citation-count",
            lambda t, a: _citing(
                a, *(segment(number, t) for number in range(t.citations_written + 1))
            ),
        ),
        "cited twice": Broken(
            "citation-duplicate", lambda t, a: _citing(a, segment(1, t), segment(1, t))
        ),
        "not a segment": Broken("citation-pattern", lambda _, a: _citing(a, "example.net/a")),
        "empty": Broken("sentence-empty", lambda _, a: _with_text(a, "")),
        "two sentences": Broken("sentence-count", lambda _, a: _with_text(a, "One. Two.")),
    },
    "question_rankings": {
        "too deep": Broken(
            "ranking-depth",
            lambda _, a: _answering(a, *a[0].hits, Hit(document(10**6), 0.0)),
            lambda t: 4 * t.depth + 1,
        ),
        "twice": Broken(
            "segment-duplicate",
            lambda _, a: _answering(a, *a[0].hits[:-1], a[0].hits[0]),
            lambda t: 4 * t.depth,
        ),
        "not a document": Broken(
            "document-pattern",
            lambda _, a: _answering(a, Hit(segment(1), a[0].hits[0].score), *a[0].hits[1:]),
            lambda t: 3 * t.depth + 1,
        ),
        "no question of a topic": Broken(
            "question-id",
            lambda _, a: (a[0].model_copy(update={"question_id": "Q7"}), *a[1:]),
            lambda t: 3 * t.depth + 1,
        ),
        "a gap": Broken("question-order", lambda _, a: (a[0], a[2]), lambda t: 4 * t.depth + 1),
        "not ASCII": Broken(
            "ascii",
            lambda _, a: _answering(a, Hit("é", a[0].hits[0].score), *a[0].hits[1:]),
            lambda t: 3 * t.depth + 1,
        ),
    },
    "ranking": {
        "too deep": Broken(
            "ranking-depth",
            lambda t, a: (*a, Hit(segment(10**4, t), 0.0)),
            lambda t: 2 * depth_of(t) + 1,
        ),
        "twice": Broken(
            "segment-duplicate", lambda _, a: (*a[:-1], a[0]), lambda t: 2 * depth_of(t)
        ),
        "not a segment": Broken(
            "citation-pattern",
            lambda _, a: (Hit("a-page", a[0].score), *a[1:]),
            lambda t: depth_of(t) + 1,
        ),
    },
}


def free(task):
    """Return the limits that a task does without."""
    limits = set()
    if isinstance(task, RankingTask) and task.depth is None:
        limits.add("too deep")
    if isinstance(task, CitedTextTask):
        limits |= {"too long"} if not task.hard_limit else set()
        limits |= {"too many citations"} if task.max_citations is None else set()
        limits |= {"two sentences"} if not task.one_sentence else set()
    return limits


@pytest.mark.parametrize(
    ("track", "name", "limit"),
    [
        (track, name, limit)
        for track, name in TASKS
        for limit in BROKEN[load_track(track).task(name).kind]
        if limit not in free(load_track(track).task(name))
    ],
)
def test_each_broken_limit_is_reported_with_file_and_line(tmp_path, track, name, limit):
    rules = load_track(track)
    task = rules.task(name)
    broken = BROKEN[task.kind][limit]
    contents = full_contents(task)
    contents[IDS[1]] = broken.change(task, contents[IDS[1]])
    path = written(tmp_path, task, contents, rules)
    assert judge_file(path, rules, IDS).size == 0
    found = errors(path, task)
    assert (broken.code, broken.at(task)) in found
    others = {"report-words", "rank-missing", "document-pattern"}
    assert {code for code, _ in found} <= {broken.code, *others}


def test_a_file_of_nothing_is_read_and_covers_nothing(tmp_path, of):
    rules, task = of
    path = written(tmp_path, task, {}, rules)
    assert path.read_bytes() == b""
    assert run_format(task).read(path).results() == {}
    assert errors(path, task) == [("topic-missing", None)]
    # So does a topic of nothing.
    path = written(tmp_path, task, full_contents(task) | {IDS[1]: ()}, rules)
    codes = {problem.code for problem in run_format(task).check(path, task, IDS, None)}
    assert codes == {"report-empty" if task.kind == "cited_text" else "topic-missing"}


HOSTILE = (
    *('"\t\r\n\\u0000 <script>', "=1+1", "\ufeff\u202ereversed\u2028line\u0000", "\ud800 alone"),
    *("x" * 100_000, "—" * 5_000),
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_within_its_place(tmp_path, of, text):
    """Nothing in a text starts a line, a field or another topic."""
    rules, task = of
    result = full(task).content
    if task.kind == "question_list":
        result = (text, *result[1:])
    elif task.kind == "cited_text":
        result = _with_text(result, text)
    else:
        hits = (Hit(text + " \t", 1.0),)
        if task.kind == "question_rankings":
            hits = (QuestionHits(question_id=question_id("t", 1), hits=hits),)
        with pytest.raises(InputError, match="cannot write"):
            written(tmp_path, task, {"t": hits}, rules)
        return
    path = written(tmp_path, task, {"t": result, "u": full(task, "u").content}, rules)
    found = run_format(task).read(path).results()
    assert list(found) == ["t", "u"]
    assert len(found["t"]) == len(result)
    assert found["u"] == full(task, "u").content
    assert path.read_bytes().decode("utf-8").count("\n") == len(path.read_bytes().splitlines())


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"{", b"[]\n", b"{}\n", b"a\tb\n", b"1 2 3\n", b"\x00" * 64, b"[" * 5000],
)
def test_garbage_is_an_error_with_a_line_and_never_a_crash(tmp_path, of, content):
    _, task = of
    path = tmp_path / "garbage"
    path.write_bytes(content)
    assert [line for _, line in errors(path, task, ["t"])]
    with pytest.raises(InvalidFileError):
        run_format(task).read(path)


def work_of(track, fail=""):
    """Return work that makes a full result for every task out of the topic id alone."""

    async def work(topic, log):
        for _ in range(ord(topic.topic_id[-1]) % 3):
            await asyncio.sleep(0)
        if topic.topic_id == fail:
            raise InputError("it failed")
        results = {task.name: full(task, topic.topic_id) for task in track.tasks}
        return Outcome(results=results, evidence=(), trace=Trace())

    return work


def run(track, out, fail="", *, only=()):
    rules = load_track(track)

    @asynccontextmanager
    async def start():
        yield work_of(rules, fail)

    settings = load_settings(None, [f"track={track}", "submission.run_id=sidelight-one"])
    return asyncio.run(run_topics(topics(rules), settings, "index", start, out, only=only))


@pytest.mark.parametrize("track", names("track"))
def test_a_run_that_was_interrupted_ends_in_the_same_bytes(tmp_path, track):
    whole = run(track, tmp_path / "whole")
    assert whole.succeeded
    assert not whole.thin
    assert [path.name for path in whole.files] == [
        task.file_name for task in load_track(track).tasks
    ]
    broken = run(track, tmp_path / "broken", IDS[0], only=[IDS[0]])
    assert [failure.topic_id for failure in broken.failures] == [IDS[0]]
    assert not run(track, tmp_path / "broken", only=[IDS[1]]).failures
    assert run(track, tmp_path / "broken").kept == (IDS[1],)
    assert files(tmp_path / "broken") == files(tmp_path / "whole")


@pytest.mark.parametrize("track", names("track"))
def test_a_run_is_kept_and_packed_and_as_a_manual_one_once_edited(tmp_path, track):
    rules = load_track(track)
    directory = run(track, tmp_path / "run").directory
    for topic in topics(rules):
        result = directory.result(topic.topic_id)
        assert result.topic == topic
        for task in rules.tasks:
            assert result.result(task) == full(task, topic.topic_id).content
    for made in ("automatic", "manual"):
        packing = pack_runs([directory], tmp_path / made, rules, IDS)
        run_ids = {task.name: f"sidelight-one{task.run_id_suffix}" for task in rules.tasks}
        assert {item.task: item.run_id for item in packing.runs} == run_ids
        assert {item.type for item in packing.runs} == {made}
        for task in rules.tasks:
            packed, own = tmp_path / made / run_ids[task.name], directory.file(task)
            assert run_format(task).read(packed).types <= {made}
            assert run_format(task).read(packed).results() == run_format(task).read(own).results()
            assert judge_file(packed, rules, IDS).problems == ()
            assert made == "manual" or packed.read_bytes() == own.read_bytes()
        trace = directory.trace(IDS[0])
        trace.write_text(trace.read_text() + " ")
