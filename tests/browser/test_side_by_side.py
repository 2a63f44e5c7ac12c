"""Two documents side by side: by the keyboard alone, through an outage of the network, and on a telephone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from sqlalchemy import select

from tests.browser.conftest import Complaints, Server
from tests.browser.people import demo_instance, sign_in, stored
from workbench.demo.campaign import SLUG
from workbench.storage.tables import DocumentRow, PreferenceEventRow
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.preference_tasks import compare_documents, tasks_of
from workbench.workflow.people.assessors import assessors_of

ONE, OTHER, THIRD = "ALM-0001", "ALM-0002", "ALM-0003"


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


def test_pairs_are_compared_by_key_and_none_is_lost(
    live_server: Callable[..., Server],
    new_page: Callable[..., Page],
    complaints: Complaints,
    tmp_path: Path,
) -> None:
    complaints.expect("ERR_INTERNET_DISCONNECTED|Failed to fetch|Failed to load|422")
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
    expect(status).to_contain_text("Recorded: Tie. Pair 2 of 3.")
    expect(judge.locator("#statement")).not_to_have_attribute("open", "")
    expect(right).to_be_focused()
    expect(reason).to_have_value("")
    assert right.evaluate("(one) => one.scrollTop") == 0
    judge.keyboard.press("z")
    expect(status).to_contain_text("Undone. Pair 1 of 3.")
    assert [choice for choice, _ in said(server)] == ["tie", "withdrawn"]
    # A click leaves the focus where one reads, so that Space does not answer.
    judge.get_by_role("button", name="Both bad").click()
    expect(status).to_contain_text("Recorded: Both bad.")
    expect(right).to_be_focused()
    # What is refused stays, with the server's reason, to be changed and given again.
    reason.fill("newer")
    judge.locator("button[name=said]").first.evaluate(
        "(one) => { one.value = 'neither'; one.click(); one.value = 'left'; }"
    )
    expect(judge.locator("#light-text")).to_have_text("not saved")
    expect(judge.locator("#trouble #errors")).to_be_visible()
    expect(reason).to_have_value("newer")
    # A cut network: the answer arrives once it is back.
    reason.press("Escape")
    judge.context.set_offline(True)
    judge.keyboard.press("4")
    expect(judge.get_by_text("offline", exact=True).first).to_be_visible()
    expect(judge.locator("#trouble")).to_be_empty()
    judge.context.set_offline(False)
    expect(status).to_contain_text("Recorded: Right is better. Pair 3 of 3.")
    assert said(server)[-1][1] == "newer"
    judge.keyboard.press("1")
    expect(judge.get_by_role("heading", name="Everything is compared")).to_be_focused()
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
    expect(judge.get_by_role("heading", name="Everything is compared")).to_be_visible()
    assert len(said(server)) == 6
