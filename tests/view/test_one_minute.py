"""What docs/page.md says a reader can answer from the first screen of the demo's first article."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from sidelight.config.load import load_settings
from sidelight.view.collect import collect_page
from sidelight.view.page import render_page
from sidelight.view.shown_run import finished_run
from sidelight.wiring.run import make_run

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[2] / "docs" / "page.md"


PICTURE = GUIDE.parent / "images" / "page.png"


@pytest.fixture(scope="module")
def page(mini_web_articles, whole_mini_web_index, tmp_path_factory):
    """The demo's page, without marks."""
    folder = tmp_path_factory.mktemp("demo") / "run"
    settings = load_settings(None, ["submission.run_id=sidelight-demo"])
    with ThreadPoolExecutor(1) as other:  # a browser's event loop may hold this thread
        made = other.submit(make_run, mini_web_articles, settings, whole_mini_web_index, folder)
        return collect_page(finished_run(made.result().directory), {}, ())


def test_what_the_guide_promises_is_on_the_first_screen(page):
    topic = page.topics[0]
    lead, rows = topic.digest.lead, topic.digest.rows
    assert lead
    findings = [one for row in rows for one in row.findings]
    findings += [one for one in (lead.behind, lead.claim) if one is not None]
    screen = "\n".join([lead.origin, *(one.text for one in findings)])
    table = GUIDE.read_text(encoding="utf-8").partition("## A reader with one minute")[2]
    promised = re.findall("“(.+?)”", table.partition("\n## ")[0])
    assert len(promised) == 3
    missing = [words for words in promised if words not in screen]
    assert not missing, screen


def test_the_picture_of_the_readme_is_the_top_of_this_page(page, browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(render_page(page), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1240, "height": 1480}, device_scale_factor=1.25)
    tab.goto(path.as_uri())
    tab.locator("#t1-s1 .sentence").hover()
    tab.locator("#t1-s1 .card").wait_for(state="visible")
    tab.wait_for_timeout(500)
    picture = tab.screenshot()
    if os.environ.get("SIDELIGHT_UPDATE_GOLDEN") == "1":
        Image.open(BytesIO(picture)).convert("RGB").quantize(256).save(PICTURE, optimize=True)
    size = slice(16, 24)  # of a PNG: width and height; fonts differ from machine to machine
    assert PICTURE.read_bytes()[size] == picture[size]
