"""A model server in a process of its own that answers anything and fails as often as it is told.

In a test:

    with FaultServer(latency_s=0.05, faults=0.3, seed=1) as server:
        ...  # point the program at server.base_url, model "tiny"
        stats = server.stats()
        assert stats.calls and not stats.answered_twice()

By hand, `python -m tests.helpers.models.fault_server --latency 0.2 --faults 0.3 --seed 1` prints
its address; `GET /stats` (beside `/v1`) returns what it did.

Answers fill the JSON Schema of the request from its prompt (`answer_schema`), so they depend on
nothing else. Whether a request fails, and how, is drawn from the seed, its body and how often that
body has come: not from the order in which requests arrive.

| fault | what the client sees |
|---|---|
| rate-limit | 429 with `Retry-After: 0.05` |
| error | 500 |
| hang | nothing for `hang_s` seconds, then the line goes dead |
| cut | half the body, then the line goes dead |
| invalid-json | an answer that ends in the middle |
| wrong-schema | JSON of another type |
| prose | the right JSON with words around it |
| no-choices | an empty list of choices |
| null | no content |
| truncated | half the answer, finish reason `length` |
| refusal | a refusal |
| wrong-keys | the right type with ids that the prompt does not hold |
"""

import argparse
import asyncio
import hashlib
import itertools
import json
import random
import subprocess
import sys
import urllib.request
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from sidelight.llm.server import vllm
from tests.helpers.models.answer_schema import answer_schema
from tests.helpers.models.model_server import Answer, choices, completion, error

REPOSITORY = Path(__file__).resolve().parents[3]
MODEL = "tiny"
HTTP_FAULTS = ("rate-limit", "error", "hang", "cut")
REPLY_FAULTS = (
    *("invalid-json", "wrong-schema", "prose", "no-choices"),
    *("null", "truncated", "refusal", "wrong-keys"),
)
FAULTS = (*HTTP_FAULTS, *REPLY_FAULTS)
RETRY_AFTER_S = 0.05


@dataclass
class Stats:
    """What a server did, retries included; requests go by the SHA-256 of their bodies."""

    calls: int = 0
    most_at_once: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)

    def answered_twice(self):
        """Return the requests that were asked again although they had been answered."""
        return {body: count for body, count in self.answered.items() if count > 1}


class FaultServer:
    """Runs the server; a context manager.

    A share `faults` of requests fails, in one of `kinds`, each as likely as the others; `hang_s` is
    how long one hangs, `latency_s` how long an answer takes, in seconds. Requests with the text
    `spared` in them never fail.
    """

    def __init__(self, *, latency_s=0.0, faults=0.0, seed=0, kinds=FAULTS, hang_s=2.0, spared=""):
        self._options = [
            *("--spared", spared),
            *("--latency", str(latency_s), "--faults", str(faults), "--seed", str(seed)),
            *("--kinds", ",".join(kinds), "--hang", str(hang_s)),
        ]
        self.base_url = ""

    def __enter__(self):
        # Under the supervisor, so that a test run that is killed leaves no server behind.
        supervised = [sys.executable, "-I", vllm.__file__]
        self._process = subprocess.Popen(
            [*supervised, sys.executable, "-m", __name__, *self._options],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.base_url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """End the server at once, in the middle of whatever it does."""
        self._process.communicate()

    def stats(self):
        """Ask the server what it did so far."""
        with urllib.request.urlopen(self.base_url.removesuffix("/v1") + "/stats") as response:
            told = json.loads(response.read())
        counters = {name: Counter(told[name]) for name in ("faults", "asked", "answered")}
        return Stats(told["calls"], told["most_at_once"], **counters)


class Service:
    """Answers requests."""

    def __init__(self, latency_s, faults, seed, kinds, hang_s, spared):
        self.stats = Stats()
        self._latency_s = latency_s
        self._faults = faults
        self._seed = seed
        self._kinds = kinds
        self._hang_s = hang_s
        self._spared = spared.encode()
        self._at_once = 0
        self._replies = {}

    async def serve(self, reader, writer):
        """Answer one connection until either side ends it."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                response = await self._respond(head[0].split()[1], body)
                lines = [
                    f"HTTP/1.1 {response.status} -",
                    "Content-Type: application/json",
                    f"Content-Length: {len(response.body)}",
                    *(f"{name}: {value}" for name, value in response.headers.items()),
                ]
                writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
                writer.write(response.body[: response.cut])
                await writer.drain()
                if response.cut is not None:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            writer.close()

    async def _respond(self, path, body):
        if path == "/v1/models":
            return Answer(json.dumps({"object": "list", "data": [{"id": MODEL}]}).encode())
        if path == "/stats":
            return Answer(json.dumps(vars(self.stats)).encode())
        if path != "/v1/chat/completions":
            return error(404, f"no such path: {path}")
        self.stats.calls += 1
        self._at_once += 1
        self.stats.most_at_once = max(self.stats.most_at_once, self._at_once)
        try:
            return await self._chat(body)
        finally:
            self._at_once -= 1

    async def _chat(self, body):
        name = hashlib.sha256(body).hexdigest()
        fault = "" if self._spared and self._spared in body else self._draw(name)
        self.stats.asked[name] += 1
        self.stats.faults.update([fault] if fault else [])
        await asyncio.sleep(self._hang_s if fault == "hang" else self._latency_s)
        response = _http_fault(fault) or self._reply(name, body, fault)
        if fault == "cut":
            response = replace(response, cut=len(response.body) // 2)
        # Counted when it is ready to go: a call that the client gave up was not answered.
        self.stats.answered.update([] if fault else [name])
        return response

    def _reply(self, name, body, fault):
        if (
            name,
            fault,
        ) not in self._replies:  # made once: a made-up answer takes a processor 40 ms
            self._replies[name, fault] = _reply(json.loads(body), fault)
        return self._replies[name, fault]

    def _draw(self, name):
        draw = random.Random(f"{self._seed} {name} {self.stats.asked[name]}")
        return draw.choice(self._kinds) if draw.random() < self._faults else ""


def _http_fault(fault):
    match fault:
        case "rate-limit":
            return error(429, "too many", Retry_After=str(RETRY_AFTER_S))
        case "error":
            return error(500, "out of order")
        case "hang":
            return Answer(b"-", cut=0)
    return None


def _reply(request, fault):
    messages = request["messages"]
    # A repair turn shows the bad answer; what is answered is still the question before it.
    question = itertools.takewhile(lambda one: one["role"] != "assistant", messages)
    text = _text(request, _said(question), invent=fault == "wrong-keys")
    # Four characters a token: what budgets need is that it grows with the text.
    usage = len(_said(messages)) // 4, len(text) // 4
    if fault == "no-choices":
        return choices([], usage=usage)
    said = {
        **dict.fromkeys(("invalid-json", "truncated"), text[: len(text) // 2]),
        **dict.fromkeys(("null", "refusal")),
        "wrong-schema": '{"unexpected": [1, 2]}',
        "prose": f"Sure! Here is what you asked for:\n{text}\nAnything else?",
    }
    more = {
        "truncated": {"finish_reason": "length"},
        "refusal": {"refusal": "I cannot help with that."},
    }
    return completion(said.get(fault, text), usage=usage, **more.get(fault, {}))


def _said(messages):
    return "\n\n".join(message["content"] for message in messages)


def _text(request, prompt, *, invent):
    if "response_format" not in request:
        return "Yes."
    schema = request["response_format"]["json_schema"]["schema"]
    return json.dumps(answer_schema(schema, prompt, invent=invent))


async def main():
    """Serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--faults", type=float, default=0.0, help="share of requests")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(FAULTS), help="faults, comma-separated")
    parser.add_argument("--hang", type=float, default=2.0, help="seconds")
    parser.add_argument("--spared", default="", help="text of requests that do not fail")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if unknown := set(kinds) - set(FAULTS):
        parser.error(f"no such faults: {', '.join(sorted(unknown))}")
    service = Service(
        options.latency, options.faults, options.seed, kinds, options.hang, options.spared
    )
    server = await asyncio.start_server(service.serve, "127.0.0.1", options.port, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
