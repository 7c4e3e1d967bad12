"""`sidelight run` with models: who does what, replays, budgets, and what must be said."""

import shutil

import pytest

from sidelight.errors import BudgetExhaustedError, OfflineError, UsageError
from tests.helpers.models.fault_server import FaultServer
from tests.helpers.prompted_runs import SHORT, files, n_rows, run, write_inputs


@pytest.fixture
def options(mini_web_index, tmp_path):
    return (*write_inputs(tmp_path, 1), *SHORT, "--index", mini_web_index.path)


def prompts(summary):
    return {usage["prompt"] for usage in summary["calls"]}


QUESTIONS = {"questions"}
REPORT = {"report", "unclear", "check", "revise"}
REPORT_ROLES = ("write_report", "check_report", "revise_report")
OF_THE_REPORT = tuple(f"--set=roles.{role}=prompted" for role in REPORT_ROLES)


@pytest.mark.parametrize(
    ("chosen", "asked"),
    [
        (("--set=roles.write_questions=prompted",), QUESTIONS),
        (OF_THE_REPORT, REPORT),
        (("--set=roles.write_questions=organizers-2024",), {"organizers_2024"}),
    ],
    ids=["questions", "report", "organizers-2024"],
)
def test_roles_with_and_without_a_model_work_together(chosen, asked, server, options, tmp_path):
    plainly = ("--set", "roles.default=extractive")
    address = ("--base-url", server.base_url)
    summary = run(*options, *plainly, *chosen, *address, "--output", tmp_path / "run")
    assert (len(summary["done"]), summary["fallbacks"]) == (1, {})
    # This model cites whatever it is shown.
    assert {one["code"] for one in summary["problems"]} <= {"citation-adjacent"}
    assert prompts(summary) <= asked
    assert min(asked) in prompts(summary)


def test_a_cache_that_is_copied_replays_the_run_without_a_server(options, tmp_path):
    made, again, copy = (tmp_path / name for name in ("made", "again", "copy"))
    with FaultServer() as server:
        run(*options, "--base-url", server.base_url, "--output", made)
    shutil.copytree(made / "cache", copy)
    summary = run(*options, "--offline", "--cache", copy, "--output", again)
    assert all(usage["calls"] == usage["cached"] for usage in summary["calls"])
    assert files(again) == files(made)
    with pytest.raises(OfflineError, match="holds no answer"):
        run(*options, "--offline", "--output", tmp_path / "nothing")
    assert set(files(tmp_path / "nothing")) == {"config.yaml"}


def test_a_budget_stops_a_run_that_goes_on_when_called_again(options, tmp_path):
    with FaultServer() as server:
        given = (*options, "--base-url", server.base_url, "--output", tmp_path / "run")
        with pytest.raises(BudgetExhaustedError, match="all 5 calls") as caught:
            run(*given, "--max-calls", 5)
        assert caught.value.exit_code == 2
        assert server.stats().calls == 5
        assert set(files(tmp_path / "run")) == {"config.yaml"}
        unusable = n_rows(tmp_path / "run" / "cache", "failures", "misfit")
        summary = run(*given)
        stats = server.stats()
    assert len(summary["done"]) == 1
    # Only replies that could not be used are asked for again.
    assert sum(count - 1 for count in stats.answered_twice().values()) == unusable
    assert stats.calls == len(stats.asked) + unusable


@pytest.mark.parametrize(
    ("missing", "remedy"),
    [
        (("--set", "models.writer=null"), "--set models.writer.name=NAME"),
        ((), "--base-url http://HOST:PORT/v1"),
        (("--set", "models.writer.server=other"), r"servers\.other\.base_url"),
        (("--base-url", "https://api.example/v1"), "Put in the address of your service"),
        (("--base-url", "http://[bad"), r"^--base-url.*found 'http://\[bad'"),
        (("--base-url", "http://me:pw@h:port/v1"), r"found 'http://\*\*\*@h:port/v1'"),
    ],
    ids=["model", "address", "server", "example", "bracket", "port"],
)
def test_what_is_missing_is_said_with_what_to_do(missing, remedy, options, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match=remedy) as caught:
        run(*options, *missing, "--output", tmp_path / "run")
    assert caught.value.exit_code == 2
    assert not (tmp_path / "run").exists()  # else lists of runs would call it interrupted


def test_a_model_orders_what_a_search_finds(server, options, tmp_path):
    options = (*options, "--set=roles.default=extractive")
    plain = run(*options, "--output", tmp_path / "plain")
    chosen = ("--set=retrieval.listwise_depth=25", "--max-calls", 500)
    summary = run(*options, *chosen, "--base-url", server.base_url, "--output", tmp_path / "run")
    assert (len(summary["done"]), summary["problems"], prompts(plain)) == (1, [], set())
    assert prompts(summary) == {"rank"}
    assert files(tmp_path / "run")["task2.jsonl"] != files(tmp_path / "plain")["task2.jsonl"]
