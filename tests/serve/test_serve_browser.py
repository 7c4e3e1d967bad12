"""The web app in a real browser; see `tests/view/test_browser.py` for what it needs."""

import threading

import pytest

from tests.helpers.browsing import Watched, violations
from tests.serve.test_jobs import HTML, telling
from tests.serve.test_serve import TEXT, endless, served

pytestmark = pytest.mark.slow


def submit(tab, site, title="A marsh <b>dries</b>"):
    tab.goto(site.address)
    tab.locator("#title").fill(title)
    tab.locator("#text").fill(TEXT)
    tab.locator("#send").click()
    tab.wait_for_url("**/jobs/*")
    return str(tab.url)


def test_an_article_is_followed_over_a_reload_to_its_page(browser, tmp_path):
    release = threading.Event()

    with served(tmp_path, telling(release)) as site:
        watched = Watched(browser)
        page = watched.tab
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
        assert watched.said == []
        page.close()


def test_what_is_cancelled_says_so(browser, tmp_path):
    with served(tmp_path, endless) as site:
        page = Watched(browser).tab
        submit(page, site)
        page.locator("#cancel").click()
        page.locator("#state", has_text="was cancelled").wait_for()
        assert not page.locator("#cancel").is_visible()
        page.close()


def test_a_job_is_followed_over_a_restart(browser, tmp_path):
    page = Watched(browser).tab
    with served(tmp_path, endless) as site:
        address = submit(page, site)
        page.locator("#state", has_text="Working").wait_for()
    with served(tmp_path) as site:
        page.goto(site.address + address[address.index("/jobs/") :])
        page.locator("#page").wait_for(state="visible")
    page.close()


def test_a_file_is_taken_and_a_poor_text_is_explained(browser, tmp_path):
    saved, short = tmp_path / "saved.html", tmp_path / "short.txt"
    saved.write_text(HTML)
    short.write_text("Too short.")
    with served(tmp_path / "served") as site:
        page = Watched(browser).tab
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
def test_axe_finds_no_violation(scheme, width, browser, tmp_path):
    with served(tmp_path) as site:
        viewport = {"width": width, "height": 900}
        page = browser.new_page(bypass_csp=True, viewport=viewport, color_scheme=scheme)
        job = submit(page, site)
        page.locator("#page").wait_for(state="visible")
        for address in (job, site.address):
            page.goto(address)
            page.wait_for_timeout(200)
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()
