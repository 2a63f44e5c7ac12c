"""Judging with the keyboard in a real browser: what the keys said is what the database holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import select

from tests.browser.conftest import Complaints, Server
from tests.browser.people import demo_instance, sign_in, stored
from workbench.storage.tables import AssessorRow, DocumentRow, JudgmentEventRow

LiveServer = Callable[..., Server]
TOPIC = "T08"  # untouched in the demo


@pytest.fixture
def server(live_server: LiveServer, tmp_path: Path) -> Server:
    """The demo, served."""
    return live_server(demo_instance(tmp_path / "instance"))


def go_to_topic(page: Page, server: Server, *, keys: bool = True) -> None:
    """Sign in as A. Marlow and open the topic's desk; with `keys` wait until it listens to them."""
    sign_in(page, server.address, "marlow")
    page.goto(f"{server.address}/c/harbour/judge")
    page.get_by_role("row").filter(has_text=TOPIC).get_by_role("link").last.click()
    expect(page.locator("#document article")).to_be_visible()
    if keys:
        expect(page.locator("#document")).to_be_focused()


def shown(page: Page) -> str:
    """The docno on the desk."""
    return page.locator("#document .strip .mono").inner_text()


def press_and_wait(page: Page, key: str) -> str:
    """Press a key that brings another document; gives the docno that was shown before."""
    before = shown(page)
    page.keyboard.press(key)
    expect(page.locator("#document .strip .mono")).not_to_have_text(before)
    return before


def events(server: Server) -> list[tuple[str, str, int | None]]:
    """What the database holds of A. Marlow in the topic: docno, answer and grade, in order."""
    with stored(server.instance) as database, database.reading() as db:
        rows = db.execute(
            select(JudgmentEventRow.docno, JudgmentEventRow.answer, JudgmentEventRow.grade)
            .join(AssessorRow, AssessorRow.id == JudgmentEventRow.assessor_id)
            .where(JudgmentEventRow.topic == TOPIC, AssessorRow.name == "A. Marlow")
            .order_by(JudgmentEventRow.id)
        )
        return [(docno, answer, grade) for docno, answer, grade in rows]


def test_each_key_judges_and_goes_on_and_nothing_moves(page: Page, server: Server) -> None:
    go_to_topic(page, server)
    places = page.locator(".grade").evaluate_all("all => all.map(one => one.getBoundingClientRect().x)")
    pressed = [(press_and_wait(page, key), key) for key in "0321"]
    assert events(server) == [(docno, "grade", int(key)) for docno, key in pressed]
    expect(page.locator(".count")).to_have_text("4 of 37")
    expect(page.locator("#light-text")).to_have_text("saved")
    again = page.locator(".grade").evaluate_all("all => all.map(one => one.getBoundingClientRect().x)")
    assert again == places


def test_every_event_carries_the_text_that_was_shown_and_active_time(page: Page, server: Server) -> None:
    go_to_topic(page, server)
    page.wait_for_timeout(300)
    docno = press_and_wait(page, "2")
    with stored(server.instance) as database, database.reading() as db:
        event = db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc()).limit(1)).one()
        text = db.scalars(select(DocumentRow.sha256).where(DocumentRow.docno == docno)).one()
    assert (event.document_sha256, event.position) == (text, 1)
    assert event.active_ms is not None
    assert 250 <= event.active_ms < 30_000


def test_undo_returns_to_the_document_and_the_next_key_judges_it_again(page: Page, server: Server) -> None:
    go_to_topic(page, server)
    first = press_and_wait(page, "0")
    press_and_wait(page, "z")
    assert shown(page) == first
    press_and_wait(page, "3")
    assert events(server) == [(first, "grade", 0), (first, "withdrawn", None), (first, "grade", 3)]


def test_unsure_and_cannot_judge_by_key(page: Page, server: Server) -> None:
    go_to_topic(page, server)
    first = press_and_wait(page, "u")
    second = shown(page)
    page.keyboard.press("x")
    expect(page.locator("#reasons")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#reasons")).to_be_hidden()
    assert shown(page) == second
    page.keyboard.press("x")
    press_and_wait(page, "1")
    assert events(server) == [(first, "unsure", None), (second, "cannot_judge", None)]


def test_keys_typed_into_a_field_and_held_keys_judge_nothing(page: Page, server: Server) -> None:
    go_to_topic(page, server)
    page.keyboard.press("x")
    page.keyboard.press("4")
    expect(page.locator("#other")).to_be_focused()
    page.keyboard.type("0123 zux")
    assert events(server) == []
    page.keyboard.press("Escape")
    # A held key repeats: the browser sends more of the same before it is let go.
    before = shown(page)
    for _ in range(5):
        page.keyboard.down("1")
    page.keyboard.up("1")
    expect(page.locator("#document .strip .mono")).not_to_have_text(before)
    page.wait_for_timeout(300)
    assert events(server) == [(before, "grade", 1)]


def test_an_answer_that_could_not_be_sent_is_sent_again_and_kept_once(
    page: Page, server: Server, complaints: Complaints
) -> None:
    complaints.expect("ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to fetch|Failed to load")
    go_to_topic(page, server)
    lost: list[str] = []

    def lose(route: Route) -> None:
        # The first is lost on its way, of the second only the answer: the server has it already.
        if route.request.method != "POST" or len(lost) == 2:
            route.continue_()
            return
        lost.append(route.request.url)
        if len(lost) == 2:
            route.fetch()
        route.abort()

    page.route("**/judge/**", lose)
    before = shown(page)
    page.keyboard.press("2")
    expect(page.locator("#light-text")).to_have_text("not saved, trying again")
    page.keyboard.press("3")  # while an answer is under way no other is taken
    expect(page.locator("#document .strip .mono")).not_to_have_text(before, timeout=15_000)
    expect(page.locator("#light-text")).to_have_text("saved")
    assert len(lost) == 2
    assert events(server) == [(before, "grade", 2)]


def test_it_works_without_javascript(new_page: Callable[..., Page], server: Server) -> None:
    page = new_page(java_script_enabled=False)
    go_to_topic(page, server, keys=False)
    before = shown(page)
    page.get_by_role("button", name="Relevant", exact=False).nth(1).click()
    assert shown(page) != before
    page.get_by_role("button", name="Undo").click()
    assert shown(page) == before
    assert [answer for _, answer, _ in events(server)] == ["grade", "withdrawn"]


def test_signing_in_again_on_another_machine_resumes_at_the_same_document(
    new_page: Callable[..., Page], server: Server
) -> None:
    here = new_page()
    go_to_topic(here, server)
    press_and_wait(here, "1")
    there = new_page()
    go_to_topic(there, server)
    assert shown(there) == shown(here)
