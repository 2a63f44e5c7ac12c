"""The manual in a browser: the search answers while somebody types, and the desk opens it beside itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in
from workbench.demo.campaign import SLUG


def test_the_search_answers_while_somebody_types(page: Page, live_server: Callable[..., Server]) -> None:
    page.goto(f"{live_server().address}/help")
    expect(page.locator(".manual")).to_be_visible()
    page.keyboard.type("unpooled kapp")  # the field has the focus
    hits = page.locator(".hits a")
    expect(hits.first).to_have_attribute("href", "/help/agreement#pooled-and-unpooled-kappa-on-one-table")
    page.get_by_role("searchbox").clear()
    expect(page.locator(".manual")).to_be_visible()


def test_the_help_of_a_page_opens_beside_it(
    page: Page, tmp_path: Path, live_server: Callable[..., Server]
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/{SLUG}/agreement")
    opening = page.get_by_label("Help for this page")
    opening.focus()
    page.keyboard.press("Enter")
    beside = page.get_by_role("region", name="Help")
    expect(beside.get_by_role("heading", name="Which coefficient should I report?")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Do the assessors agree?")
    page.keyboard.press("Enter")
    expect(beside).to_be_hidden()


@pytest.mark.slow
def test_help_opens_beside_the_desk_and_the_desk_stays(
    page: Page, tmp_path: Path, live_server: Callable[..., Server]
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "marlow")
    page.goto(f"{server.address}/c/{SLUG}/judge")
    page.get_by_role("link", name="Start").first.click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Help").click()
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("Judging documents")
    expect(page.locator("#desk")).to_be_visible()
