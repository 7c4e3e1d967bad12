"""One article from the shell: what is printed, what is written, what is refused."""

from __future__ import annotations

import asyncio
import re
import socket
from html import unescape
from pathlib import Path
from tempfile import gettempdir

import pytest
from mcp import Client

from sidelight.cli.view import _read_article, make_tools
from sidelight.config.load import load_settings
from sidelight.errors import InputError, UsageError
from sidelight.generation.no_evidence import NO_EVIDENCE
from sidelight.wiring.models import ModelAccess
from tests.helpers.commands import said, told


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_pasted_article_is_read(mini_web_articles, mini_web_index, small_index, tmp_path):
    """Headline, outlet, author and date are in its text alone."""
    article = mini_web_articles[0]
    (tmp_path / "article.txt").write_text(article.body)
    command = ("read", tmp_path / "article.txt", "--index", mini_web_index.path)
    shown = said(*command)
    assert shown.startswith(f"{article.title}\n")
    origin = shown.splitlines()[1]
    assert "Sentinel Policy Journal" in origin
    assert "14 March 2021" in origin
    assert "Garrick Voss" in origin
    assert "10. " in shown
    assert "commonpedia.example" in shown
    assert "\nMade without a language model: " in shown
    again = told(*command, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<h1>What others say</h1>" in page
    assert "<p>Made without a language model: " in page
    linked = re.findall(r"see <a[^>]*>([^<]*?)(?:…)?</a>", page)
    assert linked
    texts = [one["text"] for one in again["report"]]
    assert all(any(text.startswith(unescape(one)) for text in texts) for one in linked)
    assert len(again["questions"]) == 10
    assert "Bad Science and Will Cost 4,000 Jobs" in (tmp_path / "page.html").read_text()
    assert len(list((tmp_path / "runs").glob("read-*"))) == 1
    # Another index is another run; this one holds nothing on the article.
    assert NO_EVIDENCE in said(*command[:-1], small_index.path)
    assert len(list((tmp_path / "runs").glob("read-*"))) == 2


def test_what_is_no_article_is_refused(tmp_path, small_index):
    (tmp_path / "short.html").write_text("<html><p>Too short.</p></html>")
    with pytest.raises(InputError, match=r"short.html: .* an article has 50 or more"):
        said("read", tmp_path / "short.html", "--index", small_index.path)
    (tmp_path / "article.pdf").write_bytes(b"%PDF-1.7\n\x00")
    with pytest.raises(InputError, match=r"article.pdf: This is a PDF. Save its text"):
        said("read", tmp_path / "article.pdf", "--index", small_index.path)
    assert not (tmp_path / "runs").exists()
    for words, says in (
        (
            ("https://news.example/a",),
            r"address https://news.example/a; nothing is fetched\n.*save",
        ),
        (("short.html", "--url", "news.example"), r"--url: expected an address such as https"),
    ):
        with pytest.raises(UsageError, match=says):
            said("read", *words, "--index", small_index.path)


def test_an_address_that_is_given_and_a_date_in_the_text_go_before_those_of_the_page(tmp_path):
    page = tmp_path / "page.html"
    text = "The pumping stations were built in 1961, when the marsh was still very large. " * 5
    page.write_text(f'<link rel="canonical" href="https://copy.example/"><p>{text}</p>')
    assert _read_article(page, "").url == "https://copy.example/"
    assert _read_article(page, "https://reed.example/a").url == "https://reed.example/a"
    head = '<meta property="article:published_time" content="%s"/>'
    for day, line in (("2024-03-05T08:00:00Z", "5 March 2024\n"), ("2024-13-05", ""), ("x", "")):
        page.write_text(f"{head % day}<p>{text}</p>")
        assert _read_article(page, "").body == f"{line}{text.strip()}"
    page.write_text(f"{head % '2024-03-05'}<p>6 May 2023</p><p>{text}</p>")
    assert _read_article(page, "").body.startswith("6 May 2023")


def test_a_busy_port_is_said_before_anything_is_opened(tmp_path, small_index):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port}: Address already in use"):
            said("serve", "--index", small_index.path, "--port", port, "-o", tmp_path / "served")
    assert not (tmp_path / "served").exists()


def test_an_assistant_searches_fetches_and_is_refused_what_is_no_article(
    small_index, tmp_path, monkeypatch
):
    monkeypatch.setattr("sidelight.cli.view.MAX_DOCUMENT_BYTES", 1_000)
    settings, access = load_settings(), ModelAccess(tmp_path / "cache")
    server = make_tools(small_index, settings, access)

    async def talk():
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            assert [one.name for one in tools] == ["search", "fetch", "investigate", "validate"]
            found = await client.call_tool("search", {"query": "bakery accounts", "k": 2})
            hits = (found.structured_content or {})["result"]
            assert len(hits) == 2
            fetched = await client.call_tool("fetch", {"segment_id": hits[0]["segment_id"]})
            assert (fetched.structured_content or {})["text"] == hits[0]["text"]
            for name, given, says in (
                ("search", {"query": "x", "k": 999}, "expected k from 1 to 50"),
                ("fetch", {"segment_id": "none"}, "there is no segment"),
                ("investigate", {"text": "Too short."}, "an article has 50 or more"),
                ("investigate", {"text": "<p>Too</p><p>short.</p>"}, "The text has 2 words"),
                ("validate", {"content": "é" * 600}, "expected at most 1,000 bytes"),
            ):
                refused = await client.call_tool(name, given)
                assert refused.is_error
                assert says in str(refused.content)
            checked = await client.call_tool("validate", {"content": "nothing of use"})
            assert "kind-unknown" in str(checked.content)
            assert str(Path(gettempdir())) not in str(checked.content)

    asyncio.run(talk())
