"""Results that come after their page: who asks otherwise before they have come gets what was asked last."""

from __future__ import annotations

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


def test_trust_says_how_far_it_is_while_it_computes(
    live_server: Callable[..., Server], page: Page, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    told = '<span>Runs scored: 57 of 143 (40 %)</span> <progress max="143" value="57"></progress>'
    page.route("**/trust/progress/report?*", lambda route: route.fulfill(body=told, content_type="text/html"))
    page.route("**/trust?measure=*", hold)
    page.goto(f"{server.address}/c/harbour/trust")
    how_far = page.locator("#report .how-far")
    expect(how_far.get_by_text("57 of 143 (40 %)")).to_be_visible()
    expect(how_far.locator("progress")).to_have_js_property("value", 57)
    # The form's answer waits and tells in the same way; the report takes the place of both.
    page.locator("details.choosing > summary").click()
    page.get_by_label("Measure", exact=True).fill("P@5")
    with page.expect_request(lambda request: "propose=1" in request.url):
        page.get_by_role("button", name="Compare", exact=True).click()
    expect(how_far.get_by_text("57 of 143 (40 %)")).to_be_visible()
    page.unroute("**/trust?measure=*")
    held[-1].continue_()
    expect(page.get_by_role("heading", name="Would other assessors rank the runs the same?")).to_be_visible()
    expect(how_far).to_have_count(0)
