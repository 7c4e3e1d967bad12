"""The web app in a real browser; see `tests/view/test_browser.py` for what it needs."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from sidelight.runs.log import TopicLog
from sidelight.schemas.investigation.trace import Outcome
from sidelight.schemas.topic import Article
from tests.helpers.scripted_runs import scripted
from tests.serve.test_jobs import HTML, PLAN, SELECTION
from tests.serve.test_serve import TEXT, Site, endless, served

pytestmark = pytest.mark.slow


class Tab:
    """A tab, and what its page complained of."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))


def submit(tab: Any, site: Site, title: str = "A marsh <b>dries</b>") -> str:
    tab.goto(site.address)
    tab.locator("#title").fill(title)
    tab.locator("#text").fill(TEXT)
    tab.locator("#send").click()
    tab.wait_for_url("**/jobs/*")
    return str(tab.url)


def test_an_article_is_followed_over_a_reload_to_its_page(browser: Any, tmp_path: Path) -> None:
    release = threading.Event()

    async def telling(article: Article, log: TopicLog) -> Outcome:
        for step, result in (("plan_queries", PLAN), ("select_evidence", SELECTION)):
            await log.timed(step, lambda one=result: asyncio.sleep(0, one))()
        await asyncio.to_thread(release.wait)
        return await scripted(article)

    with served(tmp_path, telling) as site:
        tab = Tab(browser)
        page = tab.page
        submit(page, site)
        for _ in range(2):
            page.locator("#found li").wait_for(state="visible")
            assert page.locator("#queries li").all_inner_texts() == [
                "who owns the bog",
                "frogs counted",
            ]
            assert "A page <b> found.example" in page.locator("#found").inner_text()
            assert page.title() == "Working…: A marsh <b>dries</b> · sidelight"
            assert page.locator("#steps li").all_inner_texts()[0] == "Plans searches"
            page.reload()
        release.set()
        page.locator("#page").click()
        page.wait_for_url("**/page")
        assert page.title().startswith("A marsh <b>dries</b> · ")
        page.goto(site.address)
        page.locator("#history li").wait_for(state="visible")
        assert "A marsh <b>dries</b>" in page.locator("#history").inner_text()
        page.locator("#history .count", has_text="Done.").wait_for()
        assert tab.said == []
        page.close()


def test_what_is_cancelled_says_so(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path, endless) as site:
        page = Tab(browser).page
        submit(page, site)
        page.locator("#cancel").click()
        page.locator("#state", has_text="was cancelled").wait_for()
        assert not page.locator("#cancel").is_visible()
        page.close()


def test_a_job_is_followed_over_a_restart(browser: Any, tmp_path: Path) -> None:
    page = Tab(browser).page
    with served(tmp_path, endless) as site:
        address = submit(page, site)
        page.locator("#state", has_text="Working").wait_for()
    with served(tmp_path) as site:
        page.goto(site.address + address[address.index("/jobs/") :])
        page.locator("#page").wait_for(state="visible")
    page.close()


def test_a_file_is_taken_and_a_poor_text_is_explained(browser: Any, tmp_path: Path) -> None:
    saved, short = tmp_path / "saved.html", tmp_path / "short.txt"
    saved.write_text(HTML)
    short.write_text("Too short.")
    with served(tmp_path / "served") as site:
        page = Tab(browser).page
        page.goto(site.address)
        page.locator("#send").click()
        page.locator("#said", has_text="Paste the text").wait_for()
        page.locator("#file").set_input_files(str(short))
        page.locator("#send").click()
        page.locator("#said", has_text="has 2 words").wait_for()
        page.locator("#file").set_input_files(str(saved))
        page.locator("#send").click()
        page.wait_for_url("**/jobs/*")
        page.locator("#page").wait_for(state="visible")
        assert page.locator("#title").inner_text() == "Bogs & fens"
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation(scheme: str, width: int, browser: Any, tmp_path: Path) -> None:
    if "SIDELIGHT_AXE" not in os.environ:
        pytest.skip("needs SIDELIGHT_AXE, the path of axe.min.js from npm's axe-core")
    script = Path(os.environ["SIDELIGHT_AXE"]).read_text(encoding="utf-8")
    with served(tmp_path) as site:
        options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        page = Tab(browser, bypass_csp=True, **options).page
        job = submit(page, site)
        page.locator("#page").wait_for(state="visible")
        for address in (job, site.address):
            page.goto(address)
            page.wait_for_timeout(200)
            page.evaluate(script)
            found = page.evaluate("axe.run().then((result) => result.violations)")
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()
