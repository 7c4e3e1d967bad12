"""Investigations as people watch them: addresses, live news, files, messages, the description."""

import asyncio
import json
import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.english.cleaning import clean_article
from sidelight.errors import UsageError
from sidelight.schemas.investigation.angle import Plan, PlannedQuery
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, Selection
from sidelight.schemas.investigation.report import CheckedReport, DraftReport, DraftSentence
from sidelight.schemas.segment import Segment
from sidelight.serve.app import MIN_WORDS, why_no_article
from sidelight.serve.desk import News, claim_folder
from sidelight.serve.guards import kind_of, read_pasted, read_upload, read_web_page
from tests.helpers.scripted_runs import scripted
from tests.serve.test_serve import ARTICLE, TEXT, served

HTML = f"""<!doctype html><html><head><title>Ignored - Site</title>
<meta property="og:title" content="Bogs &amp; fens"><link rel="canonical" href="https://bog.example/a">
<style>p {{ color: red }}</style><script>if (1 < 2) alert("</p>")</script></head><body>
<nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
<article><header><h1>Bogs</h1></header><p>{TEXT}</p><aside>Related: frogs</aside></article>
<footer>All rights reserved</footer></body></html>"""


def query(text):
    return PlannedQuery(query_id=text, round_number=1, angle_id="a", text=text)


def evidence(title):
    segment = Segment(
        segment_id="b_doc_00_1#0_0", url="https://www.found.example/", title=title, text="So."
    )
    return Evidence(segment=segment, relevance={"a": 1.0})


PLAN = Plan(angles=(), queries=(query("who owns the bog"), query("frogs  counted")))
SELECTION = Selection(evidence=EvidenceSet(items=(evidence("A page <b>"),)))
CHECKED = CheckedReport(draft=DraftReport(sentences=(DraftSentence(text="It is said."),)))


def test_a_job_has_an_address_and_a_title_of_its_own(tmp_path):
    title = "<script>alert(1)</script> & TITLE"
    with served(tmp_path) as site:
        _, content, _ = site.ask("/investigations", ARTICLE | {"title": title})
        assert content["address"] == f"/jobs/{content['id']}"
        site.events(content["id"])
        _, other, _ = site.ask("/investigations", ARTICLE | {"title": "Fens | The Lark"})
        assert other["title"] == "Fens"
    with served(tmp_path) as site:  # another server
        status, page, headers = site.ask(content["address"])
        assert status == 200
        assert (
            "<title>&lt;script&gt;alert(1)&lt;/script&gt; &amp; TITLE · sidelight</title>" in page
        )
        assert "<script>alert" not in page
        assert "default-src 'none'" in headers["content-security-policy"]
        assert site.ask(f"/investigations/{content['id']}")[1]["title"] == title
        status, page, _ = site.ask(f"/jobs/{'0' * 32}")
        assert (status, "No such investigation" in page) == (404, True)


def telling(release):
    """Return work that tells what it plans and finds, and ends when it is released."""

    async def investigate(article, log):
        for step, result in (("plan_queries", PLAN), ("select_evidence", SELECTION)):
            await log.timed(step, lambda one=result: asyncio.sleep(0, one))()
        await asyncio.to_thread(release.wait)
        await log.timed("check_report", lambda: asyncio.sleep(0, CHECKED))()
        return await scripted(article)

    return investigate


def test_queries_and_findings_are_told_while_it_works(tmp_path):
    release = threading.Event()
    with served(tmp_path, telling(release)) as site:
        job = site.submit()
        while not (content := site.ask(f"/investigations/{job}")[1])["found"]:
            time.sleep(0.01)
        assert content["state"] == "running"
        assert content["queries"] == ["who owns the bog", "frogs counted"]
        assert content["found"] == [{"title": "A page <b>", "host": "found.example"}]
        assert content["sentences"] == []
        release.set()
        last = site.events(job)[-1]
        assert (last["state"], last["sentences"]) == ("done", ["It is said."])


def test_news_are_new_once_and_bounded():
    news = News()
    assert [news.take(PLAN), news.take(PLAN), news.take("something else")] == [True, False, False]
    many = Plan(angles=(), queries=tuple(query(f"q{number}") for number in range(500)))
    assert news.take(many)
    assert len(news.queries) == 60
    assert [news.take(SELECTION), news.take(SELECTION)] == [True, False]


def upload(site, content, kind):
    return site.ask("/investigations/file", content, {"Content-Type": kind})[:2]


def test_an_article_may_come_in_a_file(tmp_path):
    line = {"docid": "x", "url": "https://bog.example/b", "title": "A bog", "body": TEXT}
    with served(tmp_path) as site:
        status, content = upload(site, HTML.encode(), "text/html; charset=utf-8")
        assert (status, content["title"]) == (202, "Bogs & fens")
        kept = json.loads((tmp_path / f"{content['id']}.json").read_text())["article"]
        assert kept["url"] == "https://bog.example/a"
        assert kept["body"] == f"Bogs\n{TEXT}"
        status, content = upload(site, json.dumps(line).encode() + b"\n", "application/jsonl")
        assert (status, content["title"]) == (202, "A bog")
        assert site.events(content["id"])[-1]["state"] == "done"


@pytest.mark.parametrize(
    "source",
    [
        HTML.replace("<head>", '<head><meta charset="windows-1252">'),
        HTML.replace("</head>", f"<script>{'x = 1; ' * 60_000}</script></head>"),
        f"Bogs – fens\n<p>{TEXT}</p>\n<p>It was dry.</p>\n",
    ],
    ids=["a page", "a long page", "a part of one"],
)
def test_the_source_of_a_page_is_read_as_the_page(source, tmp_path):
    with served(tmp_path) as site:
        status, content, _ = site.ask("/investigations", {"text": source})
        assert status == 202
        kept = json.loads((tmp_path / f"{content['id']}.json").read_text())["article"]
    assert TEXT in kept["body"]
    assert "<" not in kept["title"] + kept["body"]
    assert (kept["url"] == "https://bog.example/a") == source.startswith("<!doctype")
    assert ("Bogs & fens" in kept["title"]) or "Bogs – fens" in kept["body"]


@pytest.mark.parametrize("text", ["<3 to all", "Write </p> at the end.", "a < b > c", "x\n" * 9])
def test_a_text_that_speaks_of_tags_stays_as_it_is(text):
    assert read_pasted(text).text == text


def test_a_file_that_is_no_article_is_refused_with_a_reason(tmp_path):
    files = [
        (b"x", "text/plain", 415, "Expected text/html or application/jsonl"),
        (b"x", "", 415, "Expected text/html or application/jsonl"),
        (b"", "application/jsonl", 422, "0 lines"),
        (b"{}\n{}", "application/jsonl", 422, "2 lines"),
        (b"[1]", "application/jsonl", 422, "expected a JSON object"),
        (b'{"body": "Short."}', "application/jsonl", 422, "has 1 word;"),
        (b'{"body": ""}', "application/jsonl", 422, "has 0 words; an article has 50 or more"),
        (b"", "text/html", 422, "has 0 words;"),
        (b"<p></p>", "text/html", 422, "has 0 words;"),
        (b"<p>Short text.</p>", "text/html", 422, "has 2 words;"),
        (b"<p>" + b"A word. " * 30_000, "text/html", 422, "over 200,000"),
        (b"x" * 2_000_001, "text/html", 413, "longer than"),
    ]
    with served(tmp_path) as site:
        for content, kind, status, said in files:
            found, reply = upload(site, content, kind)
            assert (found, said in reply["detail"]) == (status, True), (content[:20], reply)
        status, reply, _ = site.ask("/investigations", b'{"text": ""}')
        assert (status, reply["detail"][:21]) == (422, "The text has 0 words;")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Too short.", f"has 2 words; an article has {MIN_WORDS} or more"),
        ("word", "has 1 word;"),
        (" ", "has 0 words;"),
        ("https://news.example/a", "nothing is fetched from addresses"),
        ("  www.news.example/a ", "nothing is fetched from addresses"),
        ("Home Sport News Weather " * 20, "almost no complete sentences"),
        ("x = 12; y[3] += 4 * (5 - 6);\n" * 30, "data or code"),
        ("17, 23, 42\n" * 60, "data or code"),
        (TEXT, ""),
        (TEXT.replace("Sentence", "Предложение").replace("marsh", "болото"), ""),
    ],
)
def test_what_is_no_article_is_told_what_to_do(text, said):
    found = why_no_article(text)
    assert (said in found) if said else found == ""


@given(st.text(max_size=400))
def test_any_text_is_taken_or_refused(text):
    assert isinstance(why_no_article(text), str)


PIECES = st.sampled_from(
    "< > </ <p> </p> <nav> </nav> <script> </script> <!-- --> x <article> </article> <title> "
    '</title> <meta/property="og:title"/content=" &lt;'.split()
)


def test_teasers_of_other_articles_and_a_second_copy_are_not_read():
    story = "".join(
        f"<p>Line {number} of the story says something long.</p>" for number in range(9)
    )
    teaser = "<article><h3>Another story</h3><p>It is on something else entirely.</p></article>"
    parts = (story[: len(story) // 3], story[len(story) // 3 :])
    for articles in ((story, story), parts):
        body = "".join(f"<article>{one}</article>{teaser}" for one in articles)
        text = read_web_page(f"<body>{teaser}{body}</body>".encode()).text
        assert "else" not in text
        lines = clean_article(text)[0].split("\n")
        assert lines == [f"Line {number} of the story says something long." for number in range(9)]


@given(st.lists(PIECES | st.text(max_size=4), max_size=40).map("".join))
def test_any_page_is_read(text):
    page = read_web_page(text.encode("utf-8", "replace"))
    assert "\x00" not in page.text
    assert page.url == ""


@pytest.mark.parametrize(
    "piece", ["<", "</", "<a", "<!--", "<!", "< ", "<p>", "<nav>", "<script>", "<title>", "&lt;"]
)
def test_a_long_page_is_read_in_a_time_that_grows_with_its_length(piece):
    begin = time.monotonic()
    read_web_page((piece * (2_000_000 // len(piece))).encode())
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title>Fens | Lark</title>", "Fens | Lark"),
        ('<title>Fens | Lark</title><meta property="og:title" content="Fens">', "Fens | Lark"),
        ('<title>Lark</title><meta property="og:title" content="Fens">', "Fens"),
        ('<title>Fens</title><meta property="og:site_name" content="The Lark">', "Fens | The Lark"),
    ],
)
def test_a_title_says_whose_page_it_is(head, title):
    assert read_web_page(head.encode()).title == title


def test_a_page_says_in_what_letters_it_is():
    assert read_web_page('<meta charset="latin-1"><p>Bär</p>'.encode("latin-1")).text == "Bär"
    assert read_web_page(b'<meta charset="no-such"><p>B\xff</p>').text == "B\ufffd"


@pytest.mark.parametrize("letters", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_text_is_read_in_the_letters_that_its_bytes_show(letters):
    text = "Café takes £50\nIt is “so”."
    content = text.encode(letters)
    assert read_upload(kind_of("story.txt", content), content).text == text


def test_one_damaged_letter_does_not_change_the_others():
    content = "Café ".encode() + b"\xff"
    assert read_upload("text/plain", content).text == "Café \ufffd"


def test_a_folder_that_cannot_be_written_to_is_refused_at_the_start(tmp_path):
    claim_folder(tmp_path / "new" / "folder")
    assert list((tmp_path / "new" / "folder").iterdir()) == []
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(UsageError, match="expected a folder that can be written to"):
        claim_folder(file)
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(UsageError, match="expected a folder that can be written to"):
        claim_folder(tmp_path / "locked" if os.geteuid() else Path("/proc/sidelight"))


def test_the_description_names_every_refusal(tmp_path):
    with served(tmp_path) as site:
        _, described, _ = site.ask("/openapi.json")
        assert site.ask("/docs")[0] == 404
    found = {
        (path, method): set(one["responses"])
        for path, methods in described["paths"].items()
        for method, one in methods.items()
    }
    one = "/investigations/{job_id}"
    posts = {"202", "400", "403", "408", "413", "415", "422", "429"}
    assert found[("/investigations", "post")] == posts
    assert found[("/investigations/file", "post")] == posts
    assert {"200", "400", "404"} <= found[(one, "get")]
    assert {"200", "400", "403", "404"} <= found[(one, "delete")]
    assert {"200", "404", "429"} <= found[(f"{one}/events", "get")]
    assert {"200", "404"} <= found[(f"{one}/page", "get")]
    assert {path.partition("{")[0] for path in described["paths"]} == {
        *("/investigations", "/investigations/file", "/investigations/")
    }
    events = described["paths"][f"{one}/events"]["get"]["responses"]["200"]["content"]
    assert "text/event-stream" in events
    taken = described["paths"]["/investigations/file"]["post"]["requestBody"]["content"]
    assert set(taken) == {"text/html", "application/jsonl"}
    with served(tmp_path, token="0123456789abcdef") as site:
        shown = {"Authorization": "Bearer 0123456789abcdef"}
        _, described, _ = site.ask("/openapi.json", None, shown)
    assert "401" in described["paths"]["/investigations"]["post"]["responses"]
