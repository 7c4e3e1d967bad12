"""The page to check grades in a real browser: keys, sorting, saving, axe, and how soon it is there.

What it needs is what `test_browser` needs.
"""

import json
from pathlib import Path

import pytest

from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
)
from sidelight.view.verification.page import render_verification, verification
from tests.helpers.browsing import Watched, assert_soon_there, violations

pytestmark = pytest.mark.slow

PASSAGES, ITEMS = 200, 10


def query(name, passages):
    def passage(number):
        items = (
            ItemGrade(f"{name}/{item}", (number + item) % 6, "Some words. " * 5)
            for item in range(ITEMS)
        )
        grading = Grading(Grader("rates", "m"), "question", tuple(items))
        text = f"Passage {number} says this and that. " * 12
        return GradedPassage(name, f"p{number}", text, gradings=(grading,))

    return GradedQuery(name, tuple(map(passage, range(passages))))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    items = {f"q{one}/{item}": f"Question {item} of it?" for one in (1, 2) for item in range(ITEMS)}
    found = verification(
        [query("q1", PASSAGES), query("q2", 3)], 5, None, {"q1": "why bogs"}, items
    )
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render_verification(found, "graded.jsonl", "0" * 64), encoding="utf-8")
    return path


@pytest.fixture
def tab(browser, page):
    watched = Watched(browser, viewport={"width": 1280, "height": 900})
    watched.tab.goto(page.as_uri())
    yield watched.tab
    assert [one for one in watched.asked if not one.startswith("blob:")] == [page.as_uri()]
    assert watched.said == []
    watched.tab.close()


def focused(tab):
    """The passage and the column of the cell that has the focus."""
    row, column = tab.evaluate(
        "(() => { const cell = document.activeElement; const row = cell.parentElement;"
        "return [row.dataset.passage, [...row.querySelectorAll('.cell')].indexOf(cell)] })()"
    )
    return row, column


def reach_the_grid(tab):
    """Press Tab until a cell has the focus, as somebody without a mouse does."""
    for _ in range(400):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.matches('.cell')"):
            return
    raise AssertionError("no key press reached a cell")


def test_the_keyboard_is_enough(tab):
    reach_the_grid(tab)
    assert focused(tab) == ("p0", 0)
    for key, place in (
        ("ArrowRight", ("p0", 1)),
        ("ArrowDown", ("p1", 1)),
        ("End", ("p1", 9)),
        ("Home", ("p1", 0)),
        ("PageDown", ("p11", 0)),
        ("ArrowUp", ("p10", 0)),
        ("PageUp", ("p0", 0)),
        ("ArrowLeft", ("p0", 0)),
    ):
        tab.keyboard.press(key)
        assert focused(tab) == place
    tab.keyboard.press("Enter")  # accepts p0, item 0
    assert focused(tab) == ("p1", 0)
    tab.keyboard.press("5")
    assert "corrected to 5" in tab.evaluate("document.activeElement.innerText")
    assert tab.locator("#progress").inner_text() == "2 checked: 1 accepted, 1 corrected."
    tab.keyboard.press("Backspace")
    tab.keyboard.press("9")  # is on no scale
    assert tab.locator("#progress").inner_text() == "1 checked: 1 accepted, 0 corrected."
    tab.keyboard.press("s")
    assert focused(tab) == ("p1", 0)
    grades = tab.evaluate(
        "[...document.querySelectorAll('#grid1 tbody tr')].map("
        "(row) => Number(row.querySelector('.cell').dataset.grade))"
    )
    assert grades == sorted(grades, reverse=True)
    assert tab.locator("#grid1 th[aria-sort=descending]").count() == 1


def test_a_mouse_is_enough_and_a_second_click_sorts_the_other_way(tab):
    tab.locator("#grid1 tr[data-passage=p3] .cell").nth(2).click()
    assert tab.locator("#asked").inner_text() == "Question 2 of it?"
    tab.get_by_role("button", name="Correct to 1").click()
    assert tab.locator("[data-verdict=corrected]").count() == 1
    tab.get_by_role("button", name="Take back").click()
    tab.get_by_role("button", name="Accept").click()
    assert tab.locator("[data-verdict=accepted]").count() == 1
    best = tab.locator("#grid1 th[data-key=best] button")
    best.click()
    best.click()
    assert tab.locator("#grid1 th[data-key=best]").get_attribute("aria-sort") == "ascending"


def test_what_was_said_is_saved_and_remembered(tab):
    tab.select_option("#query", "grid2")
    assert not tab.locator("#grid1").is_visible()
    tab.locator("#grid2 .cell").nth(1).click()
    tab.keyboard.press("0")
    with tab.expect_download() as started:
        tab.get_by_role("button", name="Save corrections").click()
    saved = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert saved == {
        "source": "graded.jsonl",
        "sha256": "0" * 64,
        "grader": {"prompt": "rates", "model": "m"},
        "verdicts": [{"query_id": "q2", "passage_id": "p0", "item_id": "q2/1", "grade": 0}],
    }


def test_a_large_page_is_soon_there_and_a_narrow_window_scrolls_the_grid_alone(browser, page):
    assert_soon_there(browser, page)
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto(page.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation(scheme, width, browser, page):
    options = {"color_scheme": scheme, "reduced_motion": "reduce", "bypass_csp": True}
    tab = browser.new_page(viewport={"width": width, "height": 900}, **options)
    tab.goto(page.as_uri())
    tab.locator("#grid1 .cell").first.click()
    tab.keyboard.press("4")
    for boxes in ("header details", "th:nth-child(-n+4) details"):
        tab.evaluate(
            f"document.querySelectorAll('{boxes}').forEach((box) => {{ box.open = true }})"
        )
    assert violations(tab) == []
    tab.close()
