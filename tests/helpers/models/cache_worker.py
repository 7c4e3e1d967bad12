"""Asks a cached model for numbered replies, and says which it got: arguments DIR COUNT SEED.

It says when it is ready, and begins when it is told to, so that several begin at the same time.
Each process answers differently, so that two answers to one request can be told apart.
"""

import asyncio
import os
import random
import sys
from pathlib import Path

from sidelight.llm.base import Message, Reply, Request
from sidelight.llm.cache import CachedModel


def numbered(number):
    return Request(model="worker", messages=(Message(role="user", content=str(number)),))


class Worker:
    name = "worker"

    async def complete(self, request):
        await asyncio.sleep(0.001)
        return Reply(text=f"{os.getpid()}:{request.messages[0].content}" + " padding" * 500)


async def work(folder, count, seed):
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    os.write(1, b"ready\n")
    os.read(0, 1)
    with CachedModel(Worker(), folder) as model:
        for number in numbers:
            reply = await model.complete(numbered(number))
            # One write a line: a killed process leaves whole lines and at most one broken one.
            os.write(1, f"{number} {reply.text.split()[0]}\n".encode())


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
