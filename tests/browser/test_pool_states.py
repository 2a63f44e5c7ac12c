"""A pool's way in a real browser: a draft, compared, opened, added to by hand, judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, go_to, sign_in

LiveServer = Callable[..., Server]
NewPage = Callable[..., Page]


@pytest.mark.slow  # pages and forms: tests/web/test_pool_states.py
def test_a_draft_is_opened_and_added_to_and_an_assessor_judges_the_addition(
    page: Page, new_page: NewPage, live_server: LiveServer, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    campaign = f"{server.address}/c/harbour"
    sign_in(page, server.address, "organiser")
    page.goto(f"{campaign}/pools")
    page.get_by_text("New pool", exact=True).click()
    page.locator("#depth").fill("3")
    page.get_by_text("Name, ties, priority").click()
    page.get_by_label("Name").fill("shallow")
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_role("link", name="Open for judging").last).to_be_visible()

    go_to(page, "Pools")
    page.get_by_role("link", name="shallow").click()
    page.get_by_role("link", name="Open for judging").last.click()
    page.get_by_role("button", name="Open for judging").click()
    expect(page.get_by_text("Pool “shallow” is open for judging.")).to_be_visible()

    page.goto(f"{campaign}/pools/1")
    page.get_by_role("region", name="Sizes by topic").get_by_role("link").first.click()
    pooled = set(page.get_by_role("region", name="Pairs of this topic").get_by_role("link").all_inner_texts())
    docno = next(f"ALM-{n:04}" for n in range(1, 99) if f"ALM-{n:04}" not in pooled)
    page.get_by_role("link", name="Add by hand").click()
    page.get_by_label("Docnos", exact=False).first.fill(docno)
    page.get_by_label("Reason").fill("found by searching")
    page.get_by_role("button", name="Add documents").click()
    expect(page.get_by_text("1 document added.")).to_be_visible()

    marlow = new_page()
    sign_in(marlow, server.address, "marlow")
    marlow.goto(f"{campaign}/judge")
    marlow.get_by_role("row").filter(has_text="T01").get_by_role("link").first.click()
    address = marlow.url.split("?")[0]
    marlow.goto(f"{address}?docno={docno}")
    expect(marlow.locator("#document")).to_be_focused()
    shown = marlow.content()
    assert "added by hand" not in shown
    assert "found by searching" not in shown
    marlow.keyboard.press("3")
    expect(marlow.locator("#document .strip .mono", has_text=docno)).to_have_count(0)
    expect(marlow.locator("#light-text")).to_have_text("saved")

    page.reload()
    expect(page.get_by_role("region", name="Documents added by hand")).to_contain_text("judged")
    expect(page.get_by_role("button", name=f"Remove {docno}")).to_have_count(0)
