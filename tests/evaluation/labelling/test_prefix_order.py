import asyncio

import pytest

from sidelight.evaluation.labelling import asking
from sidelight.evaluation.labelling.asking import PrefixOrder


class Server:
    """Takes note of who comes in; lets all of them out together, when told."""

    def __init__(self) -> None:
        self.order = PrefixOrder()
        self.inside: list[str] = []
        self._out = asyncio.Event()

    async def visit(self, *prefix: str, name: str, fails: bool = False) -> None:
        async with self.order.turn(*prefix):
            self.inside.append(name)
            await self._out.wait()
            if fails:
                raise EOFError

    async def let_out(self) -> list[str]:
        """Return who is inside, and let them go."""
        for _ in range(20):
            await asyncio.sleep(0)
        inside, self.inside = self.inside, []
        self._out.set()
        self._out = asyncio.Event()
        return inside


def test_one_goes_ahead_for_each_part_of_a_prefix():
    async def run():
        server = Server()
        async with asyncio.TaskGroup() as group:
            prefixes = ("t1 q1", "t1 q1", "t1 q2", "t2 q1", "t1 q2", "t2 q1")
            for number, prefix in enumerate(prefixes):
                group.create_task(server.visit(*prefix.split(), name=f"{prefix} #{number}"))
            return [await server.let_out() for _ in range(3)]

    first, second, third = asyncio.run(run())
    assert first == ["t1 q1 #0", "t2 q1 #3"]  # one for each topic
    # The prefix `t1 q1` is there by now; one goes ahead for `t1 q2`.
    assert sorted(second) == ["t1 q1 #1", "t1 q2 #2", "t2 q1 #5"]
    assert third == ["t1 q2 #4"]


def test_who_goes_ahead_may_fail():
    async def run():
        server = Server()
        ahead = asyncio.create_task(server.visit("t1", name="ahead", fails=True))
        behind = asyncio.create_task(server.visit("t1", name="behind"))
        assert await server.let_out() == ["ahead"]
        with pytest.raises(EOFError):
            await ahead
        inside = await server.let_out()
        await behind
        return inside

    assert asyncio.run(run()) == ["behind"]


def test_prompts_in_memory_are_bounded_and_keep_their_order(monkeypatch):
    monkeypatch.setattr(asking, "_ADMITTED", 2)

    async def run():
        server = Server()
        async with asyncio.TaskGroup() as group:
            for name in "abcd":
                group.create_task(server.visit(name, name=name))
            return [await server.let_out() for _ in range(2)]

    assert asyncio.run(run()) == [["a", "b"], ["c", "d"]]
