"""Judging by touch and by mouse in a real browser: what the hand meant is what the database holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
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

NAMES = ("Ada", "Ben")


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
