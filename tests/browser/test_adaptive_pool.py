"""An adaptive pool made on its page and judged by two people at once, each in a browser of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Server
from tests.browser.interception import intercept
from tests.browser.people import demo_instance, sign_in

TOPIC = "T08"
NAME = "as we go"
BUDGET = 9


# Another tab that tells once more what became of the first answer.
RECEIPTS_TWICE = """() => {
  const { account } = JSON.parse(document.getElementById("desk").dataset.work);
  const channel = new BroadcastChannel(`workbench-desk-${account}`);
  channel.onmessage = ({ data }) => {
    if (data.type !== "receipts") return;
    channel.onmessage = null;
    channel.postMessage(data);
  };
}"""


@pytest.fixture
def server(live_server: Callable[..., Server], tmp_path: Path) -> Server:
    """The demo, served."""
    return live_server(demo_instance(tmp_path / "instance"))


def make_pool(page: Page, server: Server) -> None:
    """Make the pool and give its topic to both assessors, as an organiser does."""
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/pools")
    page.get_by_text("New pool", exact=True).click()
    page.get_by_text("other strategies").click()
    page.get_by_label("thompson").check()
    page.get_by_text("Other options of thompson").click()
    page.locator("#thompson-budget").fill(str(BUDGET))
    page.get_by_text("Name, ties, priority").click()
    page.get_by_label("Name").fill(NAME)
    page.get_by_role("button", name="Save as draft").click()
    page.get_by_role("link", name="Open for judging").last.click()
    page.get_by_role("button", name="Open for judging").click()
    expect(page.get_by_text("Adaptive pool")).to_be_visible()
    page.get_by_role("link", name="Assign", exact=True).click()
    for person in ("A. Marlow", "R. Quist"):
        page.get_by_label(f"Topic {TOPIC} to {person}").check()
    page.get_by_role("button", name="Save assignments").click()
    expect(page.get_by_text("2 assignments added")).to_be_visible()


def go_to_desk(page: Page, server: Server, login: str) -> None:
    """Sign in and open the topic in the newest pool, the last in the list."""
    sign_in(page, server.address, login)
    page.goto(f"{server.address}/c/harbour/judge")
    page.get_by_role("row").filter(has_text=TOPIC).get_by_role("link", name="Part 2").click()
    expect(page.locator("#document")).to_be_focused()


def shown(page: Page) -> str:
    """The docno on the desk, empty where nothing comes any more."""
    docno = page.locator("#document .strip .mono")
    return docno.inner_text() if docno.count() else ""


@pytest.mark.slow
def test_a_reload_shows_the_same_document_and_undo_goes_back(page: Page, server: Server) -> None:
    make_pool(page, server)
    page.context.clear_cookies()
    go_to_desk(page, server, "marlow")
    first = shown(page)
    page.reload()
    assert shown(page) == first
    expect(page.locator(".count")).to_have_text(f"0 of up to {BUDGET} done")
    # Its receipt comes twice, as where two tabs send: the second leads nobody away from what is read.
    page.evaluate(RECEIPTS_TWICE)
    asked: list[Route] = []
    intercept(page, "**/work", lambda route: asked.append(route))
    page.keyboard.press("1")
    for _ in range(1000):
        if len(asked) == 2:
            break
        page.wait_for_timeout(10)
    answer = asked[0].fetch()
    asked[0].fulfill(response=answer)
    expect(page.locator("#document .strip .mono")).not_to_have_text(first)
    second = shown(page)
    expect(page.locator(".count")).to_have_text(f"1 of up to {BUDGET} done")
    page.keyboard.press("[")
    expect(page.locator("#document .strip .mono")).to_have_text(first)
    with page.expect_response("**/work"):
        asked[1].fulfill(response=answer)
    page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    assert shown(page) == first
    page.unroute("**/work")
    page.keyboard.press("]")
    expect(page.locator("#document .strip .mono")).to_have_text(second)
    page.keyboard.press("z")
    expect(page.locator("#document .strip .mono")).to_have_text(first)
    page.keyboard.press("2")
    expect(page.locator("#document .strip .mono")).to_have_text(second)
