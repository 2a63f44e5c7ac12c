"""An organiser adds a webhook, sees why a test fails, corrects it, and turns on what was turned off."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import HEIGHT, WIDTH, Server, Site
from tests.browser.people import demo_instance, sign_in
from tests.certificates import DAY, made_authority
from tests.webhooks import INSIDE, receiver
from workbench.storage.engine import Database
from workbench.web.context import context_of, init_app
from workbench.workflow.clock import utc_now
from workbench.workflow.webhooks.deliveries import MOST_ATTEMPTS, FailedAttempt, claim_next, note_failed
from workbench.workflow.webhooks.sending import send_waiting

pytestmark = pytest.mark.slow


def fails_until_it_is_off(database: Database) -> None:
    """Let a waiting delivery fail as often as it takes, days in one moment."""
    now = utc_now(None)
    for attempt in range(MOST_ATTEMPTS):
        now += attempt * DAY
        with database.writing() as db:
            claimed = claim_next(db, now=now)
            assert claimed is not None
            note_failed(db, claimed.id, FailedAttempt("status 503 Service Unavailable", 503), now=now)


def test_a_webhook_is_added_fails_is_mended_and_turned_on_again(
    live_server: Callable[..., Server],
    sites: Callable[[int], Site],
    page: Page,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    authority = made_authority(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    address = live_server(demo_instance(tmp_path / "demo")).address
    context = context_of(sites(0).app)
    init_app(sites(0).app, replace(context, settings=replace(context.settings, webhook_hosts=INSIDE)))
    ended = authority.signed(tmp_path / "ended.pem", "localhost", begins=-2 * DAY, ends=-DAY)

    sign_in(page, address, "organiser")
    with receiver(ended) as program:
        page.goto(f"{address}/c/harbour/settings/webhooks")
        page.get_by_label("Address").fill(program.url)
        page.get_by_label("Release made").check()
        page.get_by_role("button", name="Add webhook").click()
        expect(page.get_by_label("Secret of the webhook")).to_have_value(re.compile("^whsec_"))
        page.get_by_role("link", name="Go to the webhook").click()

        page.get_by_role("button", name="Send a test").click()
        expect(page.locator(".notice")).to_be_visible()
        assert send_waiting(context.database, INSIDE) == 0
        page.reload()
        line = page.get_by_role("row").nth(1)
        expect(line).to_contain_text("has expired")
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.locator(".scroll").evaluate("box => box.scrollWidth <= box.clientWidth")
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        expired = "the certificate of localhost has expired: have it renewed"
        expect(page.locator(".facts")).to_contain_text(f"1 attempt failed ({expired}). Next attempt")

        program.renew(authority.signed(tmp_path / "renewed.pem", "localhost"))
        line.get_by_role("button", name="Send delivery 1 again").click()
        expect(page.locator(".notice")).to_be_visible()
        assert send_waiting(context.database, INSIDE) == 1
        page.reload()
        expect(line).to_contain_text("status 204")
        expect(page.locator(".facts")).not_to_contain_text("failed")

        for rows in (3, 4):
            page.get_by_role("button", name="Send a test").click()
            expect(page.get_by_role("row")).to_have_count(rows)
        fails_until_it_is_off(context.database)
        page.reload()
        facts = page.locator(".facts")
        expect(facts).to_contain_text("8 attempts in a row failed, the last one with: status 503")
        expect(page.get_by_role("button", name="Send a test")).to_have_count(0)
        expect(page.get_by_text("2 deliveries will be sent when you turn it on.")).to_be_visible()

        page.get_by_role("button", name="Turn on").click()
        expect(page.get_by_role("button", name="Turn off")).to_be_visible()
        assert send_waiting(context.database, INSIDE) == 2
        page.reload()
        expect(page.get_by_role("row").filter(has_text="status 204")).to_have_count(3)
        assert len(program.received) == 3
