import base64
import hashlib
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.schemas.investigation.report import Unused
from sidelight.text import clean
from sidelight.view import page as view_page
from sidelight.view.collect import collect_page
from sidelight.view.page import render_page
from sidelight.view.report import web_page
from sidelight.view.shown_run import finished_run
from tests.helpers.hostile_pages import HOSTILE_TEXTS
from tests.helpers.html_tree import parse
from tests.helpers.viewed_runs import CALM, write_run

PARTS = Path(view_page.__file__).parent / "parts"
LINKS = ("href", "src", "srcset", "action", "formaction", "data", "poster", "xlink:href")


def page_of(run):
    return render_page(collect_page(finished_run(run), {}, ()))


def skeleton(html):
    return [(one.tag, tuple(one.attributes)) for one in parse(html)]


def named(elements, name):
    return [one for one in elements if name in one.attributes.get("class", "").split()]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("view") / "run")


@pytest.fixture(scope="module")
def html(run):
    return page_of(run)


@pytest.fixture(scope="module")
def elements(html):
    return parse(html)


def test_nothing_is_fetched_and_nothing_breaks_the_policy(elements):
    for one in elements:
        assert one.tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert "style" not in one.attributes
        assert not any(name.startswith("on") for name in one.attributes)
        for name in LINKS:
            value = one.attributes.get(name, "#")
            assert value.startswith(("#", "https://")), value
            assert name == "href" or name not in one.attributes


def test_the_policy_allows_this_style_and_this_script_alone(elements):
    (policy,) = (
        one.attributes["content"]
        for one in elements
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    hashes = {}
    for tag in ("style", "script"):
        (element,) = (one for one in elements if one.tag == tag)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        hashes[tag] = f"'sha256-{digest}'"
    assert policy == (
        f"default-src 'none'; style-src {hashes['style']}; script-src {hashes['script']}; "
        "base-uri 'none'; form-action 'none'"
    )


def test_every_sentence_stands_beside_the_exact_text_it_cites(run, elements):
    units = {one.attributes["id"]: one for one in named(elements, "unit")}
    sources = {
        one.attributes["id"]: one for one in elements if "-source" in one.attributes.get("id", "")
    }
    assert len(units) == 4
    for number, path in enumerate(sorted(run.traces.glob("*.json")), start=1):
        result = run.result(path.stem)
        texts = {one.segment_id: clean(one.text) for one in result.evidence}
        for place, sentence in enumerate(result.results["task2"], start=1):
            unit = units[f"t{number}-s{place}"]
            assert unit.text.startswith(sentence.text)
            assert unit.text.count("found.example") >= len(sentence.citations)
            # The second sentence cites two pages of one host, of which one supports it in part.
            assert ("Supported in full by found.example" in unit.text) is (place == 1)
            assert ("Supported in part by found.example" in unit.text) is (place == 2)
            assert "found.example, found.example" not in unit.text
            for segment_id in sentence.citations:
                assert texts[segment_id] in unit.text
                (source,) = (
                    one
                    for one in sources.values()
                    if segment_id in one.text and one.attributes["id"].startswith(f"t{number}-")
                )
                assert texts[segment_id] in source.text


def test_what_an_id_is_named_for_is_there_once(elements):
    ids = [one.attributes["id"] for one in elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    for one in elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(one.attributes.get(name, ids[0]).split()) <= set(ids)
        if one.attributes.get("href", "").startswith("#"):
            assert one.attributes["href"][1:] in ids


def test_landmarks_and_headings_are_in_order(elements):
    assert [one.attributes.get("lang") for one in elements if one.tag == "html"] == ["en"]
    for tag in ("main", "nav", "h1", "title"):
        assert sum(one.tag == tag for one in elements) == 1
    levels = [int(one.tag[1]) for one in elements if one.tag in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_trail_says_once_what_became_of_each_page(elements):
    trail = named(elements, "trail")[0].words
    found, _, searches = trail.partition("Author")
    assert (
        f"{CALM} found.example cited: source 1 {CALM} found.example cited: source 2 "
        f"{CALM} found.example found at place 2 for 0 asks {CALM} ; not used: no sentence was "
        "found in it that can be understood alone and says more than the article "
        f"{CALM} found.example found at place 3 for 0 asks {CALM} ; not used: {CALM} "
        f"v_doc_00_14 found at place 4 for 0 asks {CALM} ; not used: the page gives orders to "
        "software" in found
    )
    assert "not used" not in searches
    assert "After round 1, by a rough estimate," in found
    assert "2 questions followed over 1 round of searching" in found
    assert "Place in the results Page" in searches
    assert f"1 {CALM} in part 2 {CALM} in passing 2 pages not taken" in searches
    places = "not taken for this question, each with its place in the results:"
    assert f"2 pages {places} 3: {CALM} ; 4: v_doc_00_14" in searches
    assert f"1 page {places} 1: {CALM}" in searches
    asked = [one.words for one in elements if one.tag == "summary" and "matters" in one.words]
    assert any("matters most; the pages found probably answer it" in one for one in asked)
    assert any("matters; the pages found probably do not answer it" in one for one in asked)
    removed = next(one for one in elements if one.tag == "li" and "not supported: " in one.text)
    assert CALM in removed.text


def test_square_brackets_are_explained_where_a_sentence_has_them(run, html):
    assert "Square brackets hold what sidelight put in" not in html
    page = collect_page(finished_run(run), {}, ())
    topic = page.topics[0]
    told = topic.sentences[0]._replace(text="[The Council] finds a breach.")
    topic = topic._replace(sentences=(told, *topic.sentences[1:]))
    assert "Square brackets hold what sidelight put in" in render_page(
        page._replace(topics=(topic,))
    )


def test_the_lead_names_pages_that_tell_of_owners_though_the_report_does_not(elements, tmp_path):
    told = "Who is behind it: nothing recognised in the report on who owns, pays or employs "
    assert f"{told}publisher or author. What" in named(elements, "lead")[0].words
    around = " The site news.example is owned by a company that sells peat. "
    owned = parse(page_of(write_run(tmp_path / "owned", around=around)))
    speaks = "publisher or author; 1 page found speaks to it: Calm words about a bog."
    assert f"{told}{speaks}" in named(owned, "lead")[0].words


def test_every_reason_why_evidence_is_not_cited_is_worded():
    worded = set(re.findall(r'"([a-z ]+)": "', (PARTS / "trail.jinja").read_text()))
    assert set(get_args(Unused)) <= worded


def test_what_fails_on_a_topic_names_it(run, monkeypatch):
    monkeypatch.setattr("sidelight.view.collect.digest", lambda *_: {}["missing"])
    with pytest.raises(KeyError) as caught:
        page_of(run)
    (note,) = caught.value.__notes__
    assert re.fullmatch(r"Topic \S+\. The files of the run run are not affected\.", note)


def test_the_same_run_gives_the_same_bytes(run, html, tmp_path):
    out = tmp_path / "again.html"
    # A process of its own, whose sets are in another order.
    command = [sys.executable, "-m", "sidelight.cli.main", "view", str(run.path), "-o", str(out)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert out.read_bytes() == html.encode()


MARKUP = st.sampled_from(
    "< > & \" ' ` / = ! - ; : # { } % \u2028 \u202e \x00 \x1b script on style".split(" ")
)


@settings(max_examples=25)
@given(text=st.lists(MARKUP | st.text(max_size=5), max_size=12).map("".join))
def test_no_text_adds_an_element_or_an_attribute(text, html, tmp_path_factory):
    known = skeleton(html)
    kinds, fixed = set(known), [one for one in known if one[0] in {"script", "style", "meta"}]
    # One line, so that it is one paragraph, and no sentence end, so that it is one passage.
    line = "a" + " ".join(clean(text).split()) + "z"
    folder = tmp_path_factory.mktemp("any")
    found = skeleton(page_of(write_run(folder / "run", line)))
    # What is alike depends on the words; what an element may be does not.
    assert set(found) <= kinds
    assert [one for one in found if one[0] in {"script", "style", "meta"}] == fixed


def test_hostile_pages_stay_text(elements, tmp_path):
    texts = {f"v_{n}": " ".join(clean(one.text).split()) for n, one in enumerate(HOSTILE_TEXTS)}
    found = parse(page_of(write_run(tmp_path / "run", topics=texts)))
    assert {one.tag for one in found} == {one.tag for one in elements}
    assert sum(one.tag == "script" for one in found) == 1
    quoted = "".join(one.text for one in found if one.tag == "blockquote")
    assert [text for text in texts.values() if text not in quoted] == []


URLS = (
    *("javascript:alert(1)", "JaVaScRiPt:alert(1)", " \x01javascript:alert(1)", "vbscript:x"),
    *("java\nscript:alert(1)", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd"),
    *("//found.example/x", "https:", "http://[", "found.example", ""),
)


def test_only_addresses_of_the_web_can_be_followed(tmp_path):
    assert [web_page(url, "").url for url in URLS] == [""] * len(URLS)
    found = parse(page_of(write_run(tmp_path / "run", url=URLS[0])))
    links = {one.attributes["href"] for one in found if "href" in one.attributes}
    assert {link for link in links if not link.startswith("#")} == {"https://news.example/a"}
