"""The page in a real browser: what runs, what is asked of the network, what a keyboard reaches.

Needs Playwright (the `browser` extra) and Debian's Chromium; nothing is downloaded. axe-core is
read from the file that SIDELIGHT_AXE names.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from sidelight.agents.state import outcome_of
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.sample import sample_path
from sidelight.text import clean
from sidelight.tracks import load_track
from sidelight.view.collect import MarkedRun, collect_page
from sidelight.view.page import render_page
from sidelight.view.shown_run import finished_run, read_labels
from tests.helpers.browsing import Watched, assert_soon_there, violations
from tests.helpers.commands import said
from tests.helpers.hostile_pages import HOSTILE_TEXTS
from tests.helpers.mini_web import investigation
from tests.helpers.scripted_runs import run
from tests.helpers.viewed_runs import TOPIC, write_run

SCALES = load_track().scales

pytestmark = pytest.mark.slow

MARKUP = (
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 1</script>",
    "</style><script>window.ran = 1</script>",
    "</title><script>window.ran = 1</script>",
    "</textarea></template></noscript><script>window.ran = 1</script>",
    "--><script>window.ran = 1</script>",
    "<![CDATA[<script>window.ran = 1</script>]]>",
    "<ScRiPt >window.ran = 1</sCrIpT >",
    "<script/src=https://found.example/x.js></script>",
    '"><img src=x onerror="window.ran = 1">',
    "' onmouseover='window.ran = 1' autofocus onfocus='window.ran = 1",
    "` onload=`window.ran = 1`",
    "<svg onload=window.ran=1>",
    "<svg><script>window.ran = 1</script></svg>",
    "<svg><animate onbegin=window.ran=1 attributeName=x dur=1s>",
    "<math><mtext><style><img src=x onerror=window.ran=1></style></mtext></math>",
    '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>',
    '<object data="data:text/html,<script>parent.ran = 1</script>"></object>',
    '<embed src="javascript:window.ran = 1">',
    '<meta http-equiv="refresh" content="0;url=https://found.example/">',
    '<base href="https://found.example/">',
    '<link rel="stylesheet" href="https://found.example/x.css">',
    '<style>@import "https://found.example/x.css"; p { background: url(//found.example) }</style>',
    '<form action="https://found.example/"><input autofocus onfocus="window.ran = 1"></form>',
    '<a href="javascript:window.ran = 1" autofocus>here</a>',
    "<details open ontoggle=window.ran=1>",
    "<video><source onerror=window.ran=1></video>",
    '<body onload="window.ran = 1">',
    "{{ 7 * 7 }}{% for x in (1, 2) %}<script>window.ran = 1</script>{% endfor %}",
    "&lt;script&gt;window.ran = 1&lt;/script&gt;",
    "&#60;script&#62;window.ran = 1&#60;/script&#62;",
    "%3Cscript%3Ewindow.ran = 1%3C/script%3E",
    "＜script＞window.ran = 1＜/script＞",
    "\u202e>tpircs/<1 = nar.wodniw>tpircs<",
    "javascript:window.ran = 1",
)
VARIANTS = {
    **{one.name: clean(one.text) for one in HOSTILE_TEXTS},
    **{text: text for text in MARKUP},
}


class Visit(Watched):
    """A page that was opened, and what it did that it should not."""

    def __init__(self, browser, path, **options):
        super().__init__(browser, **options)
        self.address = path.as_uri()
        self.tab.goto(self.address)

    def assert_quiet(self):
        assert self.asked == [self.address]
        assert self.said == []


def write_page(folder, text="Calm words.", **options):
    # Playwright's event loop holds this thread, and a run wants one of its own.
    with ThreadPoolExecutor(1) as other:
        run = other.submit(write_run, folder / "run", text, **options).result()
    page = collect_page(finished_run(run), {}, ())
    path = folder / "page.html"
    path.write_text(render_page(page), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("calm"))


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_what_pages_say_runs_nothing(text, browser, tmp_path):
    visit = Visit(browser, write_page(tmp_path, text, url=text, topics=(TOPIC,)))
    visit.tab.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true })")
    visit.tab.locator("#t1-s2 .sentence").hover()
    assert visit.tab.evaluate("window.ran") is None
    assert visit.tab.locator("script").count() == 1
    assert visit.tab.locator("iframe, img, form, base").count() == 0
    visit.assert_quiet()
    visit.tab.close()


def test_a_calm_page_is_quiet_and_soon_there(browser, calm):
    assert_soon_there(browser, calm)
    Visit(browser, calm).assert_quiet()


def test_an_injected_script_would_be_stopped_by_the_policy(browser, calm):
    path = calm.with_name("injected.html")
    path.write_text(calm.read_text().replace("<main", "<script>window.ran = 1</script><main"))
    visit = Visit(browser, path)
    assert visit.tab.evaluate("window.ran") is None
    assert any("Content Security Policy" in said for said in visit.said)


def test_the_keyboard_reaches_every_citation(browser, calm):
    tab = Visit(browser, calm).tab
    card = tab.locator("#t1-s2 .card")
    assert not card.is_visible()
    for _ in range(60):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.closest('#t1-s2') !== null"):
            break
    card.wait_for(state="visible")
    assert "It is said: Calm words. Nothing follows." in card.inner_text()
    tab.keyboard.press("Escape")
    card.wait_for(state="hidden")
    tab.keyboard.press("Enter")
    assert tab.evaluate("location.hash") == "#t1-source2"
    assert tab.locator("#t1-source2 blockquote").is_visible()


def test_pointing_and_tapping_open_a_card(browser, calm):
    wide = Visit(browser, calm, viewport={"width": 1280, "height": 844}).tab
    sentence, card = wide.locator("#t1-s1 .sentence"), wide.locator("#t1-s1 .card")
    sentence.hover()
    card.wait_for(state="visible")
    wide.mouse.move(1, 1)
    card.wait_for(state="hidden")
    tab = Visit(browser, calm, viewport={"width": 390, "height": 844}).tab
    sentence, card = tab.locator("#t1-s1 .sentence"), tab.locator("#t1-s1 .card")
    sentence.click()
    tab.mouse.move(1, 1)
    card.wait_for(state="visible")
    assert tab.evaluate("location.hash") == ""
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_one_article_at_a_time_and_all_without_script(browser, calm):
    tab = Visit(browser, calm).tab
    assert [tab.locator(f"#t{one} .prose").is_visible() for one in (1, 2)] == [True, False]
    tab.evaluate("location.hash = 't2-report'")
    tab.locator("#t2 .prose").wait_for(state="visible")
    assert not tab.locator("#t1 .prose").is_visible()
    plain = Visit(browser, calm, java_script_enabled=False).tab
    assert [plain.locator(f"#t{one} .prose").is_visible() for one in (1, 2)] == [True, True]
    plain.emulate_media(media="print")
    assert [plain.locator(f"#t{one} .prose").is_visible() for one in (1, 2)] == [True, True]


def test_paper_shows_report_and_sources(browser, calm):
    tab = Visit(browser, calm).tab
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("#t1 .prose").is_visible()
    assert tab.locator("#t1-source1 blockquote").is_visible()
    assert not tab.locator("#t1-s1 .card").is_visible()
    assert not tab.locator("nav").is_visible()
    assert tab.locator("#t2 .prose").is_visible()  # all topics
    assert tab.pdf()[:5] == b"%PDF-"
    tab.emulate_media(media="screen")
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert [tab.locator(f"#t{one} .prose").is_visible() for one in (1, 2)] == [True, False]


def test_topics_are_filtered_and_sorted(browser, tmp_path):
    tab = Visit(browser, write_page(tmp_path)).tab
    tab.locator(".contents summary").click()
    items = tab.locator(".contents li:visible a")
    assert [one.get_attribute("href") for one in items.all()] == ["#t1", "#t2"]
    tab.locator("#filter").fill("no such headline")
    assert items.count() == 0
    assert tab.locator("#shown").inner_text() == "0 of 2"
    tab.locator("#filter").fill("CALM")
    tab.evaluate("document.querySelector('.contents li').dataset.words = '1'")
    tab.locator("#sort").select_option("words")
    assert items.first.get_attribute("href") == "#t2"
    tab.locator("#sort").select_option("place")
    assert items.first.get_attribute("href") == "#t1"


LONG = " ".join(f"Sentence {number} of a long page says nothing of it." for number in range(90))
SCREENS = [(1280, 900), (1280, 500), (390, 844), (390, 500)]


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_marked_passage_is_on_the_screen(width, height, browser, tmp_path):
    path = write_page(tmp_path, around=f" {LONG} ", topics=(TOPIC,))
    tab = Visit(browser, path, viewport={"width": width, "height": height}).tab
    for block in ("start", "center", "end"):
        for number in (1, 2):
            sentence = tab.locator(f"#t1-s{number} .sentence")
            tab.mouse.move(1, 1)
            tab.evaluate("document.activeElement.blur()")
            sentence.evaluate("(one, block) => one.scrollIntoView({ block })", block)
            x, y = sentence.evaluate(
                """(one) => {
                  const seen = [...one.getClientRects()].find(
                    (line) => line.top >= 0 && line.bottom <= innerHeight + 1);
                  return [seen.left + 5, (seen.top + seen.bottom) / 2];
                }"""
            )
            tab.mouse.click(x, y)
            tab.locator(f"#t1-s{number} .card").wait_for(state="visible")
            mark = tab.locator(f"#t1-s{number} .card mark").first.bounding_box()
            card = tab.locator(f"#t1-s{number} .card").bounding_box()
            for box in (mark, card):
                assert box["y"] >= -1, (block, number, box)
            assert mark["y"] + min(mark["height"], 60) <= height + 1, (block, number, mark)
            assert card["y"] <= mark["y"] <= card["y"] + card["height"], (block, number)
            tab.keyboard.press("Escape")


def test_a_source_opens_at_its_marked_passage(browser, tmp_path):
    path = write_page(tmp_path, around=f" {LONG} ", topics=(TOPIC,))
    tab = Visit(browser, path, viewport={"width": 390, "height": 600}).tab
    tab.evaluate("location.hash = 't1-source1'")
    mark = tab.locator("#t1-source1 mark").first
    mark.wait_for(state="visible")
    assert 0 <= mark.bounding_box()["y"] <= 600


def assert_accessible(browser, path, **options):
    tab = Visit(browser, path, reduced_motion="reduce", bypass_csp=True, **options).tab
    tab.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true })")
    tab.locator("#t1-s1 .sentence").focus()
    assert violations(tab) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation(scheme, width, browser, calm):
    viewport = {"width": width, "height": 900}
    assert_accessible(browser, calm, color_scheme=scheme, viewport=viewport)


@pytest.fixture(scope="module")
def real_run(lexical_encode, mini_web_articles, mini_web_segments, tmp_path_factory):
    """The mini web, investigated."""
    investigate = investigation(mini_web_segments, lexical_encode)

    async def work(article):
        return outcome_of(await investigate(article), load_track())

    folder, named = tmp_path_factory.mktemp("real") / "run", "submission.run_id=sidelight-real"
    with ThreadPoolExecutor(1) as other:
        made = other.submit(run, folder, work, named, topics=mini_web_articles)
        return made.result().directory


def test_lead_and_table_fit_on_one_screen(browser, real_run, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(render_page(collect_page(finished_run(real_run), {}, ())), encoding="utf-8")
    tab = Visit(browser, path, viewport={"width": 1280, "height": 900}).tab
    for number in range(1, 6):
        tab.evaluate(f"location.hash = 't{number}'")
        tab.locator(f"#t{number}").wait_for(state="visible")
        tab.evaluate("scrollTo(0, 0)")
        box = tab.locator(f"#t{number} .desk").bounding_box()
        assert box["y"] <= 900, number
        assert tab.locator(f"#t{number} .lead li").count() == 3
    assert tab.locator(".findings").count() > 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_real_run_with_marks_and_a_rival(scheme, browser, real_run, tmp_path):
    data = sample_path()
    labels = read_labels(data / "human_assessments", SCALES)
    rubrics = read_rubrics(data / "human_rubrics", SCALES)
    page = collect_page(
        finished_run(real_run),
        rubrics,
        [labels],
        [MarkedRun(finished_run(real_run), rubrics, [labels])],
    )
    path = tmp_path / "page.html"
    path.write_text(render_page(page), encoding="utf-8")
    visit = Visit(browser, path)
    visit.tab.set_viewport_size({"width": 390, "height": 844})
    visit.tab.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true })")
    assert visit.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.assert_quiet()
    assert_soon_there(browser, path)
    for width in (1280, 390):
        assert_accessible(
            browser, path, color_scheme=scheme, viewport={"width": width, "height": 900}
        )


def test_two_runs_are_compared_and_the_list_is_sorted_by_keyboard(browser, tmp_path):
    with ThreadPoolExecutor(1) as other:
        for name, text in (("a", "Calm words."), ("b", MARKUP[0])):
            write = partial(write_run, tmp_path / "runs" / name, text, run_id=f"sidelight-{name}")
            other.submit(write).result()
        other.submit(said, "view", tmp_path / "runs").result()
    visit = Visit(browser, tmp_path / "runs" / "runs.html")
    tab = visit.tab
    names = tab.locator("#runs tbody th")
    tab.locator("#runs thead button").first.focus()
    for pressed, first in (("Enter", "a"), ("Enter", "b")):
        tab.keyboard.press(pressed)
        assert names.first.inner_text().split()[0] == first
    tab.fill("#filter", "sidelight-a")
    assert tab.locator("#runs tbody tr:visible").count() == 1
    tab.select_option("#first", "1")
    tab.select_option("#second", "2")
    tab.check("#changed")
    tab.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true })")
    changed = tab.locator(".cells tr[data-row]:visible th")
    assert changed.all_inner_texts() == ["submission.run_id"]
    assert MARKUP[0] in tab.locator("#t1 .sides").inner_text()
    assert tab.evaluate("window.ran") is None
    visit.assert_quiet()
