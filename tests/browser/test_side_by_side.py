"""Two documents side by side, judged by the keyboard alone, through an outage of the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, Server
from tests.browser.people import demo_instance, sign_in


def test_pairs_are_compared_by_key_and_none_is_lost(
    live_server: Callable[..., Server],
    new_page: Callable[..., Page],
    complaints: Complaints,
    tmp_path: Path,
) -> None:
    complaints.expect("ERR_INTERNET_DISCONNECTED|Failed to fetch|Failed to load")
    server = live_server(demo_instance(tmp_path))
    page = new_page()
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/preferences")
    page.get_by_label("How many of the best").fill("2")
    page.locator("form").filter(has_text="Every two of the best").get_by_role("checkbox").last.check()
    page.get_by_role("button", name="Give these pairs").click()
    expect(page.get_by_text("tasks given")).to_be_visible()
    name = page.get_by_role("row").nth(1).get_by_role("cell").nth(2).inner_text()

    login = {"A. Marlow": "marlow", "T. Quist": "quist"}.get(name, name.split()[-1].casefold())
    judge = new_page()
    sign_in(judge, server.address, login)
    judge.goto(f"{server.address}/c/harbour/side-by-side")
    judge.get_by_role("link", name="Begin").first.click()
    expect(judge.locator("#status")).to_have_text("Pair 1 of 1")
    judge.keyboard.press("ArrowLeft")
    expect(judge.get_by_role("heading", name="Everything is compared")).to_be_visible()
    judge.keyboard.press("z")
    expect(judge.get_by_role("button", name="Left is better")).to_have_attribute("aria-pressed", "false")
    judge.context.set_offline(True)
    judge.keyboard.press("b")
    expect(judge.get_by_text("offline", exact=True).first).to_be_visible()
    judge.context.set_offline(False)
    expect(judge.get_by_role("heading", name="Everything is compared")).to_be_visible()
    answer = page.request.get(f"{server.address}/c/harbour/preferences/preferences.csv")
    assert answer.text().count("both_bad") == 1
