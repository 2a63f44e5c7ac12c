"""Whatever happens to network, tab, server or session: the events in the database equal the keys pressed.

Each test has an assessor of its own on one server, with a topic of sixty documents in the order of docnos.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from sqlalchemy import delete, select

from tests.browser.conftest import Complaints
from tests.browser.desks import (
    PASSWORD,
    SOON_MS,
    DeskServer,
    Said,
    docno,
    fetched_ahead,
    light,
    on_desk,
    open_desk,
    press,
    ready,
    served_desks,
    unsent,
)
from tests.browser.interception import intercept
from tests.browser.people import stored
from workbench.storage.tables import AssignmentRow, CampaignRow, JudgmentEventRow, KeptAsideRow, SessionRow
from workbench.workflow.campaigns.campaigns import campaign_of, change_campaign

NAMES = (
    "Ada",
    "Ben",
    "Cleo",
    "Dan",
    "Eve",
    "Finn",
    "Gil",
    "Hal",
    "Ina",
    "Jo",
    "Kim",
    "Lou",
    "Max",
    "Ned",
    "Oda",
)
NO_NETWORK = "ERR_(FAILED|INTERNET_DISCONNECTED|CONNECTION|CONTENT_LENGTH|NETWORK|SOCKET|EMPTY)"
NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskServer]:
    """One server for all tests of this file; whoever kills it starts it again."""
    with served_desks(tmp_path_factory.mktemp("desk"), NAMES) as made:
        yield made


def at_desk(new_context: NewContext, server: DeskServer, name: str) -> Page:
    context = new_context()
    server.let_in(context, name)
    page = context.new_page()
    open_desk(page, server, name)
    return page


def graded(keys: str, first: int = 1) -> list[Said]:
    """What digit keys say, one document after the other."""
    return [(docno(number), "grade", int(key)) for number, key in enumerate(keys, start=first)]


def hold_back(target: Page | BrowserContext) -> None:
    """Let no event reach the server."""
    intercept(target, "**/desk/events", lambda route: route.abort())


# Whatever keeps answers from arriving is in the other tests; faults.kills ends servers a thousand times.
@pytest.mark.slow
def test_the_server_is_killed_and_started_again_mid_topic(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(NO_NETWORK)
    page = at_desk(new_context, server, "Ada")
    fetched_ahead(page, 15)
    press(page, "0123")
    server.kill()
    press(page, "3210")
    expect(page.locator("#light-text")).to_contain_text("offline", timeout=SOON_MS)
    server.start()
    press(page, "11")
    light(page, "saved")
    assert server.said("Ada") == graded("0123321011")


def test_the_network_is_cut_for_thirty_judgments_with_an_undo_among_them(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(NO_NETWORK)
    page = at_desk(new_context, server, "Ben")
    fetched_ahead(page, 40)
    page.context.set_offline(True)
    keys = "0123" * 7 + "01"
    seen = press(page, keys[:10] + "z" + keys[10:])
    light(page, "offline 31")
    page.context.set_offline(False)
    light(page, "saved")
    expect(page.locator("#sitting")).to_have_text("29 this sitting")  # the tenth was judged twice
    assert page.locator("#sitting").evaluate("shown => shown.scrollWidth <= shown.clientWidth")
    # The undo came on the eleventh document and took the tenth back, which the next key judged again.
    expected = graded(keys[:10])
    expected += [(docno(10), "withdrawn", None), *graded(keys[10:], first=10)]
    assert server.said("Ben") == expected
    assert seen[10:12] == [docno(11), docno(10)]


def test_a_full_outbox_stops_judging_outlives_the_tab_and_is_sent_by_the_next(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(NO_NETWORK)
    page = at_desk(new_context, server, "Cleo")
    fetched_ahead(page, 51)
    hold_back(page)
    keys = "01230" * 10
    press(page, keys)
    on_desk(page, docno(51))
    press(page, "11")
    on_desk(page, docno(51))
    expect(page.locator("#trouble")).to_contain_text("50 answers are kept here and not sent yet")
    # Whoever closes the tab before the disk has them is asked; the test would not be.
    unsent(page, 50)
    page.close()
    assert server.said("Cleo") == []

    again = page.context.new_page()
    open_desk(again, server, "Cleo")
    light(again, "saved")
    on_desk(again, docno(51))
    press(again, "3")
    light(again, "saved")
    assert server.said("Cleo") == graded(keys + "3")


def test_a_key_pressed_twice_says_two_things_and_a_held_one_says_one(
    new_context: NewContext, server: DeskServer
) -> None:
    page = at_desk(new_context, server, "Dan")
    fetched_ahead(page, 6)
    press(page, "11")
    for _ in range(5):
        page.keyboard.down("2")
    page.keyboard.up("2")
    page.keyboard.press("Control+3")
    light(page, "saved")
    assert server.said("Dan") == graded("112")


def test_two_tabs_and_a_second_machine_keep_both_answers_and_say_so(
    new_context: NewContext, server: DeskServer
) -> None:
    one = at_desk(new_context, server, "Eve")
    two = one.context.new_page()
    open_desk(two, server, "Eve")
    elsewhere = at_desk(new_context, server, "Eve")
    press(one, "2")
    light(one, "saved")
    # The other tab hears of it at once and says so; its key counts all the same.
    expect(two.locator("#trouble")).to_contain_text(
        "You said “Relevant” for this on another screen a moment ago"
    )
    press(two, "0")
    light(two, "saved")
    on_desk(two, docno(2))
    # What was said of one document does not stand above the next.
    expect(two.locator("#trouble")).to_be_empty()
    # The other machine hears of it with the receipt.
    press(elsewhere, "3")
    expect(elsewhere.locator("#trouble")).to_contain_text(
        f"You said “Not relevant” for “About {docno(1)}” on another screen a moment ago. The latest counts."
    )
    assert server.said("Eve") == [(docno(1), "grade", grade) for grade in (2, 0, 3)]


def test_a_clock_that_is_wrong_changes_no_order(new_context: NewContext, server: DeskServer) -> None:
    context = new_context()
    context.add_init_script(
        "const real = Date; let asked = 0;"
        "Date = class extends real { constructor(...given) { given.length ? super(...given) :"
        " super(real.now() - 3 * 864e5 - 6e4 * asked++); } };"
    )
    server.let_in(context, "Finn")
    page = context.new_page()
    open_desk(page, server, "Finn")
    fetched_ahead(page, 6)
    press(page, "0123")
    light(page, "saved")
    assert server.said("Finn") == graded("0123")
    with stored(server.instance) as database, database.reading() as db:
        event = JudgmentEventRow
        rows = db.execute(select(event.said_at, event.recorded_at).order_by(event.id.desc()).limit(4)).all()
        said = [(then, now) for then, now in rows if then is not None]
    # Three days slow, and running backwards.
    assert all(timedelta(days=2) < now - then < timedelta(days=4) for then, now in said)
    assert [then for then, _ in said] == sorted(then for then, _ in said)
    assert len(said) == 4


def test_the_session_ends_mid_topic_and_signing_in_again_goes_on(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect("401")
    page = at_desk(new_context, server, "Gil")
    fetched_ahead(page, 10)
    press(page, "1")
    light(page, "saved")
    with stored(server.instance) as database, database.writing() as db:
        db.execute(delete(SessionRow).where(SessionRow.account_id == server.accounts["Gil"].id))
    press(page, "23")
    light(page, "signed out 2")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in again").click()
    other = opened.value
    other.get_by_label("Login").fill("gil")
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.keyboard.press("Enter")
    other.wait_for_url(lambda url: "/sign-in" not in url)
    light(page, "saved")
    expect(page.locator("#trouble")).to_be_empty()
    press(page, "0")
    light(page, "saved")
    assert server.said("Gil") == graded("1230")


def test_signing_out_waits_for_what_is_unsent(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(NO_NETWORK)
    page = at_desk(new_context, server, "Hal")
    fetched_ahead(page, 6)
    hold_back(page.context)
    press(page, "12")
    expect(page.locator("#light-text")).to_contain_text("offline 2", timeout=SOON_MS)
    page.goto(f"{server.address}/c/trial/judge")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("2 answers are kept in this browser and not sent yet")
    assert server.said("Hal") == []
    page.context.unroute("**/desk/events")
    expect(page.get_by_role("alert")).to_contain_text("Everything has arrived", timeout=SOON_MS)
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_text("You are signed out")).to_be_visible()
    assert server.said("Hal") == graded("12")


def test_signing_out_beside_an_open_desk_hears_when_that_has_sent(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(NO_NETWORK)
    page = at_desk(new_context, server, "Ned")
    fetched_ahead(page, 6)
    beside = page.context.new_page()
    beside.goto(f"{server.address}/c/trial/judge")
    beside.wait_for_load_state()
    hold_back(page.context)
    press(page, "12")
    expect(page.locator("#light-text")).to_contain_text("offline 2", timeout=SOON_MS)
    beside.get_by_role("button", name="Sign out", exact=True).click()
    expect(beside.get_by_role("alert")).to_contain_text("2 answers are kept in this browser")
    page.context.unroute("**/desk/events")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(beside.get_by_role("alert")).to_contain_text("Everything has arrived", timeout=SOON_MS)
    assert server.said("Ned") == graded("12")


def test_another_account_on_the_same_browser_never_sends_what_the_first_said(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(f"{NO_NETWORK}|401|404|409")
    page = at_desk(new_context, server, "Ina")
    fetched_ahead(page, 6)
    hold_back(page)
    press(page, "12")
    # Ina goes away without signing out, Jo signs in in a tab beside hers.
    page.context.clear_cookies()
    server.let_in(page.context, "Jo")
    jo = page.context.new_page()
    open_desk(jo, server, "Jo")
    fetched_ahead(jo, 6)
    press(jo, "3")
    light(jo, "saved")
    page.unroute("**/desk/events")
    light(page, "not sent 2")
    expect(page.locator("#trouble")).to_contain_text("Another account is signed in on this browser")
    press(page, "0")
    assert (server.said("Ina"), server.said("Jo")) == ([], graded("3"))
    page.context.clear_cookies()
    server.let_in(page.context, "Ina")
    light(page, "saved")
    assert (server.said("Ina"), server.said("Jo")) == (graded("12"), graded("3"))


def test_a_topic_taken_back_mid_topic_keeps_the_answers_aside_and_the_screen_says_so(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect("404")
    page = at_desk(new_context, server, "Kim")
    fetched_ahead(page, 6)
    press(page, "1")
    light(page, "saved")
    with stored(server.instance) as database, database.writing() as db:
        db.get_one(AssignmentRow, server.assignments["Kim"]).revoked_at = datetime.now(UTC)
    press(page, "2")
    light(page, "closed")
    expect(page.locator("#trouble")).to_contain_text("An answer was not recorded")
    expect(page.locator("#trouble")).to_contain_text("Stored for the organiser")
    # Nothing more is taken, nor said to be.
    told = page.locator("#status").text_content()
    press(page, "3")
    expect(page.locator("#status")).to_have_text(told or "")
    assert server.said("Kim") == graded("1")
    with stored(server.instance) as database, database.reading() as db:
        kept = db.scalars(select(KeptAsideRow.answer).order_by(KeptAsideRow.id)).all()
    assert [(one["docno"], one["grade"]) for one in kept] == [(docno(2), 2)]


def test_a_desk_stops_when_the_grades_change_until_it_is_loaded_again(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    page = at_desk(new_context, server, "Oda")
    press(page, "1")
    light(page, "saved")
    with stored(server.instance) as database, database.writing() as db:
        campaign = db.scalars(select(CampaignRow)).first()
        assert campaign is not None
        made = campaign_of(db, campaign.id)
        change_campaign(db, made.id, name=made.name, guidelines="Read to the end.", scale=made.scale)
    press(page, "2")
    expect(page.locator("#trouble")).to_contain_text("The organiser changed the guidelines or the grades")
    press(page, "3")
    page.get_by_role("button", name="Load again").click()
    page.wait_for_load_state()
    light(page, "saved")
    expect(page.locator("#guidelines")).to_contain_text("Read to the end.")
    assert server.said("Oda") == graded("12")


def test_a_lost_receipt_is_asked_for_again(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(NO_NETWORK)
    page = at_desk(new_context, server, "Jo")
    first = len(server.said("Jo"))
    lost: list[str] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.request.url)
        route.fetch()
        route.abort()

    intercept(page, "**/desk/events", lose)
    seen = press(page, "2")
    light(page, "saved")
    assert server.said("Jo")[first:] == [(seen[0], "grade", 2)]
    ready(page)


def test_what_the_disk_refuses_is_sent_in_its_order_by_the_tab_that_keeps_it(
    new_context: NewContext, server: DeskServer, complaints: Complaints
) -> None:
    complaints.expect(NO_NETWORK)
    sends = at_desk(new_context, server, "Lou")
    hold_back(sends)
    page = sends.context.new_page()
    open_desk(page, server, "Lou")
    fetched_ahead(page, 6)
    # The first of two answers cannot be written, and the second is on its way before that is known.
    page.evaluate(
        """() => {
          const add = IDBObjectStore.prototype.add;
          IDBObjectStore.prototype.add = function (event) {
            IDBObjectStore.prototype.add = add;
            this.transaction.abort();
          };
          for (const key of "12") {
            document.getElementById("document").dispatchEvent(
              new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          }
        }"""
    )
    expect(page.locator("#trouble")).to_contain_text("This browser stores nothing for this site")
    light(page, "saved")
    assert server.said("Lou") == graded("12")


def test_a_document_that_comes_late_leaves_who_is_typing_where_they_are(
    new_context: NewContext, server: DeskServer
) -> None:
    context = new_context()
    server.let_in(context, "Max")
    page = context.new_page()
    late: list[Route] = []
    page.route("**/documents?*", lambda route: late.append(route))
    open_desk(page, server, "Max")
    press(page, "1")
    page.keyboard.press("h")
    page.keyboard.type("tide 2")
    for route in late:
        route.continue_()
    expect(page.locator("#place")).to_contain_text("2 of")
    page.keyboard.type("023")
    expect(page.locator("#own-word")).to_have_value("tide 2023")
    light(page, "saved")
    assert server.said("Max") == graded("1")
