"""A learner's pool made on its page and judged by keyboard; the organiser sees why each document came."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import select

from tests.assigned import assign
from tests.browser.desks import DOCNO, DeskServer, desk_server, ready
from tests.browser.people import stored
from workbench.records import Document
from workbench.storage.tables import PoolRow
from workbench.workflow.judging.adaptive_states import replay_pool
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds

NAME = "read further"
TIDES = ("D11", "D12")


@pytest.fixture
def server(
    tmp_path: Path, serve_here: Callable[[DeskServer], DeskServer], monkeypatch: pytest.MonkeyPatch
) -> DeskServer:
    """Twelve documents, of which two are about tides as topic T1 is; rankings are made at once."""
    documents = [Document(f"D{number:02}", f"About {number}", "Nets and fish.") for number in range(1, 11)]
    documents += [Document(docno, "Tides", f"The tides of {docno}.") for docno in TIDES]
    made = desk_server(tmp_path, ("Ada",), documents)

    def rank(campaign_id: int) -> None:
        with stored(made.instance) as database:
            make_rounds(database, campaign_id, CollectionVectors())

    for module in ("judging.reading", "pools.open_pools"):
        monkeypatch.setattr(f"workbench.web.pages.{module}.begin_learning", rank)
    return serve_here(made)


def page_of(new_context: Callable[..., BrowserContext], server: DeskServer, name: str) -> Page:
    context = new_context()
    server.let_in(context, name)
    return context.new_page()


def make_pool(page: Page, server: DeskServer) -> None:
    page.goto(f"{server.address}/c/trial/pools")
    page.get_by_text("New pool", exact=True).click()
    page.get_by_text("other strategies").click()
    page.get_by_label("learner", exact=False).first.check()
    page.locator("#learner-budget").fill("4")
    page.get_by_text("Other options of learner").click()
    page.locator("#learner-share").fill("0")
    page.get_by_text("Name, ties, priority").click()
    page.get_by_label("Name").fill(NAME)
    page.get_by_role("button", name="Save as draft").click()
    page.get_by_role("link", name="Open for judging").last.click()
    page.get_by_role("button", name="Open for judging").click()
    expect(page.get_by_text("Adaptive pool")).to_be_visible()


def desk_of_pool(server: DeskServer) -> tuple[int, int]:
    """Assign T1 of the pool to Ada; gives the pool and the assignment."""
    with stored(server.instance) as database, database.writing() as db:
        pool = db.scalars(select(PoolRow).where(PoolRow.name == NAME)).one()
        assign(
            db, pool.id, topics=["T1"], assessor_ids=[one.id for one in assessors_of(db, pool.campaign_id)]
        )
        (task,) = (one.id for one in assignments_of(db, pool.campaign_id) if one.pool == NAME)
        return pool.id, task


@pytest.mark.slow
def test_a_learners_pool_is_judged_by_keyboard_and_shows_reasons_to_the_organiser(
    new_context: Callable[..., BrowserContext], server: DeskServer
) -> None:
    organiser, ada = (page_of(new_context, server, name) for name in ("Olga", "Ada"))
    make_pool(organiser, server)
    pool_id, task = desk_of_pool(server)
    ada.goto(f"{server.address}/c/trial/judge/{task}")
    ready(ada)
    seen = []
    for number in range(4):
        expect(ada.locator(".count")).to_have_text(f"{number} of up to 4 done")
        seen.append(ada.locator(DOCNO).inner_text())
        expect(ada.get_by_text("rank", exact=False)).to_have_count(0)
        ada.keyboard.press("3" if seen[-1] in TIDES else "0")
        expect(ada.locator("#document")).not_to_contain_text(seen[-1])
    expect(ada.get_by_role("heading", name="Every document has an answer")).to_be_visible()
    assert set(seen[:2]) == set(TIDES)
    organiser.goto(f"{server.address}/c/trial/pools/{pool_id}/topic?topic=T1")
    for docno, why in zip(seen, ("round 0, rank 1", "round 1, rank 1"), strict=False):
        expect(organiser.get_by_role("row").filter(has_text=docno)).to_contain_text(f"learner, {why}")
    with stored(server.instance) as database, database.reading() as db:
        pool = db.get_one(PoolRow, pool_id)
        assert replay_pool(db, pool.campaign_id, NAME).differences == ()
