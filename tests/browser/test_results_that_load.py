"""Results that come after their page: who asks otherwise before they have come gets what was asked last."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in


@pytest.mark.slow
def test_what_is_asked_last_is_shown(live_server: Callable[..., Server], page: Page, tmp_path: Path) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        """Let the request that the page sends by itself wait until the form's is on its way."""
        if route.request.headers.get("hx-request") and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/c/harbour/**", hold_the_first)
    for path, label, value, button in (
        ("scores", "Measures", "RR", "Score"),
        ("analysis?depth=20", "Depth", "7", "Analyse"),
    ):
        held.clear()
        page.goto(f"{server.address}/c/harbour/{path}")
        field = page.get_by_label(label, exact=True)
        if not field.is_visible():
            page.locator("details.choosing > summary").click()
        field.fill(value)
        with page.expect_request(lambda request: "asked=1" in request.url):
            page.get_by_role("button", name=button, exact=True).click()
        assert len(held) == 1
        held[0].continue_()
        # The addresses of the tables say what was asked for.
        expect(
            page.locator(f"#table a[href*='=RR']:visible, #report a[href*='={value}']:visible").first
        ).to_be_visible()


def test_trust_shows_what_the_worker_computes_once_it_is_there(
    live_server: Callable[..., Server], page: Page, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/trust")
    judges = page.locator("#judges")
    expect(judges.get_by_role("heading")).to_have_text("Would other assessors rank the runs the same?")
    for name in ("depth", "holes", "topics"):
        expect(page.locator(f"#{name} .answer")).to_be_visible(timeout=30_000)
    # With another measure all of it is computed anew.
    page.locator("details.choosing > summary").click()
    page.get_by_label("Measure", exact=True).fill("P@5")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page).to_have_url(re.compile("measure=P%405"))
    page.locator("#holes > .more > summary").click()
    expect(page.locator("#holes")).to_contain_text("@5", timeout=30_000)
