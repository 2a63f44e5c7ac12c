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
    complaints.expect("ERR_INTERNET_DISCONNECTED|Failed to fetch|Failed to load|422")
    server = live_server(demo_instance(tmp_path))
    page = new_page()
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/preferences")
    page.get_by_label("How many of the best").fill("2")
    page.locator("form").filter(has_text="Every two of the best").get_by_role("checkbox").last.check()
    page.get_by_role("button", name="Assign these pairs").click()
    expect(page.get_by_text("tasks assigned")).to_be_visible()
    name = page.get_by_role("row").nth(1).get_by_role("cell").nth(2).inner_text()

    login = {"A. Marlow": "marlow", "T. Quist": "quist"}.get(name, name.split()[-1].casefold())
    judge = new_page()
    sign_in(judge, server.address, login)
    judge.goto(f"{server.address}/c/harbour/side-by-side")
    judge.get_by_role("link", name="Start").first.click()
    expect(judge.locator("#status")).to_have_text("Pair 1 of 1")
    judge.keyboard.press("ArrowLeft")
    expect(judge.get_by_role("heading", name="Everything is compared")).to_be_visible()
    judge.keyboard.press("z")
    expect(judge.get_by_role("button", name="Left is better")).to_have_attribute("aria-pressed", "false")
    # Digits, keys and Enter are the reason's while it is written; Escape or Enter ends it.
    reason = judge.get_by_label("Why, if you like")
    reason.click()
    judge.keyboard.type("both dated")
    judge.keyboard.press("Enter")
    expect(reason).not_to_be_focused()
    expect(judge.locator("#status")).to_have_text("Saved. Pair 1 of 1")
    # What is refused stays, with the server's reason, to be changed and given again.
    judge.locator("button[name=said]").first.evaluate("(one) => { one.value = 'neither'; one.click(); }")
    expect(judge.locator("#light-text")).to_have_text("not saved")
    expect(judge.locator("#trouble #errors")).to_be_visible()
    expect(reason).to_have_value("both dated")
    judge.context.set_offline(True)
    judge.keyboard.press("b")
    expect(judge.get_by_text("offline", exact=True).first).to_be_visible()
    expect(judge.locator("#trouble")).to_be_empty()
    judge.context.set_offline(False)
    expect(judge.get_by_role("heading", name="Everything is compared")).to_be_visible()
    answer = page.request.get(f"{server.address}/c/harbour/preferences/preferences.csv")
    assert answer.text().count("both_bad") == 1
    judge.goto(f"{judge.url.partition('?')[0]}?pair=1")
    expect(reason).to_have_value("both dated")
