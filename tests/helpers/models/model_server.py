"""A real HTTP server on loopback that answers like a model server, or fails as a test asks."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """One HTTP response; `cut` bytes of the body are sent before the line goes dead."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: int | None = None


def completion(
    content: str | None,
    *,
    finish_reason: str = "stop",
    usage: tuple[int, int] | None = (11, 7),
    delay_s: float = 0.0,
    cut: int | None = None,
    **message: str,
) -> Answer:
    """A chat completion; further keywords go into the message."""
    choice = {"finish_reason": finish_reason, "message": {"content": content, **message}}
    return choices([choice], usage=usage, delay_s=delay_s, cut=cut)


def choices(
    choices: list[dict[str, Any]],
    *,
    usage: tuple[int, int] | None = (11, 7),
    delay_s: float = 0.0,
    cut: int | None = None,
) -> Answer:
    """A chat completion with these choices."""
    body: dict[str, Any] = {"id": "1", "object": "chat.completion", "choices": choices}
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Answer(json.dumps(body).encode(), delay_s=delay_s, cut=cut)


def error(status: int, message: str = "no", **headers: str) -> Answer:
    """An error as the chat API words it."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps({"error": {"message": message}}).encode(), status, names)


class ModelServer:
    """Serves `/v1/models` and `/v1/chat/completions`; answers to the latter come from a script.

    Once the script is at its end, its last answer is repeated.
    """

    def __init__(self, *script: Answer, models: Answer | tuple[str, ...] = ("tiny",)) -> None:
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.arrivals: list[float] = []
        self.most_at_once = 0
        self._models = models
        self._script = deque(script)
        self._lock = threading.Lock()
        self._at_once = 0
        self._gone = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._gone.set()
        self._http.shutdown()
        self._http.server_close()

    def _chat(self, request: dict[str, Any]) -> Answer:
        with self._lock:
            self.requests.append(request)
            self.arrivals.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            answer = self._script.popleft() if len(self._script) > 1 else self._script[0]
        self._gone.wait(answer.delay_s)
        with self._lock:
            self._at_once -= 1
        return answer

    def _list(self) -> Answer:
        if isinstance(self._models, Answer):
            return self._models
        listed = {"object": "list", "data": [{"id": name} for name in self._models]}
        return Answer(json.dumps(listed).encode())

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - self is the handler's
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.respond(server._list() if self.path == "/v1/models" else error(404))

            def do_POST(self) -> None:
                server.authorizations.append(self.headers["Authorization"])
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                right = self.path == "/v1/chat/completions"
                self.respond(server._chat(request) if right else error(404))

            def respond(self, answer: Answer) -> None:
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body[: answer.cut])
                self.close_connection = answer.cut is not None

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except ConnectionError:
                    self.close_connection = True  # the client gave up waiting

            def log_message(self, *_: object) -> None: ...

        return Handler
