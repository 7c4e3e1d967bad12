"""A real HTTP server on loopback that answers like a model server, or fails as a test asks."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable
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
    if isinstance(usage, dict):
        body["usage"] = usage
    elif usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Answer(json.dumps(body).encode(), delay_s=delay_s, cut=cut)


def error(status, message="no", **headers):
    """An error as the chat API words it."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps({"error": {"message": message}}).encode(), status, names)


MAMMAL = '{"animal": "otter", "legs": 4, "reason": "It has fur."}'
"""What `doctor --model` is content with."""
_STRICT_MODES_REFUSE = ("maxLength", "minLength", "maxItems", "minItems")


def refused(message, *, status=400, **more):
    """A refusal as most chat APIs word it."""
    told = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return Answer(json.dumps({"error": {**told, **more}}).encode(), status)


def _schema(request):
    return json.dumps(request.get("response_format", ""))


def _openai(request):
    """A reasoning model of OpenAI's."""
    unsupported = "Unsupported parameter: '{}' is not supported with this model."
    if "max_tokens" in request:
        told = f"{unsupported.format('max_tokens')} Use 'max_completion_tokens' instead."
        return refused(told, param="max_tokens", code="unsupported_parameter")
    if "temperature" in request:
        told = "Unsupported value: 'temperature' does not support 0.0 with this model. Only the "
        told += "default (1) value is supported."
        return refused(told, param="temperature", code="unsupported_value")
    if "top_p" in request:
        return refused(unsupported.format("top_p"), param="top_p", code="unsupported_parameter")
    for word in _STRICT_MODES_REFUSE:
        if f'"{word}"' in _schema(request):
            told = "Invalid schema for response_format 'Mammal': In context=('properties', "
            return refused(f"{told}'reason'), '{word}' is not permitted.", param="response_format")
    assert '"additionalProperties": false' in _schema(request)
    assert '"required": ["animal", "legs", "reason"]' in _schema(request)
    usage = {"prompt_tokens": 60, "completion_tokens": 90}
    usage["completion_tokens_details"] = {"reasoning_tokens": 70}
    return completion(MAMMAL, usage=usage)


def _anthropic(request):
    """Claude by the compatible API, whose documentation says that it ignores `response_format`."""
    if {"temperature", "top_p"} <= request.keys():
        told = "`temperature` and `top_p` cannot both be specified for this model. Please use only "
        return refused(f"{told}one.", code="invalid_request_error")
    if "JSON schema" in request["messages"][-1]["content"]:
        return completion(f"```json\n{MAMMAL}\n```")
    return completion("The otter, with its four legs: it has fur.")


def _google(request):
    """Gemini by the compatible API, whose errors are lists; thoughts are in the total alone."""
    unknown = 'Invalid JSON payload received. Unknown name "{}"{}: Cannot find field.'
    at = " at 'generation_config.response_schema'"
    told = ""
    if "seed" in request:
        told = unknown.format("seed", "")
    elif '"maxLength"' in _schema(request):
        told = "The specified schema produces a constraint that has too many states for serving."
    elif '"additionalProperties"' in _schema(request):
        told = unknown.format("additionalProperties", at)
    if not told:
        usage = {"prompt_tokens": 60, "completion_tokens": 20, "total_tokens": 150}
        return completion(MAMMAL, usage=usage)
    violation = {"fieldViolations": [{"description": told}]}
    said = {"code": 400, "message": told, "status": "INVALID_ARGUMENT", "details": [violation]}
    return Answer(json.dumps([{"error": said}]).encode(), 400)


def _vllm(request):
    told = "The provided JSON schema contains features not supported by xgrammar."
    said = {"object": "error", "message": told, "type": "BadRequestError", "code": 400}
    bad = Answer(json.dumps(said).encode(), 400)
    return bad if '"maxLength"' in _schema(request) else completion(MAMMAL)


def _llama_cpp(request):
    """A grammar of many repetitions is too large for it."""
    told = "Failed to initialize samplers: failed to parse grammar"
    said = {"error": {"code": 400, "message": told, "type": "invalid_request_error"}}
    bad = Answer(json.dumps(said).encode(), 400)
    return bad if '"maxLength"' in _schema(request) else completion(MAMMAL)


def _sglang(request):
    """Its refusal repeats the schema."""
    if '"maxLength"' not in _schema(request):
        return completion(MAMMAL)
    told = f"Invalid grammar request: key=('json', {_schema(request)!r})"
    said = {"object": "error", "message": told, "type": "BadRequest", "param": None, "code": 400}
    return Answer(json.dumps(said).encode(), 400)


def _ollama(request):
    """Where a model does not think, that is an error of the server's own."""
    if "reasoning_effort" not in request:
        return completion(MAMMAL)
    told = 'think value "medium" is not supported for this model'
    return refused(told, status=500, type="api_error")


def _mistral(request):
    """It checks requests by type, repeats what it forbids, and has another name for the seed."""
    forbidden = [one for one in ("seed", "reasoning_effort") if one in request]
    said = [
        {
            "type": "extra_forbidden",
            "loc": ["body", one],
            "msg": "Extra inputs are not permitted",
            "input": {"temperature": "repeated"},
        }
        for one in forbidden
    ]
    bad = Answer(json.dumps({"object": "error", "message": {"detail": said}}).encode(), 422)
    return bad if forbidden else completion(MAMMAL)


def _without_schemas(request):
    """DeepSeek, among others."""
    if "response_format" in request:
        return refused("This response_format type is unavailable now")
    assert "maxLength" in request["messages"][-1]["content"]
    return completion(MAMMAL)


SERVERS: dict[str, tuple[Callable[[dict[str, Any]], Answer], str]] = {
    "OpenAI": (_openai, "max_completion_tokens, without temperature, top_p; schemas without"),
    "Anthropic": (_anthropic, "max_tokens, without top_p; whole schemas; schemas are not enforced"),
    "Google": (_google, "max_tokens, without seed; schemas of types alone"),
    "vLLM": (_vllm, "max_tokens; schemas without bounds"),
    "llama.cpp": (_llama_cpp, "max_tokens; schemas without bounds"),
    "SGLang": (_sglang, "max_tokens; schemas without bounds"),
    "Ollama": (_ollama, "max_tokens, without reasoning_effort; whole schemas"),
    "Mistral": (_mistral, "max_tokens, without seed, reasoning_effort; whole schemas"),
    "no schemas": (_without_schemas, "max_tokens; no schemas"),
}
"""What servers answer to a question for a `Mammal`, and how their capabilities begin in words."""


class LocalServer:
    """Serves on loopback what `get` and `post` return; a context manager.

    `get` takes the request, and `post` the request and the JSON that it brings.
    """

    def __init__(self):
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._http.server_close()

    def _handler(server):  # noqa: N805 - self is the handler's
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.respond(server.get(self))

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                self.respond(server.post(self, json.loads(self.rfile.read(length))))

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


class ModelServer(LocalServer):
    """Serves `/v1/models` and `/v1/chat/completions`; answers to the latter come from a script.

    Once the script is at its end, its last answer is repeated. A function in the place of a script
    answers each request by what it says.
    """

    def __init__(self, *script, models=("tiny",), answers=None):
        self._answers = answers
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.arrivals: list[float] = []
        self.most_at_once = 0
        self._models = models
        self._script = deque(script)
        self._lock = threading.Lock()
        self._at_once = 0
        self._gone = threading.Event()
        super().__init__()
        self.base_url = f"{self.url}/v1"

    def __exit__(self, *_):
        self._gone.set()
        super().__exit__()

    def get(self, asked):
        return self._list() if asked.path == "/v1/models" else error(404)

    def post(self, asked, request):
        self.authorizations.append(asked.headers["Authorization"])
        return self._chat(request) if asked.path == "/v1/chat/completions" else error(404)

    def _chat(self, request):
        with self._lock:
            self.requests.append(request)
            self.arrivals.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            answer = self._answers(request) if self._answers else self._next()
        self._gone.wait(answer.delay_s)
        with self._lock:
            self._at_once -= 1
        return answer

    def _next(self):
        return self._script.popleft() if len(self._script) > 1 else self._script[0]

    def _list(self):
        if isinstance(self._models, Answer):
            return self._models
        listed = {"object": "list", "data": [{"id": name} for name in self._models]}
        return Answer(json.dumps(listed).encode())
