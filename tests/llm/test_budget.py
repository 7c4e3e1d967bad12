import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import BudgetExhaustedError, ModelUnavailableError, TruncatedReplyError, Usage
from sidelight.llm.base import Budget, BudgetedModel, Message, Reply, Request
from tests.helpers.models.scripted_model import ScriptedModel

REQUEST = Request(model="scripted", messages=(Message(role="user", content="Who?"),), max_tokens=50)
BYTES = len(REQUEST.as_json)


def reply(prompt, completion):
    return Reply(text="Ada", usage=Usage(prompt, completion))


def outcomes(model, times):
    """Ask so many times, one after the other."""

    async def run():
        found = []
        for _ in range(times):
            found += await asyncio.gather(model.complete(REQUEST), return_exceptions=True)
        return found

    return asyncio.run(run())


def test_totals_add_up():
    cut, gone = TruncatedReplyError("cut", usage=Usage(3, 4)), ModelUnavailableError("gone")
    script = ScriptedModel([reply(10, 5), Reply(text="Bob"), cut, gone])
    model = BudgetedModel(script, budget := Budget())
    assert outcomes(model, 4)[2:] == [cut, gone]
    assert model.name == "scripted"
    assert budget.totals.calls == 4
    assert budget.totals.usage == Usage(13, 9)
    assert budget.totals.uncounted_calls == 2
    assert budget.totals.latency_s > 0


@pytest.mark.parametrize(
    ("replies", "limits", "said"),
    [
        ([reply(1, 1)] * 3, {"max_calls": 2}, "all 2 calls"),
        # Each call may cost BYTES + 50 and costs 20: after two of them 40 are spent.
        ([reply(15, 5)] * 3, {"max_tokens": 40 + BYTES + 50 - 1}, "40 are spent"),
        # A reply of unknown cost counts as the most it can have cost.
        (["Ada"] * 2, {"max_tokens": 2 * (BYTES + 50) - 1}, f"{BYTES + 50} are spent"),
    ],
    ids=["calls", "tokens", "unknown"],
)
def test_a_budget_ends_before_the_call_that_might_be_too_much(replies, limits, said):
    script = ScriptedModel(replies)
    *made, last = outcomes(BudgetedModel(script, Budget(**limits)), len(replies))
    assert all(isinstance(one, Reply) for one in made)
    assert isinstance(last, BudgetExhaustedError)
    assert said in str(last)
    assert last.exit_code == 2
    assert len(script.requests) == len(made)


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
