"""The form of a new pool: what it would cost follows what is typed and ticked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in


def test_pairs_follow_the_form_and_are_those_of_the_pool(
    page: Page, live_server: Callable[..., Server], tmp_path: Path
) -> None:
    address = live_server(demo_instance(tmp_path / "demo")).address
    sign_in(page, address, "organiser")
    page.goto(f"{address}/c/harbour/pools")
    plan, runs = page.locator("#plan"), page.locator("input[name=run]")
    page.get_by_text("New pool", exact=True).click()
    page.locator("#depth").fill("5")
    expect(plan).to_contain_text("6 runs;")
    page.get_by_text("Runs: 6 of 6").click()
    page.get_by_role("group", name="Runs").get_by_role("checkbox").nth(1).press("Space")
    expect(plan).to_contain_text("5 runs;")
    page.locator("#depth").fill("0")
    expect(plan).to_contain_text("depth cannot be 0")
    page.locator("#depth").fill("1")
    for number in range(1, runs.count()):
        runs.nth(number).uncheck()
    # Eight topics, of each the first document of one run.
    expect(plan).to_contain_text("8 pairs")
    runs.nth(0).uncheck()
    expect(plan).to_contain_text("no run is chosen")
    runs.nth(0).check()
    expect(plan).to_contain_text("8 pairs")
    page.get_by_role("button", name="Save as draft").press("Enter")
    expect(page.get_by_text("was saved as a draft of 8 pairs")).to_be_visible()
