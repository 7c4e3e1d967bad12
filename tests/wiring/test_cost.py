import pytest

from sidelight.config.settings import Settings
from sidelight.runs.log import PromptUsage
from sidelight.wiring.estimate import run_cost

USAGE = PromptUsage(calls=2, prompt_tokens=1_000_000, completion_tokens=500_000)
CHEAP = {"prompt_price": 1.0, "completion_price": 2.0}
DEAR = {"prompt_price": 10.0, "completion_price": 40.0}


def settings(servers, **models):
    named = {role: {"name": name, "server": server} for role, (name, server) in models.items()}
    return Settings.model_validate({"models": named, "servers": servers})


def test_every_model_is_priced_by_its_own_server():
    chosen = settings(
        {"default": CHEAP, "second": DEAR, "third": {"prompt_price": 0, "completion_price": 0}},
        writer=("large", "default"),
        checker=("small", "third"),
        ranker=("ranker", "second"),
    )
    # large: 1 x 1 + 0.5 x 2 = 2; ranker: 1 x 10 + 0.5 x 40 = 30; small is free
    assert run_cost(chosen, {("large", "plan"): USAGE}) == pytest.approx(2)
    usage = {("large", "plan"): USAGE, ("small", "support"): USAGE, ("ranker", "rank"): USAGE}
    assert run_cost(chosen, usage) == pytest.approx(32)


def test_a_price_that_is_not_set_is_not_taken_for_nothing():
    half = {"prompt_price": 1.0}
    for servers in ({}, {"default": half}):
        chosen = settings(servers, writer=("large", "default"))
        assert run_cost(chosen, {("large", "plan"): USAGE}) is None
    chosen = settings({"default": CHEAP}, writer=("large", "default"), ranker=("ranker", "second"))
    assert run_cost(chosen, {("large", "plan"): USAGE, ("ranker", "rank"): USAGE}) is None
    assert run_cost(chosen, {}) is None


def test_one_name_on_two_servers_has_a_price_only_if_they_ask_the_same():
    models = {"writer": ("large", "default"), "checker": ("large", "second")}
    usage = {("large", "plan"): USAGE}
    assert run_cost(settings({"default": CHEAP, "second": CHEAP}, **models), usage) == 2
    assert run_cost(settings({"default": CHEAP, "second": DEAR}, **models), usage) is None
