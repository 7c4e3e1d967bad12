"""A real HTTP server on loopback that answers like a model server, or fails as a test asks."""

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One HTTP response; `cut` bytes of the body are sent before the line goes dead."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: int | None = None


def completion(content, *, finish_reason="stop", usage=(11, 7), delay_s=0.0, cut=None, **message):
    """A chat completion; further keywords go into the message."""
    choice = {"finish_reason": finish_reason, "message": {"content": content, **message}}
    return choices([choice], usage=usage, delay_s=delay_s, cut=cut)


def choices(choices, *, usage=(11, 7), delay_s=0.0, cut=None):
    """A chat completion with these choices."""
    body: dict[str, Any] = {"id": "1", "object": "chat.completion", "choices": choices}
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Answer(json.dumps(body).encode(), delay_s=delay_s, cut=cut)


def error(status, message="no", **headers):
    """An error as the chat API words it."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps({"error": {"message": message}}).encode(), status, names)


class ModelServer:
    """Serves `/v1/models` and `/v1/chat/completions`; answers to the latter come from a script.

    Once the script is at its end, its last answer is repeated.
    """

    def __init__(self, *script, models=("tiny",)):
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
    def base_url(self):
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._gone.set()
        self._http.shutdown()
        self._http.server_close()

    def _chat(self, request):
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

    def _list(self):
        if isinstance(self._models, Answer):
            return self._models
        listed = {"object": "list", "data": [{"id": name} for name in self._models]}
        return Answer(json.dumps(listed).encode())

    def _handler(server):  # noqa: N805 - self is the handler's
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.respond(server._list() if self.path == "/v1/models" else error(404))

            def do_POST(self):
                server.authorizations.append(self.headers["Authorization"])
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                right = self.path == "/v1/chat/completions"
                self.respond(server._chat(request) if right else error(404))

            def respond(self, answer):
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body[: answer.cut])
                self.close_connection = answer.cut is not None

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except ConnectionError:
                    self.close_connection = True  # the client gave up waiting

            def log_message(self, *_): ...

        return Handler
