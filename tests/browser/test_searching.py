"""Searching in a real browser: from the desk, by one key a judgment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from tests.browser.desks import DOCNO, DeskOf, DeskServer, desk_server, press, ready
from tests.browser.people import stored
from workbench.records import Document
from workbench.storage.tables import CampaignRow, JudgmentEventRow, PoolEntryRow, SearchEventRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import save_allows_search

FOUND = ("N1", "N2", "N3", "N4")


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, serve_here: Callable[[DeskServer], DeskServer]
) -> DeskServer:
    """A campaign that allows searching, with four documents on whirlpools that no run found."""
    documents = [Document(f"D{number:03}", f"About {number}", "A text on tides.") for number in range(1, 5)]
    made = desk_server(tmp_path_factory.mktemp("searching"), ("Ada",), documents)
    with stored(made.instance) as database, database.writing() as db:
        campaign = db.scalars(select(CampaignRow)).one()
        save_allows_search(db, campaign.id, True)
        new = [Document(docno, f"Whirlpool {docno}", "whirlpool " * (9 - n)) for n, docno in enumerate(FOUND)]
        load_documents(db, campaign.id, new, source="new")
    return serve_here(made)


def answers(folder: Path) -> list[tuple[str, int | None]]:
    with stored(folder) as database, database.reading() as db:
        rows = db.execute(
            select(JudgmentEventRow.docno, JudgmentEventRow.grade).order_by(JudgmentEventRow.id)
        )
        return [(docno, grade) for docno, grade in rows]


def test_one_key_goes_searching_one_opens_one_judges_and_one_goes_back(
    desk_of: DeskOf, server: DeskServer
) -> None:
    page = desk_of("Ada")
    press(page, "]")
    expect(page.locator(DOCNO)).to_have_text("D002")
    press(page, "f")
    expect(page.locator("#query")).to_be_focused()
    # Nothing from here on loads the page anew.
    page.evaluate("document.body.dataset.stays = 1")
    page.keyboard.type("maelstrom")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    # Where nothing was found, typing goes on.
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type(" whirlpool")
    page.keyboard.press("Enter")
    expect(page.locator("[data-hit]")).to_have_count(4)
    expect(page.locator("[data-hit]").first).to_be_focused()
    page.keyboard.press("Enter")
    # One key a judgment: each opens the next document by itself.
    for docno, key in zip(FOUND, "3210", strict=True):
        expect(page.locator("#opened .strip .mono")).to_have_text(docno)
        expect(page.locator("#opened-document")).to_be_focused()
        page.keyboard.press(key)
    expect(page.locator(".hits li.done")).to_have_count(4)
    # The page hears keys as soon as it has put the focus somewhere.
    expect(page.locator("[data-hit]").first).to_be_focused()
    expect(page.locator("body")).to_have_attribute("data-stays", "1")
    expect(page.locator("#status")).to_contain_text("4 documents")
    # Each of these has its place in the history, and reloading shows the same.
    page.go_back()
    expect(page.locator("#opened .strip .mono")).to_have_text(FOUND[-1])
    expect(page.locator("[data-hit][aria-current]")).to_have_attribute("value", FOUND[-1])
    expect(page.locator(".hits li.done")).to_have_count(4)
    # It was loaded anew, and hears keys again as soon as the focus is somewhere.
    expect(page.locator("#opened-document")).to_be_focused()
    page.keyboard.press("Escape")
    ready(page)
    expect(page.locator(DOCNO)).to_have_text("D002")
    assert answers(server.instance) == list(zip(FOUND, (3, 2, 1, 0), strict=True))
    with stored(server.instance) as database, database.reading() as db:
        reasons = db.scalars(select(PoolEntryRow.reason).where(PoolEntryRow.docno.in_(FOUND)))
        assert {(reason or "").partition(", ")[0] for reason in reasons} == {"search 2"}
        happened = [one.happening for one in db.scalars(select(SearchEventRow).order_by(SearchEventRow.id))]
    assert happened == ["shown", "shown", *["opened", "judged"] * 4]
