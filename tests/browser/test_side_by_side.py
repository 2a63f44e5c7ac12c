"""Two documents side by side: by the keyboard alone, through outages and closed tabs, and on a telephone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select

from tests.browser.conftest import Complaints, Server
from tests.browser.desks import light, lost, unsent
from tests.browser.interception import intercept
from tests.browser.people import demo_instance, sign_in, stored
from workbench.demo.campaign import SLUG
from workbench.storage.tables import DocumentRow, PreferenceEventRow
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.preference_tasks import compare_documents, tasks_of
from workbench.workflow.people.membership import assessors_of

ONE, OTHER, THIRD = "ALM-0001", "ALM-0002", "ALM-0003"
EVENTS = "**/desk/events"
NO_NETWORK = "ERR_(FAILED|INTERNET_DISCONNECTED)|Failed to fetch"


def three_pairs(instance: Path) -> int:
    """Give Marlow every two of three long documents; returns the number of the task."""
    with stored(instance) as database, database.writing() as db:
        campaign = campaign_by_slug(db, SLUG).id
        for docno in (ONE, OTHER, THIRD):
            db.get_one(DocumentRow, (campaign, docno)).text = "The tide is high.\n\n" + "It rains.\n\n" * 80
        (marlow,) = [one.id for one in assessors_of(db, campaign) if one.name == "A. Marlow"]
        pairs = {"T01": [(ONE, OTHER), (ONE, THIRD), (OTHER, THIRD)]}
        compare_documents(db, campaign, pairs, assessor_ids=[marlow], seed=1)
        (task,) = tasks_of(db, campaign)
        return task.id


def said(server: Server) -> list[tuple[str, str]]:
    """The choices and reasons that the database holds, in their order."""
    with stored(server.instance) as database, database.reading() as db:
        rows = db.execute(
            select(PreferenceEventRow.choice, PreferenceEventRow.reason).order_by(PreferenceEventRow.id)
        )
        return [(choice, reason) for choice, reason in rows]


def fetched(page: Page, pair: int) -> None:
    """Wait until the desk has this pair."""
    page.wait_for_function(
        "pair => performance.getEntriesByType('resource').some(one => one.name.endsWith(`pair=${pair}`)"
        " && one.responseEnd > 0)",
        arg=pair,
    )


def at_rest(side: Locator) -> None:
    """Wait until a side no longer scrolls: the browser scrolls smoothly by keys, for longer under load."""
    side.evaluate(
        """async (one) => {
          for (let before = -1, same = 0; same < 5; ) {
            same = one.scrollTop === before ? same + 1 : 0;
            before = one.scrollTop;
            await new Promise((next) => setTimeout(next, 50));
          }
        }"""
    )


def test_pairs_are_compared_by_key_and_none_is_lost(
    live_server: Callable[..., Server],
    new_page: Callable[..., Page],
    complaints: Complaints,
    tmp_path: Path,
) -> None:
    complaints.expect(NO_NETWORK)
    instance = demo_instance(tmp_path)
    task = three_pairs(instance)
    server = live_server(instance)
    judge = new_page()
    sign_in(judge, server.address, "marlow")
    judge.goto(f"{server.address}/c/harbour/side-by-side/{task}")
    status, left, right = judge.locator("#status"), judge.locator("#left"), judge.locator("#right")
    expect(status).to_contain_text("Pair 1 of 3. Left, ")
    expect(left).to_be_focused()
    # Arrows read: they scroll the side that has the focus and lead to the other one; nothing is answered.
    for key in ("ArrowRight", "ArrowDown", "Space", "ArrowLeft"):
        judge.keyboard.press(key)
    expect(left).to_be_focused()
    judge.wait_for_function("document.querySelector('#right').scrollTop > 100")
    at_rest(right)
    assert left.evaluate("(one) => one.scrollTop") == 0
    assert said(server) == []
    # Digits and Enter are the reason's while it is written; neither Enter nor Shift and Enter answers.
    reason = judge.locator("#reason")
    judge.keyboard.press("c")
    judge.keyboard.type("both dated 1 4")
    judge.keyboard.press("Enter")
    expect(reason).not_to_be_focused()
    expect(left).to_be_focused()
    reason.focus()
    judge.keyboard.press("Shift+Enter")
    judge.keyboard.press("Escape")
    assert said(server) == []
    # The statement stays as it was, the focus where it was, and both sides begin at their top.
    judge.keyboard.press("g")
    judge.keyboard.press("ArrowRight")
    judge.keyboard.press("2")
    expect(status).to_contain_text("Tie. Pair 2 of 3.")
    expect(judge.locator("#statement")).not_to_have_attribute("open", "")
    expect(right).to_be_focused()
    expect(reason).to_have_value("")
    assert right.evaluate("(one) => one.scrollTop") == 0
    judge.keyboard.press("z")
    expect(status).to_contain_text("Undone. Pair 1 of 3.")
    light(judge, "saved")
    assert [choice for choice, _ in said(server)] == ["tie", "withdrawn"]
    # A click leaves the focus where one reads, so that Space does not answer.
    judge.get_by_role("button", name="Both bad").click()
    expect(status).to_contain_text("Both bad.")
    expect(right).to_be_focused()
    # A cut network: the next pair is there all the same, and the answers arrive once it is back. A key that
    # is kept down answers once; an undo brings the pair back with its reason.
    light(judge, "saved")
    fetched(judge, 3)
    judge.context.set_offline(True)
    reason.fill("newer")
    reason.press("Escape")
    judge.keyboard.down("4")
    judge.keyboard.down("4")
    judge.keyboard.up("4")
    expect(status).to_contain_text("Right is better. Pair 3 of 3.")
    light(judge, "offline 1")
    judge.keyboard.press("z")
    expect(reason).to_have_value("newer")
    judge.keyboard.press("4")
    judge.keyboard.press("1")
    end = judge.get_by_role("heading", name="Everything is compared")
    expect(end).to_be_focused()
    light(judge, "offline 4")
    expect(judge.locator("#trouble")).to_be_empty()
    judge.context.set_offline(False)
    light(judge, "saved")
    assert len(said(server)) == 7
    assert [reason for _, reason in said(server)[-4:]] == ["newer", "", "newer", ""]
    # Keys of one's own: the answer on the left by Q.
    judge.goto(f"{server.address}/account/keys")
    judge.get_by_label("the left side is better").fill("q")
    judge.get_by_role("button", name="Save").click()
    judge.set_viewport_size({"width": 390, "height": 844})
    judge.goto(f"{server.address}/c/harbour/side-by-side/{task}?pair=2")
    expect(reason).to_have_value("newer")
    # On a telephone one side at a time, and all answers within the screen.
    expect(right).to_be_hidden()
    judge.locator("#show-right").check()
    expect(left).to_be_hidden()
    assert right.bounding_box()["height"] > 400  # type: ignore[index]
    for button in judge.locator("button[name=said]").all():
        expect(button).to_be_in_viewport(ratio=1)
    judge.keyboard.press("q")
    expect(end).to_be_visible()
    light(judge, "saved")
    assert len(said(server)) == 8


# It sends by the same module as the desk of test_desk_faults.
@pytest.mark.slow
def test_an_answer_outlives_its_tab_and_a_server_that_is_gone(
    live_server: Callable[..., Server],
    new_page: Callable[..., Page],
    complaints: Complaints,
    tmp_path: Path,
) -> None:
    complaints.expect(f"{NO_NETWORK}|503")
    instance = demo_instance(tmp_path)
    task = three_pairs(instance)
    server = live_server(instance)
    judge = new_page()
    sign_in(judge, server.address, "marlow")
    context, desk = judge.context, f"{server.address}/c/harbour/side-by-side/{task}"
    judge.goto(desk)
    fetched(judge, 3)
    intercept(context, EVENTS, lambda route: route.fulfill(status=503))
    judge.keyboard.press("1")
    light(judge, "not saved yet 1")
    # Its answer arrived, and the receipt was lost: the server knows it when it comes again.
    context.unroute(EVENTS)
    intercept(context, EVENTS, lost)
    judge.keyboard.press("2")
    expect(judge.locator("#light-text")).to_contain_text("2")
    judge.close()
    assert context.pages == []
    context.unroute(EVENTS)
    # Any page of the site sends what was left; the desk goes on behind it.
    again = context.new_page()
    again.goto(f"{server.address}/c/harbour/side-by-side")
    unsent(again, 0)
    again.goto(desk)
    expect(again.locator("#status")).to_contain_text("Pair 3 of 3.")
    # The network is gone, and so is the next tab: the desk itself takes up what it left.
    again.wait_for_load_state("networkidle")
    intercept(context, EVENTS, lambda route: route.abort())
    again.keyboard.press("4")
    light(again, "offline 1")
    again.close()
    last = context.new_page()
    last.goto(desk)
    expect(last.get_by_role("heading", name="Everything is compared")).to_be_focused()
    expect(last.locator("#light-text")).to_contain_text("offline 1")
    context.unroute(EVENTS)
    last.evaluate("window.dispatchEvent(new Event('online'))")
    light(last, "saved")
    assert len(said(server)) == 3
