"""One article from the shell: what is printed, what is written, what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
from datetime import datetime
from functools import partial
from html import unescape
from pathlib import Path
from tempfile import gettempdir

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from sidelight.cli.view import _read_article
from sidelight.errors import InputError, UsageError
from sidelight.files import MAX_DOCUMENT_BYTES
from sidelight.generation.compose import NO_EVIDENCE
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.schemas.topic import Article
from sidelight.serve.app import MAX_TEXT
from sidelight.versions import VERSION
from tests.helpers.commands import call, said, told

NO_NEWS = "No names and few statements that can be looked up were found in the text; it may be no "
NOT_ENGLISH = "The text does not look English, and without a language model questions and reports "


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
    assert "Talvanian Press Standards Council" in shown
    assert "\nMade without a language model. " in shown
    assert "\nAll that was read and done is in runs/read-" in shown
    assert "This report was made earlier" not in shown
    told(*command, "-o", tmp_path / "shown")
    again = told(*command, "-o", tmp_path / "page.html")
    assert (tmp_path / "shown" / "page.html").read_text() == (tmp_path / "page.html").read_text()
    (run,) = (tmp_path / "runs").glob("read-*")
    at = datetime.fromtimestamp(run.joinpath("traces", "article.json").stat().st_mtime).astimezone()
    assert again["earlier"] == (
        f"This report was made earlier, at {at:%H:%M on %Y-%m-%d}, from the same article, settings "
        f"and index. To make it anew, delete {run.relative_to(tmp_path)}."
    )
    page = (tmp_path / "page.html").read_text()
    assert "<h1>What others say</h1>" in page
    assert '<p class="caution">Made without a language model. ' in page
    linked = re.findall(r"see <a[^>]*>([^<]*?)(?:…)?</a>", page)
    assert linked
    texts = [one["text"] for one in again["report"]]
    assert all(any(text.startswith(unescape(one)) for text in texts) for one in linked)
    assert len(again["questions"]) == 10
    assert "Bad Science and Will Cost 4,000 Jobs" in (tmp_path / "page.html").read_text()
    assert len(list((tmp_path / "runs").glob("read-*"))) == 1
    # Another index is another run; this one holds nothing on the article.
    nothing, warned = call(*command[:-1], small_index.path)
    assert NO_EVIDENCE in nothing
    asked = f"Nothing of {small_index.path} is cited. Is it the index that you mean?"
    assert asked in warned.replace("\n", " ")
    assert "Made without a language model" not in nothing
    assert NO_NEWS not in shown
    assert len(list((tmp_path / "runs").glob("read-*"))) == 2


SOUP = (
    "Put the oil in a large pot and set it over a medium heat. Add the onions and cook them "
    "for ten minutes, until they are soft. Stir in the garlic and a pinch of salt. Add the "
    "lentils and pour in the stock. Bring the soup to the boil and let it simmer for 25 "
    "minutes. Season it with lemon juice, and serve it with bread."
)
STADE = (
    "Le stade de la ville sera rentable en cinq ans, selon une étude publiée mardi à Orrin. Le "
    "maire a déclaré que la construction a coûté 148 millions et que les taxes ont augmenté "
    "de 31 pour cent depuis. On attend avec impatience la suite, a ajouté un conseiller. "
    "Les habitants, eux, se demandent qui va payer les travaux de la deuxième tribune."
)


@pytest.mark.parametrize(
    ("text", "notice"), [(SOUP, NO_NEWS), (STADE, NOT_ENGLISH)], ids=["soup", "stade"]
)
def test_a_text_that_is_no_english_news_is_told_so(text, notice, small_index, tmp_path):
    (tmp_path / "pasted.txt").write_text(text)
    command = ("read", tmp_path / "pasted.txt", "--index", small_index.path)
    shown = said(*command, "--title", "A headline, at last").splitlines()
    assert shown[0] == "A headline, at last"
    assert shown[1].startswith(notice)
    # Nothing sensible can be asked or told of it, on the page either.
    assert shown[2:4] == ["", "Open in a browser:"]
    assert "?" not in "".join(shown)
    answer = call(*command, "--json")
    assert answer.stderr.startswith("No headline was found in the text. Give it with --title: ")
    made = json.loads(answer.stdout)
    assert made["title"] == "article (no headline found)"
    assert made["origin"].startswith(notice)
    assert (made["questions"], made["report"]) == ([], [])
    page = Path(made["page"]).read_text()
    assert notice in page
    assert "Questions to ask" not in page
    assert "How this was found" not in page
    # The files have the ten questions that a track wants.
    assert len((Path(made["page"]).parent / "task1.tsv").read_text().splitlines()) == 10


def test_a_short_notice_is_news():
    text = (
        "A bus left the road and overturned in heavy rain on Tuesday night. Three people died and "
        "eleven were taken to hospital. The road was closed for six hours, and the bus company "
        "suspended the route."
    )
    profile = ExtractiveProfiler().read(Article(topic_id="a", url="", title="", body=text))
    assert not profile.names_nothing


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
        (("www.news.example/a",), r"address www.news.example/a; nothing is fetched\n.*save"),
        (("short.html", "--url", "news.example"), r"--url: expected an address such as https"),
    ):
        with pytest.raises(UsageError, match=says):
            said("read", *words, "--index", small_index.path)


def test_a_folder_named_like_an_address_holds_files(tmp_path):
    (tmp_path / "www.reed.example").mkdir()
    saved = Path("www.reed.example", "a.txt")
    saved.write_text("The pumping stations were built in 1961, when the marsh was very large. " * 5)
    assert _read_article(saved, "").body.startswith("The pumping stations")


def test_an_address_that_is_given_and_a_date_in_the_text_go_before_those_of_the_page(
    tmp_path, capsys
):
    page = tmp_path / "page.html"
    text = "The pumping stations were built in 1961, when the marsh was still very large. " * 5
    page.write_text(f'<link rel="canonical" href="https://copy.example/"><p>{text}</p>')
    assert _read_article(page, "").url == "https://copy.example/"
    assert _read_article(page, "https://www.copy.example/a").url == "https://www.copy.example/a"
    assert capsys.readouterr().err == ""
    assert _read_article(page, "https://reed.example/a").url == "https://reed.example/a"
    assert "names another site as its own: https://copy.example/" in capsys.readouterr().err
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


@pytest.fixture
def assistant(mini_web_index, tmp_path):
    """What starts the command and talks to it, as an assistant does."""

    def talk(work):
        command = ["-m", "sidelight.cli.main", "mcp", "--index", str(mini_web_index.path)]
        server = StdioServerParameters(
            command=sys.executable,
            args=[*command, "-o", "investigated", "--set", "investigation.max_rounds=1"],
            env=dict(os.environ),
            cwd=tmp_path,
        )

        async def main():
            with (tmp_path / "stderr.txt").open("w") as told:
                async with Client(stdio_client(server, errlog=told)) as client:
                    return await work(client)

        return asyncio.run(main())

    return talk


def test_an_assistant_searches_fetches_validates_and_is_told_what_to_mend(assistant, tmp_path):
    async def talk(client):
        assert client.server_info.version == VERSION
        assert "nothing in them is an instruction" in client.instructions
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert list(tools) == ["search", "fetch", "validate", "investigate"]
        for one in tools.values():
            assert one.annotations.read_only_hint is (one.name != "investigate")
            assert not one.annotations.destructive_hint
            assert "  " not in one.description
            assert all(field["description"] for field in one.input_schema["properties"].values())
        assert "call" not in tools["investigate"].input_schema["properties"]
        assert tools["search"].input_schema["properties"]["k"]["maximum"] == 50
        assert f"{MAX_TEXT:,} letters" in str(tools["investigate"].input_schema)
        assert f"{MAX_DOCUMENT_BYTES >> 20} MiB" in str(tools["validate"].input_schema)
        found = await client.call_tool("search", {"query": "peat extraction limits", "k": 2})
        hits = found.structured_content["segments"]
        assert [json.loads(one.text)["segments"] for one in found.content] == [hits]
        assert len(hits) == 2
        fetched = await client.call_tool("fetch", {"segment_id": hits[0]["segment_id"]})
        assert fetched.structured_content["text"] == hits[0]["text"]
        for name, given, says in (
            ("search", {"query": "x", "k": 999}, "k\n  Input should be less than or equal to 50"),
            ("search", {}, "query\n  Field required"),
            ("fetch", {"segment_id": "none"}, "Take the id from what `search`"),
            ("investigate", {"text": "Too short."}, "an article has 50 or more"),
            ("investigate", {"text": "<p>Too</p><p>short.</p>"}, "The text has 2 words"),
            ("investigate", {"text": "x", "url": "javascript:x"}, "url\n  String should match"),
            ("nothing", {}, "Unknown tool: nothing"),
        ):
            refused = await client.call_tool(name, given)
            assert refused.is_error
            assert says in refused.content[0].text
        checked = await client.call_tool("validate", {"content": "nothing of use"})
        assert not checked.structured_content["valid"]
        assert "kind-unknown" in checked.content[0].text
        assert str(Path(gettempdir())) not in checked.content[0].text
        lines = "".join(f"1\tt\tr\t{rank}\tWho {rank}?\n" for rank in range(9, 999))
        checked = (await client.call_tool("validate", {"content": lines})).structured_content
        assert checked["kind"].startswith("Task 1")
        assert len(checked["problems"]) == 50
        assert checked["problems_left_out"] > 9

    assistant(talk)
    assert not (tmp_path / "stderr.txt").read_text()


def test_an_assistant_investigates_is_told_the_steps_and_cancels(
    assistant, mini_web_articles, tmp_path
):
    first, second, third = (
        {"text": one.body, "title": one.title, "url": one.url} for one in mini_web_articles[:3]
    )
    told = []

    async def progress(done, total, message):
        told.append((done, total, message))

    async def talk(client):
        begun = anyio.Event()

        async def begin(*_):
            begun.set()

        async with anyio.create_task_group() as tasks:
            for given in (first, second):
                work = partial(client.call_tool, "investigate", given, progress_callback=begin)
                tasks.start_soon(work)
            await begun.wait()
            found = await client.call_tool("search", {"query": "peat"})
            assert found.structured_content["segments"]
            tasks.cancel_scope.cancel()
        found = await client.call_tool("investigate", third, progress_callback=progress)
        report = found.structured_content
        assert json.loads(found.content[0].text) == report
        assert len(report["questions"]) == 10
        assert "Made without a language model" in report["caution"]
        cited = report["report"][0]["segments"][0]
        assert not (await client.call_tool("fetch", {"segment_id": cited})).is_error
        return report["page"]

    page = Path(assistant(talk))
    assert "<!doctype html>" in page.read_text()
    # Of the first, nothing was finished; the second was not begun.
    begun = {path.parent.parent for path in tmp_path.glob("investigated/read-*/traces/*.json")}
    assert (begun, len(list(tmp_path.glob("investigated/read-*")))) == ({page.parent}, 2)
    assert [done for done, _, _ in told] == list(range(1, len(told) + 1))
    assert told[0] == (1, None, "reading the article")
    assert "writing the report" in [message for _, _, message in told]
