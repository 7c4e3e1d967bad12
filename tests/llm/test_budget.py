import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BudgetExhaustedError, ModelUnavailableError, TruncatedReplyError, Usage
from sidelight.llm.base import Budget, BudgetedModel, Message, Reply, Request
from sidelight.llm.cache import CachedModel
from tests.helpers.models.scripted_model import ScriptedModel

REQUEST = Request(model="scripted", messages=(Message(role="user", content="Who?"),), max_tokens=50)
BYTES = len(REQUEST.as_json)


def reply(prompt, completion):
    return Reply(text="Ada", usage=Usage(prompt, completion))


def test_totals_add_up():
    model = BudgetedModel(
        ScriptedModel(
            [
                reply(10, 5),
                Reply(text="Bob"),
                TruncatedReplyError("cut", usage=Usage(3, 4)),
                ModelUnavailableError("gone"),
            ]
        ),
        budget := Budget(),
    )

    async def run():
        await model.complete(REQUEST)
        await model.complete(REQUEST)
        with pytest.raises(TruncatedReplyError):
            await model.complete(REQUEST)
        with pytest.raises(ModelUnavailableError):
            await model.complete(REQUEST)

    asyncio.run(run())
    assert model.name == "scripted"
    assert budget.totals.calls == 4
    assert budget.totals.usage == Usage(13, 9)
    assert budget.totals.uncounted_calls == 2
    assert budget.totals.latency_s > 0


def test_calls_run_out_before_the_call_that_is_too_many():
    script = ScriptedModel([reply(1, 1)] * 3)
    model = BudgetedModel(script, Budget(max_calls=2))

    async def run():
        return await asyncio.gather(
            *(model.complete(REQUEST) for _ in range(3)), return_exceptions=True
        )

    outcomes = asyncio.run(run())
    assert [type(outcome) for outcome in outcomes] == [Reply, Reply, BudgetExhaustedError]
    assert len(script.requests) == 2


def test_tokens_run_out_before_the_call_that_might_be_too_long():
    # Each call may cost BYTES + 50 and costs 20: after two of them 40 are spent.
    script = ScriptedModel([reply(15, 5)] * 3)
    model = BudgetedModel(script, Budget(max_tokens=40 + BYTES + 50 - 1))

    async def run():
        await model.complete(REQUEST)
        await model.complete(REQUEST)
        with pytest.raises(BudgetExhaustedError, match="40 are spent") as caught:
            await model.complete(REQUEST)
        assert caught.value.exit_code == 2

    asyncio.run(run())
    assert len(script.requests) == 2


def test_a_reply_of_unknown_cost_counts_as_the_most_it_can_have_cost():
    model = BudgetedModel(ScriptedModel(["Ada"]), Budget(max_tokens=2 * (BYTES + 50) - 1))

    async def run():
        await model.complete(REQUEST)
        with pytest.raises(BudgetExhaustedError):
            await model.complete(REQUEST)

    asyncio.run(run())


def test_a_call_waits_for_what_others_give_back():
    most_at_once = 0
    at_once = 0

    class Slow:
        name = "slow"

        async def complete(self, request):
            nonlocal most_at_once, at_once
            at_once += 1
            most_at_once = max(most_at_once, at_once)
            await asyncio.sleep(0.001)
            at_once -= 1
            return reply(2, 1)

    # Room for two reservations; five calls of 3 tokens each fit in the end.
    budget = Budget(max_tokens=2 * (BYTES + 50) + 12)
    model = BudgetedModel(Slow(), budget)

    async def run():
        await asyncio.gather(*(model.complete(REQUEST) for _ in range(5)))

    asyncio.run(run())
    assert most_at_once == 2
    assert budget.totals.usage == Usage(10, 5)


def test_a_cancelled_call_gives_back_what_it_set_aside():
    class Never:
        name = "never"

        async def complete(self, request):
            await asyncio.Event().wait()
            raise AssertionError

    model = BudgetedModel(Never(), budget := Budget(max_tokens=BYTES + 50))

    async def run():
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(model.complete(REQUEST), 0.01)

    asyncio.run(run())
    assert budget.totals.usage == Usage(0, 0)


def test_models_that_share_a_budget_share_its_end():
    budget = Budget(max_calls=1)
    first = BudgetedModel(ScriptedModel([reply(1, 1)]), budget)
    second = BudgetedModel(ScriptedModel([]), budget)

    async def run():
        await first.complete(REQUEST)
        with pytest.raises(BudgetExhaustedError):
            await second.complete(REQUEST)

    asyncio.run(run())


def test_a_replayed_reply_costs_nothing(tmp_path):
    budgeted = BudgetedModel(ScriptedModel([reply(1, 1)]), budget := Budget(max_calls=1))

    async def run():
        with CachedModel(budgeted, tmp_path) as model:
            await model.complete(REQUEST)
            assert (await model.complete(REQUEST)).cached

    asyncio.run(run())
    assert budget.totals.calls == 1


@given(
    costs=st.lists(st.tuples(st.integers(0, BYTES), st.integers(0, 50)), min_size=1, max_size=20),
    max_tokens=st.integers(0, 2000),
)
def test_a_budget_is_never_exceeded(costs, max_tokens):
    budget = Budget(max_tokens=max_tokens)
    model = BudgetedModel(ScriptedModel([reply(*cost) for cost in costs]), budget)

    async def run():
        await asyncio.gather(*(model.complete(REQUEST) for _ in costs), return_exceptions=True)

    asyncio.run(run())
    assert budget.totals.usage.total_tokens <= max_tokens
