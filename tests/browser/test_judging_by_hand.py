"""Judging by touch and by mouse in a real browser: what the hand meant is what the database holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from tests.browser.desks import (
    DeskOf,
    DeskServer,
    desk_server,
    docno,
    fetched_ahead,
    light,
    on_desk,
    pass_time,
)
from tests.browser.people import stored
from workbench.storage.tables import CampaignRow

NAMES = ("Ada", "Ben", "Cleo")


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, serve_here: Callable[[DeskServer], DeskServer]
) -> DeskServer:
    """One server for all tests of this file."""
    return serve_here(desk_server(tmp_path_factory.mktemp("hand"), NAMES))


def test_by_touch_the_same_bar_judges_and_a_break_is_a_quiet_line(
    desk_of: DeskOf, server: DeskServer
) -> None:
    with stored(server.instance) as database, database.writing() as db:
        for campaign in db.scalars(select(CampaignRow)):
            campaign.desk_rules = {"break_minutes": 30}
    page = desk_of("Ada", viewport={"width": 390, "height": 844}, has_touch=True)
    fetched_ahead(page, 6)
    page.locator("button.grade").nth(3).tap()
    on_desk(page, docno(2))
    expect(page.locator("#document")).to_be_focused()
    page.locator("#undo").tap()
    on_desk(page, docno(1))
    expect(page.locator("#break")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    light(page, "saved")
    assert [answer for _, answer, _ in server.said("Ada")] == ["grade", "withdrawn"]


def test_a_double_click_judges_one_document(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Ben")
    fetched_ahead(page, 6)
    page.locator("button.grade").nth(3).dblclick()
    on_desk(page, docno(2))
    # Two clicks with time to look between them are two judgments.
    pass_time(page, 350)
    page.locator("button.grade").nth(2).click()
    on_desk(page, docno(3))
    light(page, "saved")
    assert [grade for _, _, grade in server.said("Ben")] == [3, 2]


def swipe(
    page: Page, dx: float, dy: float, *, wait_ms: int = 0, seen: str = "", end: str = "touchEnd"
) -> None:
    """Draw a finger over the document, from its middle; `seen` is what the hint says before it is lifted."""
    touch = page.context.new_cdp_session(page)
    x, y = 195.0, 420.0
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    pass_time(page, wait_ms)
    for step in range(1, 7):
        point = {"x": x + dx * step / 6, "y": y + dy * step / 6}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    if seen:
        expect(page.locator("#swipe-hint")).to_have_text(seen)
        expect(page.locator("#swipe-hint")).to_have_attribute("data-far", "")
    touch.send("Input.dispatchTouchEvent", {"type": end, "touchPoints": []})
    touch.detach()


def test_a_swipe_judges_only_where_it_is_turned_on_and_nothing_else_is_meant(
    desk_of: DeskOf, server: DeskServer
) -> None:
    page = desk_of("Cleo", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    fetched_ahead(page, 6)
    # To the left: to the right it may be the browser's own way back, as long as it is not ours.
    swipe(page, -160, 0)
    on_desk(page, docno(1))
    page.locator(".reading-bar .looks").tap()
    page.locator(".segments.swipe label", has_text="Lowest and highest").tap()
    page.keyboard.press("Escape")
    expect(page.locator("#swipes")).to_have_text("← Not relevantHighly relevant →")
    swipe(page, 10, -200)  # scrolls
    swipe(page, 60, 0)  # too short
    swipe(page, 120, 110)  # aslant
    swipe(page, 160, 0, wait_ms=900)  # held, as to select
    page.evaluate("getSelection().removeAllRanges()")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('article h2'))")
    swipe(page, 160, 0)  # something is selected
    page.evaluate("getSelection().removeAllRanges()")
    on_desk(page, docno(1))
    swipe(page, 160, 4, seen="Highly relevant", end="touchCancel")
    expect(page.locator("#swipe-hint")).to_be_hidden()
    on_desk(page, docno(1))
    swipe(page, 160, 4)
    on_desk(page, docno(2))
    swipe(page, -160, -4)
    on_desk(page, docno(3))
    light(page, "saved")
    assert server.said("Cleo") == [(docno(1), "grade", 3), (docno(2), "grade", 0)]
