"""A person links an account at the provider's page, signs out, and signs in there, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, Server, Site
from tests.cast import CHEAP, PASSWORD
from tests.openid import NAME, RunningProvider
from workbench.web.context import context_of, init_app
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.people.accounts import create_first_account, prepare_account

pytestmark = pytest.mark.slow
PROVIDER = re.compile(r"/oauth2/authorize\?")


def offer(app: Flask, address: str, running: RunningProvider) -> None:
    """Have the site at an address sign people in with the provider."""
    context, chosen = context_of(app), running.settings(site=address)
    init_app(
        app,
        replace(context, settings=replace(context.settings, openid=chosen), provider=OpenIdProvider(chosen)),
    )


def agree(page: Page, subject: str) -> None:
    expect(page).to_have_url(PROVIDER)
    page.locator("input[name=sub]").fill(subject)
    page.get_by_role("button", name="Authorize").first.click()


def test_a_person_links_an_account_and_signs_in_at_the_provider(
    live_server: Callable[..., Server],
    sites: Callable[[int], Site],
    page: Page,
    complaints: Complaints,
    running: RunningProvider,
) -> None:
    complaints.expect("picocss|status of 422")  # the style of the provider, and the refusal
    address = live_server().address
    app = sites(0).app
    offer(app, address, running)
    with context_of(app).database.writing() as db:
        create_first_account(db, prepare_account(login="ada", name="Ada", password=PASSWORD, passwords=CHEAP))

    page.goto(f"{address}/sign-in")
    page.get_by_label("Login name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page).to_have_url(f"{address}/")
    page.goto(f"{address}/account/openid")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name=f"Link with {NAME}").click()
    agree(page, "ada@example.org")
    expect(page).to_have_url(f"{address}/account/openid")
    expect(page.get_by_text("ada@example.org")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="sign out there, too")).to_be_visible()
    page.get_by_role("button", name=f"Sign in with {NAME}").click()
    agree(page, "ada@example.org")
    expect(page).to_have_url(f"{address}/")

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name=f"Sign in with {NAME}").click()
    expect(page).to_have_url(PROVIDER)
    page.get_by_role("button", name="Deny").click()
    # This provider leaves out the state (RFC 6749, 4.1.2.1), so its answer belongs to no sign-in.
    expect(page.get_by_role("heading", name="You are not signed in")).to_be_visible()
