"""Adjudicating with the keyboard in a real browser, and a pair's way to its assessors and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, Route, expect
from sqlalchemy import select

from tests.browser.conftest import Complaints, Server
from tests.browser.people import demo_instance, sign_in, stored
from workbench.storage.tables import AdjudicationEventRow, JudgmentEventRow

LiveServer = Callable[..., Server]


def go_to_desk(page: Page, server: Server) -> None:
    """Sign in as the organiser and open the desk; waits until it listens to keys."""
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/adjudicate?order=topic")
    expect(page.locator("#document")).to_be_focused()


def shown(page: Page) -> str:
    """The docno on the desk."""
    return page.locator("#document .strip .mono").inner_text()


def press_and_wait(page: Page, key: str) -> str:
    """Press a key that brings another pair; gives the docno that was shown before."""
    before = shown(page)
    page.keyboard.press(key)
    expect(page.locator("#document .strip .mono")).not_to_have_text(before)
    expect(page.locator("#light-text")).not_to_have_text("saving")
    return before


def events(server: Server) -> list[tuple[str, str, int | None, str]]:
    """What the database holds: docno, decision, grade and reason, in order."""
    with stored(server.instance) as database, database.reading() as db:
        event = AdjudicationEventRow
        rows = db.execute(select(event.docno, event.decision, event.grade, event.reason).order_by(event.id))
        return [(docno, decision, grade, reason) for docno, decision, grade, reason in rows]


def test_disputed_pairs_are_decided_by_the_keyboard_alone(
    page: Page, live_server: LiveServer, tmp_path: Path, complaints: Complaints
) -> None:
    complaints.expect("ERR_FAILED|Failed to fetch|Failed to load")
    server = live_server(demo_instance(tmp_path / "instance"))
    go_to_desk(page, server)
    # A reason is typed and the digits in it decide nothing; Enter ends it, and it goes with the decision.
    page.keyboard.press("c")
    expect(page.locator("#reason")).to_be_focused()
    page.keyboard.type("2 b or not 2 b")
    page.keyboard.press("Enter")
    expect(page.locator("#document")).to_be_focused()
    first = press_and_wait(page, "2")
    expected: list[tuple[str, str, int | None, str]] = [(first, "grade", 2, "2 b or not 2 b")]
    assert events(server) == expected
    expect(page.locator("#reason")).to_have_value("")
    second = press_and_wait(page, "b")
    third = press_and_wait(page, "t")
    expected += [(second, "back", None, ""), (third, "unclear", None, "")]
    # Skipping decides nothing; a decision taken back brings its pair again.
    skipped = press_and_wait(page, "s")
    assert press_and_wait(page, "[") != skipped
    assert shown(page) == skipped
    press_and_wait(page, "z")
    assert shown(page) == third
    expected.append((third, "withdrawn", None, ""))
    # A held key repeats: the browser sends more of the same before it is let go.
    for _ in range(5):
        page.keyboard.down("1")
    page.keyboard.up("1")
    expect(page.locator("#document .strip .mono")).not_to_have_text(third)
    page.wait_for_timeout(300)
    expected.append((third, "grade", 1, ""))
    assert events(server) == expected
    # Of the next decision only the answer is lost: the server has it, and it is recorded once.
    lost: list[str] = []

    def lose(route: Route) -> None:
        if route.request.method != "POST" or lost:
            route.continue_()
            return
        lost.append(route.request.url)
        route.fetch()
        route.abort()

    page.route("**/adjudicate/**", lose)
    last = shown(page)
    page.keyboard.press("0")
    expect(page.locator("#document .strip .mono")).not_to_have_text(last, timeout=15_000)
    expect(page.locator("#light-text")).to_have_text("saved")
    assert events(server) == [*expected, (last, "grade", 0, "")]


def test_a_pair_goes_to_its_assessors_and_comes_back_with_before_and_after(
    new_page: Callable[..., Page], live_server: LiveServer, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "instance"))
    desk, assessor = new_page(), new_page(java_script_enabled=False)
    go_to_desk(desk, server)
    docno = press_and_wait(desk, "b")
    # Marlow, without JavaScript, takes the other's grade, so that nobody differs any more.
    sign_in(assessor, server.address, "marlow")
    assessor.get_by_role("link", name="Harbour").first.click()
    assessor.get_by_role("link", name="To discuss").click()
    assessor.get_by_role("link", name="Discuss", exact=True).click()
    expect(assessor.locator(".strip .mono")).to_have_text(docno)
    theirs = assessor.locator(".voice").filter(has_not=assessor.get_by_text("you", exact=True))
    grade = theirs.locator(".graded .mono").inner_text()
    assessor.locator(f"input[name=answer][value='{grade}']").check()
    assessor.get_by_label("Comment").fill("I overlooked the last paragraph")
    assessor.get_by_role("button", name="Record").click()
    expect(assessor.get_by_text("Your answer is recorded.")).to_be_visible()
    with stored(server.instance) as database, database.reading() as db:
        latest = db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc()).limit(1)).one()
        assert (latest.docno, latest.purpose, latest.grade) == (docno, "discussion", int(grade))
    desk.goto(f"{server.address}/c/harbour/adjudication?state=settled")
    desk.get_by_role("row").filter(has_text=docno).get_by_role("link", name="See").click()
    said = desk.locator("#said")
    expect(said.get_by_text("I overlooked the last paragraph")).to_be_visible()
    expect(said.get_by_text("before", exact=True)).to_be_visible()
    expect(said.get_by_text("changed", exact=True)).to_be_visible()
