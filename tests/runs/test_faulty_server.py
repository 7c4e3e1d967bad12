"""Whole runs against a model server that fails, talks nonsense, is away or goes away."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import pytest

from sidelight.english.neutrality import half_fault
from sidelight.errors import ModelUnavailableError, UselessModelError
from sidelight.generation.compose import NO_EVIDENCE, SAYS_NOTHING
from sidelight.generation.pages import page_date
from sidelight.generation.roles import Roles
from sidelight.runs.directory import RunDirectory
from sidelight.schemas.segment import document_id_of
from sidelight.text import figures
from tests.helpers.commands import call, said
from tests.helpers.models.by_hand import investigate
from tests.helpers.models.fault_server import FAULTS, HTTP_FAULTS, REPLY_FAULTS, FaultServer
from tests.helpers.models.model_server import ModelServer, completion, error
from tests.helpers.models.weak_model import WeakServer
from tests.helpers.prompted_runs import SHORT, files, n_rows, run, write_inputs, write_narratives

TASKS_OF_THREE = {"task1.tsv": 30, "task2.jsonl": 3}
# Faults whose reply is whole, so that it is kept and only its content is no use.
WHOLE = ("invalid-json", "wrong-schema", "prose", "wrong-keys")
KINDS = {"truncated": ("truncated",), "refused": ("refusal",), "empty": ("null", "no-choices")}
pytestmark = pytest.mark.usefixtures("quick_backoff")


def lines(path):
    return len(path.read_text().splitlines())


def failures(summary):
    counted: Counter[str] = Counter()
    for usage in summary["calls"]:
        counted.update(usage["failures"])
    return counted


def check_faulty_run(n_topics, made, n_kinds, out, *options):
    """Run against a server that fails 30% of all requests, and count.

    `made` are the lines of each file that is handed in, and there are calls enough for `n_kinds`
    kinds of faults.
    """
    with FaultServer(faults=0.3, seed=2, hang_s=0.1) as server:
        summary = run(*options, "--base-url", server.base_url, "--output", out)
        stats = server.stats()
    dealt, counted = stats.faults, failures(summary)
    assert set(dealt) <= {*HTTP_FAULTS, *REPLY_FAULTS}
    assert len(dealt) >= min(n_kinds, len(FAULTS))
    assert (len(summary["done"]), summary["failures"]) == (n_topics, [])
    assert [one for one in summary["problems"] if one["severity"] == "error"] == []
    assert {name: lines(out / name) for name in made} == made

    assert sum(dealt[kind] for kind in HTTP_FAULTS) == summary["retries"] + counted["failed"]
    for kind, faults in KINDS.items():
        assert counted[kind] == sum(dealt[fault] for fault in faults)
    # Invented keys need not make an answer unusable, and an answer may not do without any fault.
    assert counted["misfit"] >= sum(dealt[kind] for kind in WHOLE[:-1])
    asked = sum(usage["calls"] - usage["cached"] for usage in summary["calls"])
    assert stats.calls == asked + summary["retries"]

    assert stats.answered_twice() == {}
    answered = stats.answered.total() + sum(dealt[kind] for kind in WHOLE)
    # Those that no turn mended are kept for a replay alone.
    kept = n_rows(out / "cache", "replies") + n_rows(out / "cache", "failures", "misfit")
    assert kept == answered
    again = run(*options, "--offline", "--cache", out / "cache", "--output", out)
    assert (again["done"], len(again["kept"])) == ([], n_topics)


def test_a_third_of_calls_failing_costs_no_topic(mini_web_index, tmp_path):
    options = (*write_inputs(tmp_path, 3), "--index", mini_web_index.path)
    check_faulty_run(3, TASKS_OF_THREE, 6, tmp_path / "run", *options)


@pytest.mark.parametrize("n_topics", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_a_third_of_calls_failing_costs_no_narrative(mini_web_index, tmp_path, n_topics):
    options = (*write_narratives(tmp_path, n_topics), "--index", mini_web_index.path)
    made = {"answers.jsonl": n_topics}
    check_faulty_run(n_topics, made, 4 + n_topics // 10, tmp_path / "run", *options)


PLAINLY = ["roles.write_report=extractive", "retrieval.listwise_depth=null"]


NONSENSE = tuple(kind for kind in REPLY_FAULTS if kind != "wrong-keys")


@pytest.mark.parametrize(
    ("write", "short", "plainly", "spared"),
    [
        (write_inputs, SHORT, ["roles.default=extractive"], "Bog Bill Rests on Bad Science"),
        (write_narratives, (), PLAINLY, "eport 0"),
    ],
    ids=["articles", "narratives"],
)
def test_nonsense_leaves_what_no_model_would_have_written(
    mini_web_index, tmp_path, write, short, plainly, spared
):
    options = (*write(tmp_path, 2), *short, "--index", mini_web_index.path)
    out, plain = tmp_path / "nonsense", tmp_path / "plain"
    with FaultServer(faults=1.0, kinds=NONSENSE, spared=spared) as server:
        summary = run(*options, "--base-url", server.base_url, "--output", out)
    settings = [part for one in plainly for part in ("--set", one)]
    run(*options, *settings, "--output", plain)
    manifest = RunDirectory(out).read_manifest()
    topic_id = manifest.topics[1]
    nonsense, made = (RunDirectory(folder).result(topic_id) for folder in (out, plain))
    if write is not write_inputs:
        assert nonsense.results == made.results
    else:
        # A gap of a few words asks no model, and is not filled.
        assert nonsense.results["task1"] == made.results["task1"]
        written = dict.fromkeys(made.results["task2"])
        assert [one for one in written if one in nonsense.results["task2"]] == [
            *nonsense.results["task2"]
        ]
        assert len(written) - len(nonsense.results["task2"]) <= 1
        assert {one["severity"] for one in summary["problems"]} <= {"warning"}
        assert RunDirectory(plain).read_manifest().fallbacks == {}
        # How far the evidence reaches is never asked; where nothing falls in the check of a report
        # that is copied, nothing is revised.
        asked = {role.name for role in fields(Roles)} - {"assess_coverage"}
        assert asked - {"revise_report"} <= {*manifest.fallbacks[topic_id]} <= asked
        told = said("validate", out, "--topics", options[3])
        assert "[run-fallback] expected all steps done as the settings say; found steps ran" in told
        assert ", write_questions " in told
        packed = call("pack", out, "--topics", options[3], "-o", tmp_path / "packed")
        assert "[run-fallback]" in packed.stderr


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (error(501, "Unsupported method ('POST')"), "refused a call for 'tiny': Error code: 501"),
        (completion("Hello!"), "; profile_article: the reply does not fit the schema: "),
    ],
    ids=["no chat", "nonsense"],
)
def test_a_model_without_a_usable_reply_stops_the_run_which_goes_on_when_it_is_mended(
    mini_web_index, tmp_path, answer, came
):
    options = (*write_inputs(tmp_path, 2), *SHORT, "--index", mini_web_index.path)
    out = tmp_path / "run"
    with ModelServer(answer, models=error(404)) as server:
        with pytest.raises(UselessModelError) as caught:
            run(*options, "--base-url", server.base_url, "--output", out)
        asked = len(server.requests)
    message = str(caught.value)
    assert caught.value.exit_code == 3
    assert message.startswith(
        f"tiny at {server.base_url}: expected replies that can be used; found"
    )
    assert came in message
    assert f"sidelight doctor --model tiny --base-url {server.base_url}" in message
    assert asked > 0
    assert set(files(out)) == {"config.yaml"}
    with FaultServer() as server:
        summary = run(*options, "--base-url", server.base_url, "--output", out)
    assert len(summary["done"]) == 2
    # The server's answers are of the right type; a revision still will not do.
    assert {step for steps in summary["fallbacks"].values() for step in steps} <= {"revise_report"}


def test_a_model_that_is_no_use_is_not_asked_about_every_topic(mini_web_index, tmp_path):
    options = (*write_narratives(tmp_path, 60), "--index", mini_web_index.path)
    with FaultServer(faults=1.0, kinds=NONSENSE) as server:
        with pytest.raises(UselessModelError, match=r"found none in 2\d calls"):
            run(*options, "--base-url", server.base_url, "--output", tmp_path / "run")
        assert server.stats().calls < 150


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(200), marks=pytest.mark.slow)])
def test_what_a_weak_model_says_ends_in_valid_files_and_no_false_sentence(
    mini_web_articles, mini_web_segments, lexical_encode, tmp_path, seeds
):
    texts = {one.segment_id: f"{one.title} {one.host} {one.text}" for one in mini_web_segments}
    # The year of the page's own date counts, too.
    dated = {
        document_id_of(one.segment_id): page_date(one.url, one.text)
        for one in reversed(mini_web_segments)
    }
    for seed in seeds:
        article = mini_web_articles[seed % len(mini_web_articles)]
        out = tmp_path / str(seed)
        with WeakServer(seed) as server:
            summary = investigate(
                *(article, mini_web_segments, lexical_encode, server.base_url, out),
                drafts=1 + seed % 2,
            )
        assert [one for one in summary.problems if one.severity == "error"] == [], seed
        assert summary.failures == (), seed
        questions = (out / "task1.tsv").read_text()
        assert questions.count("\n") == 10
        assert "the article" not in questions
        made = RunDirectory(out).result(article.topic_id)
        for sentence in made.results["task2"]:
            if sentence.text in SAYS_NOTHING:
                assert (sentence.text == NO_EVIDENCE) is (made.evidence == ()), seed
                continue
            assert "Zebra" not in sentence.text, seed
            assert half_fault(sentence.text) == "", (seed, sentence)
            shown = "\n".join(
                f"{dated[document_id_of(one)]} {texts[one]}" for one in sentence.citations
            )
            assert figures(sentence.text) <= figures(shown), (seed, sentence)
        fallbacks = summary.fallbacks.get(article.topic_id, ())
        assert made.trace.rounds[1].selected is not None
        if not made.trace.rounds[1].selected.claims:
            assert "select_evidence" in fallbacks, seed
        if not made.trace.draft.sentences:
            assert "write_report" in fallbacks, seed


def test_a_server_that_is_not_there_is_said_at_once(mini_web_index, tmp_path):
    with FaultServer() as server:
        pass
    options = (*write_inputs(tmp_path, 1), "--index", mini_web_index.path)
    started = time.monotonic()
    with pytest.raises(ModelUnavailableError, match="Start the server") as caught:
        run(*options, "--base-url", server.base_url, "--output", tmp_path / "run")
    assert caught.value.exit_code == 3
    assert time.monotonic() - started < 5
    assert set(files(tmp_path / "run")) == {"config.yaml"}


def test_a_server_that_goes_away_fails_no_topic(mini_web_index, tmp_path):
    options = (*write_inputs(tmp_path, 1), *SHORT, "--index", mini_web_index.path)
    out, undisturbed = tmp_path / "run", tmp_path / "undisturbed"

    def stop_in_the_middle(server):
        while server.stats().calls < 5:
            time.sleep(0.01)
        server.stop()

    with FaultServer(latency_s=0.01) as server, ThreadPoolExecutor() as pool:
        stopped = pool.submit(stop_in_the_middle, server)
        with pytest.raises(ModelUnavailableError, match="Start the server"):
            run(*options, "--base-url", server.base_url, "--output", out)
        stopped.result()
    assert "manifest.json" not in files(out)
    n_kept = n_rows(out / "cache", "replies")
    with FaultServer() as server:
        run(*options, "--base-url", server.base_url, "--output", out)
        n_new = server.stats().calls
        run(*options, "--base-url", server.base_url, "--output", undisturbed)
        assert server.stats().calls - n_new == n_new + n_kept
    assert files(out) == files(undisturbed)
