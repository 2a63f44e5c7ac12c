"""A queue judged by two people, each in a browser of their own: one key each, and each pair once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desks import DeskServer, desk_server, docno, open_desk, shown
from tests.browser.people import stored
from workbench.records import Document
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.queues import make_queue
from workbench.workflow.pools.listing import pools_of

NAMES = ("Ada", "Ben")
DOCUMENTS = 16


@pytest.fixture
def server(tmp_path: Path, serve_here: Callable[[DeskServer], DeskServer]) -> DeskServer:
    """A queue of sixteen documents that asks for one judgment of each, served."""
    documents = [
        Document(docno(number), f"About {number}", "Text. " * 20) for number in range(1, DOCUMENTS + 1)
    ]
    made = desk_server(tmp_path, NAMES, documents)
    with stored(tmp_path) as database, database.writing() as db:
        campaign_id = campaign_by_slug(db, "trial").id
        [pool] = pools_of(db, campaign_id)
        make_queue(db, campaign_id, pool.name, 1)
    return serve_here(made)


@pytest.mark.slow  # without a browser: tests/workflow/judging/test_queue_at_once.py
def test_two_people_work_through_a_queue_and_each_document_is_judged_once(
    new_page: Callable[..., Page], server: DeskServer
) -> None:
    pages = {name: new_page() for name in NAMES}
    for name, page in pages.items():
        server.let_in(page.context, name)
        open_desk(page, server, name)
    for _ in range(DOCUMENTS):
        for page in pages.values():
            if not page.locator("#document.finished").count():
                before = shown(page)
                page.keyboard.press("1")
                now = page.locator("#document:not(.finished) .strip .mono, #document.finished h2")
                expect(now).not_to_have_text(before, timeout=20_000)
    for page in pages.values():
        expect(page.get_by_role("heading", name="Nothing left to judge")).to_be_visible(timeout=20_000)
        expect(page.locator("#status")).to_contain_text("Nothing left to judge in this topic. ")
    said = {name: [one for one, _, _ in server.said(name)] for name in NAMES}
    assert sorted(said["Ada"] + said["Ben"]) == [docno(number) for number in range(1, DOCUMENTS + 1)]
    assert min(map(len, said.values())) >= 5
