"""The web app over a real server, with scripted investigations behind it."""

import asyncio
import base64
import hashlib
import json
import re
import socket
import threading
import time
from contextlib import asynccontextmanager, closing, contextmanager
from http.client import HTTPConnection

import pytest
import uvicorn

from sidelight.cli.view import _who_may_ask as who_may_ask
from sidelight.config.settings import Settings
from sidelight.errors import InputError, MachineError, UsageError
from sidelight.serve import app as app_module
from sidelight.serve.app import MAX_BODY_BYTES, make_app
from sidelight.serve.desk import Desk, Worker
from sidelight.serve.guards import behind_proxy, client_of
from tests.helpers.scripted_runs import scripted

TEXT = " ".join(
    f"Sentence {number} says what happened at the marsh that day." for number in range(9)
)
ARTICLE = {"title": "A headline", "url": "https://example.org/a", "text": TEXT}


async def stepping(article, log):
    await log.timed("profile_article", asyncio.sleep)(0)
    return await scripted(article)


class Site:
    """A running server."""

    def __init__(self, address, folder):
        self.address = address
        self.folder = folder

    def ask(self, path, body=None, headers=None, method=None):
        """Return status, content and headers."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Connection": "close"} | (headers or {})
        method = method or ("GET" if data is None else "POST")
        with closing(HTTPConnection(self.address.removeprefix("http://"), timeout=20)) as asked:
            asked.request(method, path, data, headers)
            reply = asked.getresponse()
            content, found = reply.read(), dict(reply.headers)
        is_json = found.get("content-type", "").startswith("application/json")
        return reply.status, json.loads(content) if is_json else content.decode(), found

    def submit(self):
        status, content, _ = self.ask("/investigations", ARTICLE)
        assert status == 202, content
        return str(content["id"])

    def events(self, job_id):
        """Return all events until the investigation has ended."""
        _, text, _ = self.ask(f"/investigations/{job_id}/events")
        return [
            json.loads(line.removeprefix("data: "))
            for line in text.splitlines()
            if line.startswith("data: ")
        ]


@contextmanager
def served(folder, investigate=stepping, *, per_minute=1000, token="", **limits):
    @asynccontextmanager
    async def start():
        yield investigate

    with Worker(start) as worker:
        limits = {"at_once": 1, "places": 5, "kept": 5, "limit_s": 60} | limits
        desk = Desk(worker, Settings(), "index", folder, **limits)
        app = make_app(desk, hosts=("127.0.0.1",), per_minute=per_minute, token=token)
        server = uvicorn.Server(app_module.make_config(app, "127.0.0.1", 0))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield Site(f"http://127.0.0.1:{port}", folder)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served")) as site:
        yield site


def test_an_article_is_investigated_step_by_step_and_has_a_page(site):
    job_id = site.submit()
    events = site.events(job_id)
    assert events[-1]["state"] == "done"
    assert events[-1]["steps"] == ["profile_article"]
    status, page, headers = site.ask(events[-1]["page"])
    assert (status, headers["x-content-type-options"]) == (200, "nosniff")
    assert "<!doctype html>" in page
    assert "A headline" in page
    assert site.ask(f"/investigations/{job_id}")[1] == events[-1]
    # the same files as any run
    assert (site.folder / job_id / "task1.tsv").read_text().count("\n") == 10


def test_the_pages_allow_their_own_script_and_style_alone(site):
    for path in ("/", f"/jobs/{site.submit()}"):
        _, page, headers = site.ask(path)
        policy = headers["content-security-policy"]
        for tag in ("style", "script"):
            (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
            assert f"/* {'style.css' if tag == 'style' else 'shared.js'} */" not in content
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'")
        assert policy.count("sha256-") == 2
        assert "img-src 'self'" in policy
        assert "/icon.svg" in re.findall(r"(?:src|href)=\"([^\"]*)", page)
    _, page, _ = site.ask("/")
    assert re.findall(r"(?:src|href)=\"([^\"]*)", page) == ["/icon.svg"]
    assert "<title>Investigate an article · sidelight</title>" in page
    for name in ("/icon.svg", "/favicon.ico"):
        status, icon, found = site.ask(name)
        assert (status, found["content-type"], icon[:4]) == (200, "image/svg+xml", "<svg")


SECRET = "words that nobody else may read"


@pytest.mark.parametrize(
    "body",
    [
        *('{"text": NaN}', '{"text": Infinity, "title": "SECRET"}', '{"text": 1e999}'),
        *('{"text": "\\ud800 SECRET"}', '{"text": "a", "title": "\\udfff"}'),
        *('{"text": "a", "SECRET \\ud800": 1}', '{"text": ["SECRET", NaN]}'),
        *('{"text": "a", "url": "SECRET"}', '{"text": "a", "url": "javascript:SECRET"}'),
        *('{"text": "a", "more": "SECRET"}', '["SECRET", NaN]', "SECRET NaN", "NaN"),
    ],
)
def test_what_json_cannot_say_is_refused_without_an_echo(site, body):
    status, content, _ = site.ask("/investigations", body.replace("SECRET", SECRET).encode())
    assert status == 422
    assert content["detail"][0]["msg"]
    assert "words" not in json.dumps(content)


def test_an_address_is_trimmed_and_a_bad_one_told_in_plain_words(tmp_path):
    with served(tmp_path) as site:
        given = {**ARTICLE, "url": f" {ARTICLE['url']}\n"}
        status, content, _ = site.ask("/investigations", given)
        assert status == 202
        kept = json.loads((tmp_path / f"{content['id']}.json").read_text())["article"]
        assert kept["url"] == ARTICLE["url"]
        status, content, _ = site.ask("/investigations", {**ARTICLE, "url": "example.org/a"})
        told = "url: expected an address such as https://news.example/a"
        assert (status, content["detail"][0]["msg"]) == (422, told)


def test_what_is_not_there_is_a_page_in_a_browser(site):
    status, page, _ = site.ask("/foo", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (status, "Not Found" in page, 'href="/"' in page) == (404, True, True)
    assert site.ask("/foo")[:2] == (404, {"detail": "Not Found"})


def test_invalid_articles_count_too(tmp_path):
    with served(tmp_path, per_minute=2) as site:
        found = [site.ask("/investigations", b"{")[0] for _ in range(3)]
        assert found == [422, 422, 429]
        assert site.ask("/")[0] == 200


def test_a_token_is_asked_for_everywhere(tmp_path):
    with served(tmp_path, token="0123456789abcdef") as site:
        basic = base64.b64encode(b"anyone:0123456789abcdef").decode()
        wrong = base64.b64encode(b"anyone:0123456789abcdeg").decode()
        for shown in ("Bearer 0123456789abcdef", f"Basic {basic}"):
            assert site.ask("/", None, {"Authorization": shown})[0] == 200
        for shown in ("", "Bearer", "Bearer x", f"Basic {wrong}", "Basic ?", "Digest a", "Ã©"):
            status, _, headers = site.ask("/", None, {"Authorization": shown})
            assert (status, headers["www-authenticate"][:5]) == (401, "Basic")
        assert site.ask("/investigations", ARTICLE)[0] == 401
        assert site.ask("/openapi.json")[0] == 401


def test_listening_to_others_takes_names_and_a_token(monkeypatch):
    monkeypatch.delenv("SIDELIGHT_SERVE_TOKEN", raising=False)
    assert "localhost" in who_may_ask("127.0.0.1", ())[0]
    with pytest.raises(UsageError, match="the names of this machine"):
        who_may_ask("0.0.0.0", ())
    with pytest.raises(UsageError, match="expected a token"):
        who_may_ask("0.0.0.0", ["a.example"])
    monkeypatch.setenv("SIDELIGHT_SERVE_TOKEN", "short")
    with pytest.raises(UsageError, match="expected a token"):
        who_may_ask("127.0.0.1", ())
    monkeypatch.setenv("SIDELIGHT_SERVE_TOKEN", "x" * 16)
    assert who_may_ask("0.0.0.0", ["a.example"]) == (("a.example",), "x" * 16)


@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "evil, 203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "203.0.113.9, x\x1b[2J 200 OK", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("198.51.100.7", "203.0.113.9", "198.51.100.7"),
    ],
)
def test_only_a_proxy_here_may_say_where_a_request_came_from(peer, header, client):
    async def app(scope, receive, send):
        assert client_of(scope) == client

    headers = [(b"x-forwarded-for", header.encode())]
    scope = {"type": "http", "client": (peer, 1), "headers": headers}
    asyncio.run(behind_proxy(app)(scope, None, None))  # type: ignore[arg-type]
    assert client_of(scope) == client


def test_another_host_and_unknown_investigations_are_refused(site):
    assert site.ask("/", None, {"Host": "evil.example"})[0] == 400
    for path in ("", "/events", "/page"):
        assert site.ask(f"/investigations/{'0' * 32}{path}")[0] == 404
        assert site.ask(f"/investigations/..%2F..%2Fetc{path}")[0] == 404


def connected(site):
    host, port = site.address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=10)
    connection.settimeout(10)
    return connection


def send(connection, request, *headers, body=b""):
    head = (f"{request} HTTP/1.1", "Host: 127.0.0.1", *headers, "", "")
    connection.sendall("\r\n".join(head).encode() + body)


POST = "POST /investigations", "Content-Type: application/json"


def test_a_body_that_trickles_is_refused(site, monkeypatch, tmp_path):
    monkeypatch.setattr(app_module, "BODY_TIMEOUT_S", 0.2)
    with served(tmp_path) as slow, connected(slow) as connection:
        send(connection, *POST, "Content-Length: 1000", body=b"{")
        assert connection.recv(1000).startswith(b"HTTP/1.1 408")


def test_a_body_without_a_length_is_cut_off(site):
    with connected(site) as connection:
        send(connection, *POST, "Transfer-Encoding: chunked")
        chunk = b"%x\r\n%s\r\n" % (1 << 16, b"x" * (1 << 16))
        for _ in range(MAX_BODY_BYTES // (1 << 16) + 1):
            connection.sendall(chunk)
        assert connection.recv(1000).startswith(b"HTTP/1.1 413")


def state_of(site, job):
    return site.ask(f"/investigations/{job}")[1]["state"]


def wait_until_running(site, job):
    while state_of(site, job) != "running":
        time.sleep(0.01)


def test_a_silent_connection_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(app_module, "_SILENCE_S", 0.3)
    monkeypatch.setattr(app_module, "_KEEP_ALIVE_S", 60)
    with served(tmp_path) as site:
        with connected(site) as connection:
            connection.sendall(b"GET / HTT")
            assert connection.recv(1000) == b""
        with connected(site) as connection:
            for _ in range(2):  # a whole request does not use up the time of the next one
                send(connection, "GET /investigations/x")
                reply = b""
                while not reply.endswith(b"}"):
                    reply += connection.recv(10_000)
                assert b" 404 " in reply
                time.sleep(0.2)
            connection.sendall(b"G")
            assert connection.recv(1000) == b""


def test_one_client_cannot_take_all_connections(tmp_path, monkeypatch):
    monkeypatch.setattr(app_module, "_CONNECTIONS_OF_A_CLIENT", 3)
    with served(tmp_path) as site:
        held = [connected(site) for _ in range(3)]
        with connected(site) as refused:
            assert refused.recv(1000) == b""
        port = int(site.address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), 10, ("127.0.0.2", 0)) as other:
            send(other, "GET /")
            assert other.recv(1000).startswith(b"HTTP/1.1 200")
        for connection in held:
            connection.close()
        time.sleep(0.2)
        assert site.ask("/")[0] == 200


def test_one_client_cannot_take_all_event_streams(tmp_path, monkeypatch):
    monkeypatch.setattr(app_module, "STREAMS_OF_A_CLIENT", 2)
    with served(tmp_path, endless) as site:
        job = site.submit()
        held = [connected(site) for _ in range(2)]
        for connection in held:
            send(connection, f"GET /investigations/{job}/events")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        assert site.ask(f"/investigations/{job}/events")[0] == 429
        for connection in held:
            connection.close()
        site.ask(f"/investigations/{job}", method="DELETE")
        assert site.events(job)[-1]["state"] == "cancelled"


def test_too_many_are_told_to_come_back(tmp_path):
    release = threading.Event()

    async def waiting(article, log):
        await asyncio.to_thread(release.wait)
        return await scripted(article)

    with served(tmp_path, waiting, places=2, per_minute=6) as site:
        jobs = [site.submit()]
        wait_until_running(site, jobs[0])
        jobs += [site.submit(), site.submit()]
        assert [site.ask(f"/investigations/{job}")[1]["ahead"] for job in jobs] == [0, 0, 1]
        status, content, headers = site.ask("/investigations", ARTICLE)
        assert (status, content["detail"]) == (429, "The queue is full.")
        assert headers["retry-after"] == "60"
        release.set()
        assert [site.events(job)[-1]["state"] for job in jobs] == ["done"] * 3
        site.submit()
        site.submit()
        assert site.ask("/investigations", ARTICLE)[1]["detail"].startswith("At most ")


def test_a_failure_is_told_and_the_next_one_runs(tmp_path):
    told = [InputError("the article is empty"), MachineError("no server"), ValueError("inside")]
    errors = list(told)

    async def failing(article, log):
        if errors:
            raise errors.pop(0)
        return await scripted(article)

    with served(tmp_path, failing) as site:
        for error in told:
            end = site.events(site.submit())[-1]
            assert (end["state"], end["message"], end["page"]) == ("failed", str(error), "")
        assert site.events(site.submit())[-1]["state"] == "done"


def test_a_page_that_cannot_be_written_does_not_stop_the_desk(tmp_path, monkeypatch):
    monkeypatch.setattr("sidelight.serve.desk.render_page", lambda page: 1 / 0)
    with served(tmp_path) as site:
        for _ in range(2):
            end = site.events(site.submit())[-1]
            assert (end["state"], "log says why" in end["message"]) == ("failed", True)


async def endless(article, log):
    await log.timed("profile_article", asyncio.sleep)(3600)
    return await scripted(article)


def test_what_takes_too_long_is_ended(tmp_path):
    with served(tmp_path, endless, limit_s=0.2) as site:
        for _ in range(2):
            end = site.events(site.submit())[-1]
            assert (end["state"], "took longer than" in end["message"]) == ("failed", True)


def test_what_is_cancelled_ends_whether_it_runs_or_waits(tmp_path):
    with served(tmp_path, endless) as site:
        running, waiting = site.submit(), site.submit()
        wait_until_running(site, running)
        for job in (waiting, running):
            assert site.ask(f"/investigations/{job}", method="DELETE")[0] == 200
            end = site.events(job)[-1]
            assert (end["state"], "cancelled" in end["message"]) == ("cancelled", True)
        last = site.submit()
        wait_until_running(site, last)
        begin = time.monotonic()
    assert time.monotonic() - begin < 10  # the server stops, though something runs


def test_old_investigations_are_removed(tmp_path):
    with served(tmp_path, kept=2) as site:
        jobs = []
        for _ in range(4):
            jobs.append(site.submit())
            site.events(jobs[-1])
        assert [site.ask(f"/investigations/{job}")[0] for job in jobs] == [404, 404, 200, 200]
        left = [name for job in jobs[2:] for name in (job, f"{job}.json")]
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(left)


def test_investigations_survive_a_restart(tmp_path):
    with served(tmp_path) as site:
        done = site.submit()
        site.events(done)
    with served(tmp_path, endless) as site:
        assert site.ask(f"/investigations/{done}/page")[0] == 200
        running, waiting, cancelled = site.submit(), site.submit(), site.submit()
        site.ask(f"/investigations/{cancelled}", method="DELETE")
        wait_until_running(site, running)
    (tmp_path / f"{'0' * 32}.json").write_text("{damaged")
    with served(tmp_path) as site:
        assert [site.events(job)[-1]["state"] for job in (done, running, waiting)] == ["done"] * 3
        assert "cancelled" in site.events(cancelled)[-1]["message"]
        assert site.ask(f"/investigations/{running}/page")[0] == 200


def test_what_cannot_be_opened_is_said_at_once():
    @asynccontextmanager
    async def start():
        raise MachineError("no Java")
        yield

    with pytest.raises(MachineError, match="no Java"), Worker(start):
        pass
