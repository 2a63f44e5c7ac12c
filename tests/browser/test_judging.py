"""Judging with the keyboard in a real browser: what the keys said is what the database holds.

Each test has an assessor of its own on one server, with a topic of sixty documents in the order of docnos.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Route, expect
from sqlalchemy import select

from tests.browser.desks import (
    DOCUMENTS,
    OPENED_BY_HAND,
    SOON_MS,
    DeskOf,
    DeskServer,
    docno,
    fetched_ahead,
    light,
    on_desk,
    pass_time,
    press,
    ready,
    served_desks,
    shown,
)
from tests.browser.interception import intercept
from tests.browser.people import stored
from workbench.storage.tables import DocumentRow, JudgmentEventRow
from workbench.workflow.judging.desk_settings import save_keys

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hal", "Ina", "Kim", "Lea")

# What a screen reader is told, in `window.told`.
LISTEN = """() => {
  window.told = [];
  const status = document.getElementById("status");
  new MutationObserver(() => window.told.push(status.textContent)).observe(status, { childList: true });
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskServer]:
    """One server for all tests of this file."""
    with served_desks(tmp_path_factory.mktemp("desk"), NAMES) as made:
        yield made


def test_each_key_judges_and_goes_on_and_nothing_moves(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Ada")
    places = page.locator(".verdicts button:visible").evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().x, one.getBoundingClientRect().y])"
    )
    fetched_ahead(page, 10)
    page.locator("#document").evaluate("box => { box.scrollTop = 50; }")
    assert press(page, "03213") == [docno(number) for number in range(1, 6)]
    assert page.locator("#document").evaluate("box => box.scrollTop") == 0
    light(page, "saved")
    assert [grade for _, _, grade in server.said("Ada")] == [0, 3, 2, 1, 3]
    expect(page.locator(".count")).to_have_text(f"5 of {DOCUMENTS} done")
    expect(page.locator("#pace")).to_contain_text("min left")
    expect(page.locator("#status")).to_have_text(f"Highly relevant. Next: 6 of {DOCUMENTS}: About {docno(6)}")
    again = page.locator(".verdicts button:visible").evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().x, one.getBoundingClientRect().y])"
    )
    assert again == places


def test_every_event_carries_the_text_that_was_shown_and_active_time(
    desk_of: DeskOf, server: DeskServer
) -> None:
    page = desk_of("Ben")
    pass_time(page, 5_000)
    press(page, "2")
    light(page, "saved")
    with stored(server.instance) as database, database.reading() as db:
        event = db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc()).limit(1)).one()
        text = db.scalars(select(DocumentRow.sha256).where(DocumentRow.docno == docno(1))).one()
    assert (event.docno, event.document_sha256, event.position) == (docno(1), text, 1)
    assert event.active_ms is not None
    assert 5_000 <= event.active_ms < 60_000


def test_undo_goes_back_without_limit_also_after_a_reload(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Cleo")
    fetched_ahead(page, 6)
    press(page, "012")
    light(page, "saved")
    # A key that comes before the outbox is open says nothing.
    page.add_init_script(OPENED_BY_HAND)
    page.reload()
    page.wait_for_function("() => window.openNow")
    page.keyboard.press("z")
    page.evaluate("openNow()")
    ready(page)
    on_desk(page, docno(4))
    expect(page.locator("#sitting")).to_have_text("3 this sitting")
    page.evaluate(LISTEN)
    page.keyboard.press("z")
    expect(page.locator("#place")).to_have_text(f"3 of {DOCUMENTS}")
    assert any("Undone: Relevant." in one for one in page.evaluate("window.told"))
    expect(page.locator("#sitting")).to_have_text("2 this sitting")
    page.keyboard.press("Backspace")
    page.keyboard.press("z")
    expect(page.locator("#place")).to_have_text(f"1 of {DOCUMENTS}")
    expect(page.locator("#undo")).to_be_disabled()
    page.keyboard.press("z")
    page.keyboard.press("3")
    on_desk(page, docno(2))
    light(page, "saved")
    answers = [(docno, answer, grade) for docno, answer, grade in server.said("Cleo")]
    assert answers[3:] == [
        (docno(3), "withdrawn", None),
        (docno(2), "withdrawn", None),
        (docno(1), "withdrawn", None),
        (docno(1), "grade", 3),
    ]


def test_a_topic_to_its_end_with_unsure_and_put_off_ones_coming_back(
    desk_of: DeskOf, server: DeskServer
) -> None:
    page = desk_of("Dan")
    page.goto(f"{server.address}/c/trial/judge")
    page.get_by_role("row").filter(has_text="T2").get_by_role("link").last.click()
    ready(page)
    page.evaluate(LISTEN)
    first = shown(page)
    fetched_ahead(page, 3)
    page.keyboard.press("s")
    second = shown(page)
    page.keyboard.press("u")
    third = shown(page)
    # The box of reasons can be left without an answer.
    page.keyboard.press("x")
    expect(page.locator("#reasons")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    page.keyboard.press("1")
    on_desk(page, first)
    # The last one put off again stays, and can be judged.
    page.keyboard.press("s")
    expect(page.locator("#status")).to_contain_text("It is the last one. Next: ")
    on_desk(page, first)
    page.keyboard.press("2")
    counts = page.locator("[data-part=counts]")
    expect(counts).to_have_text("1 graded, 1 unsure, 1 that cannot be judged.")
    page.keyboard.press("Enter")
    on_desk(page, second)
    expect(page.locator("button[value=unsure]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="Every document has an answer")).to_be_visible()
    told = page.evaluate("window.told")
    assert "unsure. Every document has an answer. 1 graded, 1 unsure, 1 that cannot be judged." in told
    assert any(one.startswith("Put to the end of the topic. Next: ") for one in told)
    assert any(one.startswith("cannot judge, broken. Next: ") for one in told)
    assert any(one.endswith("Press Enter: Review the unsure answer.") for one in told)
    expect(page.get_by_role("button", name="again")).to_have_count(0)
    light(page, "saved")
    assert server.said("Dan") == [
        (first, "later", None),
        (second, "unsure", None),
        (third, "cannot_judge", None),
        (first, "later", None),
        (first, "grade", 2),
        (second, "unsure", None),
    ]
    expect(page.get_by_role("link", name="Next topic: tides")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(server.desk("Dan"), timeout=SOON_MS)


def test_keys_typed_into_fields_or_with_modifiers_judge_nothing(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Eve")
    page.keyboard.press("x")
    page.keyboard.press("4")
    expect(page.locator("#other")).to_be_focused()
    page.keyboard.type("0123 zux")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.keyboard.type("1 of 2, hmm")
    page.keyboard.press("Control+Enter")
    for key in ("Control+1", "Alt+2", "Meta+3"):
        page.keyboard.press(key)
    composed = "new KeyboardEvent('keydown', {key: '1', isComposing: true, bubbles: true})"
    page.evaluate(f"document.getElementById('document').dispatchEvent({composed})")
    on_desk(page, docno(1))
    page.keyboard.press("3")
    light(page, "saved")
    with stored(server.instance) as database, database.reading() as db:
        newest = select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc()).limit(1)
        event = db.scalars(newest).one()
    assert server.said("Eve") == [(docno(1), "grade", 3)]
    assert event.comment == "1 of 2, hmm"


def test_digits_need_no_shift_on_a_french_keyboard_and_own_keys_go_with_their_meaning(
    desk_of: DeskOf, server: DeskServer
) -> None:
    with stored(server.instance) as database, database.writing() as db:
        save_keys(db, server.accounts["Finn"].id, {"unsure": "é", "grade_0": "j"})
    page = desk_of("Finn")
    fetched_ahead(page, 8)

    def type_(key: str, code: str) -> None:
        page.evaluate(
            "([key, code]) => document.getElementById('document').dispatchEvent("
            "new KeyboardEvent('keydown', {key, code, bubbles: true, cancelable: true}))",
            [key, code],
        )

    type_("&", "Digit1")  # the key of 1 without Shift
    type_("1", "Digit1")  # with Shift
    type_("é", "Digit2")  # this assessor's own key for unsure, where 2 would be
    type_("j", "KeyJ")
    type_("à", "Digit0")  # where 0 is, which has another key now
    type_("u", "KeyU")  # was unsure
    expect(page.locator("button[value=unsure] .key")).to_have_text("É")
    light(page, "saved")
    assert [(answer, grade) for _, answer, grade in server.said("Finn")] == [
        ("grade", 1),
        ("grade", 1),
        ("unsure", None),
        ("grade", 0),
    ]


def test_the_list_leads_back_to_a_judgment_and_a_change_returns_to_the_work(
    desk_of: DeskOf, server: DeskServer
) -> None:
    page = desk_of("Gil")
    fetched_ahead(page, 8)
    press(page, "01u3")
    page.keyboard.press("l")
    panel = page.locator("#said")
    expect(panel.get_by_role("button", name="All 4")).to_be_visible()
    panel.get_by_role("button", name="Unsure 1").click()
    expect(panel.get_by_role("button", name="Unsure 1")).to_be_focused()
    panel.get_by_role("button", name=f"About {docno(3)}").click()
    on_desk(page, docno(3))
    expect(page.locator("button[value=unsure]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("2")
    on_desk(page, docno(5))
    panel.get_by_role("button", name="All 4").click()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    # Titles that come when one has gone on already take nobody's focus.
    titles: list[Route] = []
    intercept(page, "**/titles", lambda route: titles.append(route))
    with page.expect_request("**/titles"):
        page.keyboard.press("l")
    expect(panel.locator(".said-line[aria-current]")).to_have_count(0)
    page.keyboard.press("[")
    with page.expect_response("**/titles"):
        titles[0].continue_()
    page.keyboard.press("[")
    expect(page.locator("#document")).to_be_focused()
    expect(panel.locator(".said-line[aria-current]")).to_contain_text(f"About {docno(3)}")
    page.keyboard.press("l")
    on_desk(page, docno(3))
    page.keyboard.press("]")
    on_desk(page, docno(4))
    light(page, "saved")
    assert server.said("Gil")[-1] == (docno(3), "grade", 2)


def test_it_works_without_javascript(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Hal", java_script_enabled=False)
    page.locator("button[value='2']").click()
    on_desk(page, docno(2))
    page.get_by_role("button", name="Undo").click()
    on_desk(page, docno(1))
    page.get_by_role("button", name="Later").click()
    on_desk(page, docno(2))
    assert [answer for _, answer, _ in server.said("Hal")] == ["grade", "withdrawn", "later"]


def test_another_machine_resumes_at_the_same_document(desk_of: DeskOf, server: DeskServer) -> None:
    here = desk_of("Ina")
    press(here, "1")
    light(here, "saved")
    assert shown(desk_of("Ina")) == shown(here) == docno(2)


def test_whoever_reads_with_the_desk_is_told_of_every_document(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Kim")
    fetched_ahead(page, 6)
    page.evaluate(
        "window.told = []; document.getElementById('desk').addEventListener('desk:shown', ({detail}) =>"
        " told.push([detail.docno, detail.assignmentId, detail.article.isConnected,"
        " detail.article.parentElement.id]))"
    )
    press(page, "12[")
    told = page.evaluate("told")
    assert told == [[docno(number), server.assignments["Kim"], True, "document"] for number in (2, 3, 2)]


def test_a_comment_joins_a_judgment_that_is_there_and_waits_for_one_that_is_not(
    desk_of: DeskOf, server: DeskServer
) -> None:
    page = desk_of("Lea")
    fetched_ahead(page, 6)
    # Left without keeping it, it is not lost; nor by loading the page again while the box is open.
    page.keyboard.press("c")
    page.keyboard.type("half a")
    page.reload()
    fetched_ahead(page, 6)
    page.keyboard.press("c")
    page.keyboard.press("End")
    page.keyboard.type(" page")
    page.keyboard.press("Escape")
    expect(page.locator("#remark")).to_have_attribute("aria-pressed", "true")
    press(page, "1")
    page.keyboard.press("[")
    page.keyboard.press("c")
    expect(page.locator("#comment")).to_have_value("half a page")
    page.locator("#comment").fill("a whole page")
    page.get_by_role("button", name="Save").click()
    light(page, "saved")
    on_desk(page, docno(1))
    with stored(server.instance) as database, database.reading() as db:
        event = JudgmentEventRow
        said = db.execute(select(event.grade, event.comment).order_by(event.id.desc()).limit(2)).all()
    assert [tuple(row) for row in said] == [(1, "a whole page"), (1, "half a page")]
