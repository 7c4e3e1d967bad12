"""A server with the REST API of Pyserini, over a real Lucene index; busy or hostile on demand."""

import contextlib
import json
import socket
import threading
from collections import deque
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from sidelight.errors import InputError
from sidelight.index.lucene.segments import Bm25
from sidelight.schemas.investigation.evidence import Query
from tests.helpers.models.model_server import Answer, LocalServer

NAME = "small-segmented"


class Odd(NamedTuple):
    """An answer out of turn."""

    status: int
    body: bytes = b'{"error": "busy"}'
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


def as_object(segment):
    """A document as servers give it that read the stored JSON."""
    fields = segment.model_dump()
    return {"docid": fields.pop("segment_id"), "segment": fields.pop("text"), **fields}


class RestServer(LocalServer):
    """Serves an index; a context manager.

    Requests must carry the token, if there is one; `document` gives a segment. Answers in `odd`
    are given before any other, one each, and queries with the words of `failing` always fail.
    `requests` has the paths asked for, `authorizations` what they carried to be let in, and
    `at_once` the most requests under way at the same time.
    """

    def __init__(self, folder, token="", document=as_object):
        self.odd = deque()
        self.failing = ""
        self.requests = []
        self.authorizations = []
        self.at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self._folder = folder
        self._token = token
        self._document = document
        super().__init__()

    def get(self, asked):
        with self._lock:
            self.requests.append(asked.path)
            self.authorizations.append(asked.headers.get("Authorization", ""))
            self._now += 1
            self.at_once = max(self.at_once, self._now)
            odd = self.odd.popleft() if self.odd else None
            if self.failing and self.failing in asked.path:
                odd = Odd(500, b'{"error": "Internal Server Error"}')
        try:
            status, body, headers = odd or self._found(asked)
        finally:
            with self._lock:
                self._now -= 1
        return Answer(body, status, headers)

    def _found(self, handler):
        if self._token and handler.headers.get("Authorization") != f"Bearer {self._token}":
            return Odd(401, b'{"error": "Missing or invalid API credentials"}')
        parts = urlsplit(handler.path)
        _, version, index, action, *rest = parts.path.split("/")
        if (version, unquote(index)) != ("v1", NAME):
            return Odd(400, b'{"error": "Unable to open index"}')
        if action == "doc":
            segment_id = unquote("/".join(rest))
            try:
                (segment,) = self._folder.docstore.get_many([segment_id])
            except InputError:
                return Odd(404, b'{"error": "Document not found"}')
            return _json({"docid": segment_id, "doc": self._document(segment)})
        asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if not asked.get("query"):
            return Odd(400, b'{"error": "Parameter \'query\' is required"}')
        k, bm25 = int(asked.get("hits", 10)), Bm25()
        if "k1" in asked:
            bm25 = Bm25(float(asked["k1"]), float(asked["b"]))
        searcher = self._folder.lucene.searcher(bm25)
        hits = searcher.search([Query(query_id="q", text=asked["query"])], k)["q"]
        segments = self._folder.docstore.get_many([hit.segment_id for hit in hits])
        candidates = [
            {
                "docid": hit.segment_id,
                "score": hit.score,
                "rank": rank,
                "doc": self._document(segment),
            }
            for rank, (hit, segment) in enumerate(zip(hits, segments, strict=True), start=1)
        ]
        return _json({"query": {"text": asked["query"]}, "candidates": candidates})


def _json(content):
    return Odd(200, json.dumps({"api": "v1", "index": NAME, **content}).encode())


class DrippingServer:
    """Sends the beginning of an answer at once and a byte every tenth of a second after it.

    A context manager that returns its address.
    """

    def __init__(self, begin):
        self._begin = begin
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self._thread.start()
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()
        self._listening.close()

    def _serve(self):
        self._listening.settimeout(0.1)
        clients = []
        while not self._ended.wait(0.1):
            with contextlib.suppress(TimeoutError):
                client, _ = self._listening.accept()
                client.sendall(self._begin)
                clients.append(client)
            for one in clients:
                with contextlib.suppress(OSError):
                    one.sendall(b"x")
        for one in clients:
            one.close()
