"""Every address with every odd body: refused in words as the description says, never a 5xx."""

import http.client
import json
import time
from typing import Any

import pytest

from sidelight.schemas.topic import Article
from sidelight.serve.app import MAX_BODY_BYTES
from tests.helpers.formats.hostile_values import json_changes
from tests.serve.test_jobs import HTML
from tests.serve.test_serve import ARTICLE, TEXT, connected, send, served

ODD_VALUES: tuple[Any, ...] = (
    *("", " ", "\n", "\x00", "\ud800", "\u200b", "a", "https://a.example", TEXT, "é" * 250_000),
    *(None, True, 0, -1, 10**400, 1e308, float("nan"), float("inf"), [], [[]], {}, {"": None}),
)
ODD_BYTES = (
    *(b"", b" ", b"\n", b"\x00", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"<", b"<p></p>"),
    *(b"<p> </p>", b"<!--", b"<title>", b"<script>", b"null", b'""', b"[]", b"{}", b"{"),
    *(b"[" * 100_000, b'{"a":' * 100_000, b"1" * 5_000, b'{"text": ' + b"1" * 5_000 + b"}"),
    HTML.encode("utf-16"),
)
# Each is followed by an article that says it is in this encoding.
ENCODINGS = (
    "ascii latin-1 utf-16 utf-32 utf-7 windows-1252 shift_jis gb18030 iso-2022-jp idna punycode "
    "unicode_escape raw_unicode_escape undefined rot13 base64 hex zip mbcs no-such aliases"
).split()
ODD_TEXT = "\\ud800 \\N{x} \\u00e9 +2AA- =C3=28 xn--\x80 " + TEXT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with served(tmp_path_factory.mktemp("odd"), per_minute=1_000_000, kept=20, places=20) as site:
        yield site


def objects(fields):
    """Yield objects in which one field is odd, or missing, and all the others are whole."""
    whole = {name: ARTICLE.get(name, TEXT) for name in fields}
    for name in fields:
        yield json.dumps({other: value for other, value in whole.items() if other != name}).encode()
        for value in ODD_VALUES:
            yield json.dumps(whole | {name: value}).encode()
            yield json.dumps({name: value}).encode()
    for change in json_changes(whole):
        yield change.content.encode()


def bodies(kind, schema):
    """Yield what an address that takes a media type may be sent."""
    yield from ODD_BYTES
    if not kind:
        return  # the address takes none
    if kind != "text/html":
        yield from objects(list(schema.get("properties", Article.model_fields)))
    else:
        for name in ENCODINGS:
            page = f'<meta charset="{name}"><title>{ODD_TEXT}</title><p>{ODD_TEXT}</p>'
            yield page.encode("utf-8")
        for letter in ("&#0;", "&#xD800;", "&#x110000;", "&#" + "9" * 5_000 + ";", "&nbsp;"):
            yield f"<title>{letter}</title><p>{letter * 300}</p>".encode()
            yield f"<title>{letter}</title><p>{letter} {TEXT}</p>".encode()


def test_no_body_makes_the_server_fail(site):
    """What is refused is refused with a status of the description, and says why."""
    _, described, _ = site.ask("/openapi.json")
    sent = 0
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            content = one.get("requestBody", {}).get("content", {"": {}})
            for kind, taken in content.items():
                schema = taken.get("schema", {})
                schema = described["components"]["schemas"].get(
                    schema.get("$ref", "").rpartition("/")[2], schema
                )
                for body in bodies(kind, schema):
                    status, reply, _ = site.ask(
                        path.format(job_id="0" * 32), body, {"Content-Type": kind}, method.upper()
                    )
                    said = (path, method, kind, body[:80], status, reply)
                    assert str(status) in one["responses"], said
                    assert status < 400 or reply["detail"], said
                    sent += 1
    assert sent > 500


def test_odd_ids_and_methods_are_refused(site):
    for odd in ("%00", "%ff", "%ED%A0%80", "a" * 5_000, "..%2f..", "%E2%80%AE", "\\", "'", "a;b"):
        for path in (
            "/jobs/{}",
            *(f"/investigations/{{}}{end}" for end in ("", "/events", "/page")),
        ):
            for method in ("GET", "DELETE", "POST", "PUT", "OPTIONS"):
                status, _, _ = site.ask(path.format(odd), method=method)
                assert status in {404, 405}, (path, odd, method)


FROM_ELSEWHERE = (
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "null"},
    {"Content-Type": "text/plain"},
    {"Content-Type": ""},
)


def test_posts_from_another_site_do_not_use_up_the_rate_of_the_user(tmp_path):
    with served(tmp_path, per_minute=1) as site:
        for headers in FROM_ELSEWHERE:
            status = 415 if "Content-Type" in headers else 403
            for path in ("/investigations", "/investigations/file") * 2:
                found, reply, _ = site.ask(path, ARTICLE, headers)
                assert (found, "Expected" in reply["detail"]) == (status, True), headers
        assert site.ask("/investigations", ARTICLE)[0] == 202


def test_own_pages_may_submit_under_the_name_that_a_proxy_gives(site):
    host = site.address.removeprefix("http://")
    proxied = {"Sec-Fetch-Site": "same-origin", "Origin": "https://sidelight.example"}
    for headers in ({"Origin": f"http://{host}"}, proxied):
        assert site.ask("/investigations", ARTICLE | {"text": "x"}, headers)[0] == 422
    elsewhere = {"Sec-Fetch-Site": "cross-site"}  # which cannot cancel either
    job = site.submit()
    assert site.ask(f"/investigations/{job}", headers=elsewhere, method="DELETE")[0] == 403


@pytest.mark.parametrize("path", ["/investigations", "/investigations/file", "/"])
def test_a_length_beyond_the_limit_is_refused_before_the_body_comes(path, site):
    begin = time.monotonic()
    with connected(site) as connection:
        kind = "text/html" if "file" in path else "application/json"
        length = f"Content-Length: {MAX_BODY_BYTES + 1}"
        send(connection, f"POST {path}", f"Content-Type: {kind}", length)
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        assert reply.status == 413
        assert json.loads(reply.read())["detail"] == "The request is longer than 2,000,000 bytes."
    assert time.monotonic() - begin < 5
