"""Adjudicating with the keyboard in a real browser, and a pair's way to its assessors and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import select

from tests.browser.conftest import Complaints, Server
from tests.browser.desks import OPENED_BY_HAND, light, lost, pass_time, round_trip, unsent
from tests.browser.interception import intercept
from tests.browser.people import demo_instance, sign_in, stored
from workbench.demo.campaign import SLUG
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    DocumentRow,
    JudgmentEventRow,
    TopicRow,
)
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import Order
from workbench.workflow.campaigns.campaigns import campaign_by_slug

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
    # A screen reader hears what was decided, and what the assessors answered on the pair that came.
    status = page.locator("#status")
    expect(status).to_contain_text(re.compile(r"(Decided|Recorded): 2 .+ pair 2 of "))
    expect(status).to_contain_text(re.compile(r"A. Marlow: \d .+R. Quist: \d "))
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
    expect(status).to_contain_text("Undone. Topic ")
    expected.append((third, "withdrawn", None, ""))
    # A held key repeats: the browser sends more of the same before it is let go.
    for _ in range(5):
        page.keyboard.down("1")
    page.keyboard.up("1")
    expect(page.locator("#document .strip .mono")).not_to_have_text(third)
    expect(page.locator("#light-text")).to_have_text("saved")
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

    intercept(page, "**/adjudicate/**", lose)
    last = shown(page)
    page.keyboard.press("0")
    expect(page.locator("#document .strip .mono")).not_to_have_text(last, timeout=15_000)
    expect(page.locator("#light-text")).to_have_text("saved")
    assert events(server) == [*expected, (last, "grade", 0, "")]
    # A grade that nobody gave is marked before it is chosen, and said afterwards, with the way back.
    page.unroute("**/adjudicate/**")
    fourth = shown(page)
    nobodys = page.locator("button[data-nobody]").first
    expect(nobodys).to_contain_text("given by nobody")
    nobodys.click()
    expect(page.locator("#document .strip .mono")).not_to_have_text(fourth)
    expect(page.locator("#trouble")).to_contain_text(f"{fourth} was decided as")
    expect(page.locator("#trouble")).to_contain_text("a grade that nobody gave")
    page.locator("#trouble").get_by_role("button", name="Undo").click()
    expect(page.locator("#document .strip .mono")).to_have_text(fourth)


def test_a_finger_finds_the_way_to_the_next_pair_and_back(
    new_page: Callable[..., Page], live_server: LiveServer, tmp_path: Path
) -> None:
    page = new_page(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    go_to_desk(page, live_server(demo_instance(tmp_path / "instance")))
    heading = page.locator("#document h2")
    first = heading.inner_text()
    box = page.locator("#next").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 20
    page.locator("#next").tap()
    expect(heading).not_to_have_text(first)
    page.locator("#previous").tap()
    expect(heading).to_have_text(first)


def test_steady_clicks_on_one_grade_decide_a_pair_each(
    page: Page, live_server: LiveServer, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "instance"))
    go_to_desk(page, server)
    decided = []
    page.locator("button[name=decision][value='2']").hover()
    for count in (1, 2, 3):  # as the browser counts clicks that follow within half a second
        here = shown(page)
        decided.append((here, "grade", 2, ""))
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        expect(page.locator("#document .strip .mono")).not_to_have_text(here)
        expect(page.locator("#light-text")).to_have_text("saved")
        pass_time(page, 320)
    assert events(server) == decided


def test_a_pair_stays_until_its_decision_has_arrived(
    page: Page, live_server: LiveServer, tmp_path: Path, complaints: Complaints
) -> None:
    complaints.expect("ERR_FAILED|Failed to fetch|Failed to load|422")
    server = live_server(demo_instance(tmp_path / "instance"))
    go_to_desk(page, server)
    held: list[Route] = []
    intercept(page, "**/adjudicate/decide", lambda route: held.append(route))
    first = shown(page)
    # By the mouse: the second click of a double click decides nothing, neither does a key meanwhile.
    page.locator("button[name=decision][value='2']").dblclick()
    expect(page.locator("#light-text")).to_have_text("saving")
    page.keyboard.press("1")
    round_trip(page)
    assert (shown(page), len(held), events(server)) == (first, 1, [])
    # What was lost is sent again.
    held[0].abort()
    page.unroute("**/adjudicate/decide")
    expect(page.locator("#document .strip .mono")).not_to_have_text(first, timeout=15_000)
    expect(page.locator("#document")).to_be_focused()
    expect(page.locator("#light-text")).to_have_text("saved")
    assert events(server) == [(first, "grade", 2, "")]
    # What is refused for good stays on the desk, with the reason.
    second = shown(page)
    page.locator("button[name=decision]").first.evaluate("(one) => { one.value = '99'; one.click(); }")
    expect(page.locator("#trouble")).to_contain_text("99 is not a grade")
    assert (shown(page), len(events(server))) == (second, 1)


@pytest.mark.slow
def test_passages_stand_where_they_were_marked_with_the_names_of_those_who_did(
    page: Page, live_server: LiveServer, tmp_path: Path
) -> None:
    instance = demo_instance(tmp_path / "instance")
    with stored(instance) as database, database.writing() as db:
        campaign = campaign_by_slug(db, SLUG).id
        topic, docno = dispute_queue(db, campaign, order=Order.TOPIC).lines[0].pair
        document = db.get_one(DocumentRow, (campaign, docno))
        document.text = "It rains. The tide is high. It rains. The tide is low, and it rains."
        one_topic = db.get_one(TopicRow, (campaign, topic))
        one_topic.title, one_topic.description = "High tide", ""
        event = JudgmentEventRow
        people = select(event).join(AssessorRow, AssessorRow.id == event.assessor_id)
        people = people.where(event.topic == topic, event.docno == docno, AssessorRow.machine.is_(False))
        one, other = db.scalars(people.order_by(AssessorRow.name))
        # The second of two that read alike; the other's overlaps with it, two were marked in an older text.
        one.evidence = [[28, 46, "It rains. The tide"]]
        other.evidence = [[38, 53, "The tide is low"], [500, 509, "It  rains"], [3, 10, "gone by"]]
    go_to_desk(page, live_server(instance))
    expect(page.locator("#passages")).to_have_text("3 passages E")
    tags = page.locator("#document .passage-tag")
    first, second, third = tags.evaluate_all("(all) => all.map((one) => one.title)")
    assert (second, third) == (second, second) != (first, first)
    # Words of both are in a mark of each; those whose place is gone are found where they are nearest to it.
    marks = page.locator("#document mark").evaluate_all("(all) => all.map((one) => one.textContent)")
    assert marks == ["It rains", "It rains", ". ", "The tide", "The tide", " is low"]
    said = page.locator("#said")
    expect(said.get_by_role("button", name="Show in the text")).to_have_count(3)
    expect(said.get_by_text("the text has changed: found by its words")).to_have_count(1)
    expect(said.get_by_text("not in the text as it is now")).to_have_count(1)
    page.keyboard.press("e")
    expect(page.locator("#status")).to_have_text(f"Passage 1 of 3: {first}")
    # From a name in the text to what was said, and back.
    tags.nth(0).click()
    expect(said.locator("blockquote").nth(0)).to_be_focused()
    said.get_by_role("button", name="Show in the text").nth(0).click()
    expect(tags.nth(0)).to_be_focused()
    # It reads as the judging desk does: hits of the topic, and words of one's own, kept for the topic.
    expect(page.locator(".reading-bar .hits")).to_have_text("3 hits")
    page.keyboard.press("n")
    expect(page.locator("#reading-status")).to_have_text("Hit 1 of 3: tide")
    page.keyboard.press("h")
    page.keyboard.type("rains")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".my-words .chip")).to_have_text("rains 3 ×")
    expect(page.locator(".reading-bar .hits")).to_have_text("6 hits")
    page.keyboard.press("]")
    expect(page.locator("#document .strip .mono")).not_to_have_text(docno)
    expect(page.locator(".reading-bar .hits")).to_contain_text("hit")
    page.goto(f"{page.url.partition('?')[0]}?order=topic")
    expect(page.locator(".my-words .chip")).to_have_text("rains 3 ×")


@pytest.mark.slow
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
    theirs = assessor.locator(".opinion").filter(has_not=assessor.get_by_text("you", exact=True))
    grade = theirs.locator(".graded .mono").inner_text()
    assessor.locator(f"input[name=answer][value='{grade}']").check()
    assessor.get_by_label("Comment").fill("I overlooked the last paragraph")
    assessor.get_by_role("button", name="Record").click()
    expect(assessor.get_by_text(f"Your answer about {docno} is recorded.")).to_be_visible()
    with stored(server.instance) as database, database.reading() as db:
        latest = db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc()).limit(1)).one()
        assert (latest.docno, latest.purpose, latest.grade) == (docno, "discussion", int(grade))
    # Quist, by the keys: X and 1 say why it cannot be judged, and Marlow hears of the reply.
    other = new_page()
    sign_in(other, server.address, "quist")
    other.goto(f"{server.address}/c/harbour/discussions")
    other.get_by_role("link", name="Discuss", exact=True).click()
    expect(other.get_by_text("1 new answer is hidden until everybody has answered.")).to_be_visible()
    expect(other.locator(".doc.alone")).to_be_focused()
    other.keyboard.press("c")
    other.keyboard.type("2 pages are missing")
    other.keyboard.press("Escape")
    other.keyboard.press("x")
    expect(other.get_by_label("Why it cannot be judged")).to_be_visible()
    expect(other.locator("#status")).to_contain_text("A digit chooses the reason")
    other.keyboard.press("1")
    expect(other.get_by_text(f"Your answer about {docno} is recorded.")).to_be_visible()
    expect(other.get_by_role("link", name="Read the reply")).to_be_visible()
    assessor.goto(f"{server.address}/c/harbour/discussions")
    expect(assessor.get_by_role("link", name="To discuss 1")).to_be_visible()
    assessor.get_by_role("link", name="Read the reply").click()
    expect(assessor.get_by_text("2 pages are missing")).to_be_visible()
    assessor.get_by_role("button", name="Mark as read").click()
    expect(assessor.get_by_role("link", name="To discuss", exact=True)).to_be_visible()
    other.add_init_script(OPENED_BY_HAND)
    other.get_by_role("link", name="Read the reply").click()
    expect(other.get_by_text("All have answered")).to_be_visible()
    expect(other.locator(".doc.alone")).to_be_focused()
    # A key that comes before the outbox is open is not lost.
    other.wait_for_function("() => window.openNow")
    other.keyboard.press(grade)
    other.evaluate("openNow()")
    expect(other.get_by_text(f"Your answer about {docno} is recorded.")).to_be_visible()
    expect(other.get_by_role("link", name="Read the reply")).to_have_count(0)
    desk.goto(f"{server.address}/c/harbour/adjudication?state=settled")
    desk.get_by_role("row").filter(has_text=docno).get_by_role("link", name="View").click()
    said = desk.locator("#said")
    expect(said.get_by_text("I overlooked the last paragraph")).to_be_visible()
    expect(said.get_by_text("before", exact=True)).to_have_count(2)
    expect(said.get_by_text("changed", exact=True).first).to_be_visible()


# It sends by the same module as the desk of test_desk_faults.
@pytest.mark.slow
def test_an_answer_in_a_discussion_outlives_its_tab_and_is_recorded_once(
    new_page: Callable[..., Page], live_server: LiveServer, complaints: Complaints, tmp_path: Path
) -> None:
    complaints.expect("ERR_FAILED|Failed to fetch|503")
    server = live_server(demo_instance(tmp_path / "instance"))
    desk, page = new_page(), new_page()
    go_to_desk(desk, server)
    docno = press_and_wait(desk, "b")
    sign_in(page, server.address, "marlow")
    context, listed = page.context, f"{server.address}/c/harbour/discussions"
    page.goto(listed)
    page.get_by_role("link", name="Discuss", exact=True).click()
    expect(page.locator(".doc.alone")).to_be_focused()
    address = page.url
    # The server is gone for a while: the answer is kept, whoever waits is told so, a second key adds nothing.
    intercept(context, "**/desk/events", lambda route: route.fulfill(status=503))
    page.get_by_label("Comment").fill("Seen again")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("2")
    light(page, "not saved yet 1")
    expect(page.locator("#trouble")).to_contain_text("kept in this browser")
    page.close()
    # The page takes up what the closed tab left; whoever signs out before it has arrived is warned.
    page = context.new_page()
    page.goto(address)
    light(page, "not saved yet 1")
    expect(page.get_by_label("Comment")).to_have_value("Seen again")
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("#unsent")).to_contain_text("1 answer is")
    # It arrives, its receipt is lost, and it comes again.
    context.unroute("**/desk/events")
    intercept(context, "**/desk/events", lost, times=1)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.get_by_text(f"Your answer about {docno} is recorded.")).to_be_visible()
    unsent(page, 0)
    with stored(server.instance) as database, database.reading() as db:
        event = JudgmentEventRow
        rows = db.execute(
            select(event.docno, event.grade, event.comment).where(event.purpose == "discussion")
        )
        assert rows.all() == [(docno, 2, "Seen again")]
