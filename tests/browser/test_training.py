"""Training in a real browser: the known grade is told after each answer, and real work follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import select

from tests.browser.desks import (
    SOON_MS,
    DeskServer,
    desk_server,
    docno,
    light,
    on_desk,
    open_desk,
    ready,
    shown,
)
from tests.browser.people import stored
from workbench.formats.graded_pairs import GradedPair
from workbench.records import Document
from workbench.storage.events import TRAINING
from workbench.storage.tables import CampaignRow, JudgmentEventRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import Question, save_desk_questions
from workbench.workflow.judging.quality_checks import CheckRules
from workbench.workflow.judging.quality_settings import load_known_answers, save_check_rules


def trained(
    new_context: Callable[..., BrowserContext],
    folder: Path,
    serve_here: Callable[[DeskServer], DeskServer],
    rules: CheckRules,
) -> Page:
    """Ada at her desk before two training pairs, which are not in the pool of T1."""
    documents = [Document(docno(number), f"About {number}", "Text. " * 40) for number in range(1, 7)]
    server = desk_server(folder, ["Ada"], documents)
    with stored(folder) as database, database.writing() as db:
        campaign = db.scalars(select(CampaignRow.id)).one()
        further = [Document(docno(number), f"About {number}", "Text. " * 40) for number in (7, 8)]
        load_documents(db, campaign, further, source="further")
        known = [GradedPair("T1", one.docno, 3, f"Why {one.title[6:]}.", 2) for one in further]
        load_known_answers(db, campaign, known, purpose=TRAINING, source="known")
        save_check_rules(db, campaign, rules)
        save_desk_questions(db, campaign, [Question("Readability", ("hard", "easy"))], ())
    serve_here(server)
    context = new_context()
    server.let_in(context, "Ada")
    page = context.new_page()
    open_desk(page, server, "Ada")
    return page


@pytest.mark.slow
def test_training_that_falls_short_is_told_comes_again_and_opens_the_work(
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
    serve_here: Callable[[DeskServer], DeskServer],
) -> None:
    page = trained(new_context, tmp_path, serve_here, CheckRules(training=True, least=100))
    told, goal = page.locator("#document .told"), page.locator("#goal")
    expect(goal).to_contain_text("all your answers match")
    expect(page.locator(".count")).to_have_text("0 of 8 done")
    steps = (("3", "Correct: Highly relevant."), ("x1", "1 of 2 correct"))
    for number, (keys, said) in enumerate(steps, start=1):
        expect(page.locator("#place")).to_have_text(f"{number} of 8", timeout=SOON_MS)
        for key in keys:
            page.keyboard.press(key)
        expect(told).to_contain_text(said, timeout=SOON_MS)
        page.keyboard.press("Enter")
    expect(goal).to_contain_text("1 of 2 correct. This is round 2", timeout=SOON_MS)
    ready(page)
    expect(page.locator("#place")).to_have_text("3 of 10")
    expect(page.locator("#training")).to_be_visible()
    page.keyboard.press("3")
    expect(told).to_contain_text("Correct", timeout=SOON_MS)
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    expect(told).to_contain_text("2 of 2 correct", timeout=SOON_MS)
    page.keyboard.press("Enter")
    expect(page.locator("#place")).to_have_text("5 of 10", timeout=SOON_MS)
    expect(page.locator("#training")).to_be_hidden()
    expect(goal).to_be_hidden()
    expect(page.locator("#trouble")).to_be_empty()
    on_desk(page, docno(1))
    page.keyboard.press("0")
    light(page, "saved")
    with stored(tmp_path) as database, database.reading() as db:
        event = JudgmentEventRow
        said_there = db.execute(select(event.purpose, event.grade).order_by(event.id)).all()
    grades = [("training", 3), ("training", None), ("training", 3), ("training", 3), ("judging", 0)]
    assert [tuple(row) for row in said_there] == grades


def test_training_tells_the_known_grade_and_goes_on_by_a_key(
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
    serve_here: Callable[[DeskServer], DeskServer],
) -> None:
    page = trained(new_context, tmp_path, serve_here, CheckRules(training=True))
    expect(page.locator("#training")).to_be_visible()
    first = shown(page)
    page.keyboard.press("1")
    told = page.locator(".told")
    expect(told).to_contain_text("Expected: Highly relevant", timeout=SOON_MS)
    expect(told).to_contain_text(f"Why {int(first[1:])}.")
    expect(page.locator("#status")).to_contain_text("You answered: Related. Why")
    expect(page.locator("#status")).to_contain_text("Press Enter to go on.")
    page.keyboard.press("2")  # nothing is judged before one goes on
    page.keyboard.press("z")
    on_desk(page, first)
    # Enter goes on wherever the focus is, as after an answer to a question.
    page.get_by_label("hard").focus()
    page.keyboard.press("Enter")
    expect(told).to_have_count(0)
    on_desk(page, docno(7 + 8 - int(first[1:])))
    page.keyboard.press("3")
    expect(told).to_contain_text("Correct: Highly relevant.", timeout=SOON_MS)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#training")).to_be_hidden()
    on_desk(page, docno(1))
    page.keyboard.press("0")
    light(page, "saved")
    page.reload()
    ready(page)
    on_desk(page, docno(2))
    with stored(tmp_path) as database, database.reading() as db:
        event = JudgmentEventRow
        said = db.execute(select(event.purpose, event.grade).order_by(event.id)).all()
    assert [tuple(row) for row in said] == [("training", 1), ("training", 3), ("judging", 0)]
