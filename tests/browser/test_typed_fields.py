"""What is typed in a form of a page stays when another of its forms is sent, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, Server
from tests.browser.people import demo_instance, sign_in

LiveServer = Callable[..., Server]


def test_no_button_of_a_page_loses_what_is_typed_beside_it(
    page: Page, live_server: LiveServer, tmp_path: Path, complaints: Complaints
) -> None:
    complaints.expect("422")
    server = live_server(demo_instance(tmp_path / "demo"))
    campaign = f"{server.address}/c/harbour"
    sign_in(page, server.address, "organiser")

    page.goto(f"{campaign}/releases/new")
    page.get_by_label("Description").fill("Short notices, by three assessors.")
    page.get_by_label("Rule", exact=True).select_option("majority")
    page.get_by_role("button", name="Use this rule").click()
    page.wait_for_url("**/releases/new?rule=majority**")
    expect(page.get_by_label("Description")).to_have_value("Short notices, by three assessors.")

    page.goto(f"{campaign}/settings")
    page.get_by_label("Guidelines").fill("Read to the end.")
    page.get_by_text("Breaks", exact=True).last.click()
    page.get_by_label("Minutes of judging before").fill("never")
    page.locator("form[action$='/settings/breaks'] button").click()
    # Also beside what was refused.
    expect(page.get_by_text("is not a number")).to_be_visible()
    expect(page.get_by_label("Guidelines")).to_have_value("Read to the end.")
    page.get_by_label("Minutes of judging before").fill("45")
    page.locator("form[action$='/settings/breaks'] button").click()
    expect(page.get_by_label("Guidelines")).to_have_value("Read to the end.")
    # It comes back once: whoever loads the page again sees what is saved.
    page.reload()
    expect(page.get_by_label("Guidelines")).not_to_have_value("Read to the end.")


def test_ticks_are_not_lost_by_going_to_other_topics_and_a_link_opens_what_is_folded(
    page: Page, live_server: LiveServer, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    campaign = f"{server.address}/c/harbour"
    sign_in(page, server.address, "organiser")
    page.goto(f"{campaign}/settings#search")
    expect(page.get_by_label("Allow searching the documents")).to_be_visible()

    page.goto(f"{campaign}/assignments")
    boxes = page.locator("table.matrix input[type=checkbox]:enabled")
    boxes.first.set_checked(not boxes.first.is_checked())

    page.on("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog") as asked:
        page.get_by_role("link", name="Side by side").click(no_wait_after=True)
    assert asked.value.type == "beforeunload"
    # What is saved asks no more; the second click of a double click would say that nothing was left to save.
    saved: list[str] = []
    page.on("request", lambda sent: saved.append(sent.url) if sent.method == "POST" else None)
    page.get_by_role("button", name="Save assignments").dblclick()
    expect(page).to_have_url(f"{campaign}/assignments?pool=1")
    expect(page.get_by_role("status").first).not_to_contain_text("Nothing changed")
    assert len(saved) == 1
    page.get_by_role("link", name="Side by side").click()
    page.wait_for_url(f"{campaign}/preferences")
