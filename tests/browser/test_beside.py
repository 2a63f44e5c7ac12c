"""What goes with a grade, in a real browser: passages marked, questions that must be answered, comments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import select

from tests.browser.desks import DeskServer, desk_server, light, open_desk, press, ready
from tests.browser.people import stored
from workbench.records import Document, Topic
from workbench.storage.tables import CampaignRow, JudgmentEventRow
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.desk_rules import read_questions, save_desk_questions

FIRST, SECOND = "The tide is highest at noon.", "The moon pulls the water up."


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, serve_here: Callable[[DeskServer], DeskServer]
) -> DeskServer:
    """A campaign that asks for everything; documents of two paragraphs."""
    documents = [Document(f"D{n:03}", f"About {n}", f"<p>{FIRST}</p><p>{SECOND}</p>") for n in range(1, 5)]
    made = desk_server(tmp_path_factory.mktemp("beside"), ("Ada",), documents)
    with stored(made.instance) as database, database.writing() as db:
        campaign = db.scalars(select(CampaignRow)).one()
        save_desk_questions(db, campaign.id, read_questions("Trust (required): none, full"), {3})
        load_topics(db, campaign.id, [Topic("T1", "tides", subtopics=(("1", "height"),))], source="topics")
    return serve_here(made)


def held(folder: Path) -> list[tuple[object, ...]]:
    """Every event with what went with it."""
    event = JudgmentEventRow
    with stored(folder) as database, database.reading() as db:
        rows = db.execute(
            select(
                event.docno, event.answer, event.grade, event.comment, event.evidence, event.ratings,
                event.subtopics,
            ).order_by(event.id)
        )  # fmt: skip
        return [tuple(row) for row in rows]


def marked(page: Page) -> list[str]:
    """The words that are shown as passages in the text."""
    found = page.evaluate(
        """() => [...CSS.highlights.get("reading-evidence")].map((one) => {
          const range = document.createRange();
          range.setStart(one.startContainer, one.startOffset);
          range.setEnd(one.endContainer, one.endOffset);
          return range.toString();
        })"""
    )
    assert isinstance(found, list)
    return found


def test_passages_questions_and_comments_go_with_the_grade(
    new_context: Callable[..., BrowserContext], server: DeskServer
) -> None:
    context = new_context()
    server.let_in(context, "Ada")
    page = context.new_page()
    open_desk(page, server, "Ada")
    expect(page.locator("#mark")).to_be_hidden()

    # A required question is asked for by the grade's key; nothing is recorded before it is answered.
    press(page, "2")
    expect(page.locator("#trouble")).to_contain_text("“Trust” is asked for with every grade")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="full", exact=True)).to_be_checked()
    expect(page.locator("#trouble")).to_be_empty()
    page.get_by_label("height").check()

    # One passage is kept by the button, the other is what is selected when the grade is given.
    page.get_by_text(FIRST).click(click_count=3)
    page.locator("#mark").click()
    expect(page.locator("#marked")).to_have_text("1 passage")
    page.get_by_text(SECOND).click(click_count=3)

    # The grade waits for its comment and is given with it.
    page.keyboard.press("3")
    expect(page.locator("#comment-needed")).to_contain_text("needs a comment")
    page.keyboard.press("Enter")
    expect(page.locator("#commenting")).to_be_visible()
    page.keyboard.type("Both.")
    page.keyboard.press("Enter")
    expect(page.locator("#document .mono")).to_have_text("D002")
    expect(page.locator("#marked")).to_be_hidden()
    expect(page.get_by_role("radio", name="full", exact=True)).not_to_be_checked()
    light(page, "saved")
    [(docno, answer, grade, comment, evidence, ratings, subtopics)] = held(server.instance)
    assert (docno, answer, grade, comment) == ("D001", "grade", 3, "Both.")
    assert (ratings, subtopics) == ({"Trust": 1}, ["1"])
    assert isinstance(evidence, list)
    assert [quote for _, _, quote in evidence] == [FIRST, SECOND]

    # On return it is all there; what is taken out is out at once; an undo leaves the rest to be graded.
    page.goto(f"{server.desk('Ada')}?docno=D001")
    ready(page)
    expect(page.locator("#marked")).to_have_text("2 passages")
    page.wait_for_function("() => CSS.highlights.get('reading-evidence')?.size === 2")
    assert marked(page) == [FIRST, SECOND]
    expect(page.get_by_label("height")).to_be_checked()
    page.locator("#marked").click()
    page.get_by_role("button", name="Take out passage 1").click()
    page.keyboard.press("Escape")
    assert marked(page) == [SECOND]
    light(page, "saved")
    again = held(server.instance)[-1]
    assert again[:4] == ("D001", "grade", 3, "Both.")
    assert (again[4], again[5:]) == (evidence[1:], ({"Trust": 1}, ["1"]))
    page.keyboard.press("z")
    expect(page.locator("#undo")).to_be_disabled()
    expect(page.locator("#marked")).to_have_text("1 passage")
    press(page, "1")
    light(page, "saved")
    assert held(server.instance)[-1][2:] == (1, "", evidence[1:], {"Trust": 1}, ["1"])
