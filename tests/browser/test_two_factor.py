"""Two-factor sign-in in a browser: turned on, asked for after the password, a recovery code used once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, Server
from tests.browser.people import PASSWORD, demo_instance, sign_in
from workbench.workflow.clock import utc_now
from workbench.workflow.people.signing_in import WRONG
from workbench.workflow.people.two_factor import code_at, step_at


def after_password(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    page.get_by_label("Login").fill("marlow")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Enter your code")).to_be_visible()


@pytest.mark.slow
def test_an_app_is_set_up_and_its_code_asked_for(
    live_server: Callable[..., Server], page: Page, tmp_path: Path, complaints: Complaints
) -> None:
    complaints.expect("422.*/sign-in/code")  # the recovery code that was used
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "marlow")
    page.goto(f"{server.address}/account")
    page.get_by_role("link", name="Two-factor sign-in").click()
    page.get_by_role("button", name="Set up").click()
    expect(page.locator(".qr svg")).to_be_visible()
    # A drawing that the policy does not spoil: as wide as it is high.
    box = page.locator(".qr svg").bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(box["height"], abs=1)
    secret = page.get_by_label("Key for the authenticator app").input_value()

    def fill(step: int) -> None:
        page.get_by_label("Current password").fill(PASSWORD)
        page.get_by_label("Code that your app shows now").fill(code_at(secret, step))

    # The code of the period before, so that the present one is left to sign in with.
    fill(step_at(utc_now(None)) - 1)
    page.get_by_role("button", name="Turn on").click()
    expect(page.locator("#made code")).to_have_count(10)
    codes = page.locator("#made code").all_inner_texts()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download").click()
    assert set(codes) <= set(saved.value.path().read_text().split())

    after_password(page)
    page.get_by_label("Code", exact=True).fill(code_at(secret, step_at(utc_now(None))))
    page.get_by_role("button", name="Sign in").first.click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    for works in (True, False):
        after_password(page)
        page.get_by_text("Use a recovery code").click()
        page.get_by_label("Recovery code").fill(codes[0])
        page.get_by_role("button", name="Sign in").last.click()
        if works:
            expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        else:
            # Where a screen reader is, it says what is wrong.
            field = page.get_by_label("Recovery code")
            expect(field).to_be_focused()
            expect(field).to_have_accessible_description(f"{WRONG} Each works once")
