import asyncio
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sidelight.errors import (
    EmptyReplyError,
    FailedCallError,
    InputError,
    MachineError,
    OfflineError,
    ReplyError,
    TruncatedReplyError,
    Usage,
)
from sidelight.llm.base import Message, Reply, Request
from sidelight.llm.cache import CachedModel, OfflineModel
from sidelight.llm.structured import ask
from sidelight.schemas.base import Value
from tests.helpers.models import cache_worker
from tests.helpers.models.cache_worker import numbered
from tests.helpers.models.scripted_model import ScriptedModel

REQUEST = Request(model="scripted", messages=(Message(role="user", content="Who?"),))
FULL = Reply(
    text="Ada\u2028\n",
    reasoning="Hm.",
    reasoning_field="reasoning",
    usage=Usage(3, 4),
    finish_reason="eos",
)


class Number(Value):
    number: int


def complete(model, folder, *requests):
    async def run():
        with CachedModel(model, folder) as cached:
            return [await cached.complete(request) for request in requests]

    return asyncio.run(run())


def test_a_reply_is_replayed_whole(tmp_path):
    first, second = complete(ScriptedModel([FULL]), tmp_path, REQUEST, REQUEST)
    (later,) = complete(ScriptedModel([]), tmp_path, REQUEST)
    assert first == FULL
    assert second == later == FULL.model_copy(update={"cached": True})


def test_callers_that_ask_the_same_at_once_share_one_call(tmp_path):
    release = asyncio.Event()

    class Slow(ScriptedModel):
        async def complete(self, request):
            await release.wait()
            return await super().complete(request)

    async def run():
        with CachedModel(Slow(["Ada"]), tmp_path) as model:
            tasks = [asyncio.create_task(model.complete(REQUEST)) for _ in range(5)]
            await asyncio.sleep(0)
            # The caller that made the call gives up, then one that joined; the others still get it.
            tasks[0].cancel()
            tasks[1].cancel()
            await asyncio.sleep(0)
            release.set()
            first, second, *others = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(first, asyncio.CancelledError)
            assert isinstance(second, asyncio.CancelledError)
            assert others == [Reply(text="Ada", cached=True)] * 3
            assert (model.name, model.hits, model.misses) == ("scripted", 4, 1)

    asyncio.run(run())


def test_a_failed_call_is_shared_and_then_forgotten(tmp_path):
    async def run():
        with CachedModel(ScriptedModel([EmptyReplyError("nothing"), "Ada"]), tmp_path) as model:
            both = await asyncio.gather(
                model.complete(REQUEST), model.complete(REQUEST), return_exceptions=True
            )
            assert [type(outcome) for outcome in both] == [EmptyReplyError] * 2
            assert (await model.complete(REQUEST)).text == "Ada"

    asyncio.run(run())


def test_offline_names_the_prompt_that_is_missing(tmp_path):
    complete(ScriptedModel(["Ada"]), tmp_path, REQUEST)
    other = Request(model="scripted", messages=(Message(role="user", content="When was it?"),))
    (reply,) = complete(OfflineModel("scripted"), tmp_path, REQUEST)
    assert reply == Reply(text="Ada", cached=True)
    with pytest.raises(OfflineError, match="When was it") as caught:
        complete(OfflineModel("scripted"), tmp_path, other)
    assert other.fingerprint()[:12] in caught.value.message


def number(model, folder):
    """Ask for a number; return it and the calls it took, as a trace keeps them."""

    async def run():
        with CachedModel(model, folder) as cached:
            return await ask(cached, REQUEST, Number)

    answer = asyncio.run(run())
    kept = {"latency_s": True, "reply": {"cached"}}
    return answer.value.number, [call.model_dump(exclude=kept) for call in answer.calls]


@pytest.mark.parametrize(
    "replies", [["Seven.", "{}"], [FailedCallError("no reply")] * 2], ids=["misfits", "failed"]
)
def test_what_no_turn_answered_is_asked_again_and_replayed_without_a_model(replies, tmp_path):
    with pytest.raises(ReplyError) as first:
        number(ScriptedModel(replies), tmp_path)
    with pytest.raises(type(first.value)) as replayed:
        number(OfflineModel("scripted"), tmp_path)
    assert str(replayed.value) == str(first.value)
    again = ScriptedModel(['{"number": 7}'])
    assert number(again, tmp_path)[0] == 7
    again.assert_finished()
    assert number(OfflineModel("scripted"), tmp_path)[0] == 7


@pytest.mark.parametrize(
    "bad",
    [
        TruncatedReplyError("cut", text='{"nu', usage=Usage(1, 2)),
        EmptyReplyError("-"),
        "prose",
    ],
    ids=["truncated", "empty", "misfit"],
)
def test_a_repaired_answer_is_replayed_with_its_repair(bad, tmp_path):
    online, calls = number(ScriptedModel([bad, '{"number": 7}']), tmp_path / "made")
    assert (online, len(calls)) == (7, 2)
    shutil.copytree(tmp_path / "made", tmp_path / "copied")
    assert number(OfflineModel("scripted"), tmp_path / "copied") == (online, calls)


def test_a_call_that_succeeded_when_made_again_is_replayed_as_it_ended(tmp_path):
    script = ScriptedModel([FailedCallError("no reply"), '{"number": 7}'])
    assert number(script, tmp_path)[0] == number(OfflineModel("scripted"), tmp_path)[0] == 7


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    file = tmp_path / "replies.sqlite"
    file.write_text("Dear diary, " * 100)
    with pytest.raises(InputError, match="not a database"):
        CachedModel(OfflineModel("scripted"), tmp_path)
    assert file.read_text().startswith("Dear diary")

    newer = sqlite3.connect(tmp_path / "newer.sqlite")
    newer.execute("PRAGMA user_version = 9")
    newer.close()
    (tmp_path / "newer.sqlite").replace(file)
    with pytest.raises(InputError, match="version 1, found: a cache of version 9"):
        CachedModel(OfflineModel("scripted"), tmp_path)


def test_a_full_disk_is_the_machine_s_fault_and_no_reply_is_lost(tmp_path):
    async def run():
        with CachedModel(ScriptedModel([FULL] * 100), tmp_path) as cached:
            cached._database.execute("PRAGMA max_page_count = 1")
            requests = [
                Request(model="m", messages=(Message(role="user", content=f"{number}"),))
                for number in range(100)
            ]
            with pytest.raises(MachineError, match=r"replies\.sqlite: .* full") as full:
                await asyncio.gather(*map(cached.complete, requests))
            assert full.value.exit_code == 3
            await asyncio.sleep(0)

    asyncio.run(run())


def test_a_damaged_cache_is_named(tmp_path):
    complete(ScriptedModel([FULL] * 100), tmp_path, REQUEST)
    path = tmp_path / "replies.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    with pytest.raises((MachineError, InputError), match=r"replies\.sqlite"):
        complete(ScriptedModel([FULL] * 100), tmp_path, REQUEST)


@pytest.mark.parametrize("kept", ["{}", "", "no JSON", '{"text": 3}', '{"text": "a", "cached": 1}'])
def test_a_cache_whose_replies_are_none_is_named(kept, tmp_path):
    complete(ScriptedModel([FULL]), tmp_path, REQUEST)
    with sqlite3.connect(tmp_path / "replies.sqlite") as database:
        database.execute("UPDATE replies SET reply = ?", (kept,))
    with pytest.raises(MachineError, match=r"replies\.sqlite: replies cannot be kept or read"):
        complete(ScriptedModel([]), tmp_path, REQUEST)


def test_a_new_folder_may_be_opened_by_several_at_once(tmp_path):
    together = threading.Barrier(8)

    def open_all(_):
        for number in range(20):
            together.wait(timeout=10)
            with CachedModel(OfflineModel("scripted"), tmp_path / str(number)):
                pass

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(open_all, range(8)))


def start_worker(folder, count, seed):
    command = [sys.executable, cache_worker.__file__, str(folder), str(count), str(seed)]
    pipe = subprocess.PIPE
    worker = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    assert worker.stdout.readline() == "ready\n"
    return worker


def begin(worker):
    worker.stdin.write("!")
    worker.stdin.flush()


def seen(output):
    """Return what a worker said it got, broken last line excepted."""
    lines = output[: output.rfind("\n") + 1].splitlines()
    return {int(number): text for number, text in (line.split() for line in lines)}


def kept(folder, numbers):
    """Return what the cache holds for those numbers."""

    async def run():
        found = {}
        with CachedModel(OfflineModel("worker"), folder) as model:
            for number in numbers:
                try:
                    reply = await model.complete(numbered(number))
                except OfflineError:
                    continue
                found[number] = reply.text.split()[0]
        return found

    return asyncio.run(run())


def test_four_processes_agree_on_every_reply(tmp_path):
    workers = [start_worker(tmp_path, 100, seed) for seed in range(4)]
    for worker in workers:
        begin(worker)
    outputs = [seen(worker.communicate(timeout=120)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    stored = kept(tmp_path, range(100))
    assert len(stored) == 100
    assert outputs == [stored] * 4
    assert len({text.partition(":")[0] for text in stored.values()}) > 1  # they did compete


def kill_and_go_on(folder, seed):
    count = 2000
    worker = start_worker(folder, count, seed)
    begin(worker)
    time.sleep(random.Random(seed).uniform(0, 0.1))
    worker.kill()
    before = seen(worker.communicate()[0])
    after = kept(folder, range(count))
    # What a caller has seen is there; beyond it at most the reply that was on its way.
    assert before.items() <= after.items()
    assert len(after) - len(before) <= 1
    # The next process takes over what is there and asks only for the rest.
    rest = start_worker(folder, len(before), seed + 1)
    again = seen(rest.communicate("!", timeout=120)[0])
    assert rest.returncode == 0
    assert again == {**again, **{number: before[number] for number in again if number in before}}


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_process_loses_no_reply(seed, tmp_path):
    kill_and_go_on(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_a_hundred_killed_processes_lose_no_reply(seed, tmp_path):
    kill_and_go_on(tmp_path, seed)
