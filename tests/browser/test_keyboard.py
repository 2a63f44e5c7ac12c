"""Pages by the keyboard alone: Tab reaches all of a page in its order, is seen, and leaves it again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in

# What can be used now, in the order of the page; of radio buttons with one name Tab stops at one only.
REACHABLE = """() => {
  const wanted = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  window.reachable = [...document.querySelectorAll(wanted)].filter((one) => {
    if (one.disabled || one.type === "hidden" || one.tabIndex < 0) return false;
    if (!one.getClientRects().length || !one.checkVisibility({ visibilityProperty: true })) return false;
    if (one.type !== "radio") return true;
    const group = [...document.getElementsByName(one.name)].filter((other) => other.form === one.form);
    return group.some(({ checked }) => checked) ? one.checked : group[0] === one;
  });
  window.visited = [];
  window.unseen = [];
  document.addEventListener("focusin", ({ target }) => {
    window.visited.push(window.reachable.indexOf(target));
    const drawn = [getComputedStyle(target), getComputedStyle(target, "::after")];
    if (drawn.every(({ outlineStyle }) => outlineStyle === "none") && !target.matches("#document, .doc"))
      window.unseen.push(target.outerHTML.slice(0, 120));
  });
  return window.reachable.length;
}"""
MORE = 8  # what scrolls without anything to focus in it, and the end of the page

PAGES = {
    "organiser": (
        "/c/harbour/",
        "/c/harbour/runs",
        "/c/harbour/pools",
        "/c/harbour/agreement/assessors",
        "/c/harbour/adjudicate?order=topic",
    ),
    "organiser, further pages": ("/c/harbour/qrels", "/c/harbour/people", "/campaigns/new"),
    "marlow": ("/c/harbour/judge", "/c/harbour/judge/4", "/account", "/account/text"),
}


@pytest.fixture
def server(live_server: Callable[..., Server], tmp_path: Path) -> Server:
    """The demo, served."""
    return live_server(demo_instance(tmp_path / "instance"))


@pytest.mark.parametrize(
    "whose", ["organiser", pytest.param("organiser, further pages", marks=pytest.mark.slow), "marlow"]
)
def test_tab_goes_through_all_of_a_page_in_its_order_and_is_seen_everywhere(
    page: Page, server: Server, whose: str
) -> None:
    sign_in(page, server.address, whose.partition(",")[0])
    for path in PAGES[whose]:
        page.goto(f"{server.address}{path}")
        if page.locator("#document").count():
            expect(page.locator("#document")).to_be_focused()  # the desk is drawn
        count = page.evaluate(REACHABLE)
        for _ in range(count + MORE):
            page.keyboard.press("Tab")
        visited, unseen = page.evaluate("[window.visited, window.unseen]")
        order = [place for place in visited if place >= 0]
        assert set(order) == set(range(count)), (path, page.evaluate(MISSED))
        # From where the page put the focus to its end, and on from its beginning.
        leaps = [place for before, place in pairwise(order) if place != (before + 1) % count]
        assert leaps == [], (
            path,
            visited,
            page.evaluate("places => places.map(p => reachable[p].outerHTML)", leaps),
        )
        assert unseen == [], path


MISSED = "reachable.filter((_, place) => !visited.includes(place)).map((one) => one.outerHTML.slice(0, 200))"


@pytest.mark.parametrize(
    ("login", "path"),
    [
        ("marlow", "/c/harbour/judge/4"),
        pytest.param("organiser", "/c/harbour/adjudicate?order=topic", marks=pytest.mark.slow),
    ],
)
def test_whatever_a_button_opens_closes_by_escape_and_gives_the_focus_back(
    page: Page, server: Server, login: str, path: str
) -> None:
    sign_in(page, server.address, login)
    page.goto(f"{server.address}{path}")
    expect(page.locator("#document")).to_be_focused()
    buttons = page.locator("button[popovertarget]:visible:enabled")
    names = [button.get_attribute("popovertarget") for button in buttons.all()]
    assert names
    for place, name in enumerate(names):
        button, box = buttons.nth(place), page.locator(f"#{name}")
        button.focus()
        page.keyboard.press("Enter")
        expect(box).to_be_visible()
        page.keyboard.press("Escape")
        expect(box).to_be_hidden()
        expect(button).to_be_focused()


def test_every_drawing_has_a_name_and_its_page_a_table(page: Page, server: Server) -> None:
    sign_in(page, server.address, "organiser")
    drawn = 0
    for path in ("/c/harbour/analysis?asked=yes", "/c/harbour/scores/topics"):
        page.goto(f"{server.address}{path}")
        for folded in page.get_by_text("Plot of the", exact=False).all():
            folded.click()
        expect(page.locator("figure.plot svg").first).to_be_visible()
        # A folded one is drawn when it is unfolded.
        names = [one.get_attribute("aria-label") for one in page.locator("figure.plot svg[role=img]").all()]
        assert all(names), path
        drawn += len(names)
        assert page.locator("main table").count(), path
    assert drawn > 1
