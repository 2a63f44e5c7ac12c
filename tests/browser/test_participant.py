"""A group's run by pages: invited, signed in, sent, accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import PASSWORD, demo_instance, sign_in
from tests.builders import run_text


@pytest.mark.slow  # pages and forms: tests/web/test_participants.py
def test_a_group_sends_a_run_and_the_organiser_accepts_it(
    live_server: Callable[..., Server], new_page: Callable[..., Page], tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path))
    olga, paul = new_page(), new_page()
    sign_in(olga, server.address, "organiser")
    olga.goto(f"{server.address}/c/harbour/groups")
    olga.get_by_role("link", name="Lantern Society", exact=True).click()
    olga.locator("#people").fill("Paul")
    olga.get_by_role("button", name="Create links").click()
    link = olga.get_by_label("Invitation link for Paul").input_value()

    paul.goto(link)
    expect(paul.get_by_text("participant of Lantern Society")).to_be_visible()
    for label, text in (("Your name", "Paul"), ("Login name", "paul"), ("Repeat the password", PASSWORD)):
        paul.get_by_label(label).fill(text)
    paul.get_by_label("Password", exact=True).fill(PASSWORD)
    paul.get_by_role("button", name="Create account and join").click()
    expect(paul.get_by_role("heading", name="My runs")).to_be_visible()
    expect(paul.get_by_role("row")).to_have_count(2)  # the heading and lantern-titles
    file = tmp_path / "lantern-new.txt"
    file.write_bytes(run_text("lantern-new", {f"T0{number}": ("d1", "d2") for number in range(1, 9)}))
    paul.get_by_text("Submit more runs").click()
    paul.get_by_label("Run files").set_input_files(file)
    paul.get_by_role("button", name="Check the files").click()
    expect(paul.get_by_role("heading", name="1 file checked")).to_be_visible()
    paul.get_by_label("Kind").select_option("manual")
    paul.get_by_role("button", name="Submit the selected run").click()
    row = paul.get_by_role("row").filter(has_text="lantern-new")
    expect(row).to_contain_text("received")

    olga.goto(f"{server.address}/c/harbour/")
    olga.get_by_role("link", name="Review runs").click()
    olga.get_by_role("link", name="lantern-new", exact=True).click()
    olga.get_by_role("button", name="Accept").click()
    expect(olga.get_by_text("Run lantern-new is accepted.")).to_be_visible()
    paul.reload()
    expect(row).to_contain_text("accepted")
